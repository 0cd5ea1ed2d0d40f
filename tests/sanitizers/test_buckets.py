"""Anatomy's grouping: groups of different values, taken from the fullest buckets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from unmask.errors import InfeasibleError
from unmask.sanitizers._buckets import buckets


def contents(values, group_of):
    """Return the sorted values of each group."""
    return [sorted(values[group_of == group].tolist()) for group in range(group_of.max() + 1)]


def sorted_list_grouping(values, l):
    """Group by the stable rule as it is told: keep a list, take from its first `l`, sort it again."""
    left = {value: int(n) for value, n in enumerate(np.bincount(values)) if n}
    listed = sorted(left)
    groups = []
    while sum(n > 0 for n in left.values()) >= l:
        listed.sort(key=lambda value: -left[value])
        groups.append(sorted(listed[:l]))
        for value in listed[:l]:
            left[value] -= 1
    return groups


def test_the_fullest_buckets_are_emptied_first():
    """Three rows have flu, two cold, one cough: flu must be in every pair, or one would be left over."""
    values = np.array([0, 0, 0, 1, 1, 2], np.int32)
    group_of = buckets(values, 3, 2, "random", np.random.default_rng(0))
    assert sorted(contents(values, group_of)) == [[0, 1], [0, 1], [0, 2]]


def test_a_left_over_row_joins_a_group_that_lacks_its_value():
    """Seven rows in pairs leave one over; the value must still be new to the group it joins."""
    values = np.array([0, 0, 0, 1, 1, 2, 2], np.int32)
    for seed in range(20):
        found = contents(values, buckets(values, 3, 2, "random", np.random.default_rng(seed)))
        assert sorted(map(len, found)) == [2, 2, 3]
        assert all(len(set(group)) == len(group) for group in found)


def test_a_value_of_more_than_one_in_l_rows_is_infeasible():
    """Four of seven rows cannot be spread over three pairs: the error says both numbers."""
    with pytest.raises(InfeasibleError, match=r"at most 3 of 7 rows .* got 4"):
        buckets(np.array([0, 0, 0, 0, 1, 1, 2], np.int32), 3, 2, "random", np.random.default_rng(0))


def test_no_rows_make_no_groups():
    """The empty table is feasible and has no group."""
    assert buckets(np.empty(0, np.int32), 3, 2, "random", np.random.default_rng(0)).size == 0


def test_stable_ties_follow_a_list_that_is_sorted_again_after_each_group():
    """The compiled way, which never sorts, makes the groups of the rule as it is told."""
    rng = np.random.default_rng(5)
    for l in (2, 3, 4):
        values = rng.choice(9, 300, p=np.array([16, 16, 14, 14, 12, 12, 8, 6, 2]) / 100).astype(np.int32)
        values = values[: 300 - 300 % l]
        assert contents(values, buckets(values, 9, l, "stable", rng)) == sorted_list_grouping(values, l)


def test_random_ties_make_every_pair_of_equal_buckets_equally_likely():
    """Four values, one row each: the first pair is one of six, each as likely (chi-square at 0.1 %)."""
    rng = np.random.default_rng(11)
    pairs = [
        tuple(contents(np.arange(4), buckets(np.arange(4, dtype=np.int32), 4, 2, "random", rng))[0])
        for _ in range(1200)
    ]
    _, count = np.unique(pairs, axis=0, return_counts=True)
    assert count.size == 6
    assert chisquare(count).pvalue > 1e-3


def test_which_row_leaves_a_bucket_is_random_even_with_stable_ties():
    """The three rows of one value meet the three partners in all six ways, equally often (chi-square at 0.1 %)."""
    rng = np.random.default_rng(12)
    values = np.array([0, 0, 0, 1, 2, 3], np.int32)
    partners = []
    for _ in range(1200):
        group_of = buckets(values, 4, 2, "stable", rng)
        partners.append([values[(group_of == group_of[row]) & (values != 0)][0] for row in range(3)])
    _, count = np.unique(partners, axis=0, return_counts=True)
    assert count.size == 6
    assert chisquare(count).pvalue > 1e-3


@given(
    count=st.lists(st.integers(0, 12), min_size=1, max_size=8),
    l=st.integers(1, 5),
    ties=st.sampled_from(["random", "stable"]),
    seed=st.integers(0, 1000),
)
def test_every_group_has_at_least_l_rows_of_different_values(count, l, ties, seed):
    """Whatever the frequencies, if feasible: floor(n / l) groups, sizes l or a little more, no value twice."""
    values = np.repeat(np.arange(len(count)), count).astype(np.int32)
    assume(values.size > 0)
    assume(max(count) <= values.size // l)
    rng = np.random.default_rng(seed)
    values = rng.permutation(values)
    group_of = buckets(values, len(count), l, ties, rng)
    size = np.bincount(group_of)
    assert size.size == values.size // l
    assert size.min() >= l
    assert (size - l).sum() == values.size % l
    assert np.unique(group_of.astype(np.int64) * len(count) + values).size == values.size
