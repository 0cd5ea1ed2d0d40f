"""Losses that are sums over cells, so that subsets of people have one, too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.masks.levels import LevelLabels
from unmask.sanitizers._lattice.groups import Lattice, LatticeGroups, Node, cost_of

Mean: TypeAlias = Literal["geometric", "arithmetic"]


@dataclass(frozen=True, eq=False)
class CellCosts:
    """The cost of each cell that a node of a lattice can publish."""

    lattice: Lattice
    cost: tuple[tuple[Float64, ...], ...]  # per column and level, (leaves,) of a cell
    suppressed: Float64  # (attributes,) of a suppressed cell
    average: tuple[Float64, ...]  # per column, (levels,) over all people
    by_row: bool  # rows are not people: unsafe rows are counted here

    @classmethod
    def of(
        cls, lattice: Lattice, cost: Callable[[LevelLabels, Float64], list[Float64]], suppressed: float, *, by_row: bool
    ) -> CellCosts:
        """Prepare costs; `cost` returns those of a column at each level, from the count of each leaf."""
        people = lattice.profiles
        leaves = [
            np.bincount(codes, weights=people.size, minlength=len(one.texts)).astype(np.float64)
            for one, codes in zip(lattice.levels, people.codes, strict=True)
        ]
        costs = tuple(tuple(cost(one, count)) for one, count in zip(lattice.levels, leaves, strict=True))
        n = _n_people(lattice)
        average = tuple(
            np.array([count @ level / n for level in own]) for own, count in zip(costs, leaves, strict=True)
        )
        return cls(lattice, costs, np.full(len(leaves), suppressed), average, by_row)

    def at(self, node: Node) -> Float64:
        """Return the cost of a cell of each leaf at a node, for all columns one after another."""
        return np.concatenate([own[level] for own, level in zip(self.cost, node, strict=True)])

    def means(self, node: Node, more: Float64) -> list[Float64]:
        """Return the mean cost of each column at a node, plus `more`."""
        own = [column[level] for column, level in zip(self.average, node, strict=True)]
        return [np.array(mean + x) for mean, x in zip(own, more, strict=True)]

    def suppressing(self, node: Node, groups: LatticeGroups, safe: Bool, n_unsafe: int) -> Float64:
        """Return the increase of each column's mean cost where unsafe groups are suppressed, (attributes,)."""
        n_unsafe = int(groups.size[~safe].sum()) if self.by_row else n_unsafe
        if not n_unsafe:
            return np.zeros(len(node))
        published = cost_of(groups.codes, groups.size, ~safe, self.lattice.first, self.at(node))
        return np.asarray((n_unsafe * self.suppressed - published) / float(groups.size.sum()))


class CellLoss(ABC):
    """A loss computed from the mean costs of columns: each is scaled, then they are combined."""

    needs_groups: ClassVar[bool] = False
    costs: CellCosts

    @abstractmethod
    def scaled(self, column: int, mean: Float64) -> Float64:
        """Return the loss of a column from the mean cost of its cells."""

    @abstractmethod
    def together(self, columns: Float64) -> float:
        """Return the loss of all columns from that of each, (attributes,)."""

    @abstractmethod
    def together_everywhere(self, columns: Sequence[Float64]) -> Float64:
        """Return the same for all nodes, the columns along the axes of the lattice."""

    def least(self) -> Float64:
        """Return the loss of each node with all people published, in the lattice's shape."""
        axes = np.ix_(*(np.arange(n) for n in self.costs.lattice.shape))
        average = enumerate(zip(self.costs.average, axes, strict=True))
        return self.together_everywhere([self.scaled(i, own)[axis] for i, (own, axis) in average])

    def least_of(self, node: Node, groups: LatticeGroups) -> float:
        """Return the loss of the node with all people published."""
        del groups
        return self._loss(node, np.zeros(len(node)))

    def score(self, node: Node, groups: LatticeGroups, safe: Bool, n_unsafe: int) -> float:
        """Return the loss of the node with unsafe groups suppressed."""
        return self._loss(node, self.costs.suppressing(node, groups, safe, n_unsafe))

    def cheapest_step(self, node: Sequence[int]) -> int:
        """Return the column whose level is raised at the least loss, from a node below the top."""
        open_ = [i for i, n in enumerate(self.costs.lattice.shape) if node[i] + 1 < n]
        steps = [self.scaled(i, self.costs.average[i][node[i] : node[i] + 2]) for i in open_]
        return open_[int(np.argmin([step[1] - step[0] for step in steps]))]

    def _loss(self, node: Node, more: Float64) -> float:
        columns = [float(self.scaled(i, mean)) for i, mean in enumerate(self.costs.means(node, more))]
        return self.together(np.array(columns))


