"""Whether people believed with 80 % are believed rightly in 80 % of cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.estimate import Estimate, Tally
from unmask.numerics.rounding import levels

BINS = 15


def bins(tally: Tally) -> list[tuple[float, float, float, float]]:
    """Return (mean belief, share right, people, standard error of the difference) for bins of equally many people."""
    top, hit = tally.top()
    kept = np.flatnonzero(~np.isnan(hit))
    if not kept.size:
        return []
    level = levels(top[kept])  # equal beliefs share a bin, in whatever order
    votes = np.zeros(hit.size)
    votes[kept] = tally.votes(~np.isnan(hit))
    people_at = np.bincount(level, weights=votes[kept])
    middle = np.cumsum(people_at) - people_at / 2
    number = np.minimum(middle / people_at.sum() * BINS, BINS - 1).astype(int)[level]
    result = []
    for b in np.unique(number):
        cells = kept[number == b]
        people = votes[cells]
        n = people.sum()
        gap = (hit[cells] - top[cells]) * people
        if tally.cluster is None:  # people of a cell share a belief, not a fate: right is right one by one
            share = (hit[cells] * people).sum() / n
            error = np.sqrt(max(share * (1 - share), 0.0) / n)
        else:
            _, cluster = np.unique(tally.cluster[cells], return_inverse=True)
            error = np.sqrt((np.bincount(cluster.ravel(), weights=gap) ** 2).sum()) / n
        result.append(
            (float((top[cells] * people).sum() / n), float((hit[cells] * people).sum() / n), float(n), float(error))
        )
    return result


@dataclass(frozen=True)
class CalibrationError:
    """How far confidence is from being right, on average: the expected calibration error of the likeliest answer.

    Believing the prior has none, so it says nothing of how much was learned: read it beside the Brier score.

    Measures
        `Σ_b n_b/n · |right_b − believed_b|` over 15 bins of equally many people, less what chance alone would make
        of it, `Σ_b n_b/n · √(2/π) · error_b`; not below 0.
    """

    name: ClassVar[str] = "calibration-error"
    higher_is_worse: ClassVar[bool] = False
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the error, between 0 and 1."""
        binned = bins(tally)
        n = round(sum(people for _, _, people, _ in binned), 9)
        if not n:
            return Estimate.undefined("the truth is known for no target", tally.n)
        gap = sum(
            people * (abs(right - believed) - np.sqrt(2 / np.pi) * error) for believed, right, people, error in binned
        )
        return Estimate.exact(max(0.0, float(gap / n)), n)


EXAMPLES = (CalibrationError(),)
