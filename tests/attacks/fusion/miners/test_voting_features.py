"""A vote of values: by hand, and where a value tells nothing."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.attacks.fusion.miners._voting_features import VotingValues


def test_a_value_speaks_for_a_rare_class_as_loudly_as_for_a_frequent_one():
    """One of ten of a class has the value, and one of one of the other: it votes 1/11 and 10/11."""
    column = np.array([[1]] + [[0]] * 9 + [[1]], np.int32)
    answer = np.array([0] * 10 + [1])
    predicted = VotingValues(bias=0.0).fit(column, answer).predict_proba(np.array([[1], [0]], np.int32))
    assert predicted == pytest.approx(np.array([[1 / 11, 10 / 11], [1, 0]]))


def test_a_column_that_is_sure_is_louder():
    """The first column tells the class, the second has one value for all: it is the first that decides."""
    cells = np.array([[0, 0], [0, 0], [1, 0], [1, 0]], np.int32)
    predicted = VotingValues().fit(cells, np.array([0, 0, 1, 1])).predict_proba(cells)
    assert predicted[0, 0] > 0.99
    assert predicted[2, 1] > 0.99


def test_unknown_values_vote_for_all_alike():
    """Without any column there are no votes: all classes are alike, too."""
    model = VotingValues().fit(np.array([[0], [1]], np.int32), np.array([0, 1]))
    assert model.predict_proba(np.array([[7]], np.int32))[0] == pytest.approx([0.5, 0.5])
    none = np.zeros((2, 0), np.int32)
    assert VotingValues().fit(none, np.array([0, 1])).predict_proba(none)[0] == pytest.approx([0.5, 0.5])
