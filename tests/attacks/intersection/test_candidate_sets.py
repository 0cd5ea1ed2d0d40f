"""Possible values as sets of bits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.judged import beliefs_of
from unmask.arrays import Ragged
from unmask.attacks.intersection.candidate_sets import intersected, members, sets

VALUES = ("cold", "flu", "hiv")


@given(st.data(), st.integers(1, 200))
def test_sets_hold_what_has_entries(data: st.DataObject, n_values: int):
    """Any number of values: below a word, a word, more than a word."""
    dense = np.array(data.draw(st.lists(st.lists(st.booleans(), min_size=n_values, max_size=n_values), max_size=4)))
    dense = dense.reshape(-1, n_values).astype(float)
    assert np.array_equal(members(sets(Ragged.of(dense)), n_values), dense > 0)


def test_what_all_leave_possible_is_believed_alike_and_shared():
    """Flu or hiv, and cold or flu, leaves flu; hiv alone and cold alone leave nothing: the prior, counted once."""
    prior = beliefs_of(*[{"cold": 0.5, "flu": 0.25, "hiv": 0.25}] * 4)
    one = Ragged.of(np.array([[0, 1, 1], [0, 0, 1]], float))
    two = Ragged.of(np.array([[1, 1, 0], [1, 0, 0]], float))
    rows = [np.array([0, 0, 1, -1], np.int32), np.array([0, 0, 1, 0], np.int32)]

    beliefs, contradicted = intersected(prior, rows, [one, two])

    assert [beliefs.of(i) for i in range(4)] == [
        {"flu": 1.0}, {"flu": 1.0}, {"cold": 0.5, "flu": 0.25, "hiv": 0.25}, {"cold": 0.5, "flu": 0.5},
    ]  # fmt: skip
    assert contradicted == 1
    assert beliefs.row_of[0] == beliefs.row_of[1]


def test_a_prior_of_zero_and_no_evidence():
    """The prior's zeros stay; without evidence the prior stays; no people give no beliefs."""
    prior = beliefs_of({"cold": 0.9, "flu": 0.1}, {"cold": 0.9, "flu": 0.1})
    everything = Ragged.of(np.ones((1, 3)))
    beliefs, contradicted = intersected(prior, [np.array([0, -1], np.int32)], [everything])
    assert beliefs.of(0) == {"cold": 0.5, "flu": 0.5}
    assert beliefs.of(1) == {"cold": 0.9, "flu": 0.1}
    assert contradicted == 0
    assert intersected(beliefs_of(), [np.zeros(0, np.int32)], [everything])[0].n_targets == 0
