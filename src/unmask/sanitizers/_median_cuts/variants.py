"""Variants of Mondrian: the literal and the relaxed rule, and cuts along hierarchies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from unmask.arrays import Float64, Int32, Int64, starts
from unmask.sanitizers._median_cuts import rule, sides
from unmask.sanitizers._median_cuts.judging import Refuse
from unmask.sanitizers._median_cuts.trees import Trees, no_trees

Cut: TypeAlias = Literal["nearest", "literal", "relaxed"]

_RULES: dict[str, int] = {"nearest": sides.NEAREST, "literal": sides.LITERAL, "relaxed": sides.RELAXED}


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """The rule for cutting a node.

    `nearest` is the strict rule. `literal`: all rows up to the lower median go to the left, whatever is left on the
    right. `relaxed`: the halves are equal; of rows with the median, the first ones by earlier cuts go to the left. An
    attribute with a tree is cut into all labels below the lowest common label of the node's rows.
    """

    cut: Cut = "nearest"
    trees: Trees | None = None

    @property
    def is_strict(self) -> bool:
        """Whether this is the strict rule, which has faster code."""
        return self.cut == "nearest" and (self.trees is None or bool((self.trees.root < 0).all()))


STRICT = Variant()


def cut_by_sides(
    rows: Int32,  # (rows, attributes + others), reordered in place
    width: Float64,
    k: int,
    root: Int32,
    variant: Variant,
    n_people: int,  # 0: one row per person
    refuse: Refuse | None,
    most_sides: int,  # that are judged at once
) -> tuple[Int64, Int32]:
    """Return starts and boxes of the groups; all nodes of one depth are cut together."""
    trees = no_trees(width.size) if variant.trees is None else variant.trees
    n_rows, most = rows.shape[0], max(2, int(trees.n_children.max(initial=0)))
    scratch, spare = rule.scratch_for(rows)
    buffers = sides.SideBuffers(
        np.zeros(n_rows, np.int32),
        np.zeros(n_rows, np.int32),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.full(n_people, -1, np.int64),
        np.full(n_people, -1, np.int32),
        scratch,
    )
    root = root.copy()
    for j in np.flatnonzero(trees.root >= 0):
        root[rule.REGION_LOW, j], root[rule.REGION_HIGH, j] = trees.low[trees.root[j]], trees.high[trees.root[j]]
    sides.widen(root, trees)
    start, stop, box = np.zeros(1, np.int64), np.full(1, n_rows, np.int64), root[np.newaxis]
    done_start, done_box = [], []
    while start.size:
        proposal = np.full((2, start.size), rule.NO_ATTRIBUTE, np.int64)
        undecided = np.arange(start.size)
        while undecided.size:
            sides.propose(rows, start, stop, box, width, k, _RULES[variant.cut], trees, undecided, proposal, buffers)
            undecided = undecided[proposal[0, undecided] != rule.NO_ATTRIBUTE]
            refused = np.zeros(undecided.size, np.bool_)
            if refuse is not None:
                for part in _parts(proposal[1, undecided], most_sides):
                    first = starts(proposal[1, undecided[part]])
                    refused[part] = refuse(start, stop, undecided[part], first, buffers)
            undecided = undecided[refused]
        inner = np.flatnonzero(proposal[0] != rule.NO_ATTRIBUTE)
        leaf = proposal[0] == rule.NO_ATTRIBUTE
        done_start.append(start[leaf])
        done_box.append(box[leaf])
        first = starts(proposal[1, inner])
        n = int(first[-1])
        children, begin, end = np.empty((n, *root.shape), np.int32), np.empty(n, np.int64), np.empty(n, np.int64)
        sides.split_many(
            rows, spare, start, stop, box, inner, first[:-1], proposal, children, begin, end, trees, buffers
        )
        start, stop, box = begin, end, children
    return np.concatenate(done_start), np.concatenate(done_box)


def _parts(n_sides: Int64, most: int) -> Iterator[slice]:
    """Yield runs of nodes that together have little more than `most` sides."""
    chunk = np.cumsum(n_sides) // max(1, most)
    for begin, end in pairwise([0, *(np.flatnonzero(np.diff(chunk)) + 1).tolist(), n_sides.size]):
        yield slice(begin, end)
