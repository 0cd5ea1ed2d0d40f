"""Whether published rows are those of a table: a test with a stated rate of false alarms."""

from __future__ import annotations

import numpy as np
import pytest

from tests.rates import proportion_within
from unmask.auditing.row_overlap import FALSE_ALARMS, row_overlap

RUNS = 150
"""Tables of each kind."""


@pytest.mark.parametrize(("types", "n", "m"), [(8, 120, 120), (8, 120, 40), (200, 150, 150), (5000, 120, 30)])
def test_rows_drawn_afresh_are_no_more_than_chance(types: int, n: int, m: int):
    """Rows of other people of the same population are taken for the table's at most once in a hundred."""
    rng = np.random.default_rng(3)
    alarms = 0
    for _ in range(RUNS):
        share = rng.dirichlet(np.full(types, 0.5))
        table, others = (rng.choice(types, size, p=share) for size in (n, m))
        alarms += row_overlap(table, others, rng).more_than_chance
    proportion_within(alarms, RUNS, FALSE_ALARMS, alpha=1e-4, side="at most")


@pytest.mark.parametrize(("types", "m", "noise"), [(8, 120, 0.0), (200, 120, 0.1), (5000, 120, 0.4), (5000, 30, 0.4)])
def test_rows_of_the_table_are_recognized(types: int, m: int, noise: float):
    """All of them in few types, some of them changed in many."""
    rng = np.random.default_rng(4)
    table = rng.integers(0, types, 120)
    own = rng.permutation(table)[:m]
    changed = rng.random(m) < noise
    own[changed] = rng.integers(types, 2 * types, int(changed.sum()))
    found = row_overlap(table, own, rng)
    assert found.more_than_chance
    assert found.shared == m - changed.sum()


@pytest.mark.parametrize(("p", "found"), [(0.4, True), (0.6, False)])
def test_two_tests_share_the_rate_of_false_alarms(monkeypatch, p, found):
    """Each has half of it."""
    monkeypatch.setattr("unmask.auditing.row_overlap._by_halves", lambda *_: p * FALSE_ALARMS)
    assert row_overlap(np.zeros(9, np.int64), np.zeros(5, np.int64), np.random.default_rng(0)).more_than_chance is found


def test_one_sample_proves_nothing(monkeypatch):
    """What is published counts as one more sample: that one has less in common has a chance of a half, not of none."""
    monkeypatch.setattr("unmask.auditing.row_overlap._REPEATS", 1)
    monkeypatch.setattr("unmask.auditing.row_overlap._by_halves", lambda *_: 1.0)
    found = row_overlap(np.arange(100), np.arange(50), np.random.default_rng(0))
    assert found.shared > found.by_chance
    assert not found.more_than_chance


def test_small_tables_are_taken_for_themselves():
    """Four rows that are the table's four rows: chance may do that, yet no release can have more in common."""
    rng = np.random.default_rng(5)
    assert row_overlap(np.array([0, 1, 2, 3]), np.array([3, 2, 1, 0]), rng).more_than_chance
    nothing = row_overlap(np.array([0, 1, 2, 3]), np.array([4, 5, 6, 7]), rng)
    assert (nothing.shared, nothing.more_than_chance) == (0, False)
    assert "0 of 4 published rows" in str(nothing)


def test_rows_that_could_be_in_no_class_match_nothing():
    """People who fit nothing, and rows with values that no person has."""
    rng = np.random.default_rng(6)
    found = row_overlap(np.array([-1, -1, 0]), np.array([-1, -1, 0]), rng)
    assert found.shared == 1
