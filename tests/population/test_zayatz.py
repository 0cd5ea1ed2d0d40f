"""Zayatz: the sample's keys stand for the population's, each seen as far as it was drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from tests.population import samples
from unmask.population.zayatz import zayatz

USA = 317_238_626


def by_hand(size: list[int], n_keys: list[int], population: int) -> float:
    """Return the estimate by the probabilities of the hypergeometric distribution."""
    people = int(np.dot(size, n_keys))
    alone = [hypergeom.pmf(1, population, k, people) for k in size]
    chance = n_keys[0] * alone[0] / float(np.dot(n_keys, alone))
    return float(n_keys[0] * chance * population / people)


def test_half_of_the_population_by_hand():
    """One unique and one pair, three of six people: a pair of the population is halved with chance 3/5.

    So the unique is unique in the population with 1/2 to 3/5: 5/11 of 2 expected ones.
    """
    assert zayatz(np.array([1, 2]), np.array([1, 1]), 6).value == pytest.approx(2 * 5 / 11)


@pytest.mark.parametrize("population", [20, 21, 40, 1000])
def test_it_is_the_hypergeometric_formula(population):
    """Also where the whole population was drawn: then sample uniques are population uniques."""
    size, n_keys = [1, 2, 3, 4], [3, 2, 3, 1]
    expected = by_hand(size, n_keys, population)
    assert zayatz(np.array(size), np.array(n_keys), population).value == pytest.approx(expected)
    assert population > 20 or expected == pytest.approx(3)


@pytest.mark.parametrize(
    ("population", "uniques"),
    [(USA, 27295484.25), (30_162_000, 2630109.227), (3_016_200, 294012.2068), (603_240, 76414.7190),
     (301_620, 44668.9406), (150_810, 26603.0191), (60_324, 13955.9562), (33_513, 9464.6112)],
)  # fmt: skip
def test_it_agrees_with_arx_on_adult(population, uniques):
    """ARX 3.9.2, eight quasi-identifiers, eight sizes of the population."""
    assert zayatz(*samples.sizes(quasi=samples.QI8), population).value == pytest.approx(uniques, rel=2e-8)


@pytest.mark.parametrize(
    ("quasi", "uniques"),
    [
        (("sex", "age", "race"), {USA: 1377.217, 3_016_200: 64.039, 150_810: 37.571}),
        (("sex", "age", "race", "marital-status"), {USA: 104381.546, 3_016_200: 2495.023, 150_810: 738.685}),
        (("sex", "age", "race", "marital-status", "education"),
         {USA: 3553507.933, 3_016_200: 44688.793, 150_810: 6674.508}),
    ],
)  # fmt: skip
def test_it_agrees_with_arx_on_fewer_columns(quasi, uniques):
    """Down to three columns."""
    for population, expected in uniques.items():
        assert zayatz(*samples.sizes(quasi=quasi), population).value == pytest.approx(expected, rel=1e-8, abs=6e-4)


def test_who_has_company_in_the_sample_is_not_unique_in_the_population():
    """A sample without a unique person: none is expected."""
    assert zayatz(np.array([2]), np.array([3]), 100).value == 0
