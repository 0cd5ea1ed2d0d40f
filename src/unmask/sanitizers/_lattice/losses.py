"""Losses of a generalized table: the loss of each node, and a lower bound for all coarser nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.sanitizers._lattice.cell_losses import EntropyLoss, LabelShareLoss, Mean, PrecisionLoss
from unmask.sanitizers._lattice.groups import Lattice, LatticeGroups, Node

Loss: TypeAlias = Literal["loss", "aecs", "discernibility", "height", "precision", "entropy"]

BY_CELL: tuple[Loss, ...] = ("loss", "precision", "entropy")
"""The losses that are sums over cells."""


class LatticeLoss(Protocol):
    """A loss, prepared for the nodes of one lattice."""

    needs_groups: ClassVar[bool]  # to bound the loss

    def least(self) -> Float64:
        """Return for each node of the lattice a lower bound of its loss, in the lattice's shape."""
        ...

    def least_of(self, node: Node, groups: LatticeGroups) -> float:
        """Return a lower bound of the loss of this node and of all coarser ones."""
        ...

    def score(self, node: Node, groups: LatticeGroups, safe: Bool, n_unsafe: int) -> float:
        """Return the loss of a node; cells are counted by row, and `n_unsafe` may count people."""
        ...


def loss_by_name(name: Loss, mean: Mean, lattice: Lattice, *, by_row: bool = False) -> LatticeLoss:
    """Return a loss by name; with `by_row` rows are not people, and unsafe rows are counted here."""
    match name:
        case "loss":
            return LabelShareLoss.of(lattice, mean, by_row=by_row)
        case "precision":
            return PrecisionLoss.of(lattice, by_row=by_row)
        case "entropy":
            return EntropyLoss.of(lattice, by_row=by_row)
        case "height":
            return HeightLoss(lattice)
        case "aecs":
            return AverageClassSizeLoss(lattice, by_row)
        case "discernibility":
            return DiscernibilityLoss(lattice, by_row)


@dataclass(frozen=True, eq=False)
class HeightLoss:
    """The sum of levels.

    Measures
        Σ levels, regardless of suppression.
    """

    needs_groups: ClassVar[bool] = False
    lattice: Lattice

    def least(self) -> Float64:
        """Return the loss of each node."""
        shape = self.lattice.shape
        return np.asarray(sum(np.ix_(*(np.arange(n) for n in shape))), np.float64) + np.zeros(shape)

    def least_of(self, node: Node, groups: LatticeGroups) -> float:
        """Return the loss of the node."""
        del groups
        return float(sum(node))

    def score(self, node: Node, groups: LatticeGroups, safe: Bool, n_unsafe: int) -> float:
        """Return the loss of the node."""
        del groups, safe, n_unsafe
        return float(sum(node))


@dataclass(frozen=True, eq=False)
class AverageClassSizeLoss:
    """The average size of an equivalence class (AECS).

    Measures
        People per group; all suppressed people are one group.
    """

    needs_groups: ClassVar[bool] = True
    lattice: Lattice
    by_row: bool = False

    def least(self) -> Float64:
        """Return 0 for each node: groups must be known."""
        return np.zeros(self.lattice.shape)

    def least_of(self, node: Node, groups: LatticeGroups) -> float:
        """Return the average with all people published."""
        del node
        return float(groups.size.sum()) / max(groups.size.size, 1)

    def score(self, node: Node, groups: LatticeGroups, safe: Bool, n_unsafe: int) -> float:
        """Return the average."""
        del node
        n_unsafe = int(groups.size[~safe].sum()) if self.by_row else n_unsafe
        return float(groups.size.sum()) / max(int(safe.sum()) + (n_unsafe > 0), 1)


@dataclass(frozen=True, eq=False)
class DiscernibilityLoss:
    """The discernibility of records.

    Measures
        Σ size² of groups, and the number of all people for each suppressed one.
    """

    needs_groups: ClassVar[bool] = True
    lattice: Lattice
    by_row: bool = False

    def least(self) -> Float64:
        """Return 0 for each node: groups must be known."""
        return np.zeros(self.lattice.shape)

    def least_of(self, node: Node, groups: LatticeGroups) -> float:
        """Return the sum with all people published."""
        del node
        return float(groups.size @ groups.size)

    def score(self, node: Node, groups: LatticeGroups, safe: Bool, n_unsafe: int) -> float:
        """Return the sum."""
        del node
        n_unsafe = int(groups.size[~safe].sum()) if self.by_row else n_unsafe
        kept = groups.size[safe]
        return float(kept @ kept) + float(groups.size.sum()) * n_unsafe
