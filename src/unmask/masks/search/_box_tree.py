"""A bounding volume hierarchy over boxes: near boxes share a node, which has the box around them.

Boxes are closed and may overlap; their ends may be infinite. A box that runs from +inf to -inf is empty. Memory is
linear in the number of boxes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, frozen
from unmask.compiled_code import njit
from unmask.errors import InvalidInputError
from unmask.wording import message

_LEAF = 4  # the largest number of boxes of a leaf
_BINS = 16  # candidate cuts of an axis
_AXES = 8  # axes tried at a node: those on which its boxes lie furthest apart


class BoxTree(NamedTuple):  # numba reads named tuples, but no dataclasses
    """Boxes and the nodes above them: a node's left child is the next node, `after` is what follows its subtree."""

    ends: Float64  # (boxes, attributes, 2) in the order of the leaves
    box: Int32  # (boxes,) the number under which a box was given
    group: Int32  # (boxes,)
    node_ends: Float64  # (nodes, attributes, 2)
    after: Int64  # (nodes,)
    start: Int64  # (nodes,) the boxes of a leaf; none for other nodes
    stop: Int64  # (nodes,)
    depth: int


def build(
    low: Float64,  # (boxes, attributes)
    high: Float64,  # (boxes, attributes)
    group: Int32 | None = None,  # (boxes,) default: each box is a group of its own
) -> BoxTree:
    """Return a tree of boxes with the cuts of least expected search cost.

    The cost of a cut is the number of boxes on each side times the share of space that the side covers. Space is
    measured in ranks of the ends of boxes: boxes are small in dense regions, so ranks spread as people do.

    Fails
        With `InvalidInputError` for NaN, for a box that ends before it begins, and for shapes that differ.
    """
    group = np.arange(low.shape[0], dtype=np.int32) if group is None else group
    if low.ndim != 2 or low.shape != high.shape or group.shape != low.shape[:1]:
        msg = message(
            "boxes must have one low end, high end and group each; got {low}, {high}, {group}",
            low=low.shape,
            high=high.shape,
            group=group.shape,
        )
        raise InvalidInputError(msg)
    if not ((low <= high) | ((low == np.inf) & (high == -np.inf))).all():
        msg = message(
            "boxes must not end before they begin; got one that does, or NaN. Write an empty box as inf to -inf"
        )
        raise InvalidInputError(msg)
    rank = np.empty((*low.shape, 2), np.int32)
    for j in range(low.shape[1]):
        rank[:, j] = np.unique(np.stack([low[:, j], high[:, j]], axis=1), return_inverse=True)[1].reshape(-1, 2)
    order = np.arange(low.shape[0])
    after, start, stop, depth = _arrange(rank, order)
    ends = np.stack([low[order], high[order]], axis=2).astype(np.float64, copy=False)
    node_ends = np.empty((after.size, *ends.shape[1:]))
    _enclose(ends, after, start, stop, node_ends)
    labels = frozen(order, np.int32), frozen(group[order], np.int32)
    return BoxTree(frozen(ends), *labels, frozen(node_ends), frozen(after), frozen(start), frozen(stop), depth)


