"""Decision table: the most frequent class, or the mean, of rows with equal values in a few columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from unmask.arrays import Float64, Int32, Int64, distinct_rows

PATIENCE = 5  # extended sets of columns without improvement before the search ends
BETTER = 1e-5  # the least improvement that counts


def best_columns(n_columns: int, worth: Callable[[list[int]], float]) -> list[int]:
    """Return the best set of columns by best-first search: the best set not yet extended gets each other column."""
    best: tuple[int, ...] = ()
    found = {best: worth([])}
    waiting, in_vain = [best], 0
    while waiting and in_vain < PATIENCE:
        base = max(waiting, key=found.__getitem__)
        waiting.remove(base)
        in_vain += 1
        for column in range(n_columns):
            more = tuple(sorted({*base, column}))
            if more not in found:
                found[more] = worth(list(more))
                waiting.append(more)
                if found[more] > found[best] + BETTER:
                    best, in_vain = more, 0
    return list(best)


class _Lookup(BaseEstimator):  # type: ignore[misc]
    """A table with one line for each combination of cells; the last line is for unknown combinations."""

    def _choose(self, categories: Int32, worth: Callable[[Int32], float]) -> Int32:
        """Choose columns by the worth of their lines, and return the line of each row."""
        self.columns_ = best_columns(categories.shape[1], lambda some: worth(distinct_rows(categories[:, some])[0]))
        line, example = distinct_rows(categories[:, self.columns_])
        self.line_ = {tuple(cells): i for i, cells in enumerate(categories[example][:, self.columns_].tolist())}
        return line

    def _line_of(self, categories: Int32) -> Int64:
        rows = categories[:, self.columns_].tolist()
        return np.array([self.line_.get(tuple(cells), len(self.line_)) for cells in rows], np.int64)


class LookupClasses(ClassifierMixin, _Lookup):  # type: ignore[misc]
    """Predict the most frequent class of the rows with equal values in the chosen columns.

    The columns are chosen by leave-one-out accuracy. A row with an unknown combination gets the most frequent class of
    all rows.

    References
    ----------
    Kohavi. The power of decision tables. ECML 1995.
    """

    def fit(self, categories: Int32, answer: Int32) -> LookupClasses:
        """Choose the columns, and count classes by line."""
        self.classes_, code = np.unique(answer, return_inverse=True)
        all_of = np.bincount(code).astype(float)
        alone = all_of[None, :] - np.eye(all_of.size)  # a single row on a line is predicted from all others
        right_alone = alone.argmax(axis=1) == np.arange(all_of.size)

        def right(line: Int32) -> float:
            count = self._counts(line, code)
            shifted = np.pad(count - np.arange(all_of.size) * 1e-9, ((0, 0), (0, 1)), constant_values=-np.inf)
            others = np.partition(shifted, -2, axis=1)[:, -2:]  # of classes as frequent the first is taken
            rival = np.where(shifted == others[:, 1:], others[:, :1], others[:, 1:])
            wins = np.where(count.sum(axis=1, keepdims=True) == 1, right_alone, (shifted - 1 > rival)[:, :-1])
            return float((count * wins).sum()) / code.size

        count = self._counts(self._choose(categories, right), code)
        self.share_ = np.concatenate([count, all_of[None, :]])
        self.share_ /= self.share_.sum(axis=1, keepdims=True)
        return self

    def predict_proba(self, categories: Int32) -> Float64:
        """Return the shares of classes on the row's line."""
        return np.asarray(self.share_[self._line_of(categories)])

    def predict(self, categories: Int32) -> Int32:
        """Return the likeliest class."""
        return np.asarray(self.classes_[self.predict_proba(categories).argmax(axis=1)])

    def _counts(self, line: Int32, code: Any) -> Float64:  # noqa: ANN401 - numpy has no better name
        n_lines, n_classes = int(line.max()) + 1, self.classes_.size
        flat = np.bincount(line.astype(np.int64) * n_classes + code, minlength=n_lines * n_classes)
        return flat.reshape(n_lines, n_classes).astype(np.float64)


class LookupNumbers(RegressorMixin, _Lookup):  # type: ignore[misc]
    """Predict the mean of the rows with equal values in the columns chosen by the leave-one-out error.

    References
    ----------
    Kohavi. The power of decision tables. ECML 1995.
    """

    def fit(self, categories: Int32, answer: Float64) -> LookupNumbers:
        """Choose the columns, and compute the mean of each line."""
        n, mean = answer.size, float(answer.mean())
        alone = (mean - answer / n) * n / max(n - 1, 1)

        def nearness(line: Int32) -> float:
            rows, total = np.bincount(line)[line], np.bincount(line, answer)[line]
            others = np.where(rows > 1, (total - answer) / np.maximum(rows - 1, 1), alone)
            return -float(np.sqrt(np.mean((others - answer) ** 2)))

        line = self._choose(categories, nearness)
        self.mean_ = np.append(np.bincount(line, answer) / np.bincount(line), mean)
        return self

    def predict(self, categories: Int32) -> Float64:
        """Return the mean of the row's line."""
        return np.asarray(self.mean_[self._line_of(categories)])
