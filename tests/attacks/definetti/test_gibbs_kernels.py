"""The table by profile and value, compared with sums of logarithms."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.attacks.definetti.gibbs_kernels import add_up, tabulate


@pytest.mark.parametrize("scale", [1.0, 400.0, 2000.0])  # products of the last two underflow
def test_a_table_of_products_equals_sums_of_logarithms(scale: float):
    """Rows that underflow are computed by logarithms."""
    rng = np.random.default_rng(1)
    levels, values = np.array([3, 5, 2]), 6
    offset = np.append(0, np.cumsum(levels))
    codes = np.stack([rng.integers(-1, n, 200) for n in levels], axis=1).astype(np.int32)
    log_theta = -scale * rng.random((int(offset[-1]), values))
    expected = np.zeros((200, values))
    for attribute in range(3):
        known = codes[:, attribute] >= 0
        expected[known] += log_theta[offset[attribute] + codes[known, attribute]]
    expected = np.exp(expected - expected.max(axis=1, keepdims=True))
    table = np.empty((200, values))
    tabulate(codes, offset, log_theta, table)
    np.testing.assert_allclose(table, expected, rtol=1e-9, atol=1e-40)


def test_counts_by_level_add_up_the_tally_by_profile():
    """Missing attributes (-1) count nowhere."""
    rng = np.random.default_rng(2)
    levels = np.array([3, 4])
    offset = np.append(0, np.cumsum(levels))
    codes = np.stack([rng.integers(-1, n, 50) for n in levels], axis=1).astype(np.int32)
    tally = rng.integers(0, 4, (50, 5))
    counts = np.ones((7, 5), np.int64)  # overwritten
    add_up(codes, offset, tally, counts)
    for attribute, n in enumerate(levels):
        for level in range(n):
            own = tally[codes[:, attribute] == level].sum(axis=0)
            np.testing.assert_array_equal(counts[offset[attribute] + level], own)
