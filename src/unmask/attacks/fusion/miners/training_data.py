"""Training data of miners: features of the published rows, and the published cells of the predicted attribute."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, frozen
from unmask.errors import InvalidInputError
from unmask.wording import message

NO_ANSWER = -1
"""The class of a row whose cell is suppressed: it is predicted, but no training row."""


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """Features and answers of published rows.

    A feature is the number of a published cell, without an order if `listed`, or a published number (for example with
    noise). The answer is a class, which is the number of a generalized cell, or a number; then `n_classes` is 0.

    Fails
        With `InvalidInputError` for arrays of different lengths, or an unknown class.
    """

    features: Float64  # (rows, columns) NaN where missing
    listed: Bool  # (columns,)
    answer: Int32 | Float64  # (rows,) `NO_ANSWER` or NaN where suppressed
    n_classes: int
    group_of: Int32  # (rows,)

    def __post_init__(self) -> None:
        kind = np.int32 if self.n_classes else np.float64
        for name, wanted in (("features", np.float64), ("listed", bool), ("answer", kind), ("group_of", np.int32)):
            object.__setattr__(self, name, frozen(getattr(self, name), wanted))
        rows, columns = self.features.shape
        if self.listed.shape != (columns,) or self.answer.shape != (rows,) or self.group_of.shape != (rows,):
            msg = message(
                "features, answers and groups must have {rows} rows and {columns} columns. Give one of each a row",
                rows=rows,
                columns=columns,
            )
            raise InvalidInputError(msg)
        if self.n_classes and rows and not NO_ANSWER <= self.answer.min() <= self.answer.max() < self.n_classes:
            msg = message(
                "classes must lie between 0 and {n_classes}; got {max}",
                n_classes=self.n_classes - 1,
                max=int(self.answer.max()),
            )
            raise InvalidInputError(msg)

    @property
    def n_rows(self) -> int:
        """The number of published rows."""
        return int(self.features.shape[0])

    @property
    def is_numeric(self) -> bool:
        """Whether numbers are predicted, not classes."""
        return not self.n_classes

    @property
    def known(self) -> Bool:
        """Whether each row has an answer, (rows,)."""
        return np.asarray(~np.isnan(self.answer) if self.is_numeric else self.answer != NO_ANSWER)

    def lines(self, fold_of: Int32) -> tuple[Int32, Int64]:
        """Return the line of each row, (rows,), and a row of each line: equal rows have equal predictions.

        Rows of different folds, `fold_of` (rows,), are on different lines, since different models predict them.
        """
        columns = [distinct_rows(column[:, None])[0] for column in self.features.T]
        return distinct_rows(np.stack([fold_of, *columns], axis=1))


def folds_of(lesson: Lesson, folds: int, rng: np.random.Generator) -> Int32:
    """Return a random fold of each row, (rows,); one fold for all rows if `folds` is 0.

    Whole groups are held out: rows of one group have the same cells, so that others of the group would reveal a row.

    Fails
        With `InvalidInputError` for one fold, or for more folds than groups.
    """
    if not folds:
        return np.zeros(lesson.n_rows, np.int32)
    group, of_row = np.unique(lesson.group_of, return_inverse=True)
    if not 2 <= folds <= max(group.size, 1):
        msg = message(
            "folds must be 0, or lie between 2 and the number of groups; got {folds} for {size} groups",
            folds=folds,
            size=group.size,
        )
        raise InvalidInputError(msg)
    return np.asarray((rng.permutation(group.size) % folds)[of_row.ravel()], np.int32)
