"""Calibration: whether answers with probability 80 % are right in 80 % of cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.estimate import Estimate, Tally
from unmask.numerics.rounding import levels
from unmask.wording import message

BINS = 15


def bins(tally: Tally) -> list[tuple[float, float, float, float]]:
    """Return (mean posterior, share right, people, standard error of the difference) for equally large bins."""
    top, hit = tally.top()
    kept = np.flatnonzero(~np.isnan(hit))
    if not kept.size:
        return []
    level = levels(top[kept])  # equal posteriors share a bin, whatever the order
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
        if tally.cluster is None:  # people of a cell share a posterior, but are right independently
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
    """The expected calibration error of the likeliest answer: the mean gap between confidence and accuracy.

    The prior has none, so the error does not measure information: read it together with the Brier score.

    Measures
        `Σ_b n_b/n · |right_b − believed_b|` over 15 bins of equally many people, minus its expectation by
        chance, `Σ_b n_b/n · √(2/π) · error_b`; not below 0.
    """

    name: ClassVar[str] = "calibration-error"
    higher_is_worse: ClassVar[bool] = False
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the error, between 0 and 1."""
        binned = bins(tally)
        n = round(sum(people for _, _, people, _ in binned), 9)
        if not n:
            return Estimate.undefined(message("the truth is known for no target"), tally.n)
        gap = sum(
            people * (abs(right - believed) - np.sqrt(2 / np.pi) * error) for believed, right, people, error in binned
        )
        return Estimate.exact(max(0.0, float(gap / n)), n)


EXAMPLES = (CalibrationError(),)
