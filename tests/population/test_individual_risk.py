"""Individual risk: a sample unique who stands for a hundred people is not a population unique."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import hyp2f1

from tests.population import samples
from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.population.individual_risk import individual_risk
from unmask.population.keys import Keys
from unmask.table import Table


def risks(table: Table) -> Float64:
    """Return the risk of each row of a table with weights."""
    keys = Keys.of(table)
    assert keys.population is not None
    return individual_risk(keys.sample, keys.population)[keys.number]


def one(f: float, population: float) -> float:
    """Return one risk."""
    return float(individual_risk(np.array([f]), np.array([population]))[0])


def approximate(f: Float64, population: Float64) -> Float64:
    """Return the risk as sdcMicro approximates it from three look-alikes on."""
    p = f / population
    return np.where(f < 3, individual_risk(f, population), p / (f - 1 + p))


# --- the story


def test_sample_unique_with_one_in_ten_drawn():
    """By hand: p / q · ln(1 / p) = 1/9 · ln 10; much more than 1/10, for the people behind a unique are often few."""
    assert one(1, 10) == pytest.approx(math.log(10) / 9)


def test_two_look_alikes_by_hand():
    """With p = 1/5: p / q − (p / q)² ln(1 / p)."""
    odds = 0.2 / 0.8
    assert one(2, 10) == pytest.approx(odds - odds**2 * math.log(5))


def test_full_sample_has_risk_one_over_class_size():
    """Nothing is uncertain then."""
    f = np.array([1.0, 2, 3, 50, 5000])
    assert individual_risk(f, f) == pytest.approx(1 / f, rel=1e-12)


def test_the_risk_is_the_mean_of_one_over_the_people_behind_the_key():
    """Populations drawn from the assumed law, by hand: F = f + failures before f successes; at 4.5 standard errors."""
    draws = 3 + np.random.default_rng(5).negative_binomial(3, 0.1, 400_000)
    error = (1 / draws).std() / math.sqrt(draws.size)
    assert abs(one(3, 30) - (1 / draws).mean()) < 4.5 * error


# --- laws


@given(f=st.integers(1, 60), share=st.floats(1e-6, 1))
def test_it_equals_the_integral(f, share):
    """Against numerical integration of the formula, to 8 digits, from one in a million to all."""
    near = [min(share, 0.5)]
    expected = quad(lambda t: t ** (f - 1) / (share + (1 - share) * t), 0, 1, points=near, epsabs=0, limit=500)[0]
    expected *= share
    assert one(f, f / share) == pytest.approx(expected, rel=1e-8)


@given(f=st.integers(1, 30), share=st.floats(0.2, 0.999))
def test_it_equals_the_hypergeometric_series(f, share):
    """Franconi and Polettini write it so: p^f / f · 2F1(f, f; f + 1; 1 − p)."""
    expected = share**f / f * hyp2f1(f, f, f + 1, 1 - share)
    assert one(f, f / share) == pytest.approx(expected, rel=1e-7)


@given(f=st.integers(1, 5000), population=st.floats(1, 1e9), more=st.floats(1, 10))
def test_more_people_in_the_population_never_raise_it(f, population, more):
    """And it lies between 1 / F and 1 / f, however large either is."""
    size = f * population
    assert 1 / size * (1 - 1e-9) <= one(f, size * more) * more
    assert one(f, size * more) <= one(f, size) * (1 + 1e-12) <= 1 / f * (1 + 1e-9)


# --- agreement with sdcMicro 5.8.0, where it is right


def test_francdat(data_folder):
    """Eight people, to 12 digits."""
    expected = [
        .0171442615962852, .0220423261832562, .0220423261832562, .177075834003514,
        .011654480146012, .297063077382834, .402359478108525, .0171442615962852,
    ]  # fmt: skip
    assert risks(samples.francdat(data_folder)) == pytest.approx(expected, rel=1e-12)
    assert risks(samples.francdat(data_folder)).sum() == pytest.approx(0.966526045199967, rel=1e-12)


def test_adult_unweighted():
    """Then risks are 1 / f, and add up to the number of keys."""
    assert risks(samples.adults(weight=1)).sum() == pytest.approx(11_089)


@pytest.mark.parametrize(
    ("weight", "total", "simple", "first"),
    [
        (10, 2438.876652003, 2442.09445412973,
         [.0463684294828, .0140565069551, .0058460682376, .0826841346544, .25584278811, .25584278811, .25584278811,
          .0163485802616, .0463684294828, .00237517399499]),
        (0, .7145814092795, .714581431978215,
         [4.12805786432e-6, 7.06671622006e-7, 3.18005980248e-7, 6.14690486538e-6, 3.76232550711e-5, 4.41307631781e-5,
          7.48136364087e-5, 9.77987130362e-7, 2.91350955733e-6, 1.33309954261e-7]),
    ],
    ids=["ten each", "fnlwgt"],
)  # fmt: skip
def test_adult_weighted(weight, total, simple, first):
    """The true form; sdcMicro's approximation of it too, but for its own figures."""
    table = samples.adults(weight=weight)
    found = risks(table)
    assert found.sum() == pytest.approx(total, rel=1e-12)
    assert found[:10] == pytest.approx(first, rel=1e-11)
    keys = Keys.of(table)
    assert keys.population is not None
    assert approximate(keys.sample, keys.population)[keys.number].sum() == pytest.approx(simple, rel=1e-12)


def test_households(data_folder):
    """A survey of 4,580 people, a hundred each."""
    found = risks(samples.households(data_folder))
    assert found.sum() == pytest.approx(10.775525136282, rel=1e-12)
    assert found.max() == pytest.approx(0.0465168705655363, rel=1e-12)
    first = [9.43306396429e-5, 9.90000019996e-5, 5.71395734502e-5, 5.71395734502e-5, 2.22171740646e-4, 2.272198983e-4]
    assert found[:6] == pytest.approx(first, rel=1e-11)


# --- where sdcMicro is wrong


def test_large_keys_with_large_weights_have_a_risk(data_folder):
    """Its exact form gives Inf or NaN for 3,297 people of Adult and 176 of testdata; a mean of 1 / F lies in (0, 1]."""
    for table in (samples.adults(weight=0), samples.households(data_folder)):
        found = risks(table)
        assert ((found > 0) & (found <= 1)).all()


# --- edges


def test_fewer_people_than_were_drawn_are_refused():
    """A population contains its sample, and each key has a person."""
    for f, population in ((2.0, 1.0), (0.0, 1.0), (1.0, math.inf)):
        with pytest.raises(InvalidInputError, match="at least 1 in the sample"):
            one(f, population)
    assert individual_risk(np.zeros(0), np.zeros(0)).size == 0
