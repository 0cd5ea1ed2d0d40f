"""Recodings: the level of each group, the same for all groups or not.

Local recoding visits the nodes from the finest to the coarsest. At each, the safe groups are published; only the other
people go on to the next. So few people are generalized because of unusual ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Bool, Int32
from unmask.partition import SUPPRESSED
from unmask.sanitizers._lattice.cell_losses import CellLoss
from unmask.sanitizers._lattice.groups import Lattice, LatticeGroups, Node
from unmask.sanitizers._lattice.safety import Demand

_MOST = 20_000  # nodes that local recoding visits; of more, so many, evenly spread
_HELD_BACK = (1, 2, 4, 8)  # safe groups held back for later, where the others could not be safe alone


@dataclass(frozen=True, slots=True, eq=False)
class Recoding:
    """The group of each distinct row, and the published labels of each group."""

    of_profile: Int32  # (profiles,) group of each distinct row; `SUPPRESSED` where it is left out
    leaf: Int32  # (groups, attributes) of one member
    level: Int32  # (groups, attributes)

    @classmethod
    def at(cls, node: Node, groups: LatticeGroups, safe: Bool) -> Recoding:
        """Publish the safe groups at one node."""
        number = np.where(safe, np.cumsum(safe) - 1, SUPPRESSED).astype(np.int32)
        leaf = groups.codes[:, safe].T
        return cls(number[groups.of_profile], leaf, np.tile(np.array(node, np.int32), (leaf.shape[0], 1)))


def recode(lattice: Lattice, demand: Demand, measure: CellLoss, most_nodes: int) -> Recoding | None:
    """Recode locally; None where not even the coarsest node is safe enough.

    Groups are published only if the remaining people are safe enough at the coarsest node, so the search never gets
    stuck. Otherwise a few of the smallest groups are held back as well.
    """
    profiles = lattice.profiles
    every = replace(
        demand, limit=int(profiles.size.sum()), with_bounds=False, alone=False
    )  # of each part, all but the safe groups may be left
    number = np.full(profiles.size.size, SUPPRESSED, np.int32)
    leaf: list[Int32] = []
    level: list[Int32] = []
    left, remaining = profiles, np.arange(profiles.size.size)
    n_groups = 0

    def can_end(rest: LatticeGroups) -> bool:
        return every.judge(lattice.joined(lattice.top, rest)).n_unsafe <= demand.limit

    if not can_end(profiles):
        return None
    for node in _nodes(lattice, measure, most_nodes):
        groups = lattice.joined(node, left)
        if groups.size.max(initial=0) < demand.k:
            continue
        for done in _attempts(groups, every.judge(groups).safe, last=node == lattice.top):
            remain = ~done[groups.number]
            rest = left.some(remain)
            if remain.any() and node != lattice.top and not can_end(rest):
                continue
            number[remaining[~remain]] = n_groups + (np.cumsum(done) - 1)[groups.number[~remain]]
            leaf.append(groups.codes[:, done].T)
            level.append(np.tile(np.array(node, np.int32), (int(done.sum()), 1)))
            n_groups += int(done.sum())
            left, remaining = rest, remaining[remain]
            break
        if not remaining.size:
            break
    return Recoding(number, np.concatenate(leaf), np.concatenate(level))


def _attempts(groups: LatticeGroups, safe: Bool, *, last: bool) -> Iterator[Bool]:
    """Yield candidate groups to publish: all safe ones, or all but a few of the smallest, held back for others."""
    n_safe = int(safe.sum())
    if n_safe:
        yield safe
    if last or n_safe < 2:  # one to be done, one to be held back
        return
    smallest = np.flatnonzero(safe)
    smallest = smallest[np.lexsort((*groups.codes[:, smallest][::-1], groups.size[smallest]))]
    for held in _HELD_BACK:
        if held < n_safe:
            done = safe.copy()
            done[smallest[:held]] = False
            yield done


def _nodes(lattice: Lattice, measure: CellLoss, most_nodes: int) -> Iterator[Node]:
    """Yield nodes in the order of their loss, the coarsest last."""
    if lattice.n_nodes <= most_nodes:
        order = np.argsort(measure.least(), axis=None, kind="stable")
        order = order[:: -(-order.size // _MOST)]
        nodes = np.stack(np.unravel_index(order, lattice.shape), axis=1)
        yield from (tuple(node) for node in nodes.tolist() if tuple(node) != lattice.top)
    else:
        node = list(lattice.bottom)
        while tuple(node) != lattice.top:
            yield tuple(node)
            node[measure.cheapest_step(node)] += 1
    yield lattice.top
