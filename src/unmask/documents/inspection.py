"""The inspection of a table as a document: the form `unmask-inspection/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

SCHEMA: Literal["unmask-inspection/1"] = "unmask-inspection/1"
"""The form of the document; a change that breaks readers counts up."""


class ProtectionUnitJson(TypedDict):
    """What a row stands for."""

    person_key: str | None
    """Column whose equal values mark the rows of one person; null where none is recognized."""
    household: str | None
    """Column whose equal values mark one household; null where none is recognized."""
    people: int
    """Number of people; of rows without a person key."""
    households: int | None
    """Number of households; null without a household column."""
    rows: int
    """Number of rows."""
    repeated_rows: int
    """Rows that repeat another row exactly."""


class SafeHarborJson(TypedDict):
    """The kind of a column under HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i)."""

    paragraph: str
    """Letter of the paragraph, A to R."""
    kind: str
    """Kind of the identifier."""
    remedy: str
    """What Safe Harbor requires of it."""


class InspectedColumnJson(TypedDict):
    """A column with its proposed role."""

    name: str
    """Name of the column."""
    type: str
    """Type of its values."""
    distinct: int
    """Number of distinct values."""
    missing: int
    """Number of missing values."""
    examples: list[str]
    """Frequent values, masked where they identify or fewer than 11 rows share them."""
    role: str
    """Proposed role."""
    reason: str
    """Reason for the role."""
    topic: str | None
    """What the column is about; null where it is not recognized."""
    hierarchy: str | None
    """Ready hierarchy that its values fit, as `preset:NAME`; null where there is none."""
    safe_harbor: SafeHarborJson | None
    """Kind under HIPAA Safe Harbor; null where it is none of the 18."""


class DependencyJson(TypedDict):
    """A column that determines others."""

    column: str
    """Name of the column."""
    determines: list[str]
    """Columns whose value follows from it."""
    equivalent: list[str]
    """Of these, the columns that also determine it."""


class UniqueSetJson(TypedDict):
    """A minimal set of columns that singles people out."""

    columns: list[str]
    """Columns of the set."""
    people: int
    """People whom it singles out while no smaller set of its columns does; higher is worse."""


class CoarsenFirstJson(TypedDict):
    """The part of a column in singling people out."""

    column: str
    """Name of the column."""
    share: float
    """Share of the SUDA scores by sets of up to three columns."""
    people_spared: int
    """People who would not be singled out without the column."""


class UniqueSetsJson(TypedDict):
    """Sets of up to three columns that single people out."""

    columns: list[str]
    """Columns that were combined."""
    not_combined: list[str]
    """Columns that were not, since they have the fewest values."""
    people: int
    """Number of people."""
    singled_out_by_up_to: dict[str, int]
    """People singled out by at most 1, 2 and 3 columns."""
    sets: list[UniqueSetJson]
    """Minimal unique sets, the most people first within a size."""
    coarsen_first: list[CoarsenFirstJson]
    """Columns that contribute most."""


class InspectionJson(TypedDict):
    """Inspection of a table by `unmask inspect`: proposed roles, and what singles people out."""

    schema: Literal["unmask-inspection/1"]
    """Form of the document."""
    version: str
    """Version of unmask."""
    table: str
    """Name of the table."""
    unit: ProtectionUnitJson
    """What a row stands for."""
    columns: list[InspectedColumnJson]
    """Columns in the order of the table."""
    dependencies: list[DependencyJson]
    """Columns that determine others."""
    unique_sets: UniqueSetsJson | None
    """What singles people out; null where no quasi-identifier is proposed."""
    warning: str
    """What the proposals are not."""
