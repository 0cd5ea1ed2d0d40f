"""Two of Weka's models that scikit-learn lacks, as scikit-learn estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

from unmask.arrays import Float64, Int32


class OneAttribute(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict the most frequent class of each cell of the single most accurate attribute.

    References
    ----------
    Holte. Very simple classification rules perform well on most commonly used datasets. Machine Learning 1993.
    """

    def fit(self, categories: Int32, answer: Int32) -> OneAttribute:
        """Count classes by cell, attribute by attribute."""
        self.classes_, code = np.unique(answer, return_inverse=True)
        best = -1.0
        self.counts_ = np.bincount(code)[None, :].astype(float)
        for column in range(categories.shape[1]):
            counts = np.zeros((int(categories[:, column].max(initial=0)) + 1, self.classes_.size))
            np.add.at(counts, (categories[:, column], code), 1.0)
            if counts.max(axis=1).sum() > best:
                best, self.column_, self.counts_ = float(counts.max(axis=1).sum()), column, counts
        self.all_ = np.bincount(code).astype(float)
        return self

    def predict_proba(self, categories: Int32) -> Float64:
        """Return the shares of classes in the cell, smoothed by the overall distribution with weight 1."""
        cell = categories[:, self.column_] if categories.shape[1] else np.zeros(categories.shape[0], np.int32)
        known = cell < self.counts_.shape[0]
        counts = np.where(known[:, None], self.counts_[np.minimum(cell, self.counts_.shape[0] - 1)], 0.0)
        counts = counts + self.all_ / self.all_.sum()
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def predict(self, categories: Int32) -> Int32:
        """Return the likeliest class."""
        return np.asarray(self.classes_[self.predict_proba(categories).argmax(axis=1)])


class LinearLeaves(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A tree of few leaves, with a linear model in each.

    References
    ----------
    Quinlan. Learning with continuous classes. Australian joint conference on artificial intelligence 1992 (M5).
    """

    def __init__(self, max_leaf_nodes: int = 8, min_samples_leaf: int = 50, alpha: float = 10.0) -> None:
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.alpha = alpha

    def fit(self, features: Any, answer: Float64) -> LinearLeaves:  # noqa: ANN401 - scikit-learn's
        """Grow the tree, then fit its leaves."""
        least = min(self.min_samples_leaf, max(1, answer.size // 4))
        self.tree_ = DecisionTreeRegressor(max_leaf_nodes=self.max_leaf_nodes, min_samples_leaf=least, random_state=0)
        leaf = self.tree_.fit(features, answer).apply(features)
        each = [(int(one), np.flatnonzero(leaf == one)) for one in np.unique(leaf)]
        self.models_ = {one: Ridge(self.alpha).fit(features[rows], answer[rows]) for one, rows in each}
        return self

    def predict(self, features: Any) -> Float64:  # noqa: ANN401 - scikit-learn's
        """Return the prediction of the leaf's model."""
        leaf = self.tree_.apply(features)
        predicted = np.zeros(leaf.size)
        for one, model in self.models_.items():
            here = np.flatnonzero(leaf == one)
            if here.size:
                predicted[here] = model.predict(features[here])
        return predicted
