"""Distinct rows: found by counting and hashing, numbered by what they show."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.sanitizers._lattice import LevelLabels, profiles_of
from unmask.table import Table


@pytest.mark.parametrize("n", [1, 20, 200_000], ids=["one row", "few", "more than the first hash table holds"])
def test_the_distinct_rows_are_those_that_sorting_finds(n):
    """Each with its people; what is published of an example is what each member shows."""
    rng = np.random.default_rng(n)
    values = rng.integers(0, 900, (2, n))
    table = Table.of({"p": values[0], "q": values[1]}, quasi=["p", "q"])
    levels = tuple(LevelLabels.of(table, name) for name in ("p", "q"))

    number, groups = profiles_of(levels)

    distinct, size = np.unique(values, axis=1, return_counts=True)
    leaf = np.stack([one.leaf for one in levels])
    assert groups.size.size == distinct.shape[1]
    assert sorted(groups.size) == sorted(size)
    assert np.array_equal(groups.codes[:, number], leaf)
    assert np.array_equal(np.bincount(number), groups.size)


def test_their_order_is_not_that_of_the_rows():
    """A release must not tell in which order people were listed."""
    values = np.random.default_rng(0).integers(0, 9, (2, 100))
    found = []
    for order in (np.arange(100), np.random.default_rng(1).permutation(100)):
        table = Table.of({"p": values[0][order], "q": values[1][order]}, quasi=["p", "q"])
        found.append(profiles_of(tuple(LevelLabels.of(table, name) for name in ("p", "q")))[1])
    assert np.array_equal(found[0].codes, found[1].codes)
    assert np.array_equal(found[0].size, found[1].size)
