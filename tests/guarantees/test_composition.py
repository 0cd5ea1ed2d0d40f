"""What several differentially private releases promise together, and what two releases listed in full keep."""

from __future__ import annotations

from math import exp, tanh

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import stories
from tests.differential_privacy.test_budget import declared
from tests.guarantees.enumerated import both, laplace_count, loss, or_in_clear, randomized_response
from unmask.beliefs import About
from unmask.differential_privacy.budget import Budget, added, farthest
from unmask.errors import InvalidInputError
from unmask.guarantees.composition import Composition, epsilon_within, farthest_together
from unmask.release import Noise

ILL = About.attribute("condition")


def variation(mechanism: np.ndarray, n: int) -> float:
    """Return the largest total variation between outputs for two tables that differ in one bit."""
    flipped = [np.arange(2**n) ^ (1 << i) for i in range(n)]
    return float(max(np.abs(mechanism - mechanism[other]).sum(axis=1).max() / 2 for other in flipped))


def test_two_releases_spend_what_each_spends():
    """ε = .3 and .5: the largest log likelihood ratio of a pair of noisy counts is .8, and .8 is what is promised."""
    assert 0.8 == pytest.approx(loss(both(laplace_count(0.3, 2), laplace_count(0.5, 2)), 2), abs=1e-9)
    promise = Composition().promises([declared(0.3), declared(0.5)], ILL)
    assert promise is not None
    assert ("gap", False) == (promise.metric, promise.vacuous)
    assert promise.limit <= tanh(0.4)
    assert "ε = 0.8" in promise.assumes


def test_one_release_promises_tanh_of_half_its_epsilon():
    """And Laplace noise, that says so, promises less: 1 − e^(−ε/2)."""
    assert tanh(0.25) == pytest.approx(farthest_together([Budget(0.5)]))
    assert 1 - exp(-0.25) == pytest.approx(farthest_together([Budget(0.5, 0, "laplace")]), abs=1e-4)


def test_nothing_is_promised_where_one_release_declares_nothing():
    """Nor about places."""
    assert Composition().promises(stories.hospitals(), ILL) is None
    assert Composition().promises([declared(0.3), declared(None)], ILL) is None
    assert Composition().promises([declared(0.3)], About.place("release")) is None


def test_so_many_releases_that_nothing_is_left():
    """A thousand at ε = 1: an intruder may know everything, and the promise says that it is none."""
    promise = Composition().promises([declared(1.0)] * 1000, ILL)
    assert promise is not None
    assert promise.limit == pytest.approx(1, abs=1e-9)


def test_many_small_epsilons_add_up_to_less_but_for_a_small_delta():
    """Fifty at .1 spend 5 for certain, and 3.17 but for a millionth: losses are rarely all large at once."""
    fifty = [Budget(0.1)] * 50
    assert 5 == pytest.approx(epsilon_within(fifty, 0))
    assert 3.17 == pytest.approx(epsilon_within(fifty, 1e-6), abs=0.01)
    assert epsilon_within([Budget(0.1, 0, "laplace")] * 50, 1e-6) < epsilon_within(fifty, 1e-6)
    with pytest.raises(InvalidInputError, match=r"delta must lie between .* which the releases spend"):
        epsilon_within([Budget(1, 0.1)], 0.01)


def test_laplace_noise_on_two_cells_gives_away_no_more_than_on_one():
    """A record that is replaced changes two cells by one each: as two releases of ε/2, never worse than one of ε."""
    for share in (0.1, 0.5):
        cells = [Budget(share, 0, "laplace"), Budget(1 - share, 0, "laplace")]
        assert farthest_together(cells) <= farthest_together([Budget(1.0, 0, "laplace")]) + 1e-9
        for delta in (0.001, 0.1):
            assert epsilon_within(cells, delta) <= epsilon_within([Budget(1.0, 0, "laplace")], delta) + 1e-9


def test_two_noisy_counts_compose_to_less_than_the_sum():
    """A bit that is replaced moves one count down and one up, with ε/2 each: listed in full, tanh(ε/4) is reached."""
    ones, zeros = laplace_count(0.25, 2), laplace_count(0.25, 2)[::-1]
    assert tanh(0.125) == pytest.approx(variation(both(ones, zeros), 2), abs=1e-3)
    promise = Composition().promises([declared(0.5, noise=Noise("discrete-laplace", 4))], ILL)
    assert promise is not None
    assert tanh(0.125) == pytest.approx(promise.limit)
    assert variation(both(ones, zeros), 2) <= promise.limit + 1e-9
    assert farthest_together([Budget(0.5, 0, "laplace", 2)]) < promise.limit


def test_discrete_noise_is_as_telling_as_epsilon_allows():
    """Why whole-numbered noise must not count as Laplace: a count that changes by one moves tanh(ε/2), no less."""
    assert tanh(0.25) == pytest.approx(variation(laplace_count(0.5, 2), 2), abs=1e-6)
    assert farthest_together([Budget(0.5, 0, "laplace")]) < variation(laplace_count(0.5, 2), 2)


@settings(max_examples=30, deadline=None)
@given(spent=st.lists(st.tuples(st.floats(0, 1.5), st.sampled_from([0, 0.01, 0.2])), min_size=1, max_size=3))
def test_no_pair_of_tables_is_distinguished_more_often_than_guaranteed(spent):
    """Listed in full: randomized responses that now and then tell the table, held together."""
    seen = np.ones((4, 1))
    for epsilon, delta in spent:
        seen = both(seen, or_in_clear(randomized_response(epsilon, 2), delta))
    budgets = [Budget(*one) for one in spent]
    assert variation(seen, 2) <= farthest_together(budgets) + 1e-9
    assert farthest_together(budgets) <= farthest(added(budgets)) + 1e-12
