"""LevelLabels: the leaf of each row, for every kind of column."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.masks.levels import LevelLabels
from unmask.table import Table


def leaves(values) -> list[str]:
    """Return what the hierarchy calls each row's value."""
    found = LevelLabels.of(Table.of({"x": values}, quasi=["x"]), "x")
    return [found.texts[leaf] for leaf in found.leaf]


@pytest.mark.parametrize(
    ("values", "leaf"),
    [
        ([3, 1, 2, 3], ["3", "1", "2", "3"]),
        ([-2, 0, -2], ["-2", "0", "-2"]),
        ([0.5, 1.5, 0.5], ["0.5", "1.5", "0.5"]),
        ([1, 10**12], ["1", "1000000000000"]),
        ([7, None, 7], ["7", "?", "7"]),
        (["b", "a", "b"], ["b", "a", "b"]),
        (["b", None, "a"], ["b", "?", "a"]),
        ([None, None], ["?", "?"]),
    ],
    ids=["whole", "negative", "fractions", "far apart", "missing number", "labels", "missing label", "nothing known"],
)
def test_each_row_has_the_leaf_of_its_value(values, leaf):
    """Whole numbers near each other and labels are counted, others are sorted: the leaf is the same."""
    assert leaves(values) == leaf


@given(st.lists(st.one_of(st.none(), st.integers(-5, 5)), min_size=1, max_size=30))
def test_numbers_and_their_labels_have_the_same_leaves(values):
    """Two people have one leaf if and only if they have one value."""
    as_numbers, as_labels = leaves(values), leaves([None if v is None else f"v{v}" for v in values])

    same = np.array([[a == b for b in values] for a in values])
    for found in (as_numbers, as_labels):
        assert np.array_equal(same, [[a == b for b in found] for a in found])
