"""Published columns: the equivalence classes of all columns together, and findings about unprotected columns.

A column is unprotected where no privacy model covers it: it has no role, or is published unchanged (insensitive).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from unmask.arrays import Float64, Int32, Int64, distinct_rows, distinct_tuples
from unmask.auditing.direct_identifiers import Identifier
from unmask.number_format import numeral
from unmask.schema import Role
from unmask.wording import marked, message


class Fault(StrEnum):
    """Why an unprotected column may not be published unseen."""

    SINGLES_OUT = marked("singles people out")
    COPIES = marked("equals a column of the original")
    IDENTIFIES = marked("holds direct identifiers")


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """One fault of one unprotected column, in words that end a sentence about it."""

    column: str
    role: Role | None  # None: no role was declared
    fault: Fault
    detail: str
    count: int = 0  # of `unit`: those with the fault
    of: int = 0
    unit: str = "rows"
    identifier: Identifier | None = None  # the kind that the content holds


@dataclass(frozen=True, slots=True)
class Classes:
    """The classes of rows that are equal in some columns."""

    columns: tuple[str, ...]
    n: int  # rows; people where person keys are known
    unique: int  # how many of them are alone in their class
    smallest: int

    @property
    def max_risk(self) -> float:
        """The chance of naming the right one in the smallest class."""
        return 1 / self.smallest if self.smallest else 0.0

    def __str__(self) -> str:
        return message("{n} of {all} unique", n=numeral(self.unique), all=numeral(self.n))


@dataclass(frozen=True, slots=True)
class BrokenLimit:
    """A limit that is broken where the attacker knows the unprotected columns: its name and its value."""

    limit: str
    text: str
    exposed: float | None = None  # people, of the limit on beliefs


@dataclass(frozen=True, slots=True)
class ColumnAudit:
    """The classes and findings for an attacker who knows every published column of a release."""

    by_all: Classes | None  # None: no rows are published
    sensitive: tuple[str, ...] = ()  # columns of `by_all` that are sensitive: secret by assumption
    unprotected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()  # of these, the ones that the policy names
    findings: tuple[ColumnFinding, ...] = ()  # of unprotected columns, also of ignored ones
    broken: tuple[BrokenLimit, ...] = ()  # limits broken by an attacker who knows unprotected columns

    @property
    def open(self) -> tuple[ColumnFinding, ...]:
        """The findings about columns that the policy does not name."""
        return tuple(one for one in self.findings if one.column not in self.ignored)

    @property
    def is_clean(self) -> bool:
        """Whether no finding opposes a clean verdict."""
        return not self.open and not self.broken


def classes(
    columns: Mapping[str, Int32], n_rows: int, person_of: Int32 | None = None, *, times: Int64 | None = None
) -> Classes:
    """Return the classes of rows by coded columns, (rows,) each; people are counted where `person_of` is known.

    Without people, each row may stand for several equal ones: `times`, (rows,).
    """
    if person_of is not None and n_rows:
        size = class_sizes(columns.values(), n_rows, person_of)
        number, example = distinct_rows(person_of[:, None])
        least = np.full(example.size, np.inf)
        np.minimum.at(least, number, size)
        return Classes(tuple(columns), least.size, int((least == 1).sum()), int(least.min()))
    number, example = distinct_tuples(columns.values(), n_rows)
    sizes = np.bincount(number, times, example.size)
    n = n_rows if times is None else int(times.sum())
    return Classes(tuple(columns), n, int((sizes == 1).sum()), int(sizes.min()) if sizes.size else 0)


def class_sizes(columns: Iterable[Int32], n_rows: int, person_of: Int32 | None = None) -> Float64:
    """Return the class size of each row, (rows,): rows, or people, with equal cells."""
    number, example = distinct_tuples(columns, n_rows)
    pairs = number if person_of is None else np.unique(np.stack([number, person_of], axis=1), axis=0)[:, 0]
    return np.bincount(pairs, minlength=example.size)[number].astype(np.float64)


def alone_in(codes: Int32, person_of: Int32 | None = None) -> int:
    """Return the number of rows, or people, with a unique value; missing values do not count."""
    known = codes >= 0
    owner = None if person_of is None else person_of[known]
    alone = class_sizes([codes[known]], int(known.sum()), owner) == 1
    return int(alone.sum()) if owner is None else np.unique(owner[alone]).size