@njit(cache=True, nogil=True)
def _arrange(rank: Int32, order: Int64) -> tuple[Int64, Int64, Int64, int]:
    """Put boxes into the order of the leaves; return `after`, `start` and `stop` of the nodes, and the depth."""
    n = order.size
    start, stop = np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
    right = np.empty(2 * n, np.int64)
    # What waits: a run of boxes, its depth, and the node that it is the right child of (-1: a left child).
    waiting = np.empty((n + 1, 4), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, n, 0, -1
    n_waiting, n_nodes, deepest = min(n, 1), 0, 0
    while n_waiting > 0:
        n_waiting -= 1
        first, last, depth, parent = waiting[n_waiting]
        node = n_nodes
        n_nodes += 1
        deepest = max(deepest, depth)
        if parent >= 0:
            right[parent] = node
        middle = _cut(rank, order, first, last) if last - first > _LEAF else first
        if middle == first:
            start[node], stop[node], right[node] = first, last, -1
            continue
        start[node], stop[node] = 0, 0
        for side in range(2):  # the right side waits below the left one
            entry = waiting[n_waiting]
            entry[0], entry[1] = (first, middle) if side else (middle, last)
            entry[2], entry[3] = depth + 1, -1 if side else node
            n_waiting += 1
    after = np.full(n_nodes, n_nodes, np.int64)
    for node in range(n_nodes):
        if right[node] >= 0:
            after[node + 1], after[right[node]] = right[node], after[node]
    return after, start[:n_nodes].copy(), stop[:n_nodes].copy(), deepest


@njit(cache=True, nogil=True)
def _cut(rank: Int32, order: Int64, first: int, last: int) -> int:
    """Divide a run of boxes at the cheapest cut; return where the right side begins, or `first` for no cut."""
    n_attributes = rank.shape[1]
    extent, center_low, spread = _measure(rank, order, first, last)
    size, span = np.empty(_BINS, np.int64), np.empty((_BINS, n_attributes, 2), np.int64)
    cost_right = np.empty(_BINS, np.float64)
    untried = spread > 0
    axis, least, cut = -1, np.inf, 0
    for _ in range(_AXES):
        j = _widest(untried, extent, spread)
        if j < 0:
            break
        untried[j] = False
        _fill(rank, order, first, last, j, center_low[j], spread[j], size, span)
        for b in range(_BINS - 1, 0, -1):
            if b < _BINS - 1:
                _merge(size, span, b + 1, b)
            cost_right[b] = size[b] * _share(span, b, extent)
        _fill(rank, order, first, last, j, center_low[j], spread[j], size, span)
        for b in range(1, _BINS):
            if b > 1:
                _merge(size, span, b - 2, b - 1)
            cost = size[b - 1] * _share(span, b - 1, extent) + cost_right[b]
            if cost < least:
                axis, least, cut = j, cost, b
    middle, end = first, last if axis >= 0 else first
    while middle < end:
        box = order[middle]
        if _bin(rank, box, axis, center_low[axis], spread[axis]) < cut:
            middle += 1
        else:
            end -= 1
            order[middle], order[end] = order[end], box
    return middle


@njit(cache=True, nogil=True)
def _measure(rank: Int32, order: Int64, first: int, last: int) -> tuple[Int64, Int64, Int64]:
    """Return per attribute the ranks that a run of boxes covers, its least center, and the spread of centers."""
    n_attributes = rank.shape[1]
    extent, center_low, spread = np.empty((3, n_attributes), np.int64)
    for j in range(n_attributes):
        low, high = rank[order[first], j, 0], rank[order[first], j, 1]
        least = greatest = low + high
        for position in range(first, last):
            box = order[position]
            low, high = min(low, rank[box, j, 0]), max(high, rank[box, j, 1])
            center = rank[box, j, 0] + rank[box, j, 1]
            least, greatest = min(least, center), max(greatest, center)
        extent[j], center_low[j], spread[j] = max(high - low, 0) + 1, least, greatest - least
    return extent, center_low, spread


@njit(cache=True, nogil=True)
def _widest(untried: Bool, extent: Int64, spread: Int64) -> int:
    """Return the attribute on which the boxes lie furthest apart for what they cover; -1 for none."""
    widest = -1
    for j in range(untried.size):
        if untried[j] and (widest < 0 or spread[j] * extent[widest] > spread[widest] * extent[j]):
            widest = j
    return widest


@njit(cache=True, nogil=True)
def _bin(rank: Int32, box: int, axis: int, center_low: int, spread: int) -> int:
    center: int = rank[box, axis, 0] + rank[box, axis, 1]
    return (center - center_low) * _BINS // (spread + 1)


@njit(cache=True, nogil=True)
def _fill(
    rank: Int32, order: Int64, first: int, last: int, axis: int, center_low: int, spread: int, size: Int64, span: Int64
) -> None:
    """Sort boxes into bins by their centers on an axis: how many in each, and what they span."""
    for b in range(_BINS):
        size[b] = 0
        for j in range(rank.shape[1]):
            span[b, j, 0], span[b, j, 1] = np.iinfo(np.int32).max, -1
    for position in range(first, last):
        box = order[position]
        b = _bin(rank, box, axis, center_low, spread)
        size[b] += 1
        for j in range(rank.shape[1]):
            span[b, j, 0] = min(span[b, j, 0], rank[box, j, 0])
            span[b, j, 1] = max(span[b, j, 1], rank[box, j, 1])


@njit(cache=True, nogil=True)
def _merge(size: Int64, span: Int64, source: int, target: int) -> None:
    size[target] += size[source]
    for j in range(span.shape[1]):
        span[target, j, 0] = min(span[target, j, 0], span[source, j, 0])
        span[target, j, 1] = max(span[target, j, 1], span[source, j, 1])


@njit(cache=True, nogil=True)
def _share(span: Int64, b: int, extent: Int64) -> float:
    share = 1.0
    for j in range(extent.size):
        share *= (max(span[b, j, 1] - span[b, j, 0], 0) + 1) / extent[j]
    return share


@njit(cache=True, nogil=True)
def _enclose(ends: Float64, after: Int64, start: Int64, stop: Int64, node_ends: Float64) -> None:
    """Give each node the box around its boxes; children come after their parents."""
    for node in range(after.size - 1, -1, -1):
        for j in range(ends.shape[1]):
            low, high = np.inf, -np.inf
            for i in range(start[node], stop[node]):
                low, high = min(low, ends[i, j, 0]), max(high, ends[i, j, 1])
            if start[node] == stop[node]:
                left, right = node + 1, after[node + 1]
                low = min(node_ends[left, j, 0], node_ends[right, j, 0])
                high = max(node_ends[left, j, 1], node_ends[right, j, 1])
            node_ends[node, j, 0], node_ends[node, j, 1] = low, high
