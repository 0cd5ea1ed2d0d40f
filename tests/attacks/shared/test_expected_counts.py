"""Expected true counts behind noisy counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from unmask.attacks.shared.expected_counts import expected_positive, expected_sizes


@pytest.mark.parametrize("noisy", [-40.0, -5.0, 0.0, 3.0, 60.0])
def test_a_count_that_cannot_be_negative_is_expected_above_the_noise_alone(noisy):
    """The mean of a normal distribution cut off at zero, by numeric integration."""
    deviation = 10.0
    whole = integrate.quad(lambda n: stats.norm.pdf(n, noisy, deviation), 0, 300, epsabs=0)[0]
    mean = integrate.quad(lambda n: n * stats.norm.pdf(n, noisy, deviation), 0, 300, epsabs=0)[0] / whole
    assert mean == pytest.approx(expected_positive(np.array([noisy]), deviation)[0], rel=1e-6)


def test_without_noise_it_is_what_is_published():
    """Never negative."""
    assert [0.0, 3.0] == expected_positive(np.array([-2.0, 3.0]), 0.0).tolist()


@given(st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=6), st.floats(0.1, 1e3))
def test_expected_counts_rise_with_published_ones_and_stay_positive(noisy, deviation):
    """However far below zero: above zero, and in the order of the noisy numbers, up to rounding where the tail ends."""
    found = expected_positive(np.sort(np.array(noisy)), deviation)
    assert (found > 0).all()
    assert (np.diff(found) >= -1e-9 * deviation).all()


@pytest.mark.parametrize("noisy", [[0.0, 5.0, 40.0, 15.0], [1.0, -2.0, 2.0]])
def test_sizes_are_posterior_means_under_an_exponential_prior(noisy):
    """By numeric integration, with noise of 3; the prior's mean is that of a total that cannot be negative, a cell."""
    total, spread = sum(noisy), 3 * np.sqrt(len(noisy))
    mean = stats.truncnorm(-total / spread, np.inf, total, spread).mean() / len(noisy)
    expected = []
    for one in noisy:
        weight = lambda n, one=one: stats.norm.pdf(n, one, 3) * np.exp(-n / mean)  # noqa: E731
        whole, sums = (integrate.quad(f, 0, 80, epsabs=0)[0] for f in (weight, lambda n, w=weight: n * w(n)))
        expected.append(sums / whole)
    assert expected_sizes(np.array(noisy), 3.0) == pytest.approx(expected, rel=1e-6)


def test_sizes_are_drawn_towards_the_mean_of_all_cells():
    """Two cells of 500 and one of 20 with noise of 40: large ones keep their size, a negative one is a small one."""
    found = expected_sizes(np.array([500.0, 500.0, -20.0]), 40.0)
    assert found[:2] == pytest.approx(500, rel=0.02)
    assert 0 < found[2] < 40
