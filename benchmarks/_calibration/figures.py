"""Figures of one attack: calibration errors with intervals by group, log loss, share right, mean belief."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32, Int64

FLOOR = 1e-6
"""The least probability of the true value in a log loss, as in the program's own."""

WIDE, EQUAL_MASS = 10, 15
"""Bins of equal width, and of equally many people."""

CERTAIN = 1.96  # standard errors of a 95 % interval
TIED = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Beliefs about people, held against the truth, by person."""

    top: Float64  # (people,) the largest probability
    right: Float64  # (people,) whether its value is true; ties share
    log_loss: Float64  # (people,)
    group: Int32  # (people,) people of a group are dependent

    @classmethod
    def of(cls, chance: Float64, truth: Int32, group: Int32) -> Scored:
        """Score probabilities, (people, values), of true values, (people,)."""
        top = chance.max(axis=1)
        tied = chance >= top[:, None] - TIED
        people = np.arange(truth.size)
        right = tied[people, truth] / tied.sum(axis=1)
        return cls(top, right, -np.log(np.maximum(chance[people, truth], FLOOR)), group)

    def calibration_error(self, bin_of: Int64) -> tuple[float, float, float]:
        """Return the calibration error, half of its 95 % interval by group, and its expectation by chance alone."""
        gap = self.right - self.top
        total = np.bincount(bin_of, gap)
        error, half = float(np.abs(total).sum() / gap.size), mean_by_group(np.sign(total)[bin_of] * gap, self.group)[1]
        by_chance = 0.0
        for one in np.unique(bin_of):
            _, group = np.unique(self.group[bin_of == one], return_inverse=True)
            by_chance += np.sqrt(2 / np.pi) * np.sqrt((np.bincount(group, gap[bin_of == one]) ** 2).sum())
        return error, half, float(by_chance / gap.size)

    def figures(self) -> dict[str, float]:
        """Return the figures by name; the interval of each is ± its `… ±`."""
        wide = np.minimum((self.top * WIDE).astype(np.int64), WIDE - 1)
        rank = np.unique(self.top.round(9), return_inverse=True)[1].ravel()
        people = np.bincount(rank)
        middle = np.cumsum(people) - people / 2
        mass = np.minimum(middle / self.top.size * EQUAL_MASS, EQUAL_MASS - 1).astype(np.int64)[rank]
        plain, plain_half, _ = self.calibration_error(wide)
        equal, equal_half, by_chance = self.calibration_error(mass)
        loss, loss_half = mean_by_group(self.log_loss, self.group)
        return {
            "right": float(self.right.mean()), "belief": float(self.top.mean()),
            "ece": plain, "ece ±": plain_half, "ece by mass": max(equal - by_chance, 0.0), "ece by mass ±": equal_half,
            "log loss": loss, "log loss ±": loss_half,
        }  # fmt: skip

    def beside(self, other: Scored) -> tuple[float, float]:
        """Return the mean of this log loss minus another's, and half of the interval of the pairs by group."""
        return mean_by_group(self.log_loss - other.log_loss, self.group)


def mean_by_group(number: Float64, group: Int32) -> tuple[float, float]:
    """Return a mean over people, and half of its 95 % interval, where people of a group are dependent."""
    mean = float(number.mean())
    by_group = np.bincount(np.unique(group, return_inverse=True)[1].ravel(), number - mean)
    return mean, float(CERTAIN * np.sqrt((by_group**2).sum()) / number.size)
