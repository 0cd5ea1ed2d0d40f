"""A statistical assertion makes a promise: it accuses a correct program at most at the rate that it names.

Here the promise itself is put to the test, and so is the other half of it: that
a program which is wrong gets caught.
"""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.rates import holm, mean_zero, proportion_within, uniform_ranks

ALPHA = 0.05
REPEATS = 1500


def alarms(test, repeats):
    """Count how often an assertion is raised."""
    raised = 0
    for _ in range(repeats):
        try:
            test()
        except AssertionError:
            raised += 1
    return raised


def limits(rate, repeats):
    """Return the counts that a true rate leaves with probability below one in a million."""
    return stats.binom.ppf([5e-7, 1 - 5e-7], repeats, rate)


# --- the stories: numbers that can be followed by hand


def test_nine_heads_of_ten_have_a_p_value_of_22_in_1024():
    """0, 1, 9 and 10 heads are no likelier than nine: (1 + 10 + 10 + 1) / 2¹⁰."""
    assert proportion_within(9, 10, 0.5, 0.01) == pytest.approx(22 / 1024)
    with pytest.raises(AssertionError, match=r"must be 0\.5; got 9 of 10"):
        proportion_within(9, 10, 0.5, 0.05)


def test_a_claim_of_at_least_is_only_hurt_by_too_few():
    """Nine heads of ten are welcome to "at least half", one is not: 11 / 2¹⁰."""
    assert proportion_within(9, 10, 0.5, 0.05, side="at least") == pytest.approx(1 - 1 / 1024)
    with pytest.raises(AssertionError, match=r"at least 0\.5"):
        proportion_within(1, 10, 0.5, 0.05, side="at least")
    with pytest.raises(AssertionError, match=r"at most 0\.5"):
        proportion_within(9, 10, 0.5, 0.05, side="at most")


def test_four_values_of_one_half_are_one_standard_error_from_zero():
    """With a known deviation of 1 the mean of four has standard error 1/2: z = 1, two-sided p = .3173."""
    assert mean_zero([0.5] * 4, ALPHA, sd=1) == pytest.approx(0.3173, abs=1e-4)


def test_an_estimated_deviation_costs_certainty():
    """Values 1 and 3: mean 2, standard error 1, t = 2 with one degree of freedom: p = 1 − 2 atan(2)/π = .2952."""
    assert mean_zero([1.0, 3.0], ALPHA) == pytest.approx(0.2952, abs=1e-4)


def test_holm_stops_at_the_first_p_value_that_is_too_large():
    """.005 ≤ .05/4 and .01 ≤ .05/3, but .03 > .05/2: so .04 is spared too, although .04 ≤ .05/1."""
    assert holm([0.01, 0.04, 0.03, 0.005], 0.05) == [True, False, False, True]


def test_twenty_ranks_in_two_bins_of_5_and_15():
    """Chi-square is (5² + 5²)/10 = 5 with one degree of freedom: p = .0253."""
    ranks = [0] * 5 + [1] * 15
    assert uniform_ranks(ranks, draws=1, bins=2, alpha=0.01) == pytest.approx(0.0253, abs=1e-4)
    with pytest.raises(AssertionError, match=r"\[5, 15\]"):
        uniform_ranks(ranks, draws=1, bins=2, alpha=0.05)


# --- the edges


def test_values_that_are_not_numbers_never_pass():
    """Every comparison with NaN is false, so a careless check of "p below alpha" would accept it."""
    for values in ([np.nan, 0.0], [np.inf, 0.0], [0.0]):
        with pytest.raises(ValueError, match="at least two, and finite"):
            mean_zero(values, ALPHA)
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([np.nan], ALPHA)


def test_equal_values_are_zero_or_certainly_not():
    """Without any spread there is no doubt left."""
    assert mean_zero(np.zeros(3), ALPHA) == 1
    with pytest.raises(AssertionError, match=r"all values are 0\.1"):
        mean_zero(np.full(3, 0.1), 1e-9)


def test_too_few_ranks_for_the_bins_are_refused():
    """The chi-square distribution is an approximation, which few ranks would spoil."""
    with pytest.raises(ValueError, match="at least 5 a bin"):
        uniform_ranks(np.arange(40), draws=99, bins=10, alpha=ALPHA)
    with pytest.raises(ValueError, match="divide the 100 possible ranks"):
        uniform_ranks(np.arange(100), draws=99, bins=7, alpha=ALPHA)
    with pytest.raises(ValueError, match="from 0 to 98"):
        uniform_ranks(np.arange(100), draws=98, bins=9, alpha=ALPHA)


def test_a_rate_of_zero_asserts_nothing_and_one_is_no_rate():
    """P-values are collected with a rate of 0, for Holm to judge them together."""
    assert proportion_within(0, 1000, 0.5, 0) < 1e-200
    with pytest.raises(ValueError, match="false-alarm rate"):
        proportion_within(1, 2, 0.5, 1)


# --- the laws


