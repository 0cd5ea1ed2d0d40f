"""What a release shows of the attribute that is asked about, row by row, and which values may stand behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int32, Int64, Ragged, frozen
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.miners.training_data import NO_ANSWER
from unmask.beliefs import unique_pairs
from unmask.errors import InvalidInputError

MOST_VALUES = 20_000
"""How long an axis of whole numbers may be."""


@dataclass(frozen=True, slots=True, eq=False)
class PublishedCells:
    """The cell that each row shows, and how likely each declared value would have been shown as it.

    Cells that miners predict are sets on an axis, which may be longer than what is declared: `[0-19]` holds sixteen
    ages that nobody of 16 to 99 has. `declared` says which places of the axis are values.

    Fails
        With `InvalidInputError` where arrays do not belong together, or an axis is too long.
    """

    cell: Int32 = field(repr=False)  # (rows,)
    likelihood: Ragged = field(repr=False)  # (cells, values)
    number: Float64  # (values,) as a number; of text the place in the list
    inside: Bool | None = field(default=None, repr=False)  # (cells, axis) of cells that miners predict
    axis: Float64 | None = None  # (axis,) as numbers
    declared: Int64 | None = None  # (values,) the place of each value on the axis
    published: Float64 | None = None  # (cells,) of noisy numbers
    ordered: bool = True  # neighbors on the axis are alike
    group_of: Int32 | None = field(default=None, repr=False)  # (rows,) a group is one finding
    looked_at: bool = True  # False: nobody looks at what the own row shows, and every value may stand behind it

    def __post_init__(self) -> None:
        object.__setattr__(self, "cell", frozen(self.cell, np.int32))
        n = self.likelihood.n_rows
        if self.cell.size and not 0 <= self.cell.min() <= self.cell.max() < n:
            raise InvalidInputError(f"rows must show one of {n} cells. Count what is missing as a cell, too")
        if self.likelihood.n_columns != self.number.size:
            raise InvalidInputError(f"cells must tell of {self.number.size} values; got {self.likelihood.n_columns}")
        if self.group_of is not None and self.group_of.shape != self.cell.shape:
            raise InvalidInputError(f"groups must be told of {self.cell.size} rows; got {self.group_of.size}")

    @classmethod
    def ranges(
        cls, cell: Int32, low: Int64, high: Int64, domain: tuple[int, int], group_of: Int32 | None = None
    ) -> PublishedCells:
        """Say of rows that show ranges of whole numbers, both ends inclusive, (cells,); `NO_ANSWER` fits everything.

        The domain is declared, both ends inclusive, too.
        """
        first, last = min(int(low.min(initial=domain[0])), domain[0]), max(int(high.max(initial=domain[1])), domain[1])
        if last - first >= MOST_VALUES:
            raise InvalidInputError(f"a range of whole numbers must have at most {MOST_VALUES}; got {last - first + 1}")
        if (low > high).any() or domain[0] > domain[1]:
            raise InvalidInputError("ranges must not end before they begin. Exchange the ends")
        axis = np.arange(first, last + 1, dtype=np.float64)
        inside = (low[:, None] <= axis) & (axis <= high[:, None])
        declared = np.arange(domain[0] - first, domain[1] - first + 1)
        return cls._sets(cell, inside, axis, declared, group_of)

    @classmethod
    def sets(cls, cell: Int32, inside: Bool, group_of: Int32 | None = None) -> PublishedCells:
        """Say of rows that show sets of listed values; `inside` is (cells, values)."""
        n = inside.shape[1]
        return cls._sets(cell, inside, np.arange(n, dtype=np.float64), np.arange(n), group_of, ordered=False)

    @classmethod
    def numbers(cls, published: Float64, likelihood: Ragged, values: Sequence[float]) -> PublishedCells:
        """Say of rows that show noisy numbers, (rows,); each row is a cell of its own."""
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
        """How much of a finding each row is, (rows,): 1 / rows of its group; all of one where rows are independent."""
        if self.group_of is None:
            return np.ones(self.cell.size)
        _, group, size = np.unique(self.group_of, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / size[group.ravel()])

    def held(self, *, domain: bool) -> Bool:
        """Return what cells hold, (cells, axis): of the axis, or only of what is declared."""
        if self.inside is None or self.axis is None:
            raise InvalidInputError("votes need cells that miners predict; this release shows numbers")
        if not domain:
            return self.inside
        known = np.zeros(self.axis.size, bool)
        known[self.declared] = True
        return np.asarray(self.inside & known)

    def allowed(self, cell: Int32) -> Float64:
        """Return how likely each value would have been shown as some cells, (cell, values): what a row rules out."""
        return self.likelihood.dense(cell) if self.looked_at else np.ones((cell.size, self.n_values))

    def says_more(self, *, domain: bool) -> Bool:
        """Say of each cell, (cells, cells), which others say more than a row that shows it does."""
        held = self.held(domain=domain)
        if self.looked_at:
            return proper(held)
        anything = held[:, held.any(axis=0)].all(axis=1)
        return np.tile(~anything, (held.shape[0], 1))

    def pairs(self, predictions: Predictions) -> Pairs:
        """Return the distinct combinations of what miners say and what a row shows.

        Fails
            With `InvalidInputError` where miners tell of other rows.
        """
        if predictions.row_of.size != self.cell.size:
            raise InvalidInputError(f"miners must predict {self.cell.size} rows; got {predictions.row_of.size}")
        if predictions.is_numeric != (self.inside is None):
            raise InvalidInputError("miners must predict what rows show: cells of cells, numbers of numbers")
        pair_of, line, cell = unique_pairs(predictions.row_of, self.cell)
        people = np.bincount(pair_of, minlength=line.size).astype(np.float64)
        return Pairs(pair_of, line, cell, np.bincount(pair_of, self.share, line.size).astype(np.float64), people)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """What miners say together with what is shown, each combination once."""

    of_row: Int32  # (rows,)
    line: Int32  # (pairs,)
    cell: Int32  # (pairs,)
    weight: Float64  # (pairs,) how many findings show it
    people: Float64  # (pairs,) how many rows show it

    @property
    def n(self) -> int:
        """The number of combinations."""
        return int(self.line.size)

    def blocks(self, width: int) -> list[slice]:
        """Return runs of pairs that are small enough for a matrix of that width."""
        step = max(1, DENSE_CELLS // max(width, 1))
        return [slice(first, min(first + step, self.n)) for first in range(0, self.n, step)]


def proper(held: Bool) -> Bool:
    """Say of each cell, (cells, cells), which others are a proper part of it: smaller, and inside.

    By what cells hold, not by level: levels of 20 and of 50 years are not nested.
    """
    size = held.sum(axis=1)
    common = held.astype(np.float32) @ held.T.astype(np.float32)
    return np.asarray((common == size[None, :]) & (size[None, :] < size[:, None]) & (size[None, :] > 0))
