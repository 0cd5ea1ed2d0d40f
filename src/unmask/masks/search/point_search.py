"""Search for the nearest points and the farthest one: a k-d tree from which points can be removed.

Over 300 lines: construction, removal and searches share the layout of the tree.

A point has numbers and listed values. Squared distances add up over attributes: the square of the difference of two
numbers, and 1 where two listed values differ. Ties go to the lowest point, and every sum runs in one order, so
results equal those of a plain scan, bit for bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.compiled_code import njit

_LEAF = 16  # the largest number of points of a leaf
_DEPTH = 96  # nodes that may wait: a child holds at most three quarters of its parent


class PointTree(NamedTuple):  # numba reads named tuples, but no dataclasses
    """Points and the nodes above them; the remaining points of a leaf are at its front.

    `point` and the arrays beside it change as points are removed: a tree is for one use.
    """

    number: Float64  # (points, numbers) in the order of the leaves
    code: Int32  # (points, listed)
    point: Int64  # (points,) which point stands at a place
    place: Int64  # (points,) where each point stands
    leaf: Int64  # (points,) the leaf of each place
    first: Int64  # (nodes,) the first place of a node
    left: Int64  # (nodes,) the left child, the right one follows it; -1: a leaf
    parent: Int64  # (nodes,)
    alive: Int64  # (nodes,) remaining points
    low: Float64  # (nodes, numbers) the box around them
    high: Float64  # (nodes, numbers)
    code_low: Int32  # (nodes, listed)
    code_high: Int32  # (nodes, listed)


@njit(cache=True, nogil=True)
def build(number: Float64, code: Int32) -> PointTree:
    """Return a tree of points, (points, numbers) and (points, listed), cut recursively where they vary most."""
    n = number.shape[0]
    point = np.arange(n)
    most = n // 2 + 3  # a leaf holds at least five of more than sixteen
    first, last = np.zeros(most, np.int64), np.zeros(most, np.int64)
    left, parent = np.full(most, -1), np.full(most, -1)
    last[0] = n
    node, n_nodes = 0, 1
    while node < n_nodes:
        begin, end = first[node], last[node]
        if end - begin > _LEAF:
            axis = _widest(number, code, point[begin:end])
            if axis >= 0:
                here = point[begin:end].copy()
                values = number[here, axis] if axis < number.shape[1] else code[here, axis - number.shape[1]] + 0.0
                order = np.argsort(values, kind="mergesort")
                point[begin:end] = here[order]
                middle = begin + _boundary(values[order])
            else:
                middle = (begin + end) // 2
            left[node] = n_nodes
            first[n_nodes], last[n_nodes], parent[n_nodes] = begin, middle, node
            first[n_nodes + 1], last[n_nodes + 1], parent[n_nodes + 1] = middle, end, node
            n_nodes += 2
        node += 1
    place, leaf = np.empty(n, np.int64), np.empty(n, np.int64)
    place[point] = np.arange(n)
    for node in range(n_nodes):
        if left[node] < 0:
            leaf[first[node] : last[node]] = node
    tree = PointTree(
        number[point], code[point], point, place, leaf, first[:n_nodes].copy(), left[:n_nodes].copy(),
        parent[:n_nodes].copy(), last[:n_nodes] - first[:n_nodes],
        np.empty((n_nodes, number.shape[1])), np.empty((n_nodes, number.shape[1])),
        np.empty((n_nodes, code.shape[1]), np.int32), np.empty((n_nodes, code.shape[1]), np.int32),
    )  # fmt: skip
    for node in range(n_nodes - 1, -1, -1):  # children come after their parents
        _refit(tree, node)
    return tree


@njit(cache=True, nogil=True)
def _boundary(values: Float64) -> int:
    """Return where sorted values are cut: between two that differ, nearest to the middle, but not far from it."""
    n = values.size
    for off in range(n // 4):
        for cut in (n // 2 - off, n // 2 + off):
            if values[cut - 1] != values[cut]:
                return cut
    return n // 2


@njit(cache=True, nogil=True)
def _widest(number: Float64, code: Int32, points: Int64) -> int:
    """Return the axis along which points vary most; -1: all are equal."""
    axis, widest = -1, 0.0
    for j in range(number.shape[1]):
        total, squares, base = 0.0, 0.0, number[points[0], j]
        for p in points:
            x = number[p, j] - base
            total += x
            squares += x * x
        spread = squares - total * total / points.size
        if spread > widest:
            axis, widest = j, spread
    for j in range(code.shape[1]):
        low = high = code[points[0], j]
        unlike = 0
        for p in points:
            low, high = min(low, code[p, j]), max(high, code[p, j])
        for p in points:
            unlike += 2 * code[p, j] > low + high
        spread = unlike * (points.size - unlike) / points.size
        if high > low and spread >= widest:
            axis, widest = number.shape[1] + j, spread
    return axis


@njit(cache=True, nogil=True)
def _refit(tree: PointTree, node: int) -> None:
    """Update the box around the remaining points of a node."""
    low, high, code_low, code_high = tree.low[node], tree.high[node], tree.code_low[node], tree.code_high[node]
    low[:], high[:] = np.inf, -np.inf
    code_low[:], code_high[:] = np.iinfo(np.int32).max, -1
    if tree.left[node] < 0:
        for at in range(tree.first[node], tree.first[node] + tree.alive[node]):
            for j in range(low.size):
                x = tree.number[at, j]
                low[j], high[j] = min(low[j], x), max(high[j], x)
            for j in range(code_low.size):
                c = tree.code[at, j]
                code_low[j], code_high[j] = min(code_low[j], c), max(code_high[j], c)
        return
    tree.alive[node] = 0
    for child in range(tree.left[node], tree.left[node] + 2):
        tree.alive[node] += tree.alive[child]
        for j in range(low.size):
            low[j], high[j] = min(low[j], tree.low[child, j]), max(high[j], tree.high[child, j])
        for j in range(code_low.size):
            code_low[j] = min(code_low[j], tree.code_low[child, j])
            code_high[j] = max(code_high[j], tree.code_high[child, j])


@njit(cache=True, nogil=True)
def take_away(tree: PointTree, points: Int64) -> None:
    """Remove points from the tree."""
    for p in points:
        at = tree.place[p]
        leaf = tree.leaf[at]
        tree.alive[leaf] -= 1
        last = tree.first[leaf] + tree.alive[leaf]
        other = tree.point[last]
        for j in range(tree.number.shape[1]):
            tree.number[at, j], tree.number[last, j] = tree.number[last, j], tree.number[at, j]
        for j in range(tree.code.shape[1]):
            tree.code[at, j], tree.code[last, j] = tree.code[last, j], tree.code[at, j]
        tree.point[at], tree.point[last] = other, p
        tree.place[other], tree.place[p] = at, last
    for i in range(points.size):
        node = tree.leaf[tree.place[points[i]]]
        done = False
        for earlier in range(i):
            done = done or tree.leaf[tree.place[points[earlier]]] == node
        while node >= 0 and not done:
            _refit(tree, node)
            node = tree.parent[node]


@njit(cache=True, nogil=True)
def nearest(
    tree: PointTree,
    number: Float64,
    code: Int32,
    n: int,
    distance: Float64,
    point: Int64,
    owner: Int64,
    without: int,
) -> int:
    """Write the n nearest points by (squared distance, point), and return their number.

    NaN and -1 are not compared. Points whose `owner` is `without` are skipped; -1: none.
    """
    numbers, codes, points, alive, first, lefts = (
        tree.number, tree.code, tree.point, tree.alive, tree.first, tree.left
    )  # fmt: skip
    low, high, code_low, code_high = tree.low, tree.high, tree.code_low, tree.code_high
    found = 0
    node_of, bound_of = np.empty(_DEPTH, np.int64), np.empty(_DEPTH, np.float64)
    node_of[0], bound_of[0] = 0, 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = node_of[waiting]
        if alive[node] == 0 or (found == n and bound_of[waiting] > distance[found - 1]):
            continue
        left = lefts[node]
        if left >= 0:
            here = _least(low, high, code_low, code_high, left, number, code)
            there = _least(low, high, code_low, code_high, left + 1, number, code)
            near = left if here <= there else left + 1
            node_of[waiting], bound_of[waiting] = 2 * left + 1 - near, max(here, there)
            node_of[waiting + 1], bound_of[waiting + 1] = near, min(here, there)
            waiting += 2
            continue
        for at in range(first[node], first[node] + alive[node]):
            d, p = _apart(numbers, codes, at, number, code), points[at]
            if (without >= 0 and owner[p] == without) or (
                found == n and (d > distance[n - 1] or (d == distance[n - 1] and p > point[n - 1]))
            ):
                continue
            found = min(found + 1, n)
            _insert(distance, point, found - 1, d, p)
    return found


@njit(cache=True, nogil=True)
def _insert(distance: Float64, point: Int64, slot: int, d: float, p: int) -> None:
    """Insert a point in order of distance, replacing the one in the slot."""
    while slot > 0 and (distance[slot - 1] > d or (distance[slot - 1] == d and point[slot - 1] > p)):
        distance[slot], point[slot] = distance[slot - 1], point[slot - 1]
        slot -= 1
    distance[slot], point[slot] = d, p


@njit(cache=True, nogil=True)
def _apart(numbers: Float64, codes: Int32, at: int, number: Float64, code: Int32) -> float:
    """Return the squared distance to the point at a place."""
    d = 0.0
    for j in range(number.size):
        difference = numbers[at, j] - number[j]
        if difference == difference:  # noqa: PLR0124 - NaN differs from itself
            d += difference * difference
    for j in range(code.size):
        if code[j] >= 0 and codes[at, j] != code[j]:
            d += 1.0
    return d


@njit(cache=True, nogil=True)
def _least(
    low: Float64, high: Float64, code_low: Int32, code_high: Int32, node: int, number: Float64, code: Int32
) -> float:
    """Return a lower bound on the squared distance to the points of a node; infinite for an empty one with numbers."""
    d = 0.0
    for j in range(number.size):
        off = max(low[node, j] - number[j], number[j] - high[node, j])  # NaN loses every comparison
        if off > 0.0:
            d += off * off
    for j in range(code.size):
        if code[j] >= 0 and (code[j] < code_low[node, j] or code[j] > code_high[node, j]):
            d += 1.0
    return d


@njit(cache=True, nogil=True)
def farthest(tree: PointTree, number: Float64, charge: Float64, start: Int64, most: Float64) -> int:
    """Return the point at the greatest squared distance, the lowest one if there are several; -1: no point is left.

    `charge` is the addition of each listed value, from `start` on for each attribute; `most` is the greatest.
    """
    numbers, codes, points, alive, first, lefts = (
        tree.number, tree.code, tree.point, tree.alive, tree.first, tree.left
    )  # fmt: skip
    low, high, code_low, code_high = tree.low, tree.high, tree.code_low, tree.code_high
    best, found = -1.0, -1
    node_of, bound_of = np.empty(_DEPTH, np.int64), np.empty(_DEPTH, np.float64)
    node_of[0], bound_of[0] = 0, np.inf
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = node_of[waiting]
        if alive[node] == 0 or bound_of[waiting] < best:
            continue
        left = lefts[node]
        if left >= 0:
            here = _greatest(low, high, code_low, code_high, left, number, charge, start, most)
            there = _greatest(low, high, code_low, code_high, left + 1, number, charge, start, most)
            far = left if here >= there else left + 1
            node_of[waiting], bound_of[waiting] = 2 * left + 1 - far, min(here, there)
            node_of[waiting + 1], bound_of[waiting + 1] = far, max(here, there)
            waiting += 2
            continue
        for at in range(first[node], first[node] + alive[node]):
            d = 0.0
            for j in range(number.size):
                difference = numbers[at, j] - number[j]
                d += difference * difference
            for j in range(most.size):
                d += charge[start[j] + codes[at, j]]
            if d > best or (d == best and points[at] < found):
                best, found = d, points[at]
    return found


@njit(cache=True, nogil=True)
def _greatest(
    low: Float64,
    high: Float64,
    code_low: Int32,
    code_high: Int32,
    node: int,
    number: Float64,
    charge: Float64,
    start: Int64,
    most: Float64,
) -> float:
    """Return an upper bound on the squared distance to the points of a node that has some."""
    d = 0.0
    for j in range(number.size):
        off = max(number[j] - low[node, j], high[node, j] - number[j])
        d += off * off
    for j in range(most.size):
        c = code_low[node, j]
        d += charge[start[j] + c] if c == code_high[node, j] else most[j]
    return d


@njit(cache=True, nogil=True)
def nearest_of_each(
    tree: PointTree, number: Float64, code: Int32, n: int, owner: Int64, without: Int64
) -> tuple[Float64, Int64]:
    """Return the n nearest points of each query, (queries, n), by squared distance; -1 where there are fewer.

    Points whose `owner`, (points,), is `without`, (queries,), are skipped.
    """
    distance = np.full((number.shape[0], n), np.inf)
    point = np.full((number.shape[0], n), -1)
    for q in range(number.shape[0]):
        nearest(tree, number[q], code[q], n, distance[q], point[q], owner, without[q])
    return distance, point
