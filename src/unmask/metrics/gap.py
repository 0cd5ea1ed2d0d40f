"""How much a person's own record helps to guess right about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unmask.estimate import Estimate, Tally, more_often_right

WITHOUT = "without"
"""How beliefs from releases that were made without the person's own record are named among those held against."""


@dataclass(frozen=True)
class Gap:
    """How much more often the likeliest answer is right than in a world where the person's record was not used.

    The control leaves a group out of one release; this compares with releases made anew of a neighboring table, in
    which the record is missing or another's. So it counts what the record did to the release in every way.

    Measures
        `accuracy in Game 0 − accuracy in Game i`, over people and over runs of the sanitizer. Where the sanitizer keeps
        ε under the neighbors that were played, its expectation is at most `tanh(ε / 2)`. The interval is for runs and
        people like these, by the sandwich over people.

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
            return Estimate.undefined("no release was made without the person's record", tally.n)
        return more_often_right(tally, WITHOUT, "sanitizer")


EXAMPLES = (Gap(),)
