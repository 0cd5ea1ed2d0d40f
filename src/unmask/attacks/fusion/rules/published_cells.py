"""Published cells of the predicted attribute, row by row, and the likelihood of each value given them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int32, Int64, Ragged, frozen
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.miners.training_data import NO_ANSWER
from unmask.beliefs import unique_pairs
from unmask.errors import InvalidInputError
from unmask.wording import message

MOST_VALUES = 20_000
"""The largest number of whole numbers on an axis."""


@dataclass(frozen=True, slots=True, eq=False)
class PublishedCells:
    """The cell of each row, and the likelihood of each declared value for each cell.

    Cells that miners predict are sets on an axis, which may be longer than the domain: `[0-19]` contains sixteen ages
    outside of 16 to 99. `declared` has the places of the values on the axis. A predicted class is a cell, or several
    similar cells (`class_of`).

    Fails
        With `InvalidInputError` for arrays of different lengths, or an axis that is too long.
    """

    cell: Int32 = field(repr=False)  # (rows,)
    likelihood: Ragged = field(repr=False)  # (cells, values)
    number: Float64  # (values,) as a number; for text the place in the list
    inside: Bool | None = field(default=None, repr=False)  # (cells, axis) for predicted cells
    axis: Float64 | None = None  # (axis,) as numbers
    declared: Int64 | None = None  # (values,) the place of each value on the axis
    published: Float64 | None = None  # (cells,) for noisy numbers
    ordered: bool = True  # neighbors on the axis are similar
    group_of: Int32 | None = field(default=None, repr=False)  # (rows,) a group counts as one observation
    looked_at: bool = True  # False: the row's own cell is ignored, and every value is possible
    class_of: Int32 = field(default_factory=lambda: np.zeros(0, np.int32), repr=False)  # (cells,) empty: one each

    def __post_init__(self) -> None:
        object.__setattr__(self, "cell", frozen(self.cell, np.int32))
        n = self.likelihood.n_rows
        if self.cell.size and not 0 <= self.cell.min() <= self.cell.max() < n:
            raise InvalidInputError(
                message("rows must have one of {n} cells. Count missing values as a cell, too", n=n)
            )
        if self.likelihood.n_columns != self.number.size:
            raise InvalidInputError(
                message(
                    "cells must cover {size} values; got {n_columns}",
                    size=self.number.size,
                    n_columns=self.likelihood.n_columns,
                )
            )
        if self.group_of is not None and self.group_of.shape != self.cell.shape:
            raise InvalidInputError(
                message(
                    "groups must be given for {size} rows; got {given}", size=self.cell.size, given=self.group_of.size
                )
            )
        class_of = self.class_of if self.class_of.size else np.arange(n)
        object.__setattr__(self, "class_of", frozen(class_of, np.int32))
        if self.class_of.shape != (n,):
            raise InvalidInputError(
                message("classes must be given for {n} cells; got {size}", n=n, size=self.class_of.size)
            )

    @classmethod
    def ranges(
        cls, cell: Int32, low: Int64, high: Int64, domain: tuple[int, int], group_of: Int32 | None = None
    ) -> PublishedCells:
        """Return cells that are ranges of whole numbers, both ends inclusive, (cells,); `NO_ANSWER` has all values.

        The domain is inclusive at both ends, too.
        """
        first, last = min(int(low.min(initial=domain[0])), domain[0]), max(int(high.max(initial=domain[1])), domain[1])
        if last - first >= MOST_VALUES:
            raise InvalidInputError(
                message(
                    "a range of whole numbers must have at most {most_values}; got {last}",
                    most_values=MOST_VALUES,
                    last=last - first + 1,
                )
            )
        if (low > high).any() or domain[0] > domain[1]:
            raise InvalidInputError(message("ranges must not end before they begin. Exchange the ends"))
        axis = np.arange(first, last + 1, dtype=np.float64)
        inside = (low[:, None] <= axis) & (axis <= high[:, None])
        declared = np.arange(domain[0] - first, domain[1] - first + 1)
        return cls._sets(cell, inside, axis, declared, group_of)

    @classmethod
    def sets(cls, cell: Int32, inside: Bool, group_of: Int32 | None = None) -> PublishedCells:
        """Return cells that are sets of listed values; `inside` is (cells, values)."""
        n = inside.shape[1]
        return cls._sets(cell, inside, np.arange(n, dtype=np.float64), np.arange(n), group_of, ordered=False)

    @classmethod
    def numbers(cls, published: Float64, likelihood: Ragged, values: Sequence[float]) -> PublishedCells:
        """Return noisy numbers, (rows,), as cells; each row is a separate cell."""
        cell = np.arange(published.size, dtype=np.int32)
        return cls(cell, likelihood, np.asarray(values, np.float64), published=published)

    @classmethod
    def _sets(
        cls,
        cell: Int32,
        inside: Bool,
        axis: Float64,
        declared: Int64,
        group_of: Int32 | None,
        *,
        ordered: bool = True,
    ) -> PublishedCells:
        if (cell == NO_ANSWER).any():
            cell = np.where(cell == NO_ANSWER, inside.shape[0], cell).astype(np.int32)
            inside = np.concatenate([inside, np.ones((1, axis.size), bool)])
        likelihood = Ragged.of(inside[:, declared].astype(np.float64))
        return cls(cell, likelihood, axis[declared], inside, axis, declared, ordered=ordered, group_of=group_of)

    @property
    def n_values(self) -> int:
        """The number of declared values."""
        return int(self.number.size)

    @property
    def share(self) -> Float64:
        """The weight of each row, (rows,): 1 / rows of its group; 1 if rows are independent."""
        if self.group_of is None:
            return np.ones(self.cell.size)
        _, group, size = np.unique(self.group_of, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / size[group.ravel()])

    @property
    def of_class(self) -> Int64:
        """The most frequent cell of each class, (classes,): a prediction of the class counts as this cell."""
        rows = np.bincount(self.cell, minlength=self.class_of.size)
        order = np.lexsort((-rows, self.class_of))
        return np.asarray(order[np.unique(self.class_of[order], return_index=True)[1]])

    def held(self, *, domain: bool) -> Bool:
        """Return which values each cell contains, (cells, axis): all of the axis, or only declared ones."""
        if self.inside is None or self.axis is None:
            raise InvalidInputError(message("votes need cells that miners predict; this release has numbers"))
        if not domain:
            return self.inside
        known = np.zeros(self.axis.size, bool)
        known[self.declared] = True
        return np.asarray(self.inside & known)

    def allowed(self, cell: Int32) -> Float64:
        """Return the likelihood of each value for some cells, (cell, values); 1 if the own cell is ignored."""
        return self.likelihood.dense(cell) if self.looked_at else np.ones((cell.size, self.n_values))

    def says_more(self, *, domain: bool) -> Bool:
        """Return which other cells are more precise than each cell, (cells, cells)."""
        held = self.held(domain=domain)
        if self.looked_at:
            return proper(held)
        anything = held[:, held.any(axis=0)].all(axis=1)
        return np.tile(~anything, (held.shape[0], 1))

    def pairs(self, predictions: Predictions) -> Pairs:
        """Return the distinct combinations of the miners' predictions and a row's cell.

        Fails
            With `InvalidInputError` if miners predicted different rows.
        """
        if predictions.row_of.size != self.cell.size:
            raise InvalidInputError(
                message(
                    "miners must predict {size} rows; got {given}", size=self.cell.size, given=predictions.row_of.size
                )
            )
        if predictions.is_numeric != (self.inside is None):
            raise InvalidInputError(message("miners must predict cells for rows with cells, and numbers for numbers"))
        pair_of, line, cell = unique_pairs(predictions.row_of, self.cell)
        people = np.bincount(pair_of, minlength=line.size).astype(np.float64)
        return Pairs(pair_of, line, cell, np.bincount(pair_of, self.share, line.size).astype(np.float64), people)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Combinations of a line of predictions and a published cell, each once."""

    of_row: Int32  # (rows,)
    line: Int32  # (pairs,)
    cell: Int32  # (pairs,)
    weight: Float64  # (pairs,) number of independent observations
    people: Float64  # (pairs,) number of rows

    @property
    def n(self) -> int:
        """The number of combinations."""
        return int(self.line.size)

    def blocks(self, width: int) -> list[slice]:
        """Return slices of pairs that are small enough for a matrix of that width."""
        step = max(1, DENSE_CELLS // max(width, 1))
        return [slice(first, min(first + step, self.n)) for first in range(0, self.n, step)]


def proper(held: Bool) -> Bool:
    """Return which other cells are a proper part of each cell, (cells, cells): smaller, and inside.

    Compares the values of cells, not levels: levels of 20 and of 50 years are not nested.
    """
    size = held.sum(axis=1)
    common = held.astype(np.float32) @ held.T.astype(np.float32)
    return np.asarray((common == size[None, :]) & (size[None, :] < size[:, None]) & (size[None, :] > 0))
