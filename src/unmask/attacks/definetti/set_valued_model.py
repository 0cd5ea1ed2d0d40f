"""The Naive Bayes model of set-valued attributes, fitted by smoothed EM to generalized cells.

All members of a group have the same published sets, so they are exchangeable, and no arrangement of values has to be
summed over. The model is P(level | value) for each attribute. A set restricts a person's level to several; the E-step
distributes the person over them, the M-step estimates the probabilities. Overlapping sets identify their levels; levels
that no set separates are identified by their neighbors, if the attribute has an order: expected counts are smoothed
along it in each iteration.

The numbers of people by set and value are sufficient for one attribute. So attributes are fitted one by one, and the
time grows with distinct sets, not with people.

References
----------
Silverman, Jones, Wilson, Nychka. A smoothed EM approach to indirect estimation problems. J. Royal Statistical Society B
1990 (a smoothing step in each iteration).
Varadhan, Roland. Simple and globally convergent methods for accelerating the convergence of any EM algorithm.
Scandinavian J. Statistics 2008.
John, Langley. Estimating continuous distributions in Bayesian classifiers. UAI 1995 ("flexible Bayes").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy

from unmask.arrays import Bool, Float64, Int32, Int64, Ragged
from unmask.beliefs import unique_pairs
from unmask.errors import InvalidInputError
from unmask.wording import message

UNKNOWN = -1
"""The level of a person whose value is unknown, or covered by no cell."""

TINY = 1e-300
"""The replacement of zero in logarithms and divisions."""

_BLOCK = 1 << 21  # numbers in a dense block
_LIMIT = 500  # extrapolations, of three steps each
_LONGEST = 64.0  # length of an extrapolation, in steps
_TOLERANCE = 1e-6  # the largest change of a probability at convergence


@dataclass(frozen=True, slots=True, eq=False)
class AttributeAxis:
    """One attribute: the levels that each distinct cell covers, and the cell of each group."""

    cells: Ragged  # (cells, levels) the share of a level that a cell covers; only ratios within a cell matter
    cell_of: Int32  # (groups,)
    place: Float64 | None  # (levels,) positions on a line, NaN if none; None without an order

    def __post_init__(self) -> None:
        if self.cell_of.size and not 0 <= self.cell_of.min() <= self.cell_of.max() < self.cells.n_rows:
            raise InvalidInputError(message("cells of groups must lie in 0 to {n_rows}", n_rows=self.cells.n_rows - 1))
        if self.place is not None and self.place.shape != (self.cells.n_columns,):
            raise InvalidInputError(
                message(
                    "places must be given for {n_columns} levels; got {shape}",
                    n_columns=self.cells.n_columns,
                    shape=self.place.shape,
                )
            )

    @property
    def n_levels(self) -> int:
        """The number of levels."""
        return self.cells.n_columns

    def matrix(self) -> scipy.sparse.csr_array:
        """Return the cells as a matrix, (cells, levels)."""
        return scipy.sparse.csr_array(
            (self.cells.data, self.cells.column, self.cells.start), (self.cells.n_rows, self.n_levels)
        )

    def counts(self, groups: Float64) -> Float64:
        """Return the number of people by cell and value, (cells, values)."""
        return np.asarray(self.counts_without(groups, np.zeros(self.cell_of.size, np.int64) - 1, 1)[0])

    def counts_without(self, groups: Float64, fold: Int64, folds: int) -> Float64:
        """Return the same for each fold without its groups, (folds, cells, values); `fold` is (groups,)."""
        left_out, kept = np.nonzero(fold != np.arange(folds)[:, None])
        shows = (np.ones(kept.size), (left_out * self.cells.n_rows + self.cell_of[kept], kept))
        table = scipy.sparse.csr_array(shows, (folds * self.cells.n_rows, self.cell_of.size)) @ groups
        return np.asarray(table).reshape(folds, self.cells.n_rows, -1)

    def smoother(self, bandwidth: float) -> Float64 | None:
        """Return the smoothing kernel between levels, (to, from); None without smoothing.

        A Gaussian kernel whose columns add up to 1, so that smoothing keeps the number of people.
        """
        if self.place is None or not bandwidth > 0:
            return None
        beside = np.isnan(self.place)
        place = np.where(beside, 0.0, self.place)
        kernel = np.exp(-0.5 * ((place[:, None] - place) / bandwidth) ** 2)
        kernel[beside], kernel[:, beside] = 0.0, 0.0
        kernel[beside, beside] = 1.0
        return np.asarray(kernel / kernel.sum(axis=0))


@dataclass(frozen=True, slots=True, eq=False)
class LevelModel:
    """The fitted model of one attribute."""

    axis: AttributeAxis
    kernel: Float64 | None  # (levels, levels)
    alpha: float
    theta: Float64  # (levels, values) P(level | value)
    expected: Float64  # (levels, values) people, smoothed
    iterations: int
    settled: bool

    def of_cells(self) -> Float64:
        """Return P(cell | value), (cells, values), up to a factor for each cell."""
        return np.asarray(self.axis.matrix() @ self.theta)

    def lift(self, cell: Int32, level: Int32) -> Float64:
        """Return log P(level | value, cell) of a person in the cell, (pairs, values).

        That person's own contribution, distributed over the cell and smoothed, is subtracted first. The result is 0
        where the cell does not cover the level, or the level is unknown.
        """
        result = np.zeros((cell.size, self.theta.shape[1]))
        for pairs, place, covered in self._blocks(cell, level):
            at = level[pairs]
            inside = covered[place, at] > 0
            for v in range(result.shape[1]):
                rest = np.maximum(self.expected[:, v] - self._spread(covered, v), 0.0) + self.alpha
                whole = np.maximum((covered * rest).sum(axis=1), TINY)
                result[pairs, v] = np.where(inside, np.log(rest[place, at] / whole[place]), 0.0)
        return result

    def newcomer(self, cell: Int32, level: Int32, gone: Float64) -> Float64:
        """Return log P(level | value) without the people of one group, (pairs, values).

        `gone` (pairs, values) are the people of a group with this cell.
        """
        result = np.zeros((cell.size, self.theta.shape[1]))
        prior_people = self.alpha * self.axis.n_levels
        total = self.expected.sum(axis=0)
        for pairs, place, covered in self._blocks(cell, level):
            at = level[pairs]
            number, first, second = unique_pairs(place.astype(np.int32), at)
            if self.kernel is None:
                own = covered[first, second][:, None] * self.theta[second]  # (distinct pairs, values)
            else:
                own = (covered[first] * self.kernel[second]) @ self.theta
            own /= np.maximum(covered @ self.theta, TINY)[first]
            rest = np.maximum(self.expected[at] - gone[pairs] * own[number], 0.0)
            result[pairs] = np.log((rest + self.alpha) / (np.maximum(total - gone[pairs], 0.0) + prior_people))
        return result

    def _spread(self, covered: Float64, v: int) -> Float64:
        """Return the smoothed distribution of one person of a value and a cell over levels, (cells, levels)."""
        believed = covered * self.theta[:, v]
        believed /= np.maximum(believed.sum(axis=1, keepdims=True), TINY)
        return believed if self.kernel is None else believed @ self.kernel.T

    def _blocks(self, cell: Int32, level: Int32) -> Iterator[tuple[Int64, Int64, Float64]]:
        """Yield blocks: pairs of known level, the index of their cell in the block, and the coverage of these cells."""
        known = np.flatnonzero(level != UNKNOWN)
        used, number = np.unique(cell[known], return_inverse=True)
        order = np.argsort(number, kind="stable")
        step = max(1, _BLOCK // max(1, self.axis.n_levels))
        for first in range(0, used.size, step):
            begin, end = np.searchsorted(number[order], [first, first + step])
            some = order[begin:end]
            yield known[some], number[some] - first, self.axis.cells.dense(used[first : first + step])


def fit_levels(
    axis: AttributeAxis, counts: Float64, bandwidth: float = 0.0, alpha: float = 1.0, start: Float64 | None = None
) -> list[LevelModel]:
    """Fit the model of one attribute to several tables of counts, by smoothed EM with extrapolation.

    `counts` (tables, cells, values) are people. The estimate is the posterior mean, given expected counts, under a
    Dirichlet prior of parameter `alpha`. `start` (tables, levels, values) is the initial model; uniform by default.
    A table that has converged moves no further while others do, so that each has the model that it would have alone.

    Infers
        ``θ(x | v) ∝ α + Σ_y K(x, y) Σ_cells n(cell, v) θ(y | v) [y in cell] / θ(cell | v)``. Without smoothing the
        fixed point is unique, since the objective is strictly concave. Deterministic.
    """
    em = SmoothedEM.of(axis, bandwidth, alpha)
    theta, iterations, settled = em.settled(counts, start)
    expected = (em.expected(one, people) for one, people in zip(theta, counts, strict=True))
    return [
        LevelModel(axis, em.kernel, alpha, *found)
        for found in zip(theta, expected, iterations.tolist(), settled.tolist(), strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class SmoothedEM:
    """The steps of smoothed EM for one attribute and bandwidth."""

    cells: scipy.sparse.csr_array  # (cells, levels)
    levels: scipy.sparse.csr_array  # (levels, cells)
    kernel: Float64 | None  # (levels, levels)
    alpha: float

    @classmethod
    def of(cls, axis: AttributeAxis, bandwidth: float, alpha: float) -> SmoothedEM:
        """Return the steps for an attribute."""
        cells = axis.matrix()
        return cls(cells, cells.T.tocsr(), axis.smoother(bandwidth), alpha)

    def smoothed(self, axis: AttributeAxis, bandwidth: float) -> SmoothedEM:
        """Return the steps for the same attribute and another bandwidth."""
        return replace(self, kernel=axis.smoother(bandwidth))

    def expected(self, theta: Float64, counts: Float64, tables: int = 1) -> Float64:
        """Return smoothed expected counts, (levels, tables × values), of tables that lie side by side."""
        expected = theta * (self.levels @ (counts / np.maximum(self.cells @ theta, TINY)))
        if self.kernel is None:
            return np.asarray(expected)
        each = expected.reshape(theta.shape[0], tables, -1).transpose(1, 0, 2)  # a product for each table
        return np.asarray((self.kernel @ each).transpose(1, 0, 2).reshape(theta.shape))

    def settled(self, counts: Float64, start: Float64 | None = None) -> tuple[Float64, Int64, Bool]:
        """Return the models, (tables, levels, values), their iterations, and whether each has converged, (tables,)."""
        n, _, width = counts.shape
        n_levels = self.cells.shape[1]
        if n > 1 and n * n_levels * width > _BLOCK:
            every = [self.settled(counts[[t]], None if start is None else start[[t]]) for t in range(n)]
            theta, iterations, settled = (np.concatenate(parts) for parts in zip(*every, strict=True))
            return theta, iterations, settled
        all_counts = counted = _beside(counts)
        theta = np.full((n_levels, n * width), 1 / n_levels) if start is None else _beside(start)
        result, moved, iterations = np.empty((n, n_levels, width)), np.full(n, np.inf), np.zeros(n, np.int64)
        active = np.arange(n)
        while active.size:
            iterations[active] += 1
            once = self._improved(theta, counted, active.size)
            twice = self._improved(once, counted, active.size)
            moved[active] = np.abs(twice - once).reshape(n_levels, active.size, width).max(axis=(0, 2), initial=0.0)
            theta = self._improved(_leap(theta, once, twice), counted, active.size)
            going = (moved[active] > _TOLERANCE) & (iterations[active] < _LIMIT)
            if not going.all():
                here = theta.reshape(n_levels, active.size, width)
                result[active[~going]] = here[:, ~going].transpose(1, 0, 2)
                active, theta = active[going], here[:, going].reshape(n_levels, -1)
                counted = all_counts.reshape(-1, n, width)[:, active].reshape(all_counts.shape[0], -1)
        return result, iterations, moved <= _TOLERANCE

    def _improved(self, theta: Float64, counts: Float64, tables: int) -> Float64:
        new = self.expected(theta, counts, tables) + self.alpha
        return np.asarray(new / new.sum(axis=0))


def _beside(tables: Float64) -> Float64:
    """Return tables side by side: (tables, rows, values) as (rows, tables × values)."""
    return np.ascontiguousarray(tables.transpose(1, 0, 2)).reshape(tables.shape[1], -1)


def _leap(theta: Float64, once: Float64, twice: Float64) -> Float64:
    """Extrapolate two steps, value by value (SQUAREM); return the second step if the result is invalid.

    Where sets hardly separate two levels, plain EM would take thousands of tiny steps.
    """
    step = once - theta
    bend = twice - once - step
    length = np.sqrt((step * step).sum(axis=0)) / np.maximum(np.sqrt((bend * bend).sum(axis=0)), TINY)
    length = np.clip(length, 1.0, _LONGEST)
    leapt = theta + 2 * length * step + length**2 * bend
    fine = (leapt > 0).all(axis=0) & np.isfinite(leapt).all(axis=0)
    leapt = np.where(fine, leapt, twice)
    return np.asarray(leapt / leapt.sum(axis=0))
