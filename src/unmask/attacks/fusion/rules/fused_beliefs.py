"""Combined beliefs of all miners, and predictions derived from them: one value, or a set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64, Int32, Int64, Ragged, starts
from unmask.attacks.fusion.rules.published_cells import Pairs, PublishedCells
from unmask.beliefs import About, Beliefs, unique_pairs
from unmask.errors import InvalidInputError
from unmask.numerics.rounding import at_least
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class Fused:
    """One answer for each combination of the miners' predictions and a row's cell.

    `best` are the values that the rule names, on the axis of `PublishedCells` if it has one; none if no prediction is
    narrower than the row's cell. `point` is one number, before rounding.
    """

    row_of: Int32 = field(repr=False)  # (published rows,)
    rows: Ragged = field(repr=False)  # (distinct, values) probabilities
    best: Ragged = field(repr=False)  # (distinct, axis) 1 where named
    point: Float64 = field(repr=False)  # (distinct,)
    cell: Int32 = field(repr=False)  # (distinct,) the row's cell
    weight: dict[str, float] = field(default_factory=dict)  # of each miner, if the rule weighs them

    @property
    def value(self) -> Float64:
        """The point as a whole number, (distinct,): halves are rounded up."""
        return half_up(self.point)

    @property
    def n_best(self) -> Int64:
        """The number of values that the rule names, (distinct,): a larger set contains the truth more easily."""
        return np.diff(self.best.start)

    def beliefs(self, about: About, values: Sequence[str]) -> Beliefs:
        """Return the probabilities as beliefs about published rows; `values` are the labels of the declared values."""
        return Beliefs(about, tuple(values), self.row_of, self.rows)

    def highest(self, size: Int64, cells: PublishedCells) -> tuple[Int32, Ragged]:
        """Return sets of the likeliest values: the set of each row, (rows,), and the sets, (distinct, values).

        A set has at most `size` (rows,) values, and is a proper part of the row's cell. Of equally likely values the
        first ones are taken.
        """
        if size.shape != self.row_of.shape:
            raise InvalidInputError(
                message("sizes must be given for {size} rows; got {given}", size=self.row_of.size, given=size.size)
            )
        row_of, row, wanted = unique_pairs(self.row_of, size.astype(np.int32))
        least = np.diff(cells.likelihood.start)[self.cell[row]] - 1
        length = np.diff(self.rows.start)[row]
        count = np.clip(np.minimum(wanted, least), 0, length)
        column = self.rows.column[np.lexsort((self.rows.column, -np.round(self.rows.data, 12), self.rows.row))]
        start = starts(count)
        entry = np.repeat(self.rows.start[row], count) + np.arange(start[-1]) - np.repeat(start[:-1], count)
        owner = np.repeat(np.arange(row.size), count)
        chosen = column[entry]
        order = np.lexsort((chosen, owner))
        return row_of, Ragged(start, chosen[order], np.ones(order.size), self.rows.n_columns)


def half_up(number: NDArray[np.float64]) -> Float64:
    """Return whole numbers, halves rounded upwards: every second middle of a range ends in one half."""
    return np.asarray(np.floor(number + 0.5))


def tied(score: Float64) -> Ragged:
    """Return the columns with the highest score of their row, (rows, columns); none if all are zero."""
    top = score.max(axis=1, keepdims=True, initial=0.0)
    return Ragged.of((at_least(score, top) & (top > 0)).astype(np.float64))


def middle(named: Ragged, axis: Float64, otherwise: Float64, *, exclusive: bool = False) -> Float64:
    """Return the mean of the values named in each row, (rows,); `otherwise` if there is none.

    With `exclusive` a set is read as a range without its upper end, so its middle is half a step higher.
    """
    n = np.diff(named.start)
    total = np.bincount(named.row, axis[named.column], named.n_rows)
    found = total / np.maximum(n, 1) + (0.5 if exclusive else 0.0) * (n > 1)
    return np.where(n > 0, found, otherwise)


def fused(pairs: Pairs, cells: PublishedCells, score: Sequence[Float64], best: Ragged, point: Float64) -> Fused:
    """Return normalized scores of blocks of pairs, (block, values); scores of zero: the likelihood of the cell."""
    blocks, first = [], 0
    for block in score:
        total = block.sum(axis=1, keepdims=True)
        dead = np.flatnonzero(~(total[:, 0] > 0))
        allowed = cells.allowed(pairs.cell[first + dead])
        block[dead] = np.where(allowed.sum(axis=1, keepdims=True) > 0, allowed, 1.0)
        blocks.append(Ragged.of(block / block.sum(axis=1, keepdims=True)))
        first += block.shape[0]
    rows = Ragged.stacked(blocks) if blocks else Ragged.of(np.zeros((0, cells.n_values)))
    return Fused(pairs.of_row, rows, best, point, pairs.cell)
