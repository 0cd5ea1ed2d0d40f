"""Locally weighted decision stump: a rule with one condition for each row, from all rows weighted by nearness."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import xlogy
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import OneHotEncoder

from unmask.arrays import DENSE_CELLS, Float64, Int32, distinct_rows


class LocalStump(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict by the one cell with the highest information on the class among rows near the query row.

    The weight of a training row falls with its distance, to zero at the farthest one; the distance is the root of the
    number of different cells.

    References
    ----------
    Atkeson, Moore, Schaal. Locally weighted learning. Artificial Intelligence Review 1997.
    """

    def fit(self, categories: Int32, answer: Int32) -> LocalStump:
        """Count identical rows."""
        self.classes_, code = np.unique(answer, return_inverse=True)
        cells = _led(categories)
        number, example = distinct_rows(np.column_stack([cells, code]).astype(np.int32))
        rows, code, count = cells[example], np.asarray(code)[example], np.bincount(number).astype(float)
        self.encoder_ = OneHotEncoder(handle_unknown="ignore").fit(cells)
        self.marks_ = sparse.csr_array(self.encoder_.transform(rows))
        own = sparse.csr_array((count, (np.arange(code.size), code)), (code.size, self.classes_.size))
        columns = [own] + [own.multiply(self.marks_[:, [v]]) for v in range(self.marks_.shape[1])]
        self.sums_ = sparse.csc_array(sparse.hstack(columns))  # (rows, (all, each mark) x classes)
        return self

    def predict_proba(self, categories: Int32) -> Float64:
        """Return the shares of classes, by weight, among rows on the row's side of its condition."""
        blocks = list(self._blocks(_led(categories)))
        return np.concatenate([np.zeros((0, self.classes_.size)), *blocks])

    def predict(self, categories: Int32) -> Int32:
        """Return the likeliest class."""
        return np.asarray(self.classes_[self.predict_proba(categories).argmax(axis=1)])

    def _blocks(self, categories: Int32) -> Iterator[Float64]:
        width, n_classes = categories.shape[1], self.classes_.size
        step = max(1, DENSE_CELLS // max(self.sums_.shape))
        for first in range(0, categories.shape[0], step):
            asked: Any = sparse.csr_array(self.encoder_.transform(categories[first : first + step]))
            apart = np.sqrt(np.maximum(width - (asked @ self.marks_.T).toarray(), 0.0))
            farthest = np.maximum(apart.max(axis=1, keepdims=True), 1e-300)
            sums = np.asarray((1.0001 - apart / farthest) @ self.sums_).reshape(asked.shape[0], -1, n_classes)
            total, inside = sums[:, :1], sums[:, 1:]
            outside = np.maximum(total - inside, 0.0)
            here, best = np.arange(asked.shape[0]), (_entropy(inside) + _entropy(outside)).argmin(axis=1)
            has = asked.toarray()[here, best] > 0
            side = np.where(has[:, None], inside[here, best], outside[here, best])
            side = np.where(side.sum(axis=1, keepdims=True) > 0, side, total[:, 0])
            yield side / side.sum(axis=1, keepdims=True)


def _led(categories: Int32) -> Int32:
    """Return rows with a constant first cell: its condition splits no rows, and is used if none is better."""
    return np.pad(categories, ((0, 0), (1, 0)))


def _entropy(counts: Float64) -> Float64:
    """Return the entropy of classes times their sum, over the last axis."""
    total = counts.sum(axis=-1)
    return np.asarray(xlogy(total, total) - xlogy(counts, counts).sum(axis=-1))
