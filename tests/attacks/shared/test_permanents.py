"""Assignments of values in one group: exact sums, marginals and draws."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from unmask.attacks.shared.permanents import EXACT_STATES, draw, log_permanent, marginals, n_states, shape_of
from unmask.errors import InvalidInputError


def enumerated(weight, copies):
    """List all distinct arrangements with their weights: slow, and simple enough to be believed."""
    people = weight.shape[0]
    listed = np.repeat(np.arange(copies.size), copies)
    arrangements = np.array(sorted(set(permutations(listed.tolist()))))
    return arrangements, np.array([np.prod(weight[np.arange(people), given]) for given in arrangements])


def enumerated_marginals(weight, copies):
    """Add up the weights of the arrangements in which a person holds a value."""
    arrangements, product = enumerated(weight, copies)
    result = np.zeros(weight.shape)
    for given_values, share in zip(arrangements, product / product.sum(), strict=True):
        result[np.arange(weight.shape[0]), given_values] += share
    return result


def test_two_people_share_two_values_as_the_products_say():
    """She is three times as likely as he to have flu, both as likely to have a cold: 3 to 1, not 1/2 each."""
    weight = np.array([[0.3, 0.2], [0.1, 0.2]])
    assert marginals(weight) == pytest.approx(np.array([[0.75, 0.25], [0.25, 0.75]]))
    assert np.exp(log_permanent(weight)) == pytest.approx(0.3 * 0.2 + 0.2 * 0.1)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_sums_and_marginals_equal_enumeration(size):
    """For values that all differ, to ten digits."""
    rng = np.random.default_rng(size)
    for spread in (1, 8):
        weight = rng.random((size, size)) ** spread
        copies = np.ones(size, np.int64)
        assert log_permanent(weight) == pytest.approx(np.log(enumerated(weight, copies)[1].sum()), abs=1e-10)
        assert np.abs(marginals(weight) - enumerated_marginals(weight, copies)).max() < 1e-10


@given(copies=st.lists(st.integers(1, 3), min_size=1, max_size=3), seed=st.integers(0, 10_000))
def test_repeated_values_equal_enumeration_too(copies, seed):
    """Arrangements that differ only in who holds which copy of one value count once."""
    count = np.array(copies)
    if count.sum() > 6:
        count = count[:2]
    weight = np.random.default_rng(seed).random((count.sum(), count.size))
    found = marginals(weight, count)
    assert log_permanent(weight, count) == pytest.approx(np.log(enumerated(weight, count)[1].sum()), abs=1e-10)
    assert np.abs(found - enumerated_marginals(weight, count)).max() < 1e-10
    assert found.sum(axis=1) == pytest.approx(np.ones(count.sum()))
    assert found.sum(axis=0) == pytest.approx(count)


def test_twelve_different_values_are_exact_and_thirteen_are_not_offered():
    """Rows of equal weights make every arrangement as likely: 12! of them."""
    assert n_states(np.ones(12, np.int64)) == EXACT_STATES
    assert log_permanent(np.ones((12, 12))) == pytest.approx(np.log(479_001_600.0))
    with pytest.raises(InvalidInputError, match="at most 4096 states; got 8192"):
        marginals(np.ones((13, 13)))


def test_a_group_of_a_hundred_with_two_values_is_small():
    """Its states are counts, not subsets: 51 by 51. With equal weights each person has one half."""
    assert shape_of(np.array([50, 50])).out.size - 1 == 51**2
    assert marginals(np.ones((100, 2)), np.array([50, 50])) == pytest.approx(0.5)


def test_weights_far_below_the_smallest_number_lose_nothing():
    """Twelve people who all want the same value: every arrangement has weight 1e-330, less than a float can hold."""
    rng = np.random.default_rng(3)
    weight = rng.random((12, 12))
    tiny = np.where(np.arange(12) == 0, 1.0, 1e-30)
    assert log_permanent(weight * tiny) == pytest.approx(log_permanent(weight) + 11 * np.log(1e-30))
    assert marginals(weight * tiny) == pytest.approx(marginals(weight), abs=1e-12)


def test_an_impossible_value_is_never_handed_out():
    """A weight of zero is a certainty, even where all other weights are tiny."""
    weight = np.array([[0.0, 1.0, 1.0], [1e-9, 0.0, 1e-9], [1.0, 1.0, 0.0]])
    rng = np.random.default_rng(4)
    assert (np.diag(marginals(weight)) == 0).all()
    assert all((draw(weight, None, rng) != np.arange(3)).all() for _ in range(500))


def test_no_possible_arrangement_is_an_error():
    """Two people who can only hold the same one value contradict a list of two values."""
    with pytest.raises(InvalidInputError, match="at least one arrangement"):
        marginals(np.array([[1.0, 0.0], [1.0, 0.0]]))


def test_weights_must_fit_the_list_of_values():
    """Two people cannot share three values."""
    with pytest.raises(InvalidInputError, match=r"got \(2, 2\) for 3 values, 2 distinct"):
        marginals(np.ones((2, 2)), np.array([2, 1]))


@pytest.mark.parametrize("copies", [[1, 1], [1, 1, 1], [1, 1, 1, 1], [2, 1, 1], [3, 2]])
def test_draws_are_as_frequent_as_enumeration_says(copies):
    """Chi-square over all arrangements, 4,000 draws, false alarm in 1 of 1,000 for each list."""
    count = np.array(copies)
    rng = np.random.default_rng([7, *copies])
    weight = 0.2 + rng.random((count.sum(), count.size))
    arrangements, product = enumerated(weight, count)
    number = {tuple(given_values): i for i, given_values in enumerate(arrangements.tolist())}
    seen = np.bincount([number[tuple(draw(weight, count, rng).tolist())] for _ in range(4000)], minlength=product.size)
    assert chisquare(seen, 4000 * product / product.sum()).pvalue > 1e-3
