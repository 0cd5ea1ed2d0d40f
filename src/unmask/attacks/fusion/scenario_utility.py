"""Utility of fused guesses for an attacker, compared with the truth, the best miner, and random guesses.

References
----------
Sramka, Safavi-Naini, Denzinger. An attack on the privacy of sanitized data that fuses the outputs of multiple data
miners. ICDM workshops 2010, section III.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int64
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.rules.fused_beliefs import Fused, half_up
from unmask.attacks.fusion.rules.published_cells import PublishedCells, proper
from unmask.attacks.fusion.scenario import Scenario
from unmask.errors import InvalidInputError
from unmask.numerics.rounding import at_least, at_most, below
from unmask.wording import marked, message


@dataclass(frozen=True, slots=True)
class Ratio:
    """A utility as a multiple of another one; None if undefined, with the reason."""

    value: float | None
    why: str = ""

    @classmethod
    def of(cls, utility: float, other: float | None, why: str = "") -> Ratio:
        """Return the quotient: infinite for a divisor of 0, undefined for a negative one."""
        if other is None:
            return cls(None, why)
        if other > 0:
            return cls(utility / other)
        if other == 0 and utility > 0:
            return cls(math.inf, why)
        return cls(None, why)


@dataclass(frozen=True, slots=True)
class Success:
    """Utility of guesses, and their size.

    A large set contains the truth more easily, so the utility comes with sizes: `named` is the share of people with a
    guess, `size` the mean number of values of a guess, `row_size` that of the row's cell.
    """

    utility: float
    ideal: float
    by_miner: Mapping[str, float]
    guess: float | None
    named: float
    size: float
    row_size: float
    why_no_guess: str = ""
    why_no_miner: str = ""
    why_no_ideal: str = ""

    @property
    def best(self) -> float:
        """The utility of the best single miner."""
        return max(self.by_miner.values())

    @property
    def best_miners(self) -> tuple[str, ...]:
        """All miners with the highest utility, in order."""
        return tuple(name for name, utility in self.by_miner.items() if at_least(utility, self.best))

    @property
    def sigma_ideal(self) -> Ratio:
        """The utility as a share of the truth's utility."""
        return Ratio.of(self.utility, self.ideal, self.why_no_ideal)

    @property
    def sigma_best(self) -> Ratio:
        """The utility as a multiple of the best single miner's."""
        return Ratio.of(self.utility, self.best, self.why_no_miner)

    @property
    def sigma_guess(self) -> Ratio:
        """The utility as a multiple of the mean utility of random guesses."""
        return Ratio.of(self.utility, self.guess, self.why_no_guess)


NO_INTEREST = marked("no person has a weight above 0")
NO_GAIN = marked("even the truth gains nothing")
NO_MINER = marked("the best single miner gains nothing")
NO_LUCK = marked("random guesses gain nothing")
NO_NEARER = marked("of two values inside a cell none is nearer than the cell, so guessing one has no worth here")
NO_NUMBER = marked("arithmetic: miners answer cells, and no cell is one value, so none of them can be exact")


def success_of(
    predictions: Predictions,
    fused: Fused,
    cells: PublishedCells,
    truth: Float64,
    scenario: Scenario,
    *,
    weight: Float64 | None = None,
    domain: bool = True,
) -> Success:
    """Compare guesses with the truth, (rows,), given as numbers on the axis of the published cells.

    Measures
        `Σ w(x) E(x, q, x*)` of the fused guess, of the truth, of each miner, and the expectation of a random value:
        of the row's cell, or of the declared values for published numbers. For cells, a guess is the set named by the
        rule and its rounded middle; a miner's guess is its cell, if a proper part of the row's, and a value only if
        the cell has just one. For numbers, both are the number: unrounded for `nearer`, rounded for `exact`. `domain`:
        cells contain declared values only, not all of the axis. Draws nothing.
    Fails
        With `InvalidInputError` unless each row has one truth among the values.
    """
    w = np.ones(truth.size) if weight is None else weight
    if truth.shape != cells.cell.shape or w.shape != truth.shape:
        raise InvalidInputError(
            message("there must be one truth and one weight for each of {size} rows", size=cells.cell.size)
        )
    judge = _Numbers(cells, truth, scenario) if predictions.is_numeric else _Cells(cells, truth, scenario, domain)
    worth, named, size = judge.fused(fused)
    everyone = float(w @ named)
    miners = {
        name: float(w @ judge.miner(prediction.answer[predictions.row_of]))
        for name, prediction in zip(predictions.names, predictions.by_miner, strict=True)
    }
    guess = judge.guess()
    return Success(
        float(w @ worth),
        float(w.sum() * scenario.most),
        miners,
        None if guess is None else float(w @ guess),
        everyone / max(float(w.sum()), 1e-300),
        float(w @ (named * size)) / max(everyone, 1e-300),
        float(w @ (named * judge.breadth)) / max(everyone, 1e-300),
        NO_NEARER if guess is None else NO_LUCK,
        NO_NUMBER if isinstance(judge, _Cells) and judge.never_one and scenario.nearer is None else NO_MINER,
        NO_GAIN if w.any() else NO_INTEREST,
    )


