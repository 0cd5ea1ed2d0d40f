"""One-dependence estimators: naive Bayes in which each cell depends on the class and on one other column."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int32
from unmask.attacks.fusion.miners._pair_counts import PairCounts

Style: TypeAlias = Literal["average", "special", "weighted", "hidden"]

SPECIAL = 50  # the least number of rows to assume that a value implies another


class OneDependence(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict by `P(class, x_i) Π P(x_j | class, x_i)`, averaged over all columns i.

    Naive Bayes counts shared information of two columns twice. Here each column in turn is a parent of all others,
    which accounts for this dependence. `average` weighs all parents alike (AODE); `special` first drops values implied
    by another one (AODEsr); `weighted` weighs parents by their mutual information with the class (WAODE); `hidden`
    mixes the parents inside the product, weighted by the conditional mutual information of two columns (HNB).

    References
    ----------
    Webb, Boughton, Wang. Not so naive Bayes: aggregating one-dependence estimators. Machine Learning 2005.
    Zheng, Webb. Efficient lazy elimination for averaged one-dependence estimators. ICML 2006.
    Jiang, Zhang. Weightily averaged one-dependence estimators. PRICAI 2006.
    Zhang, Jiang, Su. Hidden naive Bayes. AAAI 2005.
    """

    def __init__(self, style: Style = "average", min_categories: Any = None) -> None:  # noqa: ANN401 - as CategoricalNB
        self.style = style
        self.min_categories = min_categories  # (columns,) number of cells of each column

    def fit(self, categories: Int32, answer: Int32) -> OneDependence:
        """Count classes by cell, and by each two cells of a row."""
        self.classes_, code = np.unique(answer, return_inverse=True)
        seen = categories.max(axis=0, initial=-1) + 1
        width = seen if self.min_categories is None else np.maximum(seen, self.min_categories)
        self.counted_ = PairCounts.of(categories, np.asarray(code), width, self.classes_.size)
        columns = range(width.size)
        if self.style == "hidden":
            information = [[self.counted_.conditional_information(i, j) for j in columns] for i in columns]
        elif self.style == "weighted":
            information = [[self.counted_.information_on_class(i)] for i in columns]
        else:
            information = [[1.0] for _ in columns]
        self.weight_ = information
        return self

    def predict_proba(self, categories: Int32) -> Float64:
        """Return the probability of each class, (rows, classes)."""
        step = max(1, DENSE_CELLS // max(1, self.classes_.size * (categories.shape[1] + 1)))
        blocks = [categories[first : first + step] for first in range(0, categories.shape[0], step)]
        logs = [self._hidden(block) if self.style == "hidden" else self._averaged(block) for block in blocks]
        log = np.concatenate([np.zeros((0, self.classes_.size)), *logs])
        chance = np.exp(log - log.max(axis=1, keepdims=True))
        return np.asarray(chance / chance.sum(axis=1, keepdims=True))

    def predict(self, categories: Int32) -> Int32:
        """Return the likeliest class."""
        return np.asarray(self.classes_[self.predict_proba(categories).argmax(axis=1)])

    def _averaged(self, cells: Int32) -> Float64:
        counted, columns, n_classes = self.counted_, range(cells.shape[1]), self.classes_.size
        kept = self._kept(cells) if self.style == "special" else np.ones(cells.shape, bool)
        laplace = self.style == "average"  # a row more of each value, or one row of all values together
        parts = np.full((len(columns) + 1, cells.shape[0], n_classes), -np.inf)
        for i in columns:
            own, values = counted.single(i, cells), float(n_classes * counted.width[i])
            mass = values if laplace else 1.0
            log = np.log((own + mass / values) / (counted.n + mass))
            for j in columns:
                if j != i:
                    mass = float(counted.width[j]) if laplace else 1.0
                    more = np.log((counted.pair(i, j, cells) + mass / counted.width[j]) / (own + mass))
                    log += np.where(kept[:, j, None], more, 0.0)
            weight = self.weight_[i][0]
            usable = kept[:, i] & (own.sum(axis=1) > 0) & (weight > 0)
            parts[i, usable] = log[usable] + np.log(weight or 1.0)
        none = np.isneginf(parts).all(axis=(0, 2))
        parts[-1, none] = self._naive(cells[none])
        return np.asarray(np.logaddexp.reduce(parts, axis=0))

    def _hidden(self, cells: Int32) -> Float64:
        counted, columns = self.counted_, range(cells.shape[1])
        log = np.tile(np.log((counted.of_class + 1.0 / self.classes_.size) / (counted.n + 1.0)), (cells.shape[0], 1))
        for i in columns:
            likely, information = np.zeros_like(log), sum(self.weight_[i])
            for j in columns:
                if self.weight_[i][j] > 0:
                    shared, parent = counted.pair(i, j, cells), counted.single(j, cells)
                    likely += self.weight_[i][j] * (shared + 1.0 / counted.width[i]) / (parent + 1.0)
            alone = (counted.single(i, cells) + 1.0 / counted.width[i]) / (counted.of_class + 1.0)
            log += np.log(likely / information if information > 0 else alone)
        return np.asarray(log)

    def _naive(self, cells: Int32) -> Float64:
        """Return the log probabilities of naive Bayes, for rows without a usable parent."""
        counted = self.counted_
        log = np.tile(np.log(counted.of_class + 1.0), (cells.shape[0], 1))
        for i in range(cells.shape[1]):
            log += np.log((counted.single(i, cells) + 1.0) / (counted.of_class + counted.width[i]))
        return np.asarray(log)

    def _kept(self, cells: Int32) -> Bool:
        """Return the cells that no other cell implies, (rows, columns); of two equivalent ones one is kept."""
        columns = range(cells.shape[1])
        kept = np.ones(cells.shape, bool)
        rows = [self.counted_.single(i, cells).sum(axis=1) for i in columns]
        for i in columns:
            for j in columns:
                if j != i:
                    together = self.counted_.pair(i, j, cells).sum(axis=1)
                    follows = (together == rows[j]) & (rows[j] > SPECIAL) & kept[:, j]
                    kept[follows, i] = False
        return kept
