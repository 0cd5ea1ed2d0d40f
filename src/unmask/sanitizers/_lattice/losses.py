"""What a generalized table loses: one number for a node, and a bound on it that no count of people can beat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.sanitizers._lattice.groups import Groups, Lattice, Node, cost_of

Loss: TypeAlias = Literal["loss", "aecs", "discernibility", "height", "precision", "entropy"]
Mean: TypeAlias = Literal["geometric", "arithmetic"]

LOSSES: tuple[Loss, ...] = ("loss", "aecs", "discernibility", "height", "precision", "entropy")
MEANS: tuple[Mean, ...] = ("geometric", "arithmetic")

BY_CELL = ("loss", "precision", "entropy")
"""Losses that are added up from cells, so that a part of the people has one, too."""


@dataclass(frozen=True, eq=False)
class Measure:
    """A loss, ready for the nodes of one lattice.

    Measures
        `loss`: the share of the leaves of the hierarchy that have the label shown, 1 for a suppressed cell; its mean
        m over people is scaled to `L = (m − 1/n) / (1 − 1/n)` for n leaves, and the mean over columns is
        `Π (1 + L)^(1/columns) − 1`, or arithmetic. `precision`: level / height, 1 where suppressed, on average.
        `entropy`: Σ log2 of how many people have the label shown over how many have the own value; a suppressed cell
        shows everybody. `aecs`: people per group, all suppressed people being one group. `discernibility`: Σ size² of
        groups + all people for each suppressed one. `height`: Σ levels.
    """

    name: Loss
    mean: Mean
    lattice: Lattice
    cost: tuple[tuple[Float64, ...], ...]  # per column and level, (leaves,) of a cell
    suppressed: Float64  # (attributes,) of a suppressed cell
    average: tuple[Float64, ...]  # per column, (levels,) over all people
    floor: Float64  # (attributes,) the average of everybody's own values
    by_row: bool = False  # rows are not people: what is unsafe is counted here

    @classmethod
    def of(cls, name: Loss, mean: Mean, lattice: Lattice) -> Measure:
        """Prepare a loss."""
        people = lattice.profiles
        n = max(int(people.size.sum()), 1)
        leaves = [
            np.bincount(codes, weights=people.size, minlength=len(one.texts))
            for one, codes in zip(lattice.levels, people.codes, strict=True)
        ]
        cost, suppressed = [], np.ones(len(leaves))
        for i, (one, count) in enumerate(zip(lattice.levels, leaves, strict=True)):
            if name == "precision":
                cost.append(tuple(np.full(count.size, level / max(one.n - 1, 1)) for level in range(one.n)))
            elif name == "entropy":
                shown = [np.bincount(label, weights=count)[label] for label in one.label_of]
                cost.append(tuple(np.log2(np.maximum(people, 1.0)) for people in shown))
                suppressed[i] = np.log2(n)
            else:
                cost.append(tuple(one.share(level) for level in range(one.n)))
        average = tuple(np.array([count @ level / n for level in own]) for own, count in zip(cost, leaves, strict=True))
        floor = np.array([own[0] for own in average])
        return cls(name, mean, lattice, tuple(cost), suppressed, average, floor)

    @property
    def is_of_groups(self) -> bool:
        """Say whether the groups must be known to bound the loss."""
        return self.name in {"aecs", "discernibility"}

    def least(self) -> Float64:
        """Return for each node of the lattice a loss that it cannot fall short of, in the lattice's shape."""
        shape = self.lattice.shape
        if self.is_of_groups:
            return np.zeros(shape)
        axes = np.ix_(*(np.arange(n) for n in shape))
        if self.name == "height":
            return np.asarray(sum(axes), np.float64) + np.zeros(shape)
        scaled = [self._column(i, own)[axis] for i, (own, axis) in enumerate(zip(self.average, axes, strict=True))]
        if self.name == "loss" and self.mean == "geometric":
            total = np.ones(shape)
            for one in scaled:
                total *= (1 + one) ** (1 / len(shape))
            return total - 1
        total = np.zeros(shape)
        for one in scaled:
            total += one
        return total * self._scale

    def least_of(self, node: Node, groups: Groups) -> float:
        """Return what this node and all coarser ones lose at least."""
        n = float(groups.size.sum())
        if self.name == "aecs":
            return n / max(groups.size.size, 1)
        if self.name == "discernibility":
            return float(groups.size @ groups.size)
        return self._combined(node, np.zeros(len(node)))

    def score(self, node: Node, groups: Groups, safe: Bool, n_unsafe: int) -> float:
        """Return what a node loses; cells are counted by row, and `n_unsafe` may count people."""
        n = float(groups.size.sum())
        if self.by_row:
            n_unsafe = int(groups.size[~safe].sum())
        if self.name == "height":
            return float(sum(node))
        if self.name == "aecs":
            return n / max(int(safe.sum()) + (n_unsafe > 0), 1)
        if self.name == "discernibility":
            kept = groups.size[safe]
            return float(kept @ kept) + n * n_unsafe
        more = np.zeros(len(node))
        if n_unsafe:
            shown = cost_of(groups.codes, groups.size, ~safe, self.lattice.first, self.costs(node))
            more = (n_unsafe * self.suppressed - shown) / n
        return self._combined(node, more)

    def cheapest_step(self, node: Sequence[int]) -> int:
        """Return the column whose level is raised at the least loss, from a node below the top."""
        open_ = [i for i, n in enumerate(self.lattice.shape) if node[i] + 1 < n]
        steps = [self._column(i, self.average[i][node[i] : node[i] + 2]) for i in open_]
        return open_[int(np.argmin([step[1] - step[0] for step in steps]))]

    def costs(self, node: Node) -> Float64:
        """Return what a cell of each leaf costs at a node, for all columns one after another."""
        return np.concatenate([own[level] for own, level in zip(self.cost, node, strict=True)])

    def _combined(self, node: Node, more: Float64) -> float:
        if self.name == "height":
            return float(sum(node))
        mean = [own[level] for own, level in zip(self.average, node, strict=True)]
        column = np.array([
            float(self._column(i, np.array(m + x))) for i, (m, x) in enumerate(zip(mean, more, strict=True))
        ])  # fmt: skip
        if self.name == "loss" and self.mean == "geometric":
            return float(np.prod((1 + column) ** (1 / column.size)) - 1)
        return float(column.sum() * self._scale)

    @property
    def _scale(self) -> float:
        if self.name == "entropy":
            return float(self.lattice.profiles.size.sum())
        return 1 / len(self.average)

    def _column(self, i: int, mean: Float64) -> Float64:
        """Scale the mean cost of a column."""
        if self.name == "entropy":
            return np.asarray(mean - self.floor[i])
        if self.name != "loss":
            return mean
        least = 1 / max(len(self.lattice.levels[i].texts), 1)
        return np.asarray(np.maximum(0.0, (mean - least) / (1 - least)) if least < 1 else 0.0 * mean)
