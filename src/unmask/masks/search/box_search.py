"""Search for the boxes that contain a point, and for the nearest ones.

Boxes are closed and may overlap; their ends may be infinite. A NaN of a point fits anywhere.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.compiled_code import njit
from unmask.errors import InvalidInputError
from unmask.masks.search._box_tree import BoxTree, build
from unmask.wording import message

__all__ = ["BoxTree", "build", "containing", "nearest"]

_TIE = 1e-12  # the relative difference of distances that rounding explains
_Number = TypeVar("_Number", bound=np.generic)


def containing(
    tree: BoxTree,
    points: Float64,  # (points, attributes)
) -> tuple[Int64, Int32]:
    """Return for each point all boxes that contain it: starts (points + 1,) and boxes, rising within a point."""
    _check(tree, points)
    return _containing(tree, _lent(points, np.float64))


def nearest(
    tree: BoxTree,
    points: Float64,  # (points, attributes)
    scale: Float64,  # (attributes,) what one unit outside a box counts
    nominal: Bool,  # (attributes,) where being outside counts 1, however far
    without: Int32,  # (points,) the group that is left out; -1: none
) -> tuple[Int64, Int32]:
    """Return for each point all boxes at the least distance: starts (points + 1,) and boxes, rising within a point.

    The distance is the sum over attributes of how far outside the box the point lies, times `scale`, or 1 where a
    nominal attribute does not fit. Distances that differ by rounding (1e-12) count as equal. A point with all boxes
    excluded gets none.

    Fails
        With `InvalidInputError` for shapes that do not fit together, and for a scale that is negative or infinite.
    """
    _check(tree, points)
    n_points, n_attributes = points.shape
    if not (scale.shape == nominal.shape == (n_attributes,) and without.shape == (n_points,)):
        msg = message(
            "scale, nominal and without must have {attributes}, {attributes} and {points} entries; "
            "got {scale}, {nominal} and {without}",
            attributes=n_attributes,
            points=n_points,
            scale=scale.size,
            nominal=nominal.size,
            without=without.size,
        )
        raise InvalidInputError(msg)
    if not (np.isfinite(scale) & (scale >= 0)).all():
        msg = message("scale must be finite and at least 0; got {min} to {max}", min=scale.min(), max=scale.max())
        raise InvalidInputError(msg)
    place, excluded = _lent(points, np.float64), _lent(without, np.int32)
    axes = _lent(scale, np.float64), _lent(nominal, np.bool_)
    least = _least(tree, place, *axes, excluded)
    return _at_most(tree, place, *axes, excluded, least * (1 + _TIE))


def _check(tree: BoxTree, points: Float64) -> None:
    if points.ndim != 2 or points.shape[1] != tree.ends.shape[1]:
        msg = message(
            "points must have shape (points, {columns}); got {got}", columns=tree.ends.shape[1], got=points.shape
        )
        raise InvalidInputError(msg)


def _lent(array: NDArray[Any], dtype: type[_Number]) -> NDArray[_Number]:
    """Return a read-only view: numba would compile a second time for writable arrays."""
    view = np.ascontiguousarray(array, dtype).view()
    view.setflags(write=False)
    return view


@njit(cache=True, nogil=True)
def _holds(ends: Float64, i: int, points: Float64, p: int) -> bool:
    for j in range(points.shape[1]):
        x = points[p, j]
        if x < ends[i, j, 0] or x > ends[i, j, 1]:  # false for NaN
            return False
    return True


@njit(cache=True, nogil=True)
def _distance(ends: Float64, i: int, points: Float64, p: int, scale: Float64, nominal: Bool, limit: float) -> float:
    """Return the distance from a point to a box, or any part of it that exceeds the limit."""
    total = 0.0
    for j in range(points.shape[1]):
        x = points[p, j]
        if x < ends[i, j, 0]:
            outside = ends[i, j, 0] - x
        elif x > ends[i, j, 1]:
            outside = x - ends[i, j, 1]
        else:
            continue
        if nominal[j]:
            total += 1.0
        elif scale[j] > 0:
            total += outside * scale[j]
        if total > limit:
            break
    return total


@njit(cache=True, nogil=True)
def _appended(box: Int32, used: int, new: int) -> Int32:
    if used == box.size:
        longer = np.empty(2 * used + 16, np.int32)
        for i in range(used):
            longer[i] = box[i]
        box = longer
    box[used] = new
    return box


@njit(cache=True, nogil=True)
def _containing(tree: BoxTree, points: Float64) -> tuple[Int64, Int32]:
    start = np.zeros(points.shape[0] + 1, np.int64)
    box, used = np.empty(points.shape[0], np.int32), 0
    for p in range(points.shape[0]):
        node = 0
        while node < tree.after.size:
            if not _holds(tree.node_ends, node, points, p):
                node = tree.after[node]
                continue
            for i in range(tree.start[node], tree.stop[node]):
                if _holds(tree.ends, i, points, p):
                    box = _appended(box, used, tree.box[i])
                    used += 1
            node += 1
        start[p + 1] = used
        box[start[p] : used].sort()
    return start, box[:used].copy()


@njit(cache=True, nogil=True)
def _least(tree: BoxTree, points: Float64, scale: Float64, nominal: Bool, without: Int32) -> Float64:
    """Return for each point the least distance to a box that is not left out: the nearer child first."""
    least = np.full(points.shape[0], np.inf)
    node_of, bound_of = np.empty(tree.depth + 2, np.int64), np.empty(tree.depth + 2, np.float64)
    for p in range(points.shape[0]):
        best = np.inf
        node_of[0], bound_of[0], n_waiting = 0, 0.0, min(tree.after.size, 1)
        while n_waiting > 0:
            n_waiting -= 1
            node = node_of[n_waiting]
            if bound_of[n_waiting] >= best:
                continue
            for i in range(tree.start[node], tree.stop[node]):
                if tree.group[i] != without[p]:
                    best = min(best, _distance(tree.ends, i, points, p, scale, nominal, best))
            if tree.start[node] < tree.stop[node]:
                continue
            near, far = node + 1, tree.after[node + 1]
            near_bound = _distance(tree.node_ends, near, points, p, scale, nominal, best)
            far_bound = _distance(tree.node_ends, far, points, p, scale, nominal, best)
            if far_bound < near_bound:
                near, far, near_bound, far_bound = far, near, far_bound, near_bound
            node_of[n_waiting], bound_of[n_waiting] = far, far_bound
            node_of[n_waiting + 1], bound_of[n_waiting + 1] = near, near_bound
            n_waiting += 2
        least[p] = best
    return least


@njit(cache=True, nogil=True)
def _at_most(
    tree: BoxTree, points: Float64, scale: Float64, nominal: Bool, without: Int32, limit: Float64
) -> tuple[Int64, Int32]:
    """Return for each point all boxes within its limit that are not left out."""
    start = np.zeros(points.shape[0] + 1, np.int64)
    box, used = np.empty(points.shape[0], np.int32), 0
    for p in range(points.shape[0]):
        node = 0
        while node < tree.after.size:
            if _distance(tree.node_ends, node, points, p, scale, nominal, limit[p]) > limit[p]:
                node = tree.after[node]
                continue
            for i in range(tree.start[node], tree.stop[node]):
                far = _distance(tree.ends, i, points, p, scale, nominal, limit[p]) > limit[p]
                if not far and tree.group[i] != without[p]:
                    box = _appended(box, used, tree.box[i])
                    used += 1
            node += 1
        start[p + 1] = used
        box[start[p] : used].sort()
    return start, box[:used].copy()