class _Cells:
    """Rewards of guesses about rows with cells."""

    def __init__(self, cells: PublishedCells, truth: Float64, scenario: Scenario, domain: bool) -> None:  # noqa: FBT001
        if cells.axis is None:
            raise InvalidInputError(message("cells must have an axis; these have none"))
        self.cells, self.scenario, self.truth = cells, scenario, truth
        self.place = _places(truth, cells.axis)
        self.held = cells.held(domain=domain)
        self.size = self.held.sum(axis=1)
        self.better = proper(self.held)
        self.breadth = self.size[cells.cell].astype(np.float64)
        self.enough = self.breadth * (1 - scenario.closer / 100)  # largest size of a rewarded set
        self.never_one = not (self.size == 1).any()

    def fused(self, fused: Fused) -> tuple[Float64, Bool, Float64]:
        """Return the reward of each guess, whether it names any values, and how many, (rows,)."""
        row, size = fused.row_of, fused.n_best[fused.row_of].astype(np.float64)
        holds = fused.best.at(row.astype(np.int64), self.place) > 0
        more = (size > 0) & (size < self.breadth)
        right = half_up(fused.point)[row] == self.truth
        spoke = np.ones(row.size, bool) if self.scenario.exact is not None else more
        return self.scenario.worth(right, holds & more & at_most(size, self.enough), spoke), more, size

    def miner(self, answer: np.ndarray) -> Float64:
        """Return the reward of each guess of a miner, (rows,)."""
        cell = self.cells.of_class[answer]
        better, one = self.better[self.cells.cell, cell], self.size[cell] == 1
        holds = self.held[cell, self.place]
        spoke = better | one if self.scenario.exact is not None else better
        return self.scenario.worth(one & holds, better & holds & at_most(self.size[cell], self.enough), spoke)

    def guess(self) -> Float64 | None:
        """Return the expected reward of a random value of the row's cell, (rows,)."""
        if self.scenario.exact is None:
            return None
        chance = self.held[self.cells.cell, self.place] / np.maximum(self.breadth, 1)
        return np.asarray(chance * self.scenario.exact + (1 - chance) * self.scenario.wrong)


class _Numbers:
    """Rewards of guesses about rows with published numbers."""

    def __init__(self, cells: PublishedCells, truth: Float64, scenario: Scenario) -> None:
        if cells.published is None:
            raise InvalidInputError(message("rows must have published numbers; these have none"))
        self.cells, self.truth, self.scenario = cells, truth, scenario
        self.apart = np.abs(cells.published[cells.cell] - truth)
        self.breadth = np.ones(truth.size)

    def _worth(self, number: Float64, rows: slice) -> Float64:
        truth, apart = self.truth[rows], self.apart[rows]
        if number.ndim > 1:
            truth, apart = truth[:, None], apart[:, None]
        miss, closer = np.abs(number - truth), self.scenario.closer
        nearer = at_most(miss, apart * (1 - closer / 100)) if closer else below(miss, apart) | (miss == 0)
        return self.scenario.worth(half_up(number) == truth, nearer, np.ones(number.shape, bool))

    def fused(self, fused: Fused) -> tuple[Float64, Bool, Float64]:
        """Return the reward of each guess, and that it names one number, (rows,)."""
        worth = self._worth(fused.point[fused.row_of], slice(None))
        return worth, np.ones(worth.size, bool), np.ones(worth.size)

    def miner(self, answer: np.ndarray) -> Float64:
        """Return the reward of each guess of a miner, (rows,)."""
        return self._worth(answer.astype(np.float64), slice(None))

    def guess(self) -> Float64:
        """Return the expected reward of a random declared value, (rows,)."""
        return np.concatenate([np.zeros(0), *self._guesses()])

    def _guesses(self) -> Iterator[Float64]:
        values = self.cells.number
        step = max(1, DENSE_CELLS // max(values.size, 1))
        for first in range(0, self.truth.size, step):
            rows = slice(first, min(first + step, self.truth.size))
            numbers = np.broadcast_to(values, (rows.stop - rows.start, values.size))
            yield self._worth(numbers, rows).mean(axis=1)


def _places(truth: Float64, axis: Float64) -> Int64:
    place = np.minimum(np.searchsorted(axis, truth), axis.size - 1)
    if not np.array_equal(axis[place], truth):
        raise InvalidInputError(message("true values must be among the values of the cells; some are not"))
    return place
