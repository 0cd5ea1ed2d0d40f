"""Poisson mixture: the law of rates that the sample's keys fit best says how many people are unique."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

from unmask.population.poisson_mixture import _LAWS, _Sample, poisson_mixture

RNG_SEEDS = range(12)


def drawn(rates: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Draw a population with these rates and a sample of it; also return its size and uniques."""
    rng = np.random.default_rng(seed)
    people = rng.poisson(rates)
    sample = rng.binomial(people, share)
    size, n_keys = np.unique(sample[sample > 0], return_counts=True)
    return size, n_keys, int(people.sum()), int((people == 1).sum())


@pytest.mark.parametrize(("law", "share"), [("log-normal", 0.1), ("log-normal", 0.3), ("gamma", 0.3)])
def test_where_a_law_holds_the_uniques_are_found_and_the_interval_covers_them(law, share):
    """Twelve populations each: half of the estimates within a tenth, at least 8 intervals cover (95 % promised).

    An interval that covered 95 % would be covered fewer than 8 times in 12 once in 5,000 runs.
    """
    errors, covered = [], 0
    for seed in RNG_SEEDS:
        rng = np.random.default_rng(1000 + seed)
        rates = np.exp(1.5 * rng.standard_normal(40_000)) if law == "log-normal" else rng.gamma(1.0, 2.0, 40_000)
        size, n_keys, people, uniques = drawn(rates, share, seed)
        found = poisson_mixture(size, n_keys, people)
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        errors.append(found.value / uniques - 1)
        covered += found.low <= uniques <= found.high
    assert np.median(np.abs(errors)) < 0.1
    assert covered >= 8


def test_the_error_of_a_fit_is_that_of_the_curvature_of_its_likelihood():
    """The delta method with derivatives by SciPy, and what keys add by chance."""
    rates = np.exp(1.5 * np.random.default_rng(1).standard_normal(20_000))
    size, n_keys, people, _ = drawn(rates, 0.1, 1)
    sizes, counts = size.astype(float), n_keys.astype(float)
    sample, law = _Sample.of(sizes, counts, float(sizes @ counts) / people), _LAWS[0]
    at = minimize(sample._loss, law.starts[0], (law,), "Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-6}).x
    slope = [(approx_fprime(at + h, sample._loss, 1e-4, law) - approx_fprime(at - h, sample._loss, 1e-4, law)) / 0.02
             for h in 0.01 * np.eye(2)]  # fmt: skip
    by_parameter = approx_fprime(at, sample._log_uniques, 1e-5, law)
    of_fit = float(by_parameter @ np.linalg.solve(slope, by_parameter))
    fit = sample.fitted(law)
    by_chance = 1 / counts.sum() + np.exp(-fit.log_uniques)
    assert of_fit > by_chance
    assert fit.variance == pytest.approx(of_fit + by_chance, rel=0.02)


def test_a_sample_that_says_nothing_gets_no_number():
    """All unique: any law fits. None unique: none is expected. All drawn: counted."""
    assert poisson_mixture(np.array([1]), np.array([50]), 1000).value is None
    assert poisson_mixture(np.array([2]), np.array([50]), 1000).value == 0
    assert poisson_mixture(np.array([1, 2]), np.array([50, 10]), 70).value == 50


@pytest.mark.parametrize(("size", "n_keys"), [([1, 2], [1, 1]), ([1, 2], [5000, 1]), ([1, 100_000], [3, 2])])
def test_odd_samples_give_no_number_or_one_within_the_population(size, n_keys):
    """Two keys; hardly a pair; two giants."""
    found = poisson_mixture(np.array(size), np.array(n_keys), 1e7)
    if found.value is None:
        assert found.why
        return
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1e7


def test_two_keys_are_too_few_for_any_law():
    """No number is better than one with a range of everything."""
    assert poisson_mixture(np.array([1, 2]), np.array([1, 1]), 1e7).value is None


def test_keys_that_are_all_large_have_no_uniques():
    """A tenth of 140,000 keys of 71 people: hundreds are alone in the sample, none in the population."""
    sample = np.random.default_rng(0).poisson(7.1, 140_000)
    size, n_keys = np.unique(sample[sample > 0], return_counts=True)
    found = poisson_mixture(size, n_keys, 10 * int(sample.sum()))
    assert found.value is not None
    assert found.high is not None
    assert found.high < 1
