"""Uniqueness, put to the test: populations that are known, of which a share is drawn, and how far the estimate is off.

Within a fifth, the aim, where most keys are rare and a few are very common, as people's are; from three in ten on for
all but two populations, and everywhere if half of the people were drawn. The worse cases are listed, and asserted to
be worse: among populations made by a law they all err by too many uniques.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from pyarrow import parquet

from tests.population import samples
from unmask.arrays import Int64
from unmask.population.dankar import dankar
from unmask.population.pitman import pitman
from unmask.population.poisson_mixture import poisson_mixture
from unmask.population.slide_negative_binomial import slide_negative_binomial
from unmask.population.zayatz import zayatz

PEOPLE = 100_000
SHARES = (0.05, 0.1, 0.2, 0.3, 0.5)
SPANNING = [share if share == 0.1 else pytest.param(share, marks=pytest.mark.sweep) for share in SHARES]


def drawn(weight: np.ndarray, seed: int) -> Int64:
    """Return how many of the people have each key, if keys are drawn in proportion to weights."""
    return np.random.default_rng(seed).multinomial(PEOPLE, weight / weight.sum())


def pitman_yor(theta: float, alpha: float, seed: int) -> Int64:
    """Return how many people have each key, if new kinds turn up as in Pitman's process (by breaking sticks)."""
    rng = np.random.default_rng(seed)
    stick = rng.beta(1 - alpha, theta + alpha * np.arange(1, 400_001))
    weight = stick * np.concatenate([[1], np.cumprod(1 - stick)[:-1]])
    return drawn(weight, seed + 1)


def independent(*names: str, seed: int) -> Int64:
    """Return how many people have each combination of Adult's columns, drawn independently of each other."""
    table, rng = samples.adults(), np.random.default_rng(seed)
    codes = np.stack([rng.permutation(np.resize(table.ranks(name)[0], PEOPLE)) for name in names], axis=1)
    return np.unique(codes, axis=0, return_counts=True)[1]


POPULATIONS: dict[str, Callable[[], Int64]] = {
    "pitman": lambda: pitman_yor(500, 0.6, 1),
    "zipf 1.2": lambda: drawn(np.arange(1.0, 500_001) ** -1.2, 3),
    "zipf 1.0": lambda: drawn(np.arange(1.0, 500_001) ** -1.0, 4),
    "zipf 0.8": lambda: drawn(np.arange(1.0, 500_001) ** -0.8, 5),
    "independent, seven columns": lambda: independent(*samples.KV7, seed=6),
    "independent, five columns": lambda: independent("age", "education", "marital-status", "race", "sex", seed=7),
    "log-normal, sd 3": lambda: drawn(np.exp(3 * np.random.default_rng(8).standard_normal(50_000)), 9),
    "log-normal, sd 2": lambda: drawn(np.exp(2 * np.random.default_rng(10).standard_normal(50_000)), 11),
    "log-normal, sd 1": lambda: drawn(np.exp(np.random.default_rng(12).standard_normal(50_000)), 13),
    "slide negative binomial": lambda: 1 + np.random.default_rng(14).negative_binomial(0.4, 0.15, 30_000),
    "gamma, shape 1": lambda: drawn(np.random.default_rng(15).gamma(1.0, size=50_000), 16),
}

WORSE = {
    ("zipf 1.0", 0.05): 0.25, ("zipf 1.0", 0.1): 0.25,
    ("zipf 0.8", 0.05): 0.35, ("zipf 0.8", 0.1): 0.25,
    ("log-normal, sd 3", 0.05): 0.9, ("log-normal, sd 3", 0.1): 0.65,
    ("log-normal, sd 2", 0.05): 1.3, ("log-normal, sd 2", 0.1): 0.75, ("log-normal, sd 2", 0.2): 0.25,
    ("log-normal, sd 1", 0.05): 0.85, ("log-normal, sd 1", 0.1): 0.7, ("log-normal, sd 1", 0.2): 0.75,
    ("log-normal, sd 1", 0.3): 0.25,
    ("gamma, shape 1", 0.05): 1.3, ("gamma, shape 1", 0.1): 1.2, ("gamma, shape 1", 0.2): 0.9,
    ("gamma, shape 1", 0.3): 0.25,
}  # fmt: skip
"""Where the estimate is off by more than a fifth: always too many, and by how much at most."""


@cache
def error(name: str, share: float) -> float:
    """Return by how much, relative to the truth, the believed estimate is off."""
    return error_of(population(name), share)


@cache
def population(name: str) -> Int64:
    """Return how many people of a population have each key; made once."""
    return POPULATIONS[name]()


def sampled(sizes: Int64, share: float) -> tuple[Int64, Int64, int]:
    """Draw a share of a population: sizes of keys, how many keys have each, and the people of the population."""
    people = int(sizes.sum())
    sample = np.random.default_rng(17).multivariate_hypergeometric(sizes, int(people * share))
    return (*np.unique(sample[sample > 0], return_counts=True), people)


def error_of(sizes: Int64, share: float) -> float:
    """Draw a share of a population, whose keys have these numbers of people, and compare."""
    size, n_keys, people = sampled(sizes, share)
    each = {
        "pitman": pitman(size, n_keys, people),
        "zayatz": zayatz(size, n_keys, people),
        "slide-negative-binomial": slide_negative_binomial(size, n_keys, people),
    }
    believed = dankar(share, *each.values())
    assert believed is not None
    value = each[believed].value
    assert value is not None
    return value / float((sizes == 1).sum()) - 1


@pytest.mark.parametrize("share", SPANNING)
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_believed_estimate_is_within_a_fifth_but_for_the_cases_that_are_listed(name, share):
    """One draw each, on fixed seeds."""
    if (name, share) in WORSE:
        assert 0.2 < error(name, share) < WORSE[name, share]
    else:
        assert abs(error(name, share)) <= 0.2


MIXTURE_WORSE = {("log-normal, sd 1", 0.05), ("slide negative binomial", 0.1), ("gamma, shape 1", 0.05)}
"""Where the law that fits best is off by more than a fifth: its interval says so."""


@pytest.mark.parametrize("share", SPANNING)
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_law_that_fits_best_is_within_a_fifth_in_all_but_three_cases(name, share):
    """52 of 55, where the rule's pick is so in 38; in the other three the interval covers the truth."""
    sizes = population(name)
    found = poisson_mixture(*sampled(sizes, share))
    uniques = float((sizes == 1).sum())
    assert found.value is not None
    assert (abs(found.value / uniques - 1) > 0.2) == ((name, share) in MIXTURE_WORSE)
    if (name, share) in MIXTURE_WORSE:
        assert found.low is not None
        assert found.high is not None
        assert found.low <= uniques <= found.high


@pytest.mark.parametrize(
    ("share", "least", "most"), [(0.05, -0.35, 0), (0.1, -0.2, 0.2), (0.2, -0.2, 0.2), (0.5, -0.1, 0.1)]
)
def test_people_of_illinois_are_a_population_too(data_folder, share, least, most):
    """67,016 workers of the census survey by age, sex, race, marital status, schooling and birthplace.

    Not made by any law: of one in twenty Pitman finds 29 % too few uniques, of one in ten 14 %.
    """
    path = data_folder / "acs-income-2018" / "acs_income_2018_IL.parquet"
    table = parquet.read_table(path, columns=["AGEP", "SEX", "RAC1P", "MAR", "SCHL", "POBP"])
    codes = np.stack([np.asarray(column) for column in table.columns], axis=1)
    sizes = np.unique(codes, axis=0, return_counts=True)[1]
    assert least <= error_of(sizes, share) <= most
