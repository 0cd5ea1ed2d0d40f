"""The table and the tally by profile and value, compared with sums of logarithms and with counts by level."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.attacks.definetti.gibbs_kernels import add_up, sweep, tabulate
from unmask.attacks.shared import group_layout
from unmask.attacks.shared.group_layout import levels_of
from unmask.attacks.shared.grouped_people import GroupedPeople, slots_of


@pytest.mark.parametrize("scale", [1.0, 400.0, 2000.0])  # products of the last two underflow
@pytest.mark.parametrize("values", [6, 16, 21])
@pytest.mark.parametrize("in_order", [False, True])
def test_a_table_of_products_equals_sums_of_logarithms(scale: float, values: int, in_order: bool):  # noqa: FBT001
    """Rows that underflow are computed by logarithms; neighbors in order share the products of equal attributes."""
    rng = np.random.default_rng(1)
    levels = np.array([3, 5, 2])
    offset = np.append(0, np.cumsum(levels))
    codes = np.stack([rng.integers(-1, n, 200) for n in levels], axis=1).astype(np.int32)
    if in_order:
        codes = codes[np.lexsort(levels_of(codes, levels).T[::-1])]
    log_theta = -scale * rng.random((int(offset[-1]), values))
    expected = np.zeros((200, values))
    for attribute in range(3):
        known = codes[:, attribute] >= 0
        expected[known] += log_theta[offset[attribute] + codes[known, attribute]]
    expected = np.exp(expected - expected.max(axis=1, keepdims=True))
    table = np.empty((200, values))
    tabulate(levels_of(codes, levels), log_theta, table)
    np.testing.assert_allclose(table, expected, rtol=1e-9, atol=1e-40)


def test_counts_by_level_add_up_the_tally_by_profile():
    """Missing attributes (-1) count nowhere."""
    rng = np.random.default_rng(2)
    levels = np.array([3, 4])
    offset = np.append(0, np.cumsum(levels))
    codes = np.stack([rng.integers(-1, n, 50) for n in levels], axis=1).astype(np.int32)
    tally = rng.integers(0, 4, (50, 5))
    counts = np.ones((7, 5), np.int64)  # overwritten
    add_up(levels_of(codes, levels), tally, counts)
    for attribute, n in enumerate(levels):
        for level in range(n):
            own = tally[codes[:, attribute] == level].sum(axis=0)
            np.testing.assert_array_equal(counts[offset[attribute] + level], own)


def test_counts_by_level_do_not_depend_on_a_tally_by_profile(monkeypatch: pytest.MonkeyPatch):
    """Groups of one to five people, some of them identical, with and without a tally: the same draws and counts."""
    rng = np.random.default_rng(3)
    size = rng.integers(1, 6, 60)
    codes = np.array([[-1, 0], [0, 1], [1, -1], [1, 2]], np.int32)
    people = int(size.sum())
    profile, value = (rng.integers(0, n, people).astype(np.int32) for n in (4, 3))
    slots = slots_of(GroupedPeople(profile, np.append(0, np.cumsum(size)), value, codes, np.array([2, 3], np.int32), 3))
    found = []
    for cells in (0, 1000):
        monkeypatch.setattr(group_layout, "CELLS_A_ROW", cells)
        chain = group_layout.chain_for(slots.layout, slots.shapes)
        assert (chain.tally.size > 0) == (cells > 0)
        chain.log_theta[:] = np.random.default_rng(4).normal(size=chain.log_theta.shape)
        sweep(slots.layout, slots.shapes, chain, np.uint64(5))
        found.append((chain.counts, chain.held))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
    assert found[0][0][2:].sum() == (codes[profile, 1] >= 0).sum()
