"""Hyper pipes: the set of cells that occur with each class, without their frequencies."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from unmask.arrays import Float64, Int32, Int64


def as_they_come(answer: Int32) -> Int64:
    """Return the classes in the order of their first rows, (classes,), as Weka lists labels."""
    classes, first = np.unique(answer, return_index=True)
    return np.asarray(classes[np.argsort(first)], np.int64)


class Pipes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict the class that occurs with most of a row's cells, each attribute separately.

    Frequencies are ignored. Frequent classes occur with nearly all cells, so several tie for nearly every row, and the
    class of the earliest training row is taken. So the prediction depends on the order of rows, as Weka's does on the
    order of labels.

    References
    ----------
    Witten, Frank. Data mining: practical machine learning tools and techniques. Morgan Kaufmann 2005 (HyperPipes).
    """

    def fit(self, categories: Int32, answer: Int32) -> Pipes:
        """Mark the cells of each class."""
        self.order_ = as_they_come(answer)
        self.classes_ = np.sort(self.order_)
        code = np.searchsorted(self.classes_, answer)
        self.seen_ = []
        for column in categories.T:
            seen = np.zeros((int(column.max(initial=0)) + 2, self.classes_.size))  # the last: an unknown cell
            seen[column, code] = 1.0
            self.seen_.append(seen)
        return self

    def predict_proba(self, categories: Int32) -> Float64:
        """Return the number of the row's cells that occur with each class, as shares, (rows, classes)."""
        count = self._counted(categories)
        whole = count.sum(axis=1, keepdims=True)
        return np.where(whole > 0, count / np.maximum(whole, 1.0), 1.0 / self.classes_.size)

    def predict(self, categories: Int32) -> Int32:
        """Return the first of the classes that occur with most cells."""
        ranked = self._counted(categories)[:, np.searchsorted(self.classes_, self.order_)]
        return np.asarray(self.order_[ranked.argmax(axis=1)])

    def _counted(self, categories: Int32) -> Float64:
        count = np.zeros((categories.shape[0], self.classes_.size))
        for column, seen in zip(categories.T, self.seen_, strict=True):
            count += seen[np.minimum(column, seen.shape[0] - 1)]
        return count
