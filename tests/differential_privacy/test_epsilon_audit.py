"""An audit of ε: what was published in many runs refutes an ε that is not kept, and rarely one that is."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest

from tests.rates import proportion_within
from unmask.differential_privacy import epsilon_audit
from unmask.differential_privacy.epsilon_audit import lower_bound, power_against_halved_noise
from unmask.errors import InvalidInputError

RUNS = 2000
"""On either table."""


def count(rng, scale, delta=0.0, runs=RUNS):
    """Return noisy counts of a table with 1 and of one with 0; with probability δ the number is exact."""
    clear = rng.random((2, runs)) < delta
    noisy = rng.laplace(0, scale, (2, runs))
    return [
        truth + np.where(is_clear, 100.0 * (1 + truth), noise)
        for truth, is_clear, noise in zip((1, 0), clear, noisy, strict=True)
    ]


def test_an_event_of_one_table_alone_refutes_everything_small():
    """Half of 1,000 runs judge: always 1 or always 0. So p > .025^(1/500), and q is less than what that leaves."""
    bound = lower_bound(np.ones(1000), np.zeros(1000))
    edge = 0.025 ** (1 / 500)
    assert log(edge / (1 - edge)) == pytest.approx(bound.low)
    assert (500, 0, 500) == (bound.often, bound.rarely, bound.judged)
    assert bound.refutes(4.9)
    assert not bound.refutes(5)


def test_equal_runs_show_nothing():
    """Nothing is refuted, and nothing is proved."""
    bound = lower_bound(np.zeros(100), np.zeros(100))
    assert 0 == bound.low
    assert not bound.refutes(0)


def test_either_table_and_either_side_may_give_it_away():
    """The likelier event may be a low score, or one of the second table; scores may be infinite."""
    low, high = np.full(100, -inf), np.full(100, 3.0)
    assert lower_bound(low, high).low == lower_bound(high, low).low == lower_bound(-low, -high).low > 2


def test_a_release_that_tells_with_probability_delta_is_only_an_epsilon_with_that_delta():
    """Exact in 5 % of runs: without δ that refutes ε = 0.5, with δ = .05 it is allowed."""
    scores = count(np.random.default_rng(1), 2.0, delta=0.05)
    assert lower_bound(*scores).refutes(0.5)
    assert not lower_bound(*scores, delta=0.05).refutes(0.5)


@pytest.mark.parametrize(
    ("first", "second", "settings"),
    [
        (np.zeros(10), np.zeros(10), {}),
        (np.zeros(100), np.zeros(99), {}),
        (np.full(100, np.nan), np.zeros(100), {}),
        (np.zeros(100), np.zeros(100), {"level": 1.0}),
        (np.zeros(100), np.zeros(100), {"delta": -0.1}),
    ],
)
def test_what_cannot_be_judged(first, second, settings):
    """Too few runs, unequal ones, no numbers, no level, no δ."""
    with pytest.raises(InvalidInputError, match=r"must"):
        lower_bound(first, second, **settings)


@pytest.mark.parametrize("delta", [0.0, 0.02])
@pytest.mark.parametrize("epsilon", [0.5, 1.0])
def test_a_correct_mechanism_is_refuted_at_most_at_the_stated_rate(epsilon, delta):
    """200 audits at 95 %: at most 5 % false alarms. This test errs at the rate 1e-4 where the rate is kept."""
    rng = np.random.default_rng(7)
    alarms = sum(lower_bound(*count(rng, 1 / epsilon, delta), delta=delta).refutes(epsilon) for _ in range(200))
    proportion_within(alarms, 200, 0.05, 1e-4, side="at most")


def test_an_exact_event_that_stands_on_its_limit_keeps_the_rate():
    """The worst case is randomized response: p / q is e^ε exactly, and there are no other events to choose."""
    rng = np.random.default_rng(8)
    truth = np.e / (1 + np.e)
    alarms = 0
    for _ in range(500):
        first, second = (rng.random(RUNS) < share for share in (truth, 1 - truth))
        alarms += lower_bound(first.astype(float), second.astype(float)).refutes(1.0)
    proportion_within(alarms, 500, 0.05, 1e-4, side="at most")


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.0])
def test_noise_halved_is_caught_as_often_as_the_power_says(epsilon):
    """ε = .2: in 80 % of audits of 2,000 runs; .5 and 1: practically always. False-alarm rate of this test: 1e-4.

    The audit has to find the event that the calculation knows, which costs little: a tenth at most.
    """
    rng = np.random.default_rng(9)
    power = power_against_halved_noise(epsilon, RUNS)
    caught = sum(lower_bound(*count(rng, 0.5 / epsilon)).refutes(epsilon) for _ in range(120))
    proportion_within(caught, 120, power, 1e-4, side="at most")
    proportion_within(caught, 120, 0.9 * power, 1e-4, side="at least")


def test_the_power_grows_with_runs_and_with_epsilon():
    """At ε = .1 and 2,000 runs an audit catches noise halved in less than a quarter of cases; 10,000 nearly always."""
    few, many = (power_against_halved_noise(0.1, runs) for runs in (2000, 10_000))
    assert 0.230 == pytest.approx(few, abs=0.005)
    assert 0.968 == pytest.approx(many, abs=0.005)
    assert power_against_halved_noise(0.5, 2000) > 0.999


def test_a_replacement_is_harder_to_refute():
    """It spends half of ε on either of two counts, whose difference has broader noise; against 20,000 drawn audits."""
    assert power_against_halved_noise(1.0, 400) > 0.98
    found = power_against_halved_noise(1.0, 400, change="replace")
    assert found == pytest.approx(0.164, abs=0.002)
    rng = np.random.default_rng(1)
    threshold, judged = 2.4, 200
    one, other = (
        (moved + rng.laplace(size=(20_000, judged)) - rng.laplace(size=(20_000, judged)) >= threshold).sum(axis=1)
        for moved in (2, 0)
    )
    bounds = epsilon_audit._bound(one, other, judged, 0.0, 0.95)
    assert float((bounds > 1).mean()) == pytest.approx(found, abs=0.02)
