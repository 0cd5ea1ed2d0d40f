"""Contingency tables of the ways to give a group's values to its members."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from unmask.attacks.shared.contingency_tables import drawn, listed


def by_hand(kind: list[int], values: list[int]) -> Counter[tuple[tuple[int, int], ...]]:
    """Count the tables of all orders of the values."""
    return Counter(tuple(sorted(zip(kind, order, strict=True))) for order in permutations(values))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6))
def test_every_table_is_listed_with_its_share_of_the_assignments(people):
    """As many as orders of the values give, each as often."""
    kind = np.unique([k for k, _ in people], return_inverse=True)[1]
    value = np.unique([v for _, v in people], return_inverse=True)[1]
    found = listed(np.bincount(kind), np.bincount(value), 10_000)
    assert found is not None
    expected = by_hand(kind.tolist(), value.tolist())
    got = {}
    for table, log_share in zip(*found, strict=True):
        entries = [(k, v) for k, v in np.ndindex(table.shape) for _ in range(table[k, v])]
        got[tuple(sorted(entries))] = np.exp(log_share)
    assert got == pytest.approx({table: n / expected.total() for table, n in expected.items()})


def test_too_many_tables_are_not_listed():
    """Three people of their own kind with three values: six tables, and no more than asked for."""
    assert listed(np.ones(3, np.int64), np.ones(3, np.int64), 5) is None
    found = listed(np.ones(3, np.int64), np.ones(3, np.int64), 6)
    assert found is not None
    assert found[0].shape == (6, 3, 3)


def test_drawn_assignments_are_equally_likely():
    """Of 6,000 draws, each table as often as it is listed: a false alarm once in a thousand times."""
    kind, counts = np.array([0, 1, 1, 0, 2], np.int32), np.array([3, 2])
    found = listed(np.bincount(kind), counts, 100)
    assert found is not None
    tables, log_share = found
    worlds = drawn(kind, 3, counts, 6_000, np.random.default_rng(1))
    assert (worlds.sum(axis=1) == counts).all()
    hits = (worlds[:, None] == tables[None]).all(axis=(2, 3)).sum(axis=0)
    assert chisquare(hits, np.exp(log_share) * 6_000).pvalue > 1e-3
