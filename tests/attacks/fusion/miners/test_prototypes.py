"""Two typical rows of each class: what one cannot tell, two can."""

from __future__ import annotations

import numpy as np

from unmask.attacks.fusion.miners._prototypes import TypicalClasses, TypicalNumbers

ROWS = np.tile([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], (50, 1)).astype(np.int32)
EITHER = ROWS[:, :2].sum(axis=1) % 2


def test_a_class_of_two_kinds_of_rows_is_predicted():
    """Either column 0 or column 1: no column alone tells it, and each class has two kinds of rows."""
    cells = np.repeat(ROWS[:, :2], 2, axis=1)
    assert (TypicalClasses(random_state=1).fit(cells, EITHER).predict(cells) == EITHER).all()


def test_a_class_with_one_row_is_learned_from_like_any_other():
    """It cannot be divided."""
    answer = np.where(np.arange(200) == 0, 2, EITHER)
    predicted = TypicalClasses(random_state=1).fit(ROWS, answer).predict_proba(ROWS)
    assert predicted.shape == (200, 3)


def test_numbers_by_two_kinds_of_rows():
    """Two kinds that show everything differently have two means."""
    cells = np.repeat(ROWS[:, :1], 3, axis=1)
    predicted = TypicalNumbers(random_state=1).fit(cells, 10.0 * cells[:, 0].astype(np.float64)).predict(cells)
    assert abs(predicted - 10.0 * cells[:, 0]).max() < 0.1