@dataclass(frozen=True, eq=False)
class LabelShareLoss(CellLoss):
    """The share of the hierarchy's leaves that a cell stands for.

    Measures
        The share of the leaves that have the published label, 1 for a suppressed cell; its mean m over people is scaled
        to `L = (m − 1/n) / (1 − 1/n)` for n leaves, and the mean over columns is `Π (1 + L)^(1/columns) − 1`, or
        arithmetic.
    """

    costs: CellCosts
    mean: Mean

    @classmethod
    def of(cls, lattice: Lattice, mean: Mean, *, by_row: bool) -> LabelShareLoss:
        """Prepare the loss."""

        def cost(levels: LevelLabels, count: Float64) -> list[Float64]:
            del count
            return [levels.share(level) for level in range(levels.n)]

        return cls(CellCosts.of(lattice, cost, 1.0, by_row=by_row), mean)

    def scaled(self, column: int, mean: Float64) -> Float64:
        """Return the share of the leaves beyond the least share of a cell."""
        least = 1 / max(len(self.costs.lattice.levels[column].texts), 1)
        return np.asarray(np.maximum(0.0, (mean - least) / (1 - least)) if least < 1 else 0.0 * mean)

    def together(self, columns: Float64) -> float:
        """Return the mean."""
        if self.mean == "geometric":
            return float(np.prod((1 + columns) ** (1 / columns.size)) - 1)
        return _average(columns)

    def together_everywhere(self, columns: Sequence[Float64]) -> Float64:
        """Return the mean at each node."""
        shape = self.costs.lattice.shape
        if self.mean == "geometric":
            total = np.ones(shape)
            for one in columns:
                total *= (1 + one) ** (1 / len(shape))
            return total - 1
        return _sums(shape, columns) * (1 / len(columns))


@dataclass(frozen=True, eq=False)
class PrecisionLoss(CellLoss):
    """The loss of precision (Prec).

    Measures
        level / height of a cell, 1 where suppressed, on average.
    """

    costs: CellCosts

    @classmethod
    def of(cls, lattice: Lattice, *, by_row: bool) -> PrecisionLoss:
        """Prepare the loss."""

        def cost(levels: LevelLabels, count: Float64) -> list[Float64]:
            return [np.full(count.size, level / max(levels.n - 1, 1)) for level in range(levels.n)]

        return cls(CellCosts.of(lattice, cost, 1.0, by_row=by_row))

    def scaled(self, column: int, mean: Float64) -> Float64:
        """Return the mean."""
        del column
        return mean

    def together(self, columns: Float64) -> float:
        """Return the average."""
        return _average(columns)

    def together_everywhere(self, columns: Sequence[Float64]) -> Float64:
        """Return the average at each node."""
        return _sums(self.costs.lattice.shape, columns) * (1 / len(columns))


@dataclass(frozen=True, eq=False)
class EntropyLoss(CellLoss):
    """The entropy that generalization adds.

    Measures
        Σ log2 of the number of people with the published label over the number with the own value; a suppressed cell
        stands for all people.
    """

    costs: CellCosts

    @classmethod
    def of(cls, lattice: Lattice, *, by_row: bool) -> EntropyLoss:
        """Prepare the loss."""

        def cost(levels: LevelLabels, count: Float64) -> list[Float64]:
            published = [np.bincount(label, weights=count)[label] for label in levels.label_of]
            return [np.log2(np.maximum(people, 1.0)) for people in published]

        return cls(CellCosts.of(lattice, cost, float(np.log2(_n_people(lattice))), by_row=by_row))

    def scaled(self, column: int, mean: Float64) -> Float64:
        """Return the mean beyond that of ungeneralized values."""
        return np.asarray(mean - self.costs.average[column][0])

    def together(self, columns: Float64) -> float:
        """Return the sum over columns and people."""
        return float(columns.sum() * float(self.costs.lattice.profiles.size.sum()))

    def together_everywhere(self, columns: Sequence[Float64]) -> Float64:
        """Return the sum at each node."""
        return _sums(self.costs.lattice.shape, columns) * float(self.costs.lattice.profiles.size.sum())


def _n_people(lattice: Lattice) -> int:
    return max(int(lattice.profiles.size.sum()), 1)


def _average(columns: Float64) -> float:
    return float(columns.sum() * (1 / columns.size))


def _sums(shape: tuple[int, ...], columns: Sequence[Float64]) -> Float64:
    total = np.zeros(shape)
    for one in columns:
        total += one
    return total
