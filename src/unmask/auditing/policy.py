"""Limits and policies: when a person is exposed, and when a release passes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Literal

from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.numerics.rounding import TOLERANCE
from unmask.risk_levels import FIRM
from unmask.wording import marked, message

Location = Literal["attributes", "row"]
Control = Literal["left-out", "held-out", "none"]


class Verdict(StrEnum):
    """The verdict on a release under given limits."""

    WITHIN = marked("within limits")
    BROKEN = marked("limit broken")
    NOT_DECIDED = marked("not decided")
    NO_LIMITS = marked("no limits given")


SEVERITY = (Verdict.NO_LIMITS, Verdict.WITHIN, Verdict.NOT_DECIDED, Verdict.BROKEN)
"""Verdicts from the mildest to the worst."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be believed of how many.

    A person is exposed when some attack that ran gives a harmful value a probability of at least `max_belief`, and,
    where `excess` is given, at least that much more than the control gave it. `tolerate` people may be exposed:
    a share below 1, or a number of people.
    """

    max_belief: float | None = None
    excess: float | None = None
    tolerate: float = 0.0
    tolerate_is_share: bool = True
    max_risk: float | None = None  # of being named rightly; judged by linkage alone, never by excess

    def __post_init__(self) -> None:
        if self.max_belief is not None and not 0 < self.max_belief <= 1:
            msg = message(
                "max-belief must be greater than 0 and at most 1; got {max_belief}", max_belief=self.max_belief
            )
            raise InvalidInputError(msg)
        if self.max_risk is not None and not 0 < self.max_risk <= 1:
            msg = message("max-risk must be greater than 0 and at most 1; got {max_risk}", max_risk=self.max_risk)
            raise InvalidInputError(msg)
        if self.excess is not None and self.max_belief is None:
            msg = message(
                "excess must come with max-belief: it asks for more belief than the control, beyond that limit"
            )
            raise InvalidInputError(msg)
        if self.excess is not None and not 0 <= self.excess <= 1:
            msg = message("excess must be between 0 and 1; got {excess}", excess=self.excess)
            raise InvalidInputError(msg)
        if not self.tolerate >= 0 or (self.tolerate_is_share and self.tolerate > 1):
            msg = message(
                "tolerate must be a share between 0 and 1, or a number of people; got {tolerate}",
                tolerate=self.tolerate,
            )
            raise InvalidInputError(msg)

    @property
    def firm(self) -> float:
        """The belief from which people are counted: the limit, or a customary one."""
        return FIRM if self.max_belief is None else self.max_belief

    @property
    def given(self) -> bool:
        """Whether there is any limit."""
        return self.max_belief is not None or self.max_risk is not None

    def tolerated(self, n: float) -> float:
        """Return how many of n people may be exposed."""
        return self.tolerate * n if self.tolerate_is_share else self.tolerate


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits, and under which assumptions they are judged."""

    limits: Limits = Limits()
    location: Location = "attributes"
    control: Control = "left-out"
    required: tuple[str, ...] = ()  # attacks that must have run
    ignore: tuple[str, ...] = ()  # published columns not assumed known to the attacker
    recipient: str = ""  # who gets the release: the public, licensed researchers, a ministry
    purpose: str = ""
    reviewer: str = ""  # who signs the report
    next_review: date | None = None

    def __post_init__(self) -> None:
        if self.limits.excess is not None and self.control == "none":
            msg = message("excess must have a control to exceed; got control none. Leave one of the two out")
            raise InvalidInputError(msg)
        if self.limits.excess is not None and self.control == "held-out":
            msg = message(
                "excess must compare each person with the same person; control held-out has other people. Use "
                "control left-out, or leave excess out"
            )
            raise InvalidInputError(msg)


@dataclass(frozen=True, slots=True)
class Exposure:
    """The people exposed by one attack, and the people it could not assess."""

    exposed: Estimate  # where its value is not defined, its upper end is the most that there can be
    unreadable: float = 0  # people not exposed whose record could not be compared

    @property
    def least(self) -> float:
        """The fewest people who may be exposed."""
        return _end(self.exposed, self.exposed.low, 0.0)

    @property
    def most(self) -> float:
        """The most people who may be exposed, were all whose record could not be compared."""
        return _end(self.exposed, self.exposed.high, math.inf) + self.unreadable


def verdict(exposures: Sequence[Exposure], limits: Limits) -> Verdict:
    """Return the verdict on the numbers of people exposed, one for each attack: the worst decides.

    Limits are broken where more people are exposed than are tolerated. They are kept where no more can be, whatever
    an interval, a missing control or people who could not be compared leave open.
    """
    if limits.max_belief is None:
        return Verdict.NO_LIMITS
    tolerated = [limits.tolerated(one.exposed.n) + TOLERANCE for one in exposures]
    if any(one.least > most for one, most in zip(exposures, tolerated, strict=True)):
        return Verdict.BROKEN
    kept = all(one.most <= most for one, most in zip(exposures, tolerated, strict=True))
    return Verdict.WITHIN if exposures and kept else Verdict.NOT_DECIDED


def worst_of(parts: Iterable[tuple[Verdict, Iterable[str]]]) -> tuple[Verdict, tuple[str, ...]]:
    """Return the worst verdict and the reasons for it, the worst first: that others were kept is no reason for it."""
    listed = sorted(parts, key=lambda part: -SEVERITY.index(part[0]))
    worst = listed[0][0] if listed else Verdict.NO_LIMITS
    least = min(SEVERITY.index(worst), SEVERITY.index(Verdict.NOT_DECIDED))
    return worst, tuple(text for found, texts in listed if SEVERITY.index(found) >= least for text in texts)


def _end(one: Estimate, end: float | None, unknown: float) -> float:
    """Return one end of an estimate's interval; where it has none its value, and where that is undefined `unknown`."""
    if end is not None:
        return end
    return unknown if one.value is None else one.value
