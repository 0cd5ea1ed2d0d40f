"""Calibrated predictions of numbers: a normal distribution around each number, as wide as the miner's error.

With much noise, both a miner's error and the overall mean are uncertain. Both are averaged over, weighted by the
likelihood of all published numbers; neighboring values within the uncertainty of the mean are not distinguished.

References
----------
Copas. Regression, prediction and shrinkage. J. Royal Statistical Society B 1983 (shrinkage of predictions).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.rules.published_cells import Pairs, PublishedCells
from unmask.attacks.fusion.rules.sharpening import TINY

_ENOUGH = 20_000  # pairs to estimate errors from

_EVEN = 1 / np.sqrt(12)  # the standard deviation of an even distribution, as a part of its range

_STEPS = np.sqrt(2.0)  # factor between candidate errors

_NARROW = 0.1  # a part of the range: below it the prior of an error falls with its size

_PLACES = 96  # candidate means in the range

_LIKELY = 1.96  # standard errors of a 95 % interval


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedNumbers:
    """Predicted numbers with an error, by line and miner, as distributions of values."""

    shift: Float64 = field(repr=False)  # (miners, lines) predicted distance from the overall mean
    center: Float64  # (centers,) candidates of the overall mean
    scale: Float64  # (scales,) candidate errors
    weight: Float64 = field(repr=False)  # (miners, centers, scales) posterior
    density: tuple[Float64, ...] = field(repr=False)  # by miner (places, values) the distribution of each shift
    place: Int64 = field(repr=False)  # (miners, lines) index of the shift
    alike: int  # number of adjacent values that are not distinguished
    cells: PublishedCells = field(repr=False)
    pairs: Pairs = field(repr=False)

    @classmethod
    def of(cls, predictions: Predictions, cells: PublishedCells, pairs: Pairs) -> CalibratedNumbers:
        """Estimate the overall mean, and the shrinkage and error of each miner.

        The prior of the mean is uniform over the declared range. A miner's distance from it is shrunk by the regression
        slope of published numbers on held-out predictions, reduced by the slope's sampling error. The prior of errors
        is uniform up to that of a uniform distribution, but lower for narrow ones, which also occur by chance.
        """
        values, n = cells.number, cells.n_values
        number = np.zeros(pairs.n) if cells.published is None else cells.published[pairs.cell]
        shift = np.stack([_shrunk(answer, pairs, number) for answer in predictions.answers])
        step = float(np.diff(values).min()) if n > 1 else 1.0
        width = float(np.ptp(values)) + step if n else step
        apart = width / min(2 * max(n, 1), _PLACES)
        center = np.asarray((values[0] if n else 0.0) - step / 2 + apart * (np.arange(round(width / apart)) + 0.5))
        n_scales = 1 + max(0, int(np.floor(np.log(2 * _EVEN * width / step) / np.log(_STEPS))))
        scale = np.asarray(step / 2 * _STEPS ** np.arange(n_scales), np.float64)
        prior = scale * np.minimum(scale, _NARROW * width)
        place = np.rint(np.clip(shift, -width / 2, width / 2) / apart).astype(np.int64)
        first, last = int(place.min(initial=0)), int(place.max(initial=0))
        around = center[0] + apart * np.arange(first, last + center.size)
        normal = _normal(values, around, scale)
        weight = _errors(normal, place - first, last - first + 1, cells, pairs) + np.log(prior)
        weight = np.exp(weight - weight.max(axis=(1, 2), keepdims=True))
        weight /= weight.sum(axis=(1, 2), keepdims=True)
        even = 1 / (1 + float(pairs.weight.sum()))  # weight of one extra person with a uniform distribution
        density = tuple(
            (1 - even) * np.stack([np.tensordot(one, normal[k : k + center.size], 2) for k in range(last - first + 1)])
            + even / max(n, 1)
            for one in weight
        )
        reach = _LIKELY * _unsure(number, pairs.weight) * max(n, 1) / width
        alike = 1 + 2 * int(min(reach, n))
        return cls(shift, center, scale, weight, density, place - first, min(alike, max(n, 1)), cells, pairs)

    def scores(self) -> Float64:
        """Return each miner's log likelihood of the published number, (miners, pairs)."""
        result = np.zeros((self.shift.shape[0], self.pairs.n))
        for block in self.pairs.blocks(self.cells.n_values):
            likely = self.cells.likelihood.dense(self.pairs.cell[block])
            for i, density in enumerate(self.density):
                result[i, block] = (density[self.place[i, self.pairs.line[block]]] * likely).sum(axis=1)
        return np.log(np.maximum(result, TINY**2))

    def mixed(self, weight: Float64, block: slice) -> Float64:
        """Return the weighted mixture of the miners' distributions, (block, values)."""
        line = self.pairs.line[block]
        total = np.zeros((line.size, self.cells.n_values))
        for i in np.flatnonzero(weight > 0):
            total += weight[i] * self.density[i][self.place[i, line]]
        return total

    def blurred(self, score: Float64) -> Float64:
        """Return scores, (rows, values), flattened over the likeliest run as long as the mean's 95 % interval.

        The position of the peak in it is random and common to all rows: as the likeliest value it would be right for a
        third of all people or for none.
        """
        n = score.shape[1]
        if self.alike < 2 or n < 2:
            return score
        height = np.concatenate([np.zeros((score.shape[0], 1)), score.cumsum(axis=1)], axis=1)
        mass = height[:, self.alike :] - height[:, : n + 1 - self.alike]
        first = mass.argmax(axis=1)[:, None]
        inside = (np.arange(n) >= first) & (np.arange(n) < first + self.alike)
        return np.where(inside, np.take_along_axis(mass, first, axis=1) / self.alike, score)


