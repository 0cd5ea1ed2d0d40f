"""Calibrated predictions: the probabilities of each miner, calibrated on held-out groups, over classes or values.

A miner predicts probabilities of classes, most of them overconfident, or only the class. The published cells of
held-out groups measure the accuracy of both.

References
----------
Guo, Pleiss, Sun, Weinberger. On calibration of modern neural networks. ICML 2017 (temperature).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import scipy

from unmask.arrays import Float64, Int32, Int64, distinct_rows
from unmask.attacks.fusion.miners.predictions import MinerPrediction, Predictions
from unmask.attacks.fusion.rules.calibrated_numbers import CalibratedNumbers
from unmask.attacks.fusion.rules.miner_skill import require_held_out
from unmask.attacks.fusion.rules.published_cells import Pairs, PublishedCells
from unmask.attacks.fusion.rules.sharpening import TINY, SmoothAxis
from unmask.errors import InvalidInputError
from unmask.wording import message

_TEMPERATURES = (-1.5, 3.5)  # logarithms
_ENOUGH = 20_000  # pairs to calibrate by; more make no difference


class CalibratedPredictions(Protocol):
    """Calibrated probabilities of all miners, over classes or over values."""

    def scores(self) -> Float64:
        """Return each miner's log likelihood of the class of the published cell, or of the number, (miners, pairs)."""

    def mixed(self, weight: Float64, block: slice) -> Float64:
        """Return the weighted mixture of the miners' probabilities, (block, values)."""

    def blurred(self, score: Float64) -> Float64:
        """Return final scores, (rows, values), flattened over values that cannot be distinguished."""


