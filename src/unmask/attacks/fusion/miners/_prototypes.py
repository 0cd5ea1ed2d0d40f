"""Radial basis function network for cells: similarity to two typical rows of each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import OneHotEncoder

from unmask.arrays import Float64, Int32

CLUSTERS = 2  # of each class


class _Typical(BaseEstimator):  # type: ignore[misc]
    """Two clusters of the rows of each class, and the probability of each cluster for a row."""

    def __init__(self, min_categories: Any = None, random_state: Any = None) -> None:  # noqa: ANN401 - scikit-learn's
        self.min_categories = min_categories
        self.random_state = random_state

    def _divide(self, categories: Int32, code: Any) -> Float64:  # noqa: ANN401 - integers
        marks = OneHotEncoder(dtype=np.float32).fit_transform(categories)
        part = np.zeros(code.size, np.int64)
        for one in np.unique(code):
            rows = np.flatnonzero(code == one)
            n_parts = min(CLUSTERS, np.unique(categories[rows], axis=0).shape[0])
            means = KMeans(n_parts, n_init=1, random_state=self.random_state).fit(marks[rows])
            part[rows] = CLUSTERS * one + means.labels_
        self.parts_ = CategoricalNB(min_categories=self.min_categories).fit(categories, part)
        return self._likeness(categories)

    def _likeness(self, categories: Int32) -> Float64:
        return np.asarray(self.parts_.predict_proba(categories))


class TypicalClasses(ClassifierMixin, _Typical):  # type: ignore[misc]
    """Logistic regression on the probabilities of the clusters of each class.

    References
    ----------
    Moody, Darken. Fast learning in networks of locally-tuned processing units. Neural Computation 1989.
    """

    def fit(self, categories: Int32, answer: Int32) -> TypicalClasses:
        """Cluster the rows of each class, then fit the regression."""
        self.classes_, code = np.unique(answer, return_inverse=True)
        self.top_ = LogisticRegression(C=1e4, max_iter=200, tol=1e-3).fit(self._divide(categories, code), answer)
        return self

    def predict_proba(self, categories: Int32) -> Float64:
        """Return the probability of each class."""
        return np.asarray(self.top_.predict_proba(self._likeness(categories)))

    def predict(self, categories: Int32) -> Int32:
        """Return the likeliest class."""
        return np.asarray(self.top_.predict(self._likeness(categories)))


class TypicalNumbers(RegressorMixin, _Typical):  # type: ignore[misc]
    """Linear regression on the probabilities of two clusters of the rows.

    References
    ----------
    Moody, Darken. Fast learning in networks of locally-tuned processing units. Neural Computation 1989.
    """

    def fit(self, categories: Int32, answer: Float64) -> TypicalNumbers:
        """Cluster the rows, then fit the regression."""
        likeness = self._divide(categories, np.zeros(answer.size, np.int64))
        self.top_ = LinearRegression().fit(likeness, answer)
        return self

    def predict(self, categories: Int32) -> Float64:
        """Return the predicted number."""
        return np.asarray(self.top_.predict(self._likeness(categories)))
