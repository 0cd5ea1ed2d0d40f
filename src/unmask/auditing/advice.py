"""Advice after an audit: what a change of the release would bring, each measured by the same attacks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from unmask.auditing.policy import SEVERITY, Verdict
from unmask.changes.planned_changes import Changes
from unmask.estimate import Estimate
from unmask.wording import message

UNKNOWN_ERROR = Estimate.undefined(message("the original table was not given"))


HarmOrder: TypeAlias = tuple[int, float, float, float]
"""What makes a result worse than another, the most important first; smaller is better."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The result of an audit in a few numbers, to compare releases of one table before and after a change."""

    verdict: Verdict
    exposed: float | None  # people exposed by some attack under the limits; None without a limit on beliefs
    largest_risk: float | None  # of re-identification; None without a limit on it
    people: float  # published
    suppressed: float
    groups: int
    query_error: Estimate = UNKNOWN_ERROR  # median relative error of counting queries; higher is worse
    no_longer: tuple[str, ...] = ()  # attacks that ran before the change, and do not run now
    by_columns: Mapping[str, float | None] = field(default_factory=dict)
    """The limits broken for an attacker who knows all published columns: people exposed, None for a privacy model."""

    @property
    def passes(self) -> bool:
        """Whether all limits are kept, and no attack that ran before the change is missing."""
        return self.verdict is Verdict.WITHIN and not self.no_longer

    @property
    def harm(self) -> HarmOrder:
        """What is compared first: the verdict, models that all published columns break, people exposed, largest risk.

        Smaller is better. People whom all published columns expose count like those whom an attack exposes. Where an
        attack that ran before does not run any more, nothing is better: not attacked is not safe.
        """
        if self.no_longer:
            return SEVERITY.index(Verdict.BROKEN), math.inf, math.inf, math.inf
        people = [n for n in self.by_columns.values() if n is not None]
        models = len(self.by_columns) - len(people)
        return SEVERITY.index(self.verdict), models, max([self.exposed or 0.0, *people]), self.largest_risk or 0.0


@dataclass(frozen=True, slots=True)
class AdviceLine:
    """One change, or several together, and the result of an audit with them."""

    changes: Changes
    after: Standing
    details: Mapping[str, str] = field(default_factory=dict)  # coarser column → its new form: "ranges of 10"


@dataclass(frozen=True, slots=True)
class ColumnShare:
    """The people exposed without one column, and with it one level coarser."""

    column: str
    without: float | None  # None: not possible, or an attack that exposed people does not run then
    coarser: float | None
    form: str = ""  # the coarser form
    query_error: float | None = None  # of counting queries without the column; higher is worse; None: not measured


@dataclass(frozen=True, slots=True)
class ColumnShares:
    """How much of the exposure is each column's, all people attacked."""

    attacks: tuple[str, ...]  # those that expose people; of a large table one
    before: float
    columns: tuple[ColumnShare, ...]
    in_quick_form: bool = False  # the attacks


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice after an audit whose limits are broken: changes in order of merit, each measured on all people.

    Changes that keep the limits come first, those with the least query error before others; then those that leave the
    fewest people exposed.
    """

    before: Standing
    lines: tuple[AdviceLine, ...] = ()
    shares: ColumnShares | None = None
    tried: int = 0  # changes tried by one attack
    notes: tuple[str, ...] = ()  # why there is no advice, or none that keeps the limits

    @property
    def passing(self) -> tuple[AdviceLine, ...]:
        """The changes that keep all limits."""
        return tuple(line for line in self.lines if line.after.passes)