@given(n=st.integers(1, 40), share=st.sampled_from([0.02, 0.3, 0.5, 0.9]), alpha=st.sampled_from([0.01, 0.05, 0.2]))
def test_the_binomial_rate_is_kept_exactly(n, share, alpha):
    """Add up the probability of every count that raises the alarm: never more than alpha, on either side or both."""
    chance = [comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]
    for side in ("both", "at least", "at most"):
        accused = [proportion_within(k, n, share, 0, side=side) <= alpha for k in range(n + 1)]
        assert sum(p for p, alarm in zip(chance, accused, strict=True) if alarm) <= alpha * (1 + 1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from([0.01, 0.05, 0.5]))
def test_holm_rejects_no_less_than_bonferroni_and_no_more_than_each_alone(pvalues, alpha):
    """The loop of the paper, written out, lies between the two simple rules and agrees with ours."""
    rejected = holm(pvalues, alpha)
    left = sorted(pvalues)
    while left and left[0] <= alpha / len(left):
        left.pop(0)
    assert sum(rejected) == len(pvalues) - len(left)
    for p, gone in zip(pvalues, rejected, strict=True):
        assert gone or p > alpha / len(pvalues)
        assert not gone or p <= alpha


# --- the statistics: false alarms and their positive twins, each on a fixed seed


def test_fair_proportions_are_accused_at_most_at_the_stated_rate():
    """300 trials at .3: counts are discrete, so the rate may be below alpha (exactly .0439 here), never above."""
    rng = np.random.default_rng(1)
    raised = alarms(lambda: proportion_within(rng.binomial(300, 0.3), 300, 0.3, ALPHA), REPEATS)
    low, high = limits(0.0439, REPEATS)
    assert low <= raised <= high


@pytest.mark.parametrize("sd", [None, 2.0])
def test_means_of_zero_are_accused_at_the_stated_rate(sd):
    """Five normal values suffice, known deviation or not: Student's t is exact where a z-test would accuse 12 %."""
    rng = np.random.default_rng(2)
    raised = alarms(lambda: mean_zero(rng.normal(0, 2, 5), ALPHA, sd=sd), REPEATS)
    low, high = limits(ALPHA, REPEATS)
    assert low <= raised <= high


def test_the_ranks_of_a_calibrated_sampler_are_accused_at_the_stated_rate():
    """Normal prior, normal data, exact posterior: what simulation-based calibration is supposed to accept."""
    rng = np.random.default_rng(3)
    raised = alarms(lambda: uniform_ranks(calibration_ranks(rng, 200), draws=19, bins=10, alpha=ALPHA), REPEATS)
    low, high = limits(ALPHA, REPEATS)
    assert low <= raised <= high


def test_one_false_alarm_among_twenty_true_claims_is_as_rare_as_stated():
    """Twenty claims at 5 % each would raise some alarm in 64 % of runs; Holm keeps it to 5 % (exactly 4.88 %)."""
    rng = np.random.default_rng(4)
    raised = sum(any(holm(rng.random(20).tolist(), ALPHA)) for _ in range(REPEATS))
    low, high = limits(1 - (1 - ALPHA / 20) ** 20, REPEATS)
    assert low <= raised <= high


def test_wrong_programs_are_caught():
    """Each with a planted fault of stated size, at a false-alarm rate of 1 in 1,000, in at least 95 % of runs."""
    rng = np.random.default_rng(5)
    faults = {
        "a rate of .40 that should be .30, 700 trials": lambda: proportion_within(
            rng.binomial(700, 0.4), 700, 0.3, 1e-3
        ),
        "a mean of .3 standard deviations, 400 values": lambda: mean_zero(rng.normal(0.3, 1, 400), 1e-3),
        "a posterior half as wide as it should be, 400 ranks": lambda: uniform_ranks(
            calibration_ranks(rng, 400, width=0.5), draws=19, bins=10, alpha=1e-3
        ),
        "one claim of twenty with p = .0005": lambda: accuse(holm([0.0005, *rng.random(19)], 0.05)),
    }
    for fault, test in faults.items():
        assert alarms(test, 200) >= 190, fault


@pytest.mark.slow
def test_the_rate_of_one_in_a_thousand_holds_for_ranks_too():
    """The chi-square approximation at the level that calibration uses, 40,000 times 200 ranks in 10 bins."""
    rng = np.random.default_rng(6)
    raised = alarms(lambda: uniform_ranks(rng.integers(0, 20, 200), draws=19, bins=10, alpha=1e-3), 40_000)
    low, high = limits(1e-3, 40_000)
    assert low <= raised <= high


def calibration_ranks(rng, n, width=1.0, draws=19):
    """Rank a normal truth among draws from its posterior, after one noisy look at it; `width` spoils the posterior."""
    truth = rng.normal(0, 1, n)
    look = truth + rng.normal(0, 1, n)
    posterior = look / 2 + width * 0.5**0.5 * rng.normal(0, 1, (draws, n))
    return (posterior < truth).sum(axis=0)


def accuse(rejected):
    """Turn Holm's answer into an assertion."""
    assert not any(rejected)
