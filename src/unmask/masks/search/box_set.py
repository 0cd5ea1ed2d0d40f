"""Boxes to search: few of them are compared with every point, many are put into a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, starts

if TYPE_CHECKING:
    from unmask.masks.search.box_search import BoxTree

_TIE = 1e-12  # the relative difference of distances that rounding explains
_CELLS = 1 << 16  # points × boxes that are compared at once


@dataclass(frozen=True, eq=False)
class BoxSet:
    """Closed boxes that may overlap, with infinite ends or empty (from inf to -inf), each of a group.

    Both searches find the same boxes. A tree is faster among many, but its compiled code takes a second to load and
    several to compile.
    """

    low: Float64  # (boxes, attributes)
    high: Float64  # (boxes, attributes)
    group: Int32 | None = None  # (boxes,) default: each box is a group of its own
    most_compared: int = 1 << 24  # ends of boxes, over all points

    @cached_property
    def tree(self) -> BoxTree:
        """The tree of the boxes."""
        from unmask.masks.search import box_search  # noqa: PLC0415 - compiled code

        return box_search.build(self.low, self.high, self.group)

    def containing(self, points: Float64) -> tuple[Int64, Int32]:
        """Return for each point, (points, attributes), all boxes that contain it: starts and boxes, rising.

        A NaN of a point fits anywhere.
        """
        if not self._are_few(points):
            from unmask.masks.search import box_search  # noqa: PLC0415 - compiled code

            return box_search.containing(self.tree, points)
        parts = []
        for block in self._blocks(points):
            fits = np.ones((block.shape[0], self.low.shape[0]), bool)
            for x, low, high in zip(block.T, self.low.T, self.high.T, strict=True):
                fits &= ~((x[:, np.newaxis] < low) | (x[:, np.newaxis] > high))  # false for NaN
            parts.append(fits)
        return _listed(parts)

    def nearest(self, points: Float64, scale: Float64, nominal: Bool, without: Int32) -> tuple[Int64, Int32]:
        """Return for each point all boxes at the least distance, except a group: starts and boxes, rising.

        `scale` (attributes,) is what a unit outside a box counts, `without` (points,) the group, -1 for none. An
        attribute that is `nominal` (attributes,) counts 1 where it does not fit.
        """
        if not self._are_few(points):
            from unmask.masks.search import box_search  # noqa: PLC0415 - compiled code

            return box_search.nearest(self.tree, points, scale, nominal, without)
        group = np.arange(self.low.shape[0]) if self.group is None else self.group
        parts, first = [], 0
        for block in self._blocks(points):
            distance = np.zeros((block.shape[0], self.low.shape[0]))
            for j in np.flatnonzero(nominal | (scale > 0)):
                x = block[:, j, np.newaxis]
                with np.errstate(invalid="ignore"):  # a difference of infinities is NaN: it counts as inside
                    outside = np.fmax(np.fmax(self.low[:, j] - x, x - self.high[:, j]), 0.0)
                distance += outside > 0 if nominal[j] else outside * scale[j]
            allowed = group != without[first : first + block.shape[0], np.newaxis]
            least = np.min(distance, axis=1, initial=np.inf, where=allowed, keepdims=True)
            parts.append(allowed & (distance <= least * (1 + _TIE)))
            first += block.shape[0]
        return _listed(parts)

    def _are_few(self, points: Float64) -> bool:
        return bool(points.shape[0] * self.low.size <= self.most_compared)

    def _blocks(self, points: Float64) -> Iterator[Float64]:
        """Yield points whose comparisons with all boxes fit into a processor's cache."""
        step = max(1, _CELLS // max(1, self.low.shape[0]))
        for first in range(0, max(points.shape[0], 1), step):
            yield points[first : first + step]


def _listed(parts: list[Bool]) -> tuple[Int64, Int32]:
    """Return the true columns of each row, (points, boxes): starts and columns."""
    column = [np.nonzero(part)[1] for part in parts]
    n = np.concatenate([np.count_nonzero(part, axis=1) for part in parts])
    return starts(n), np.concatenate(column).astype(np.int32)
