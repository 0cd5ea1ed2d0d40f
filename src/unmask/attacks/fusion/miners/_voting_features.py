"""Voting feature values: each attribute votes for the classes typical of its value, whatever their frequency."""

from __future__ import annotations

import numpy as np
from scipy.special import entr
from sklearn.base import BaseEstimator, ClassifierMixin

from unmask.arrays import Float64, Int32


class VotingValues(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict by votes of attributes for each class: the share of its rows with the value, weighted by certainty.

    A vote is divided by the size of the class, so that rare classes are predicted as easily as frequent ones. Its
    weight is `entropy ** -bias`, at least 1.

    References
    ----------
    Demiröz, Güvenir. Classification by voting feature intervals. ECML 1997 (VFI).
    """

    def __init__(self, bias: float = 0.6) -> None:
        self.bias = bias

    def fit(self, categories: Int32, answer: Int32) -> VotingValues:
        """Count the classes of every value."""
        self.classes_, code = np.unique(answer, return_inverse=True)
        size = np.bincount(code).astype(float)
        self.votes_ = []
        for column in categories.T:
            share = np.zeros((int(column.max(initial=0)) + 2, size.size))  # the last: an unknown value
            np.add.at(share, (column, code), 1 / size[code])
            share[share.sum(axis=1) == 0] = 1.0
            vote = share / share.sum(axis=1, keepdims=True)
            entropy = np.maximum(entr(vote).sum(axis=1, keepdims=True) / np.log(2), 1e-300)
            self.votes_.append(vote * np.maximum(entropy**-self.bias, 1.0))
        return self

    def predict_proba(self, categories: Int32) -> Float64:
        """Return the shares of all votes, (rows, classes)."""
        total = np.full((categories.shape[0], self.classes_.size), np.finfo(float).tiny)
        for column, vote in zip(categories.T, self.votes_, strict=True):
            total += vote[np.minimum(column, vote.shape[0] - 1)]
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    def predict(self, categories: Int32) -> Int32:
        """Return the class with the most votes."""
        return np.asarray(self.classes_[self.predict_proba(categories).argmax(axis=1)])
