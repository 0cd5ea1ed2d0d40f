"""Hierarchies for compiled code: every label is a run of places, its children lie side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.compiled_code import njit


class Trees(NamedTuple):
    """The trees of all attributes of a table, their nodes concatenated; an attribute in plain order has none."""

    root: Int64  # (attributes,) -1: in plain order
    low: Int32  # (nodes,) the first place under a node
    high: Int32  # (nodes,) the last one
    first: Int64  # (nodes,) the first child; children lie side by side, in the order of their places
    n_children: Int64  # (nodes,)


def no_trees(n_attributes: int) -> Trees:
    """Return trees for attributes that are all in plain order."""
    none, places = np.zeros(0, np.int64), np.zeros(0, np.int32)
    return Trees(np.full(n_attributes, -1, np.int64), places, places, none, none)


@njit(cache=True, nogil=True)
def child_at(trees: Trees, node: int, place: int) -> int:
    """Return the child of an inner node that contains a place."""
    left, right = trees.first[node], trees.first[node] + trees.n_children[node] - 1
    while left < right:
        middle = (left + right + 1) // 2
        if trees.low[middle] <= place:
            left = middle
        else:
            right = middle - 1
    return int(left)


@njit(cache=True, nogil=True)
def lowest(trees: Trees, attribute: int, low: int, high: int) -> int:
    """Return the lowest node of an attribute's tree that contains all places from `low` to `high`."""
    node = trees.root[attribute]
    while trees.n_children[node] > 0:
        child = child_at(trees, node, low)
        if trees.high[child] < high:
            break
        node = child
    return int(node)
