"""MDAV: groups of the k nearest around the farthest person and the one opposite, until few are left.

References
----------
Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control. IEEE
Transactions on Knowledge and Data Engineering 2002. Domingo-Ferrer, Torra. Ordinal, continuous and heterogeneous
k-anonymity through microaggregation. Data Mining and Knowledge Discovery 2005, algorithm 5.1.
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64, Int32, Int64, starts
from unmask.compiled_code import njit
from unmask.masks.search import point_search
from unmask.masks.search.point_search import PointTree

_ROUND = 1 << 12  # groups per round; rounds can be interrupted


def partition(number: Float64, code: Int32, k: int) -> tuple[Int32, int]:
    """Group points, (points, numbers) and (points, listed), by k to 2k − 1; return the groups and their number.

    The squared distance of two points is the sum of the squared differences of their numbers, plus 1 for each different
    listed value. From the centroid of all points a listed value v lies `(1 − 2 f_v + Σ f²) / 2` away, f being the
    shares of the values. Ties go to the lowest point. At least k points.
    """
    n = number.shape[0]
    dense, times = np.empty(code.shape, np.int32), []
    for j in range(code.shape[1]):
        _, dense[:, j], own = np.unique(code[:, j], return_inverse=True, return_counts=True)
        times.append(own)
    start = starts(np.array([own.size for own in times], np.int64))
    count = np.concatenate([np.zeros(0, np.int64), *times])
    tree = point_search.build(np.ascontiguousarray(number, np.float64), dense)
    total = np.cumsum(number, axis=0)[-1].copy() if n else np.zeros(number.shape[1])
    group_of = np.full(n, -1, np.int32)
    n_groups = 0
    while tree.alive[0] > 0:
        n_groups = _group(tree, total, count, start, k, group_of, n_groups, n_groups + _ROUND)
    return group_of, n_groups


@njit(cache=True, nogil=True)
def _group(
    tree: PointTree, total: Float64, count: Int64, start: Int64, k: int, group_of: Int32, n_groups: int, enough: int
) -> int:
    """Form groups until no point is left, or there are `enough`; return the number of groups."""
    charge, most = np.empty(count.size), np.empty(start.size - 1)
    unlike, one = np.ones(count.size), np.ones(start.size - 1)
    distance, point = np.empty(k), np.empty(k, np.int64)
    while tree.alive[0] >= 2 * k and n_groups < enough:
        n = tree.alive[0]
        for j in range(most.size):
            _charges(count[start[j] : start[j + 1]], n, charge[start[j] : start[j + 1]])
            most[j] = charge[start[j] : start[j + 1]].max()
        far = point_search.farthest(tree, total / n, charge, start, most)
        opposite = tree.number[tree.place[far]].copy(), tree.code[tree.place[far]].copy()
        _gather(tree, far, total, count, start, distance, point)
        group_of[point] = n_groups
        n_groups += 1
        if n < 3 * k:
            continue
        for j in range(most.size):
            unlike[start[j] + opposite[1][j]] = 0.0
        far = point_search.farthest(tree, opposite[0], unlike, start, one)
        for j in range(most.size):
            unlike[start[j] + opposite[1][j]] = 1.0
        _gather(tree, far, total, count, start, distance, point)
        group_of[point] = n_groups
        n_groups += 1
    n = tree.alive[0]
    if n < 2 * k and n > 0:
        rest = np.flatnonzero(group_of < 0)
        group_of[rest] = n_groups
        n_groups += 1
        point_search.take_away(tree, rest)
    return n_groups


@njit(cache=True, nogil=True)
def _charges(count: Int64, n: int, charge: Float64) -> None:
    """Write the distance of each value of an attribute from the values of all: (1 − 2 f + Σ f²) / 2."""
    squares = 0.0
    for v in range(count.size):
        share = count[v] / n
        squares += share * share
    for v in range(count.size):
        charge[v] = (1.0 - 2.0 * (count[v] / n) + squares) / 2.0


@njit(cache=True, nogil=True)
def _gather(
    tree: PointTree, center: int, total: Float64, count: Int64, start: Int64, distance: Float64, point: Int64
) -> None:
    """Remove the nearest points around one from the tree, and from the running sums in that order."""
    at = tree.place[center]
    point_search.nearest(tree, tree.number[at].copy(), tree.code[at].copy(), point.size, distance, point, point, -1)
    for p in point:
        at = tree.place[p]
        for j in range(total.size):
            total[j] -= tree.number[at, j]
        for j in range(start.size - 1):
            count[start[j] + tree.code[at, j]] -= 1
    point_search.take_away(tree, point)
