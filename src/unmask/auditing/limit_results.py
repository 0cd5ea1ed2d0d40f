"""Limits with their states: what each asks for, what was measured, and what would change it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from unmask.auditing.policy import Verdict, worst_of
from unmask.estimate import Estimate
from unmask.wording import marked


class LimitState(StrEnum):
    """Whether a limit is kept."""

    KEPT = marked("kept")
    BROKEN = marked("broken")
    NOT_DECIDED = marked("not decided")

    @property
    def verdict(self) -> Verdict:
        """The verdict on a release with this limit alone."""
        return _VERDICTS[self]


_VERDICTS = {
    LimitState.KEPT: Verdict.WITHIN,
    LimitState.BROKEN: Verdict.BROKEN,
    LimitState.NOT_DECIDED: Verdict.NOT_DECIDED,
}

STATES = {one.verdict: one for one in LimitState}
"""The state of a limit by the verdict on it alone."""


@dataclass(frozen=True, slots=True)
class LimitResult:
    """One limit of a policy, judged by one attack, one privacy model, or the published columns.

    `measured` has the unit of `threshold`, except for `max-belief`: there it is the number of people exposed, which
    `tolerated` limits, and `threshold` is the probability from which a person counts as exposed.
    """

    limit: str  # max-belief, max-risk, the name of a model, required-attack, published-columns, epsilon, delta
    state: LimitState
    reason: str  # what was measured, as text
    requirement: str = ""  # what the limit asks for, as text
    threshold: float | None = None
    measured: Estimate | None = None  # None: nothing was measured, which is not kept
    tolerated: float | None = None  # people who may be exposed
    attack: str = ""  # of max-belief, empty also where it is judged for all attacks together
    location: str = ""  # the attacker's knowledge of the row: attributes or row
    about: str = ""  # the sensitive attribute; empty for the row
    releases: tuple[str, ...] = ()
    would_change: str = ""  # what the state depends on, as text


def concluded(limits: Iterable[LimitResult]) -> tuple[Verdict, tuple[str, ...]]:
    """Return the verdict on limits, and its reasons, the worst first; of equals, the order stays."""
    return worst_of((one.state.verdict, (one.reason,)) for one in limits)


def worst_first(limits: Iterable[LimitResult]) -> list[LimitResult]:
    """Return limits by state: broken, not decided, kept; of equals, the order stays."""
    order = (LimitState.BROKEN, LimitState.NOT_DECIDED, LimitState.KEPT)
    return sorted(limits, key=lambda one: order.index(one.state))
