"""The gap of ε: the effect of a person's own record on the accuracy about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unmask.estimate import Estimate, Tally, more_often_right
from unmask.wording import message

WITHOUT = "without"
"""The key of posteriors from releases made without the person's own record."""


@dataclass(frozen=True)
class Gap:
    """The accuracy of the attack minus that on releases made without the person's record.

    The control leaves a group out of one release; the gap compares with new releases of a neighboring table, where the
    record is missing or replaced. So it covers every effect of the record on the release.

    Measures
        `accuracy in Game 0 − accuracy in Game i`, over people and over runs of the sanitizer. Where the sanitizer keeps
        ε for the neighbors of the games, its expectation is at most `tanh(ε / 2)`. The interval is for a population of
        such runs and people, by the sandwich over people.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, section 4.1.
    """

    name: ClassVar[str] = "gap"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the difference, between −1 and 1."""
        if WITHOUT not in tally.against:
            return Estimate.undefined(message("no release was made without the person's record"), tally.n)
        return more_often_right(tally, WITHOUT, "sanitizer")


EXAMPLES = (Gap(),)
