"""Slide negative binomial: the sizes of keys follow one law, of which the sample's uniques and pairs tell the rest."""

from __future__ import annotations

import numpy as np
import pytest

from tests.population import samples
from unmask.population.slide_negative_binomial import shlosser, slide_negative_binomial


def test_it_recovers_the_law_that_a_population_was_drawn_from():
    """100,000 keys with a = 0.4, b = 0.15, three people in ten drawn: the uniques within a tenth.

    Shlosser's estimate of the number of keys is the weak part; the seed is fixed.
    """
    rng = np.random.default_rng(3)
    population = 1 + rng.negative_binomial(0.4, 0.15, 100_000)
    sample = rng.binomial(population, 0.3)
    size, n_keys = np.unique(sample[sample > 0], return_counts=True)
    found = slide_negative_binomial(size, n_keys, population.sum()).value
    assert found == pytest.approx((population == 1).sum(), rel=0.1)


def test_shlosser_is_right_at_a_large_sampling_share():
    """Then hardly a key can have been missed."""
    assert shlosser(np.array([1.0, 2, 3]), np.array([5.0, 3, 1]), 0.9999) == pytest.approx(9, abs=0.001)


def test_shlosser_by_hand():
    """Two uniques and a pair, half of the people drawn.

    2·(2·.25 + 2·.25·.75) / (2·(.75 − .5) + .5625 − .25) · ((2·.5 + .25) / (2·.5 + 2·.5·.5))², and the three seen.
    """
    first, second, third = 2 * 0.25 + 2 * 0.25 * 0.75, 2 * 0.25 + 0.3125, (1.25 / 1.5) ** 2
    assert shlosser(np.array([1.0, 2]), np.array([2.0, 1]), 0.5) == pytest.approx(3 + 2 * first / second * third)


@pytest.mark.parametrize(
    ("population", "uniques"),
    [(317_238_626, 15_773_863), (30_162_000, 1461476.46), (3_016_200, 149254.11), (301_620, 37691.49),
     (150_810, 25610.90), (60_324, 13988.99), (33_513, 9465.29)],
)  # fmt: skip
def test_there_is_an_estimate_where_arx_has_none(population, uniques):
    """ARX 3.9.2 misplaces a power and a bracket: 0 up to half of the population, 9,354.69 instead of 9,465.29 at .9."""
    found = slide_negative_binomial(*samples.sizes(quasi=samples.QI8), population)
    assert found.value == pytest.approx(uniques, rel=4e-7)


def test_without_a_fit_undefined():
    """No pair in the sample; more pairs than any slide negative binomial gives beside so few uniques."""
    assert slide_negative_binomial(np.array([1, 3]), np.array([5, 1]), 100).value is None
    assert slide_negative_binomial(np.array([1, 2]), np.array([1, 400]), 900).value is None


def test_the_whole_population_has_the_uniques_that_are_seen():
    """A sample without a unique person: none is expected."""
    assert slide_negative_binomial(np.array([1, 2]), np.array([4, 3]), 10).value == 4
    assert slide_negative_binomial(np.array([2]), np.array([4]), 80).value == 0