def calibrate(predictions: Predictions, cells: PublishedCells, pairs: Pairs, name: str) -> CalibratedPredictions:
    """Return the calibrated predictions of all miners.

    Fails
        With `InvalidInputError` if miners predicted their training rows.
    """
    require_held_out(predictions, name)
    kind = CalibratedNumbers if predictions.is_numeric else CalibratedCells
    return kind.of(predictions, cells, pairs)


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedCells:
    """Probabilities of classes, by line and miner, spread over values.

    For a miner without probabilities, a contingency table of predicted and published classes replaces them. The
    contribution of the row's own group is subtracted, since it would reveal the row's cell.
    """

    by_miner: tuple[MinerPrediction, ...] = field(repr=False)
    temperature: Float64  # (miners,) NaN for those without probabilities
    doubt: Float64  # (miners,) the weight of the overall distribution
    counts: tuple[Float64 | None, ...]  # (predicted class, published class) of miners without probabilities
    own: tuple[Float64 | None, ...] = field(repr=False)  # (pairs,) contribution of the own group to the counts
    published: Int32 = field(repr=False)  # (pairs,) the class of the published cell
    overall: Float64  # (classes,)
    values: Float64 = field(repr=False)  # (values,) overall distribution
    axis: SmoothAxis = field(repr=False)
    pairs: Pairs = field(repr=False)

    @classmethod
    def of(cls, predictions: Predictions, cells: PublishedCells, pairs: Pairs) -> CalibratedCells:
        """Calibrate each miner."""
        n = predictions.n_classes
        published = cells.class_of[pairs.cell]
        every = np.flatnonzero(published < n)  # the widest cell is published, but never predicted
        known = every[:: max(1, every.size // _ENOUGH)]
        line, true, weight = pairs.line[known], published[known], pairs.weight[known]
        overall = np.bincount(true, weight, n) + 0.5
        overall = overall / overall.sum()
        temperature, doubt = np.full(len(predictions.names), np.nan), np.zeros(len(predictions.names))
        counts: list[Float64 | None] = []
        own: list[Float64 | None] = []
        for i, prediction in enumerate(predictions.by_miner):
            if prediction.chance is None:
                answer = prediction.answer.astype(np.int32)
                table = np.zeros((n, n)) + overall
                np.add.at(table, (answer[pairs.line[every]], published[every]), pairs.weight[every])
                counts.append(table)
                own.append(_added(answer[predictions.row_of], cells, pairs))
                continue
            counts.append(None)
            own.append(None)
            temperature[i], doubt[i] = _calibrated(prediction.chance[line], true, weight, overall)
        axis = SmoothAxis.of(cells)
        people = np.bincount(pairs.cell, pairs.people, cells.likelihood.n_rows).astype(np.float64)
        values = axis.overall(people)
        predicted = replace(axis, held=_of_classes(axis.held, people, values, cells.class_of)[:n])
        tables = tuple(counts), tuple(own)
        return cls(predictions.by_miner, temperature, doubt, *tables, published, overall, values, predicted, pairs)

    def classes(self, miner: int, pair: Int64) -> Float64:
        """Return one miner's probabilities for some pairs, (pairs, classes), without the pairs' own groups."""
        prediction, counts, own = self.by_miner[miner], self.counts[miner], self.own[miner]
        line = self.pairs.line[pair]
        if counts is not None and own is not None:
            counted = counts[prediction.answer.astype(np.int32)[line]]
            known = np.flatnonzero(self.published[pair] < self.overall.size)
            counted[known, self.published[pair][known]] -= own[pair][known]
            return np.asarray(counted / counted.sum(axis=1, keepdims=True))
        if prediction.chance is None:
            raise InvalidInputError(message("a miner without probabilities must have a table of counts; got none"))
        tempered = _tempered(prediction.chance[line], self.temperature[miner])
        return np.asarray((1 - self.doubt[miner]) * tempered + self.doubt[miner] * self.overall)

    def scores(self) -> Float64:
        """Return each miner's log likelihood of the published class, (miners, pairs)."""
        result = np.ones((len(self.by_miner), self.pairs.n))
        for block in self.pairs.blocks(self.overall.size):
            known = block.start + np.flatnonzero(self.published[block] < self.overall.size)
            for i in range(len(self.by_miner)):
                result[i, known] = self.classes(i, known)[np.arange(known.size), self.published[known]]
        return np.log(np.maximum(result, TINY))

    def mixed(self, weight: Float64, block: slice) -> Float64:
        """Return the weighted mixture of the miners' probabilities, (block, values)."""
        pair = np.arange(block.start, block.stop)
        total = np.zeros((pair.size, self.overall.size))
        for i in np.flatnonzero(weight > 0):
            total += weight[i] * self.classes(int(i), pair)
        return self.axis.sharpened(total, self.values)

    def blurred(self, score: Float64) -> Float64:
        """Return scores unchanged: values inside cells are smoothed already."""
        return score


def _of_classes(held: Float64, people: Float64, values: Float64, class_of: Int32) -> Float64:
    """Return the likelihood of each value for each class, (classes, values), up to a factor for each class.

    `P(class | v) = Σ P(cell | v)` over its cells, and `P(cell | v)` is the same for all values in a cell (`people`, by
    cell, over the expected share of its values).
    """
    weight = np.maximum(people, TINY) / np.maximum(held @ values, TINY)
    largest, result = np.zeros(class_of.max(initial=-1) + 1), np.zeros((class_of.max(initial=-1) + 1, values.size))
    np.maximum.at(largest, class_of, weight)
    np.add.at(result, class_of, (weight / largest[class_of])[:, None] * held)
    return result


def _added(named: Int32, cells: PublishedCells, pairs: Pairs) -> Float64:
    """Return the weight of the own group in each pair's predicted and published class, (pairs,).

    Rows of a group may be on different lines, so that other pairs belong to the same group.
    """
    group = np.arange(named.size) if cells.group_of is None else cells.group_of
    alike, _ = distinct_rows(np.stack([group.astype(np.int64), named, cells.class_of[cells.cell]], axis=1))
    added = np.bincount(alike, cells.share)[alike]
    return np.asarray(np.bincount(pairs.of_row, added * cells.share, pairs.n) / np.maximum(pairs.weight, TINY))


def _calibrated(chance: Float64 | np.ndarray, cell: Int32, weight: Float64, overall: Float64) -> tuple[float, float]:
    """Return the temperature and the doubt with the highest likelihood for a miner's probabilities."""
    logs = np.log(np.maximum(chance, TINY)).astype(np.float64)
    here = np.arange(cell.size)

    def of(temperature: float) -> Float64:
        scaled = logs / temperature
        scaled -= scaled.max(axis=1, keepdims=True)
        odds = np.exp(scaled)
        return np.asarray(odds[here, cell] / odds.sum(axis=1))

    def doubted(true: Float64) -> tuple[float, float]:
        doubt = 0.1
        for _ in range(30):  # expectation maximization of the mixture weight
            own, others = (1 - doubt) * true, doubt * overall[cell]
            doubt = float((others / (own + others)) @ weight / weight.sum())
        doubt = min(max(doubt, 1e-4), 1 - 1e-4)
        return doubt, float(np.log((1 - doubt) * true + doubt * overall[cell]) @ weight)

    found = scipy.optimize.minimize_scalar(
        lambda log: -doubted(of(np.exp(log)))[1], bounds=_TEMPERATURES, method="bounded", options={"xatol": 0.05}
    )
    temperature = float(np.exp(found.x))
    return temperature, doubted(of(temperature))[0]


def _tempered(chance: np.ndarray, temperature: float) -> Float64:
    scaled = np.log(np.maximum(chance, TINY)).astype(np.float64) / temperature
    scaled -= scaled.max(axis=1, keepdims=True)
    odds = np.exp(scaled)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))
