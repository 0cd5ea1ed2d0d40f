"""Hierarchy trees: leaves ordered so that every label is a run of places, and the cells of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Int32, Int64, distinct_rows
from unmask.errors import InvalidInputError
from unmask.hierarchies import ROOT
from unmask.masks.cells import Cells
from unmask.masks.levels import LevelLabels
from unmask.sanitizers._median_cuts import Trees
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class HierarchyTree:
    """The hierarchy of one column as a tree: a node for each set of leaves with a common label.

    Leaves are placed depth first. A label with the same leaves as one below it is not a node.
    """

    levels: LevelLabels
    leaf_at: Int64  # (leaves,) which leaf has which place
    place: Int32  # (rows,) of each person's leaf
    low: Int32  # (nodes,) the first place under a node; the root comes first
    high: Int32  # (nodes,)
    level: Int32  # (nodes,) the finest level that has the node as a label
    first: Int64  # (nodes,) its first child, children lie side by side
    n_children: Int64  # (nodes,)

    @classmethod
    def of(cls, people: Table, name: str) -> HierarchyTree:
        """Return the tree of a column.

        Fails
            With `InvalidInputError` where labels are not nested, or the hierarchy lacks a value.
        """
        levels = rooted(LevelLabels.of(people, name))
        _require_nested(levels)
        leaf_at = np.lexsort(levels.label_of)  # by the coarsest level first
        place_of = np.empty(leaf_at.size, np.int32)
        place_of[leaf_at] = np.arange(leaf_at.size, dtype=np.int32)
        begins = [np.flatnonzero(np.diff(label[leaf_at], prepend=-1)) for label in levels.label_of]
        low, high, level = [0], [leaf_at.size - 1], [levels.n - 1]
        first, n_children = [0], [0]
        node = 0
        while node < len(low):
            below, inside = level[node], np.zeros(0, np.int64)
            while inside.size < 2 and below > 0:  # down to where the leaves first differ
                below -= 1
                left, right = np.searchsorted(begins[below], [low[node], high[node] + 1])
                inside = begins[below][left:right]
            level[node] = below if inside.size < 2 else below + 1
            if inside.size > 1:
                first[node], n_children[node] = len(low), inside.size
                low += inside.tolist()
                high += [*(inside[1:] - 1).tolist(), high[node]]
                level += [below] * inside.size
                first += [0] * inside.size
                n_children += [0] * inside.size
            node += 1
        at, to, finest = (np.array(one, np.int32) for one in (low, high, level))
        below_it = (np.array(one, np.int64) for one in (first, n_children))
        return cls(levels, leaf_at, place_of[levels.leaf], at, to, finest, *below_it)

    def cells(self, low: Int32, high: Int32) -> Cells:
        """Return the cells of runs of places, (runs,) both ends included: a label, or leaves where none matches."""
        number, example = distinct_rows(np.stack([low, high], axis=1))
        node_of = {ends: node for node, ends in enumerate(zip(self.low.tolist(), self.high.tolist(), strict=True))}
        runs = list(zip(low[example].tolist(), high[example].tolist(), strict=True))
        named = [node_of[run] for run in runs if run in node_of]
        others = [self.leaf_at[run[0] : run[1] + 1] for run in runs if run not in node_of]
        label = np.array([self.levels.label_of[self.level[n]][self.leaf_at[self.low[n]]] for n in named], np.int32)
        cells = _joined(self.levels.cells(self.level[named], label), self.levels.unions(others))
        at = np.argsort(np.argsort([run not in node_of for run in runs], kind="stable"), kind="stable")
        return cells.take(at[number])


def trees_of(columns: Sequence[HierarchyTree | None]) -> Trees:
    """Concatenate the trees of some columns, (attributes,); None where a column is cut by order."""
    given = [one for one in columns if one is not None]
    offset = np.cumsum([0, *(one.low.size for one in given)])
    root, before = np.full(len(columns), -1, np.int64), iter(offset.tolist())
    for j, one in enumerate(columns):
        if one is not None:
            root[j] = next(before)
    empty = np.zeros(0, np.int32)
    return Trees(
        root,
        np.concatenate([empty, *(one.low for one in given)]),
        np.concatenate([empty, *(one.high for one in given)]),
        np.concatenate([empty.astype(np.int64), *(one.first + at for one, at in zip(given, offset, strict=False))]),
        np.concatenate([empty.astype(np.int64), *(one.n_children for one in given)]),
    )


def rooted(levels: LevelLabels) -> LevelLabels:
    """Return the levels with a last one of a single label."""
    if levels.n_labels(levels.n - 1) == 1:
        return levels
    everything = np.zeros(len(levels.texts), np.int32)
    return replace(levels, names=(*levels.names, (ROOT,)), label_of=(*levels.label_of, everything))


def _require_nested(levels: LevelLabels) -> None:
    """Fail where a label splits one of the level below."""
    refines, name = levels.refines(), levels.attribute.name
    for level in range(1, levels.n):
        if not refines[level - 1, level]:
            msg = message(
                "the hierarchy of column {name} must be nested to be followed; got level {level}, which splits "
                "labels of level {other}. Make it of widths that divide each other, or leave it out",
                name=repr(name),
                level=level + 1,
                other=level,
            )
            raise InvalidInputError(msg)


def _joined(one: Cells, other: Cells) -> Cells:
    """Return the cells of both."""
    names = ("low", "high", "low_open", "high_open", "missing", "anything")
    both = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names}
    label = (*(one.label or ("",) * one.n), *(other.label or ("",) * other.n))
    return Cells(one.attribute, np.concatenate([one.start, one.start[-1] + other.start[1:]]), **both, label=label)


__all__ = ["HierarchyTree", "rooted", "trees_of"]
