"""One number of many: the most frequent, the one in the middle, or a mean by skill."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64, Ragged
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.rules.fused_beliefs import Fused, fused, half_up
from unmask.attacks.fusion.rules.miner_skill import squared_errors
from unmask.attacks.fusion.rules.published_cells import Pairs, PublishedCells
from unmask.errors import InvalidInputError


@dataclass(frozen=True)
class MostFrequent:
    """Take the mean of the numbers that most miners agree on, as the paper does.

    Miners that find nothing all say the same mean, so that what most of them say is often where nothing is found.

    Assumes
        That agreement is a sign of truth.
    Infers
        The mean of the most frequent predictions; without two that are equal, of all. Predictions that differ by less
        than 1e-9 are equal. What the row shows is not looked at; the belief has a vote for each miner's rounded number,
        and one for each value.
    Fails
        With `InvalidInputError` for cells in place of numbers, or for other rows.

    References
    ----------
    Sramka, Safavi-Naini, Denzinger. An attack on the privacy of sanitized data that fuses the outputs of multiple data
    miners. ICDM workshops 2010, section IV-D.
    """

    name: ClassVar[str] = "most-frequent"
    needs_held_out: ClassVar[bool] = False
    decimals: int = 9

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return what most miners say."""
        number = np.round(_numbers(predictions), self.decimals)
        equal = (number[:, None, :] == number[None, :, :]).sum(axis=1)  # (miners, lines) who says the same
        most = equal == equal.max(axis=0)
        point = np.where(most, number, 0.0).sum(axis=0) / most.sum(axis=0)
        return _believed(predictions, cells, point, likelihood=False)


@dataclass(frozen=True)
class Median:
    """Take the number in the middle of what miners say.

    Half of them say at most so much, half at least. A few that err wildly do not move it.

    Assumes
        That more than half of the miners are near the truth.
    Infers
        The median of the predictions. The belief has a vote for each miner's rounded number and one for each value, by
        how likely each value would have been shown as it was (`likelihood`).
    Fails
        As the most frequent number does.
    """

    name: ClassVar[str] = "median"
    needs_held_out: ClassVar[bool] = False
    likelihood: bool = True

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the number in the middle."""
        point = np.asarray(np.median(_numbers(predictions), axis=0))
        return _believed(predictions, cells, point, likelihood=self.likelihood)


@dataclass(frozen=True)
class WeightedMean:
    """Take a mean of what miners say, each by how much it finds out about rows that it has not seen.

    A miner that comes no nearer to what is shown of others than the mean of all does, is not heard.

    Assumes
        That the noise of a row is independent of the others'.
    Infers
        The mean, weighted by how much smaller the mean squared distance of a miner is than that of the overall mean.
        The belief as for the median.
    Fails
        With `InvalidInputError` where miners predicted rows that they had learned from.
    """

    name: ClassVar[str] = "weighted-mean"
    needs_held_out: ClassVar[bool] = True
    likelihood: bool = True

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the weighted mean."""
        number = _numbers(predictions)
        miss, at_most = squared_errors(predictions, cells)
        weight = np.maximum(at_most - miss, 0.0)
        weight = weight / weight.sum() if weight.sum() > 0 else np.full(miss.size, 1 / miss.size)
        found = _believed(predictions, cells, weight @ number, likelihood=self.likelihood)
        return replace(found, weight=dict(zip(predictions.names, weight.tolist(), strict=True)))


def _numbers(predictions: Predictions) -> Float64:
    if not predictions.is_numeric:
        raise InvalidInputError("means need miners that predict numbers; these predict cells. Use vote")
    return np.asarray(predictions.answers, np.float64)


def _believed(predictions: Predictions, cells: PublishedCells, point: Float64, *, likelihood: bool) -> Fused:
    """Turn numbers of lines into beliefs: votes for rounded numbers, the nearest value where they lie outside."""
    pairs = cells.pairs(predictions)
    nearest = _nearest(half_up(_numbers(predictions)), cells.number)

    def votes() -> Iterator[Float64]:
        for block in pairs.blocks(cells.n_values):
            line, cell = pairs.line[block], pairs.cell[block]
            score = np.ones((line.size, cells.n_values))
            for one in nearest:
                np.add.at(score, (np.arange(line.size), one[line]), 1.0)
            yield score * cells.allowed(cell) if likelihood else score

    return fused(pairs, cells, list(votes()), _named(pairs, cells, point), point[pairs.line])


def _named(pairs: Pairs, cells: PublishedCells, point: Float64) -> Ragged:
    """Return the value that a number stands for, one a pair; none where it lies outside of what is declared."""
    rounded = half_up(point)[pairs.line]
    column = _nearest(rounded, cells.number)
    hit = np.flatnonzero(cells.number[column] == rounded)
    return Ragged.gather(hit, column[hit], np.ones(hit.size), (pairs.n, cells.n_values))


def _nearest(number: Float64, values: Float64) -> np.ndarray:
    """Return the place of the nearest of the values, which rise; of the lower one where two are as near."""
    right = np.clip(np.searchsorted(values, number), 1, max(values.size - 1, 1))
    if values.size < 2:
        return np.zeros(number.shape, np.int64)
    return np.asarray(np.where(values[right] - number < number - values[right - 1], right, right - 1))
