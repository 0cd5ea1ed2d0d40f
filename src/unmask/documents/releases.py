"""Description of a release in documents: size, groups, method, published columns, risk in a population."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from unmask.auditing.leaks import Leak
from unmask.auditing.published_columns import Fault
from unmask.documents.estimates import EstimateJson, Settings
from unmask.schema import Role
from unmask.unit import Unit

RowsAre = Literal["people", "synthetic", "none"]


class ClassesJson(TypedDict):
    """The equivalence classes of rows by several columns."""

    columns: list[str]
    """Columns that are compared."""
    n: int
    """Rows; people where it is known which rows are whose."""
    unique: int
    """How many of them are alone in their class; higher is worse."""
    smallest_class: int
    """Size of the smallest class; lower is worse."""
    max_risk: float | None
    """Probability that the right record of the smallest class is guessed; higher is worse."""


class ColumnFindingJson(TypedDict):
    """A fault of a column that no privacy model protects."""

    column: str
    """Name of the column."""
    role: str | None
    """Declared role; null where none was declared."""
    fault: Fault
    """Kind of the fault."""
    detail: str
    """The fault in words that end a sentence about the column."""
    ignored: bool
    """Whether the policy names the column under `ignore`."""


class ColumnLimitJson(TypedDict):
    """A limit that is broken where the attacker knows the unprotected columns."""

    limit: str
    """Name of the limit."""
    text: str
    """The limit and the measured number in words."""


class PublishedColumnsJson(TypedDict):
    """The release for an attacker who knows every published column."""

    by_all: ClassesJson | None
    """Classes of equal rows by all published columns; null where no rows of people are published."""
    sensitive: list[str]
    """Columns of `by_all` that are sensitive: limits take them for secret."""
    unprotected: list[str]
    """Columns without a role, or published as they are."""
    ignored: list[str]
    """Of the unprotected columns, those that the policy names under `ignore`."""
    findings: list[ColumnFindingJson]
    """Faults of unprotected columns, also of ignored ones."""
    broken: list[ColumnLimitJson]
    """Limits that are broken where unprotected columns count as known."""


class LeakFindingJson(TypedDict):
    """What a release discloses beside its cells."""

    kind: Leak
    """Kind of the leak."""
    column: str | None
    """Name of the column; null: the whole file."""
    count: int
    """How many, in `unit`; higher is worse."""
    of: int
    """Number of all, in `unit`."""
    unit: str
    """What is counted: rows, people, values, cells or entries."""
    detail: str
    """The leak in words, without a value of a record."""
    way_out: str
    """What to do about it."""
    gates: bool
    """Whether it opposes a clean verdict."""
    ignored: bool
    """Whether the policy names the column under `ignore`."""


class SkippedLeakCheckJson(TypedDict):
    """A check that did not run, which says nothing about safety."""

    kind: Leak
    """Kind of the leak."""
    why: str
    """Why it did not run."""


class LeakChecksJson(TypedDict):
    """Checks for what a release discloses beside its cells."""

    findings: list[LeakFindingJson]
    """Leaks that were detected."""
    without_finding: list[Leak]
    """Checks that ran and detected nothing."""
    not_run: list[SkippedLeakCheckJson]
    """Checks that did not run."""


class InPopulationJson(TypedDict):
    """Re-identification risk of the published people in a population table; higher is worse."""

    size: EstimateJson
    """People of the population."""
    prosecutor_highest: EstimateJson
    """Highest risk for an attacker who knows that a person is in the release."""
    prosecutor_average: EstimateJson
    """The same risk, averaged over people."""
    journalist_highest: EstimateJson
    """Highest risk for an attacker who knows the population only."""
    journalist_average: EstimateJson
    """The same risk, averaged over people."""
    named_rightly: EstimateJson
    """Expected number of people matched correctly by an attacker who tries everyone."""


class ColumnFormJson(TypedDict):
    """A published column."""

    name: str
    """Name of the column."""
    role: Role | None
    """Its role; null where none was declared."""
    form: str
    """How its values are published, with the share of rows of each form."""


class WithheldColumnJson(TypedDict):
    """A column of the original table that is not published."""

    name: str
    """Name of the column."""
    role: Role | None
    """Its role; null where none was declared."""


class ReleaseJson(TypedDict):
    """A release: its size, its groups, and how it was made."""

    name: str
    """Name of the release: that of its folder or file."""
    groups: int
    """Number of groups (equivalence classes)."""
    unit: Unit
    """What numbers of people count: rows, where no person key says which rows are whose."""
    people: float | None
    """Published people; rows, where the unit is rows."""
    rows: float | None
    """Published rows."""
    smallest_group: float | None
    """Size of the smallest group; lower is worse."""
    average_group: float | None
    """Size of a group, averaged over groups."""
    average_group_of_people: float | None
    """Size of a person's group, averaged over people."""
    suppressed: int
    """People who were left out or whose quasi-identifiers are all suppressed."""
    sanitizer: str | None
    """Name of the sanitizer; null where it is not published."""
    parameters: Settings
    """Published parameters of the sanitizer, by name."""
    rows_are: RowsAre
    """What a row stands for; measures of identity are undefined for synthetic rows."""
    rows_declared: bool
    """Whether that was declared; false: figures of identity assume that rows are people."""
    doubt: str
    """Why no verdict rests on who is identified in this release; empty where nothing speaks against it."""
    columns: list[ColumnFormJson]
    """Published columns."""
    withheld: list[WithheldColumnJson] | None
    """Columns of the original table that are not published; null where that table is not known."""
    published_columns: NotRequired[PublishedColumnsJson]
    """The release for an attacker who knows every published column; absent where it was not examined."""
    leak_checks: NotRequired[LeakChecksJson]
    """What the release discloses beside its cells; absent where it was not examined."""
    in_population: NotRequired[InPopulationJson]
    """Re-identification risk in the population; absent where no table of it was given."""
