"""What miners learn from: the published rows, and what a release shows of the attribute that is asked about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, frozen
from unmask.errors import InvalidInputError

NO_ANSWER = -1
"""The class of a row that shows nothing of the attribute asked about: it is predicted, and not learned from."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """Published rows as miners read them.

    A feature is the number of a published cell, where `listed` says that such numbers have no order, or a number that
    is published as such (a noisy one, say). The answer is the class that a row shows, a generalized cell by its number,
    or a number; then `n_classes` is 0.

    Fails
        With `InvalidInputError` where arrays tell of different rows, or a class is not one of them.
    """

    features: Float64  # (rows, columns) NaN where missing
    listed: Bool  # (columns,)
    answer: Int32 | Float64  # (rows,) `NO_ANSWER` or NaN where nothing is shown
    n_classes: int
    group_of: Int32  # (rows,)

    def __post_init__(self) -> None:
        kind = np.int32 if self.n_classes else np.float64
        for name, wanted in (("features", np.float64), ("listed", bool), ("answer", kind), ("group_of", np.int32)):
            object.__setattr__(self, name, frozen(getattr(self, name), wanted))
        rows, columns = self.features.shape
        if self.listed.shape != (columns,) or self.answer.shape != (rows,) or self.group_of.shape != (rows,):
            msg = f"features, answers and groups must tell of {rows} rows and {columns} columns. Give one of each a row"
            raise InvalidInputError(msg)
        if self.n_classes and rows and not NO_ANSWER <= self.answer.min() <= self.answer.max() < self.n_classes:
            msg = f"classes must lie between 0 and {self.n_classes - 1}; got {int(self.answer.max())}"
            raise InvalidInputError(msg)

    @property
    def n_rows(self) -> int:
        """The number of published rows."""
        return int(self.features.shape[0])

    @property
    def is_numeric(self) -> bool:
        """Say whether a number is asked for, not a class."""
        return not self.n_classes

    @property
    def known(self) -> Bool:
        """Say which rows show an answer, (rows,)."""
        return np.asarray(~np.isnan(self.answer) if self.is_numeric else self.answer != NO_ANSWER)

    def lines(self, fold_of: Int32) -> tuple[Int32, Int64]:
        """Return the number of each row's line, (rows,), and a row of each line: rows alike are predicted alike.

        `fold_of` (rows,) says who must not be predicted by the same model.
        """
        columns = [distinct_rows(column[:, None])[0] for column in self.features.T]
        return distinct_rows(np.stack([fold_of, *columns], axis=1))


def folds_of(lesson: Lesson, folds: int, rng: np.random.Generator) -> Int32:
    """Divide groups into so many parts at random, and return the part of each row, (rows,); all in one for 0.

    Whole groups are held out: rows of one group show the same cells, so that a row would be predicted from its twins.

    Fails
        With `InvalidInputError` for one part, or for more parts than groups.
    """
    if not folds:
        return np.zeros(lesson.n_rows, np.int32)
    group, of_row = np.unique(lesson.group_of, return_inverse=True)
    if not 2 <= folds <= max(group.size, 1):
        msg = f"folds must be 0, or lie between 2 and the number of groups; got {folds} for {group.size} groups"
        raise InvalidInputError(msg)
    return np.asarray((rng.permutation(group.size) % folds)[of_row.ravel()], np.int32)
