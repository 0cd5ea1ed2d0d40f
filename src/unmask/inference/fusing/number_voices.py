"""What miners that predict numbers take to be likely: around each number a normal distribution, as wide as it errs.

Behind much noise it cannot be told how far a miner errs, nor even what the mean is. Then every error is as likely as
every other, and what is not known of the mean stays even.

References
----------
Copas. Regression, prediction and shrinkage. J. Royal Statistical Society B 1983 (shrinkage of what was learned).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.inference.fusing.sharpening import TINY
from unmask.inference.fusing.shown import Pairs, Shown
from unmask.inference.miners.predictions import Predictions

_ENOUGH = 20_000  # pairs to tell errors by

_EVEN = 1 / np.sqrt(12)  # the standard deviation of an even distribution, as a part of its range

_STEPS = np.sqrt(2.0)  # from one error that is tried to the next

_NARROW = 0.1  # a part of the range: below, errors are the less likely beforehand the smaller they are

_NOTHING = 1e-6  # a weight below says nothing


@dataclass(frozen=True, slots=True, eq=False)
class NumberVoices:
    """Numbers with an error, by line and miner, told as values."""

    center: float  # the mean of all values, as far as it is known
    shift: Float64 = field(repr=False)  # (miners, lines) how far from it a miner expects each line
    scale: Float64  # (scales,) errors that are tried
    weight: Float64  # (miners, scales) how likely each is
    spread: float  # the standard error of the mean
    unknown: float  # what part of what was not known of the mean still is not
    shown: Shown = field(repr=False)
    pairs: Pairs = field(repr=False)

    @classmethod
    def of(cls, predictions: Predictions, shown: Shown, pairs: Pairs) -> NumberVoices:
        """Find where the mean lies, how far each miner's numbers are to be believed, and how far they err.

        The mean may lie anywhere in the declared range. A miner's distance from it is shrunk by the slope of what rows
        show on what it said of them, unseen, less what chance makes of a slope. Errors up to that of an even
        distribution are as likely as each other beforehand, but for narrow ones: behind noise chance tells them, too.
        """
        weight = pairs.weight
        number = np.zeros(pairs.n) if shown.published is None else shown.published[pairs.cell]
        mean, spread = _mean(number, weight)
        step = float(np.diff(shown.number).min()) if shown.n_values > 1 else 1.0
        width = float(np.ptp(shown.number)) + step if shown.n_values else step
        chance = _normal(shown.number[None, :], mean, max(spread, TINY * width))[0]
        center = float(chance @ shown.number) if shown.n_values else mean
        known = float(np.sqrt(chance @ (shown.number - center) ** 2)) if shown.n_values else 0.0
        n_scales = 1 + max(0, int(np.floor(np.log(2 * _EVEN * width / step) / np.log(_STEPS))))
        scale = step / 2 * _STEPS ** np.arange(n_scales)
        shift = np.stack([_shrunk(said, pairs, number, weight) for said in predictions.answers])
        unknown = min(1.0, (known / (_EVEN * width)) ** 2)
        prior = scale * np.minimum(scale, _NARROW * width)
        even = np.broadcast_to(prior / prior.sum(), (shift.shape[0], n_scales))
        found = cls(center, shift, scale, even, known, unknown, shown, pairs)
        return cls(center, shift, scale, found._errors(), known, unknown, shown, pairs)

    def scores(self) -> Float64:
        """Return the logarithm of how likely each miner took the number shown, (miners, pairs)."""
        result = np.zeros((self.shift.shape[0], self.pairs.n))
        for block in self.pairs.blocks(self.shown.n_values):
            likely = self.shown.likelihood.dense(self.pairs.cell[block])
            for i in range(self.shift.shape[0]):
                result[i, block] = (self._values(i, self.pairs.line[block]) * likely).sum(axis=1)
        return np.log(np.maximum(result, TINY**2))

    def mixed(self, weight: Float64, block: slice) -> Float64:
        """Return the mixture of what they take to be likely, (block, values)."""
        line = self.pairs.line[block]
        total = np.zeros((line.size, self.shown.n_values))
        for i in np.flatnonzero(weight > 0):
            total += weight[i] * self._values(int(i), line)
        return total

    def _values(self, miner: int, line: Int32) -> Float64:
        """Return what one miner takes to be likely, (lines, values)."""
        heard = np.flatnonzero(self.weight[miner] > _NOTHING)
        total = np.zeros((line.size, self.shown.n_values))
        for s in heard:
            total += self.weight[miner, s] * self._around(miner, line, int(s))
        return (1 - self.unknown) * total + self.unknown / max(self.shown.n_values, 1)

    def _around(self, miner: int, line: Int32, scale: int) -> Float64:
        width = float(np.hypot(self.scale[scale], self.spread))
        return _normal(self.shown.number[None, :], self.center + self.shift[miner][line][:, None], width)

    def _errors(self) -> Float64:
        """Return how likely each error is after what is shown, (miners, scales)."""
        some = np.arange(0, self.pairs.n, max(1, self.pairs.n // _ENOUGH))
        line, people = self.pairs.line[some], self.pairs.weight[some]  # what others would tell is not made up
        likely = self.shown.likelihood.dense(self.pairs.cell[some])
        result = np.log(self.weight)
        for i in range(self.shift.shape[0]):
            for s in range(self.scale.size):
                told = (self._around(i, line, s) * likely).sum(axis=1)
                result[i, s] += np.log(np.maximum(told, TINY**2)) @ people
        odds = np.exp(result - result.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _mean(number: Float64, weight: Float64) -> tuple[float, float]:
    """Return a mean and its standard error."""
    total = max(float(weight.sum()), TINY)
    mean = float(number @ weight) / total
    return mean, float(np.sqrt((number - mean) ** 2 @ weight)) / total


def _shrunk(said: Float64, pairs: Pairs, number: Float64, weight: Float64) -> Float64:
    """Return how far what a miner says lies from its mean, (lines,), shrunk to what is shown of others."""
    total = max(float(weight.sum()), TINY)
    told = said[pairs.line]
    middle = float(told @ weight) / total
    apart, shown = told - middle, number - float(number @ weight) / total
    squares = float(apart**2 @ weight)
    if squares <= TINY:
        return np.zeros(said.size)
    slope = float((apart * shown) @ weight) / squares
    chance = float((shown - slope * apart) ** 2 @ weight) / total / squares
    kept = max(0.0, 1 - chance / max(slope**2, TINY**2))
    return np.asarray(min(max(slope, 0.0), 1.0) * kept * (said - middle), np.float64)


def _normal(values: Float64, mean: Float64 | float, width: float) -> Float64:
    """Return a normal distribution on the values, (rows, values)."""
    far = -(((values - mean) / width) ** 2) / 2
    far = far - far.max(axis=1, keepdims=True, initial=-np.inf)
    odds = np.exp(far)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))
