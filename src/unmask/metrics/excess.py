"""How much more an attack gets right than its control: what the release itself gives away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unmask.estimate import Estimate, Tally, more_often_right


@dataclass(frozen=True)
class Excess:
    """How much more often the likeliest answer is right than it would be had the person's own group been left out.

    What can be learned without a person's own record is knowledge of the population, not a leak. Only the excess is.

    Measures
        `accuracy − accuracy of the control`, paired: the same people, the same attacker. Where the tally knows who
        shares a group, the interval is for people like these, by the sandwich over groups; this release's own number
        is exact.
    """

    name: ClassVar[str] = "excess"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the difference, between −1 and 1."""
        if "control" not in tally.against:
            return Estimate.undefined("there is no control to compare with", tally.n)
        return more_often_right(tally, "control", "people")


EXAMPLES = (Excess(),)