def _errors(normal: Float64, place: Int64, n_places: int, cells: PublishedCells, pairs: Pairs) -> Float64:
    """Return the log likelihood of each center and error, (miners, centers, scales)."""
    n_around, n_scales, n = normal.shape
    n_centers = n_around + 1 - n_places
    result = np.zeros((place.shape[0], n_centers, n_scales))
    some = np.arange(0, pairs.n, max(1, pairs.n // _ENOUGH))
    for rows in np.array_split(some, 1 + some.size * n_around * n_scales // 4_000_000):
        likely = cells.likelihood.dense(pairs.cell[rows]) @ normal.reshape(-1, n).T
        logs = np.log(np.maximum(likely, TINY**2)) * pairs.weight[rows][:, None]
        for i, miner in enumerate(place[:, pairs.line[rows]]):
            order = np.argsort(miner, kind="stable")
            here, start = np.unique(miner[order], return_index=True)
            sums = np.add.reduceat(logs[order], start, axis=0).reshape(-1, n_around, n_scales)
            for k, total in zip(here, sums, strict=True):
                result[i] += total[k : k + n_centers]
    return result


def _unsure(number: Float64, weight: Float64) -> float:
    """Return the standard error of a mean."""
    total = max(float(weight.sum()), TINY)
    return float(np.sqrt((number - number @ weight / total) ** 2 @ weight)) / total


def _shrunk(answer: Float64, pairs: Pairs, number: Float64) -> Float64:
    """Return a miner's distances from its mean, (lines,), shrunk by the slope on published numbers."""
    weight = pairs.weight
    total = max(float(weight.sum()), TINY)
    predicted = answer[pairs.line]
    middle = float(predicted @ weight) / total
    apart, actual = predicted - middle, number - float(number @ weight) / total
    squares = float(apart**2 @ weight)
    if squares <= TINY:
        return np.zeros(answer.size)
    slope = float((apart * actual) @ weight) / squares
    chance = float((actual - slope * apart) ** 2 @ weight) / total / squares
    kept = max(0.0, 1 - chance / max(slope**2, TINY**2))
    return np.asarray(min(max(slope, 0.0), 1.0) * kept * (answer - middle), np.float64)


def _normal(values: Float64, mean: Float64, width: Float64) -> Float64:
    """Return normal distributions on the values, (means, widths, values)."""
    odds = (values - mean[:, None, None]) / width[None, :, None]
    odds *= odds  # in place: with many values the array takes half a gigabyte
    odds /= -2
    odds -= odds.max(axis=2, keepdims=True, initial=-np.inf)
    np.exp(odds, out=odds)
    odds /= odds.sum(axis=2, keepdims=True)
    return np.asarray(odds)
