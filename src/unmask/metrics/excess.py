"""Excess accuracy of an attack over its left-out control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unmask.estimate import Estimate, Tally, more_often_right
from unmask.wording import message


@dataclass(frozen=True)
class Excess:
    """The accuracy of the attack minus that of the left-out control, without the person's own group.

    An inference that does not need a person's own record is knowledge of the population, not a leak.

    Measures
        `accuracy − accuracy of the control`, paired: the same people, the same attacker. Where the tally has
        the groups, the interval is for a population of such people, by the sandwich over groups; the number for this
        release is exact.
    """

    name: ClassVar[str] = "excess"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the difference, between −1 and 1."""
        if "control" not in tally.against:
            return Estimate.undefined(message("there is no control to compare with"), tally.n)
        return more_often_right(tally, "control", "people")


EXAMPLES = (Excess(),)
