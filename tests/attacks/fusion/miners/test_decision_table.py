"""A table that is looked up: which columns it looks at, and what it says of rows that are on none of its lines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.attacks.fusion.miners._decision_table import LookupClasses, LookupNumbers, best_columns

ROWS = np.tile([[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]], (5, 1)).astype(np.int32)
EITHER = ROWS[:, :2].sum(axis=1) % 2
"""The class depends on one of two columns, but not both; a third one is constant."""


def test_two_columns_that_tell_only_together_are_found():
    """Neither alone is better than none; the search builds on what is no better yet."""
    model = LookupClasses().fit(ROWS, EITHER)
    assert model.columns_ == [0, 1]
    assert (model.predict(ROWS) == EITHER).all()


def test_a_column_that_singles_rows_out_is_not_looked_at():
    """By it each row is alone on its line, and is predicted by all others."""
    name = np.arange(20)[:, None].astype(np.int32)
    model = LookupClasses().fit(np.hstack([ROWS[:, :1], name]), ROWS[:, 0])
    assert model.columns_ == [0]


def test_a_row_on_no_line_gets_the_most_frequent_class_or_the_mean():
    """Seven was never seen there."""
    answer = np.array([3] * 5 + [4] * 10)
    cells = (answer - 3)[:, None].astype(np.int32)
    predicted = LookupClasses().fit(cells, answer).predict_proba(np.array([[0], [7]], np.int32))
    assert predicted == pytest.approx(np.array([[1, 0], [1 / 3, 2 / 3]]))
    assert LookupNumbers().fit(cells, answer.astype(float)).predict(
        np.array([[0], [7]], np.int32)
    ).tolist() == pytest.approx([3, 11 / 3])


def test_without_columns_all_are_on_one_line():
    """No column is chosen, and all rows have the same prediction."""
    none = np.zeros((3, 0), np.int32)
    assert LookupClasses().fit(none, np.array([1, 2, 2])).predict(none).tolist() == [2, 2, 2]
    assert LookupNumbers().fit(none, np.array([1.0, 2, 3])).predict(none).tolist() == [2, 2, 2]


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=2, max_size=12))
def test_a_set_is_worth_the_rows_that_the_others_predict_right(rows):
    """Counted row by row: each is taken away, and its line, or all rows where it was alone, predicts it."""
    cells = np.array([[cell] for cell, _ in rows], np.int32)
    answer = np.array([code for _, code in rows])

    def right(columns):
        count = 0
        for i in range(len(rows)):
            others = np.arange(len(rows)) != i
            line = others & (cells[:, columns] == cells[i, columns]).all(axis=1)
            others_answer = answer[line] if line.any() else answer[others]
            count += int(np.bincount(others_answer, minlength=3).argmax()) == answer[i]
        return count / len(rows)

    assert LookupClasses().fit(cells, answer).columns_ == best_columns(1, right)
