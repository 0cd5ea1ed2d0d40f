"""Leak checks: what a release gives away beside its cells, or by cells that no privacy model counts.

Data only: counts and columns, never a value of a record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from unmask.auditing.published_columns import ColumnAudit, Fault
from unmask.wording import marked


class Leak(StrEnum):
    """The kinds of leaks that are looked for."""

    ROW_ORDER = marked("row order")
    RECORD_NUMBERS = marked("record numbers")
    EXACT_TOTALS = marked("exact totals")
    DETERMINISM = marked("determinism")
    METADATA = marked("file metadata")
    RARE_VALUES = marked("rare values")
    DIRECT_IDENTIFIERS = marked("direct identifiers")
    MORE_EXACT = marked("more exact than declared")
    COPIES = marked("copies of the original")
    COPIED_ROWS = marked("rows of the original")


@dataclass(frozen=True, slots=True)
class LeakFinding:
    """One leak: its kind, its column, how much of what, and words that end a sentence about it."""

    kind: Leak
    column: str  # empty: the whole file
    count: int  # of `unit`; higher is worse
    of: int  # all of them
    unit: str  # what is counted: rows, people, values
    detail: str
    gates: bool = False  # it opposes a clean verdict, as a finding on published columns
    ignored: bool = False  # the policy names the column


@dataclass(frozen=True, slots=True)
class LeakChecks:
    """The findings of all leak checks of a release, and the checks that did not run, with the reason."""

    findings: tuple[LeakFinding, ...] = ()
    not_run: tuple[tuple[Leak, str], ...] = ()
    of_others: frozenset[Leak] = frozenset()  # checks that concern other kinds of release

    @property
    def open(self) -> tuple[LeakFinding, ...]:
        """The findings about columns that the policy does not name."""
        return tuple(one for one in self.findings if not one.ignored)

    @property
    def warnings(self) -> tuple[LeakFinding, ...]:
        """The open findings that no verdict shows."""
        return tuple(one for one in self.open if not one.gates)

    @property
    def clean(self) -> tuple[Leak, ...]:
        """The kinds that were looked for without a finding."""
        others = {one.kind for one in self.findings} | {kind for kind, _ in self.not_run} | self.of_others
        return tuple(kind for kind in Leak if kind not in others)


_KIND = {
    Fault.SINGLES_OUT: Leak.RARE_VALUES,
    Fault.COPIES: Leak.COPIES,
    Fault.IDENTIFIES: Leak.DIRECT_IDENTIFIERS,
}


def leaks_of_columns(audit: ColumnAudit) -> Iterable[LeakFinding]:
    """Yield the findings on unprotected columns as leaks."""
    for one in audit.findings:
        ignored = one.column in audit.ignored
        yield LeakFinding(
            _KIND[one.fault], one.column, one.count, one.of, one.unit, one.detail, gates=True, ignored=ignored
        )
