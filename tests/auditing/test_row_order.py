"""Row order: an order of the table is recognized, and a random order is taken for one in at most 1 of 100 cases."""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy.stats import binom

from unmask.auditing.row_order import KeptOrder, kept_order

RUNS = 300 if os.environ.get("UNMASK_TEST_SAMPLE") else 1500


def kept(original, published, columns=None, seed=0):
    """Return the order that is kept, with a generator of its own."""
    columns = {name: np.asarray(codes, np.int32) for name, codes in (columns or {}).items()}
    return kept_order(np.asarray(original), np.asarray(published), np.random.default_rng(seed), columns)


def test_an_order_is_recognized():
    """Forwards and backwards, with rows missing, and inside the blocks of a stable sort."""
    rng = np.random.default_rng(1)
    original, some = rng.integers(0, 12, 200), np.sort(rng.permutation(200)[:180])
    sex = original % 2
    assert kept(original, original[some]) == KeptOrder()
    assert kept(original, original[some[::-1]]) == KeptOrder(is_reversed=True)
    for way in (1, -1):
        order = some[::way][np.argsort(sex[some[::way]], kind="stable")]
        assert kept(original, original[order]) is None
        assert kept(original, original[order], {"sex": sex[order]}) == KeptOrder(way == -1, "sex")
    assert kept(original, rng.permutation(original), {"sex": sex}) is None


def test_parts_in_order_are_recognized():
    """Rotated, half of it shuffled, cut into pieces, long; not where equal sorting makes the neighbors."""
    rng = np.random.default_rng(2)
    n = 400
    original, some = rng.integers(0, 60, n), rng.permutation(n // 2)
    pieces = np.concatenate([np.arange(at, at + 20) for at in rng.permutation(n // 20) * 20])
    for order in (np.roll(np.arange(n), 130), np.r_[np.arange(n // 2), n // 2 + some], pieces, pieces[::-1]):
        found = kept(original, original[order])
        assert found is not None
        assert found.neighbors is not None
        assert found.neighbors[0] > 0.4 * n
    many = rng.integers(0, 3000, 50_000)
    found = kept(many, np.roll(many, 17_000))
    assert found is not None
    assert found.neighbors is not None
    assert found.neighbors[1] == 4 * 4_999


def test_equal_sorting_is_no_part_in_order():
    """Table and release sorted by the same two columns, rows of equal values in random orders: at most 1 %."""
    rng, wrong = np.random.default_rng(3), 0
    runs = RUNS // 5
    for run in range(runs):
        first, second, third = rng.integers(0, 5, 200), rng.integers(0, 5, 200), rng.integers(0, 9, 200)
        kinds = first * 100 + second * 10 + third
        of_table, of_release = (np.lexsort((rng.random(200), second, first)) for _ in range(2))
        columns = {"a": first[of_release], "b": second[of_release], "c": third[of_release]}
        wrong += kept(kinds[of_table], kinds[of_release], columns, run) is not None
    assert wrong <= binom.isf(1e-4, runs, 0.01)


def test_few_equal_rows_prove_nothing():
    """Where most orders fit, one that fits is no finding."""
    assert kept([0] * 50, [0] * 50) is None
    assert kept([0, 1], [0, 1]) is None


@pytest.mark.parametrize("n", [4, 6, 30])
def test_random_orders_are_rarely_taken_for_the_tables(n):
    """Shuffled lines, and lines sorted by one column and shuffled inside it: at most 1 %, tested at 1e-4."""
    rng = np.random.default_rng(n)
    wrong = {"shuffled": 0, "sorted": 0}
    for run in range(RUNS):
        original = rng.integers(0, max(n // 2, 3), n)
        columns = [original % 2, original % 3]
        order = rng.permutation(n)
        by_first = order[np.argsort(columns[0][order], kind="stable")]
        for name, lines in (("shuffled", order), ("sorted", by_first)):
            found = kept(original, original[lines], {str(i): one[lines] for i, one in enumerate(columns)}, run)
            wrong[name] += found is not None
    most = binom.isf(1e-4, RUNS, 0.01)
    assert all(count <= most for count in wrong.values()), wrong
