"""Search of the lattice: the node of least loss among those that are safe enough.

Two facts save most of the work. A node that leaves too many people unsafe rules out all finer ones; a node whose least
loss exceeds that of the best one so far is ruled out with all coarser ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Bool, Float64, Int64
from unmask.compiled_code import njit
from unmask.sanitizers._lattice.groups import Lattice, LatticeGroups, Node
from unmask.sanitizers._lattice.losses import LatticeLoss
from unmask.sanitizers._lattice.safety import Demand, NodeSafety

_START = 0.75  # where among the nodes that are left, in the order of their bounds, the first one to look at lies
_RANGE = (0.3, 0.99)
_ROUNDING = 1e-12
_PER_LOOK, _PER_CELL = 4e-4, 4.5e-9  # seconds to look at a node, and for each profile and column of it: measured
_LOOKS = 1.6  # looks of a greedy search, in moves from every node on the way from the bottom to the top: measured

Int8: TypeAlias = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class SafeNode:
    """A node that is safe enough."""

    node: Node
    groups: LatticeGroups
    safety: NodeSafety
    score: float


@dataclass(eq=False)
class Search:
    """A search, and the nodes visited so far."""

    lattice: Lattice
    demand: Demand
    measure: LatticeLoss
    best: SafeNode | None = None
    n_looked_at: int = 0
    fewest_unsafe: int | None = None  # people, over all nodes looked at
    given: Mapping[int, int] = field(default_factory=dict)  # column → its only level

    def look(self, node: Node) -> tuple[LatticeGroups, NodeSafety]:
        """Visit a node, and keep it if it is the best so far; among equals, the one with fewest suppressed people."""
        groups = self.lattice.groups(node)
        safety = self.demand.judge(groups)
        self.n_looked_at += 1
        unsafe = max(safety.n_unsafe, int(np.ceil(safety.min_unsafe)))
        self.fewest_unsafe = unsafe if self.fewest_unsafe is None else min(unsafe, self.fewest_unsafe)
        if safety.n_unsafe <= self.demand.limit and safety.min_unsafe <= self.demand.limit and safety.safe.any():
            candidate = SafeNode(node, groups, safety, self.measure.score(node, groups, safety.safe, safety.n_unsafe))
            if self.best is None or _before(candidate, self.best):
                self.best = candidate
        return groups, safety

    def everywhere(self) -> None:
        """Find the best node of all."""
        shape, measure = self.lattice.shape, self.measure
        least: Float64 = measure.least().reshape(-1)
        refines = self._refines()
        level = np.stack([axis.reshape(-1) for axis in np.indices(shape, np.int8)], axis=1)  # (nodes, attributes)
        left: Int64 = np.argsort(least, kind="stable")  # candidates for the best, by least loss
        for column, at in self.given.items():
            left = left[level[left, column] == at]
        where = _START
        while left.size:
            number = left[int((left.size - 1) * where)]
            node = tuple(level[number].tolist())
            groups, safety = self.look(node)
            if measure.needs_groups:
                _raise_above(least, level, level[number], refines, measure.least_of(node, groups))
                left = left[np.argsort(least[left], kind="stable")]
            worst = np.inf if self.best is None else self.best.score + _slack(self.best.score)
            hopeless = safety.min_unsafe > self.demand.limit
            left = _remaining(left, least, worst, level, number, refines, hopeless)
            where = 1 - 0.9 * (1 - where) if hopeless else 0.8 * where  # nearer to where safety changes
            where = min(max(where, _RANGE[0]), _RANGE[1])

    def greedy_seconds(self) -> float:
        """Return the approximate duration of a greedy search that ends near the top."""
        moves = sum(n - 1 for n in self.lattice.shape) * len(self.lattice.shape)
        cells = self.lattice.profiles.size.size * len(self.lattice.shape)
        return _LOOKS * moves * (_PER_LOOK + _PER_CELL * cells)

    def greedily(self) -> None:
        """Find a good node where there are too many to compare: coarsen until safe, then refine while that gains.

        First the level of one column at a time is raised, the one that saves most people per loss. Then single levels
        are lowered, or one lowered and another raised, as long as the node stays safe enough and loses less.
        """
        node = tuple(self.given.get(i, 0) for i in range(len(self.lattice.shape)))
        top = tuple(self.given.get(i, at) for i, at in enumerate(self.lattice.top))
        _, safety = self.look(node)
        while self.best is None and node != top:
            choices = []
            for up in self._moves(node, (1,)):
                _, after = self.look(up)
                more = self._bare(up) - self._bare(node)
                spared = max(safety.n_unsafe - after.n_unsafe, 0)
                choices.append((-spared / max(more, _ROUNDING), up, after))
            _, node, safety = min(choices, key=lambda one: one[:2])
        seen = {node}
        while self.best is not None:
            before = self.best.node
            near = [*self._moves(before, (-1,)), *(d for u in self._moves(before, (1,)) for d in self._moves(u, (-1,)))]
            for one in near:
                if one not in seen:
                    seen.add(one)
                    self.look(one)
            if self.best.node == before:
                return

    def _moves(self, node: Node, steps: tuple[int, ...]) -> list[Node]:
        """Return the nodes at which one level is raised or lowered."""
        return [
            (*node[:i], at + step, *node[i + 1 :])
            for i, (at, n) in enumerate(zip(node, self.lattice.shape, strict=True))
            for step in steps
            if 0 <= at + step < n and i not in self.given
        ]

    def _bare(self, node: Node) -> float:
        groups = self.lattice.groups(node)
        return self.measure.score(node, groups, np.ones(groups.size.size, bool), 0)

    def _refines(self) -> Bool:
        """Return whether a level of a column determines another, (attributes, most levels, most levels)."""
        depth = max(self.lattice.shape)
        result = np.zeros((len(self.lattice.shape), depth, depth), bool)
        for i, own in enumerate(self.lattice.refines):
            result[i, : own.shape[0], : own.shape[1]] = own
        return result


@njit(cache=True, nogil=True)
def _remaining(
    left: Int64,
    least: Float64,
    worst: float,
    level: Int8,
    number: int,
    refines: Bool,
    hopeless: bool,  # noqa: FBT001
) -> Int64:
    """Return the nodes that remain after a visit, in their order."""
    kept = np.empty(left.size, np.int64)
    n = 0
    for one in left:
        if one == number or least[one] > worst:
            continue
        if hopeless:
            finer = True
            for i in range(level.shape[1]):
                if not refines[i, level[one, i], level[number, i]]:
                    finer = False
                    break
            if finer:
                continue
        kept[n] = one
        n += 1
    return kept[:n]


@njit(cache=True, nogil=True)
def _raise_above(least: Float64, level: Int8, at: Int8, refines: Bool, value: float) -> None:
    """Raise the lower bound of all coarser nodes to the loss of this one."""
    for one in range(least.size):
        if least[one] >= value:
            continue
        coarser = True
        for i in range(level.shape[1]):
            if not refines[i, at[i], level[one, i]]:
                coarser = False
                break
        if coarser:
            least[one] = value


def _slack(score: float) -> float:
    return _ROUNDING * max(1.0, abs(score))


def _before(one: SafeNode, other: SafeNode) -> bool:
    """Whether a node is better than another: it loses less, or as much and suppresses fewer people."""
    if abs(one.score - other.score) > _slack(other.score):
        return one.score < other.score
    mine = (one.safety.n_unsafe, -int(one.safety.safe.sum()), one.node)
    return mine < (other.safety.n_unsafe, -int(other.safety.safe.sum()), other.node)
