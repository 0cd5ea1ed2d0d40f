"""What each miner takes to be likely, made comparable: calibrated by groups that it has not seen, and told as values.

A miner gives a probability to each cell, and most of them claim too much; or it only names a cell. What a release shows
of the groups held out tells how far to trust either.

References
----------
Guo, Pleiss, Sun, Weinberger. On calibration of modern neural networks. ICML 2017 (temperature).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from scipy import optimize

from unmask.arrays import Float64, Int32, Int64, distinct_rows
from unmask.attacks.fusion.miners.predictions import MinerPrediction, Predictions
from unmask.attacks.fusion.rules.calibrated_numbers import CalibratedNumbers
from unmask.attacks.fusion.rules.miner_skill import require_held_out
from unmask.attacks.fusion.rules.published_cells import Pairs, PublishedCells
from unmask.attacks.fusion.rules.sharpening import TINY, SmoothAxis
from unmask.errors import InvalidInputError

_TEMPERATURES = (-1.5, 3.5)  # logarithms
_ENOUGH = 20_000  # pairs to calibrate by; more would tell the same


class CalibratedPredictions(Protocol):
    """What miners take to be likely, over cells or over values."""

    def scores(self) -> Float64:
        """Return the logarithm of how likely each miner took what is shown, (miners, pairs)."""

    def mixed(self, weight: Float64, block: slice) -> Float64:
        """Return the mixture of what they take to be likely, (block, values)."""

    def blurred(self, score: Float64) -> Float64:
        """Even out what is not told apart in what is believed at last, (rows, values)."""


def calibrate(predictions: Predictions, cells: PublishedCells, pairs: Pairs, name: str) -> CalibratedPredictions:
    """Return what miners take to be likely, calibrated.

    Fails
        With `InvalidInputError` where they predicted rows that they had learned from.
    """
    require_held_out(predictions, name)
    kind = CalibratedNumbers if predictions.is_numeric else CalibratedCells
    return kind.of(predictions, cells, pairs)


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedCells:
    """Probabilities of cells, by line and miner, told as values.

    Where a table of what is shown speaks for a miner, what the own group added to it is taken out: a miner has not seen
    the group, and a table that has would tell what it shows.
    """

    by_miner: tuple[MinerPrediction, ...] = field(repr=False)
    temperature: Float64  # (miners,) NaN of those that only name a cell
    doubt: Float64  # (miners,) the weight of everybody's distribution
    counts: tuple[Float64 | None, ...]  # (named cell, shown cell) of those
    own: tuple[Float64 | None, ...] = field(repr=False)  # (pairs,) what the own group added to that
    overall: Float64  # (cells,)
    values: Float64 = field(repr=False)  # (values,) everybody's
    axis: SmoothAxis = field(repr=False)
    pairs: Pairs = field(repr=False)

    @classmethod
    def of(cls, predictions: Predictions, cells: PublishedCells, pairs: Pairs) -> CalibratedCells:
        """Calibrate each miner."""
        n = predictions.n_classes
        every = np.flatnonzero(pairs.cell < n)  # a cell that stands for all is shown, and never predicted
        known = every[:: max(1, every.size // _ENOUGH)]
        line, cell, weight = pairs.line[known], pairs.cell[known], pairs.weight[known]
        overall = np.bincount(cell, weight, n) + 0.5
        overall = overall / overall.sum()
        temperature, doubt = np.full(len(predictions.names), np.nan), np.zeros(len(predictions.names))
        counts: list[Float64 | None] = []
        own: list[Float64 | None] = []
        for i, prediction in enumerate(predictions.by_miner):
            if prediction.chance is None:
                answer = prediction.answer.astype(np.int32)
                table = np.zeros((n, n)) + overall
                np.add.at(table, (answer[pairs.line[every]], pairs.cell[every]), pairs.weight[every])
                counts.append(table)
                own.append(_added(answer[predictions.row_of], cells, pairs))
                continue
            counts.append(None)
            own.append(None)
            temperature[i], doubt[i] = _calibrated(prediction.chance[line], cell, weight, overall)
        axis = SmoothAxis.of(cells)
        values = axis.overall(np.bincount(pairs.cell, pairs.people, cells.likelihood.n_rows).astype(np.float64))
        predicted = replace(axis, held=axis.held[:n])
        tables = tuple(counts), tuple(own)
        return cls(predictions.by_miner, temperature, doubt, *tables, overall, values, predicted, pairs)

    def cells(self, miner: int, pair: Int64) -> Float64:
        """Return what one miner takes to be likely of some pairs, (pairs, cells), never told by their own groups."""
        prediction, counts, own = self.by_miner[miner], self.counts[miner], self.own[miner]
        line = self.pairs.line[pair]
        if counts is not None and own is not None:
            counted = counts[prediction.answer.astype(np.int32)[line]]
            known = np.flatnonzero(self.pairs.cell[pair] < self.overall.size)
            counted[known, self.pairs.cell[pair][known]] -= own[pair][known]
            return np.asarray(counted / counted.sum(axis=1, keepdims=True))
        if prediction.chance is None:
            raise InvalidInputError("a miner without probabilities must have a table of what its cells stand for")
        tempered = _tempered(prediction.chance[line], self.temperature[miner])
        return np.asarray((1 - self.doubt[miner]) * tempered + self.doubt[miner] * self.overall)

    def scores(self) -> Float64:
        """Return the logarithm of how likely each miner took the cell shown, (miners, pairs)."""
        result = np.ones((len(self.by_miner), self.pairs.n))
        for block in self.pairs.blocks(self.overall.size):
            known = block.start + np.flatnonzero(self.pairs.cell[block] < self.overall.size)
            for i in range(len(self.by_miner)):
                result[i, known] = self.cells(i, known)[np.arange(known.size), self.pairs.cell[known]]
        return np.log(np.maximum(result, TINY))

    def mixed(self, weight: Float64, block: slice) -> Float64:
        """Return the mixture of what they take to be likely, (block, values)."""
        pair = np.arange(block.start, block.stop)
        total = np.zeros((pair.size, self.overall.size))
        for i in np.flatnonzero(weight > 0):
            total += weight[i] * self.cells(int(i), pair)
        return self.axis.sharpened(total, self.values)

    def blurred(self, score: Float64) -> Float64:
        """Return it as it is: values that cells do not tell apart are smoothed already."""
        return score


def _added(named: Int32, cells: PublishedCells, pairs: Pairs) -> Float64:
    """Return what the own group of each pair says like it and shows, as part of a finding, (pairs,).

    Rows of a group need not stand on one line, so that other pairs are of the same group.
    """
    group = np.arange(named.size) if cells.group_of is None else cells.group_of
    alike, _ = distinct_rows(np.stack([group.astype(np.int64), named, cells.cell], axis=1))
    added = np.bincount(alike, cells.share)[alike]
    return np.asarray(np.bincount(pairs.of_row, added * cells.share, pairs.n) / np.maximum(pairs.weight, TINY))


def _calibrated(chance: Float64 | np.ndarray, cell: Int32, weight: Float64, overall: Float64) -> tuple[float, float]:
    """Return the temperature and the doubt at which a miner's probabilities fit best."""
    logs = np.log(np.maximum(chance, TINY)).astype(np.float64)
    here = np.arange(cell.size)

    def of(temperature: float) -> Float64:
        scaled = logs / temperature
        scaled -= scaled.max(axis=1, keepdims=True)
        odds = np.exp(scaled)
        return np.asarray(odds[here, cell] / odds.sum(axis=1))

    def doubted(true: Float64) -> tuple[float, float]:
        doubt = 0.1
        for _ in range(30):  # the share of rows that everybody's distribution tells better
            own, others = (1 - doubt) * true, doubt * overall[cell]
            doubt = float((others / (own + others)) @ weight / weight.sum())
        doubt = min(max(doubt, 1e-4), 1 - 1e-4)
        return doubt, float(np.log((1 - doubt) * true + doubt * overall[cell]) @ weight)

    found = optimize.minimize_scalar(
        lambda log: -doubted(of(np.exp(log)))[1], bounds=_TEMPERATURES, method="bounded", options={"xatol": 0.05}
    )
    temperature = float(np.exp(found.x))
    return temperature, doubted(of(temperature))[0]


def _tempered(chance: np.ndarray, temperature: float) -> Float64:
    scaled = np.log(np.maximum(chance, TINY)).astype(np.float64) / temperature
    scaled -= scaled.max(axis=1, keepdims=True)
    odds = np.exp(scaled)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))
