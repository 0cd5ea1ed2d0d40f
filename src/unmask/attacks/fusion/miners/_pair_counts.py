"""Counts of classes by one cell, or by two cells together, stored for observed pairs only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from unmask.arrays import Float64, Int32, Int64


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Observed keys, sorted, with the counts of classes; the last line is for all other keys."""

    key: Int64
    count: Float64  # (keys + 1, classes)

    @classmethod
    def of(cls, key: Int64, code: Int64, n_classes: int) -> Seen:
        """Count classes by key."""
        known, place = np.unique(key, return_inverse=True)
        flat = np.bincount(place.ravel() * n_classes + code, minlength=known.size * n_classes)
        return cls(known, np.concatenate([flat.reshape(-1, n_classes), np.zeros((1, n_classes))]).astype(np.float64))

    def at(self, key: Int64) -> Float64:
        """Return the counts of keys, (rows, classes)."""
        place = np.searchsorted(self.key, key)
        known = place < self.key.size
        known[known] = self.key[place[known]] == key[known]
        return np.asarray(self.count[np.where(known, place, self.key.size)])


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Counts of classes, by the cells of each column and of each two columns."""

    n: int
    width: Int64  # (columns,)
    of_class: Float64  # (classes,)
    singles: tuple[Seen, ...]
    pairs: dict[tuple[int, int], Seen]

    @classmethod
    def of(cls, cells: Int32, code: Int64, width: Int64 | Int32, n_classes: int) -> PairCounts:
        """Count rows by their cells, (rows, columns), and their class."""
        widths: Int64 = np.maximum(np.asarray(width, np.int64), 1)
        columns = range(cells.shape[1])
        of_class = np.bincount(code, minlength=n_classes).astype(np.float64)
        singles = tuple(Seen.of(cells[:, i].astype(np.int64), code, n_classes) for i in columns)
        pairs = {(i, j): Seen.of(_key(cells, i, j, widths), code, n_classes) for i, j in combinations(columns, 2)}
        return cls(cells.shape[0], widths, of_class, singles, pairs)

    def single(self, i: int, cells: Int32) -> Float64:
        """Return the counts of classes for the row's cell of a column, (rows, classes)."""
        return self.singles[i].at(cells[:, i].astype(np.int64))

    def pair(self, i: int, j: int, cells: Int32) -> Float64:
        """Return the counts of classes for the row's cells of two columns, (rows, classes)."""
        i, j = min(i, j), max(i, j)
        return self.pairs[i, j].at(_key(cells, i, j, self.width))

    def information_on_class(self, i: int) -> float:
        """Return the mutual information of a column and the class."""
        joint = self.singles[i].count[:-1]
        apart = joint.sum(axis=1, keepdims=True) * self.of_class / max(self.n, 1)
        return _information(joint, apart, self.n)

    def conditional_information(self, i: int, j: int) -> float:
        """Return the mutual information of two columns, conditional on the class."""
        if i == j:
            return 0.0
        i, j = min(i, j), max(i, j)
        seen = self.pairs[i, j]
        first, second = (seen.key // self.width[j], seen.key % self.width[j])
        apart = self.singles[i].at(first) * self.singles[j].at(second) / np.maximum(self.of_class, 1.0)
        return _information(seen.count[:-1], apart, self.n)


def _key(cells: Int32, i: int, j: int, width: Int64) -> Int64:
    """Return a number for each two cells, (rows,); -1 for an unknown cell."""
    key = cells[:, i].astype(np.int64) * width[j] + cells[:, j]
    return np.where(cells[:, j] < width[j], key, -1)


def _information(joint: Float64, apart: Float64, n: int) -> float:
    here = joint > 0
    return max(0.0, float((joint[here] * np.log(joint[here] / apart[here])).sum()) / max(n, 1))
