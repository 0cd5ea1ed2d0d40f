"""Pipes: what a class has been seen with counts, and how often does not."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.attacks.fusion.miners._hyper_pipes import Pipes, as_they_come

CELLS = np.array([[0, 0], [0, 1], [1, 1], [1, 1]], np.int32)
ANSWER = np.array([2, 2, 0, 0], np.int32)


def test_the_class_that_was_seen_with_more_of_the_row_is_taken():
    """0 was seen with both cells of (1, 1), 2 with the second alone; with both of (0, 0) only 2 was."""
    model = Pipes().fit(CELLS, ANSWER)
    assert [0, 2] == model.predict(np.array([[1, 1], [0, 0]], np.int32)).tolist()
    assert model.predict_proba(np.array([[1, 1]], np.int32))[0] == pytest.approx([2 / 3, 1 / 3])


def test_of_those_that_tie_the_first_to_come_is_taken():
    """Of (1, 0) each has seen one cell: 2 came first, and 0 where the rows are turned round."""
    both = np.array([[1, 0]], np.int32)
    assert [2] == Pipes().fit(CELLS, ANSWER).predict(both).tolist()
    assert [0] == Pipes().fit(CELLS[::-1], ANSWER[::-1]).predict(both).tolist()
    assert [2, 0] == as_they_come(ANSWER).tolist()


def test_how_often_does_not_count():
    """One row of a class is as good as a thousand."""
    once = Pipes().fit(np.array([[0], [1]], np.int32), np.array([0, 1], np.int32))
    often = Pipes().fit(np.array([[0]] * 1000 + [[1]], np.int32), np.array([0] * 1000 + [1], np.int32))
    asked = np.array([[0], [1], [7]], np.int32)
    assert (once.predict_proba(asked) == often.predict_proba(asked)).all()


def test_unknown_cells_leave_all_classes_alike():
    """And so does a table without columns."""
    model = Pipes().fit(np.array([[0], [1]], np.int32), np.array([0, 1], np.int32))
    assert model.predict_proba(np.array([[7]], np.int32))[0] == pytest.approx([0.5, 0.5])
    none = np.zeros((2, 0), np.int32)
    assert Pipes().fit(none, np.array([1, 0], np.int32)).predict(none).tolist() == [1, 1]
