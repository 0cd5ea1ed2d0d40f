"""Accuracy of the likeliest answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unmask.estimate import Estimate, Tally


@dataclass(frozen=True)
class Accuracy:
    """The share of people whose likeliest answer is right.

    Measures
        1 where the true value alone is likeliest, 1/m where it ties with m − 1 others, 0 else; the mean over people.
        So it does not depend on how ties are broken; two values with equal posterior count one half.
    """

    name: ClassVar[str] = "accuracy"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the share, between 0 and 1."""
        return tally.mean(tally.top()[1])


EXAMPLES = (Accuracy(),)
