"""Averages of predicted numbers: the most frequent number, the median, and a mean weighted by skill."""

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
from unmask.wording import message


@dataclass(frozen=True)
class MostFrequent:
    """Return the number predicted by most miners, as in the paper; several are averaged.

    Miners that learn nothing predict the same overall mean, so the most frequent number is often this mean.

    Assumes
        That agreement is a sign of truth.
    Infers
        The mean of the most frequent predictions; without two that are equal, of all. Predictions that differ by less
        than 1e-9 are equal. The row's own number is ignored; the belief has a vote for each miner's rounded number,
        and one for each value.
    Fails
        With `InvalidInputError` for predicted cells, or for different rows.

    References
    ----------
    Sramka, Safavi-Naini, Denzinger. An attack on the privacy of sanitized data that fuses the outputs of multiple data
    miners. ICDM workshops 2010, section IV-D.
    """

    name: ClassVar[str] = "most-frequent"
    needs_held_out: ClassVar[bool] = False
    decimals: int = 9

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the most frequent number."""
        number = np.round(_numbers(predictions), self.decimals)
        equal = (number[:, None, :] == number[None, :, :]).sum(axis=1)  # (miners, lines) number of equal predictions
        most = equal == equal.max(axis=0)
        point = np.where(most, number, 0.0).sum(axis=0) / most.sum(axis=0)
        return _believed(predictions, cells, point, likelihood=False)


@dataclass(frozen=True)
class Median:
    """Return the median of the predicted numbers.

    A few large errors do not change it.

    Assumes
        That more than half of the miners are near the truth.
    Infers
        The median of the predictions. The belief has a vote for each miner's rounded number and one for each value,
        multiplied by the likelihood of the published number (`likelihood`).
    Fails
        Like the most frequent number.
    """

    name: ClassVar[str] = "median"
    needs_held_out: ClassVar[bool] = False
    likelihood: bool = True

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return the median."""
        point = np.asarray(np.median(_numbers(predictions), axis=0))
        return _believed(predictions, cells, point, likelihood=self.likelihood)


@dataclass(frozen=True)
class WeightedMean:
    """Return a weighted mean of the predicted numbers; weights are the miners' skill on held-out groups.

    A miner that predicts held-out numbers no better than their overall mean has weight 0.

    Assumes
        That the noise of a row is independent of the others'.
    Infers
        The mean, weighted by the reduction of the mean squared error compared with the overall mean.
        The belief as for the median.
    Fails
        With `InvalidInputError` if miners predicted their training rows.
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
        raise InvalidInputError(message("means need miners that predict numbers; these predict cells. Use vote"))
    return np.asarray(predictions.answers, np.float64)


def _believed(predictions: Predictions, cells: PublishedCells, point: Float64, *, likelihood: bool) -> Fused:
    """Return beliefs from predicted numbers: votes for rounded numbers, or for the nearest declared value."""
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
    """Return the value equal to the rounded number, one a pair; none if it is not declared."""
    rounded = half_up(point)[pairs.line]
    column = _nearest(rounded, cells.number)
    hit = np.flatnonzero(cells.number[column] == rounded)
    return Ragged.gather(hit, column[hit], np.ones(hit.size), (pairs.n, cells.n_values))


def _nearest(number: Float64, values: Float64) -> np.ndarray:
    """Return the index of the nearest of the rising values; of the lower one if two are equally near."""
    right = np.clip(np.searchsorted(values, number), 1, max(values.size - 1, 1))
    if values.size < 2:
        return np.zeros(number.shape, np.int64)
    return np.asarray(np.where(values[right] - number < number - values[right - 1], right, right - 1))
