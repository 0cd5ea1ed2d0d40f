"""The copula: what it says of a box is the normal integral, and of a population drawn from one, how many are unique."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pyarrow import parquet
from scipy.stats import multivariate_normal

from unmask.population import copula as module
from unmask.population.copula import (
    box_probability,
    chance_information,
    copula,
    key_probability,
    mutual_information,
)
from unmask.population.keys import Keys
from unmask.table import Table

CORRELATIONS = np.array([[1.0, 0.6, -0.3], [0.6, 1.0, 0.2], [-0.3, 0.2, 1.0]])
CUTS = [np.array([-np.inf, *inner, np.inf]) for inner in ([-1.0, 0.2, 1.5], [-0.5, 0.5], [-1.2, -0.4, 0.3, 1.1])]


def keys_of(codes: NDArray[np.integer[Any]], *, named: bool = False) -> Keys:
    """Return the keys of a table of numbers, or of their names."""
    columns = {f"c{i}": [f"v{x:03d}" if named else float(x) for x in column] for i, column in enumerate(codes.T)}
    return Keys.of(Table.of(columns, quasi=list(columns)))


def drawn(correlations: NDArray[np.float64], levels: int, people: int, seed: int) -> NDArray[np.int64]:
    """Draw people whose attributes are normal variables cut at as many quantiles."""
    rng = np.random.default_rng(seed)
    normal = rng.multivariate_normal(np.zeros(len(correlations)), correlations, people)
    cuts = np.quantile(rng.standard_normal(100_000), np.linspace(0, 1, levels + 1)[1:-1])
    return np.searchsorted(cuts, normal)


@pytest.mark.parametrize("correlation", [-0.95, -0.4, 0.0, 0.3, 0.9])
def test_the_probability_of_two_levels_is_the_normal_integral(correlation):
    """Against SciPy's bivariate normal distribution, level by level."""
    both = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]])
    found = box_probability(CUTS[0], CUTS[1], correlation)
    for i, j in product(range(4), range(3)):
        expected = both.cdf(
            np.minimum([CUTS[0][i + 1], CUTS[1][j + 1]], 9), lower_limit=np.maximum([CUTS[0][i], CUTS[1][j]], -9)
        )
        assert found[i, j] == pytest.approx(expected, abs=2e-6)
    assert found.sum() == pytest.approx(1, abs=1e-12)


def test_the_probability_of_a_key_is_the_normal_integral():
    """All sixty keys of three attributes, against SciPy; they add up to one."""
    boxes = np.array(list(product(range(4), range(3), range(5))))
    found = key_probability(boxes, CUTS, np.linalg.cholesky(CORRELATIONS))
    three = multivariate_normal(np.zeros(3), CORRELATIONS)
    expected = [
        three.cdf(
            np.minimum([CUTS[i][x + 1] for i, x in enumerate(box)], 9),
            lower_limit=np.maximum([CUTS[i][x] for i, x in enumerate(box)], -9),
        )
        for box in boxes
    ]
    assert found == pytest.approx(expected, rel=0.02)
    assert found.sum() == pytest.approx(1, abs=0.005)


def test_uniques_are_those_of_the_model_summed_over_all_keys():
    """N Σ p (1 − p)^(N − 1) over each of the keys that there can be; the draws are 4,096."""
    codes = drawn(CORRELATIONS, 8, 30_000, seed=1)
    keys, population = keys_of(codes), 3_000.0
    axes = module._axes(keys)
    cuts = [one.cuts() for one in axes]
    level = np.stack([one.level for one in axes], 1)
    root = np.asarray(np.linalg.cholesky(module._correlations(level, keys.people, cuts)), np.float64)
    p = key_probability(np.array(list(product(range(8), repeat=3))), cuts, root)
    assert copula(keys, population).value == pytest.approx(
        population * (p * (1 - p) ** (population - 1)).sum(), rel=0.1
    )


@pytest.mark.parametrize("share", [0.02, 0.2])
def test_of_people_drawn_from_a_copula_the_uniques_are_found(share):
    """100,000 people of four attributes of 20 levels: within a tenth from 2,000 of them."""
    correlations = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    population = drawn(correlations, 20, 100_000, seed=2)
    uniques = float((np.unique(population, axis=0, return_counts=True)[1] == 1).sum())
    rows = np.random.default_rng(3).permutation(100_000)[: int(100_000 * share)]
    found = copula(keys_of(population[rows]), 100_000)
    assert found.value == pytest.approx(uniques, rel=0.1)
    assert found.n == rows.size


def test_independent_attributes_have_no_correlation():
    """The bias of mutual information is subtracted: 2,000 people in 30 × 30 cells, two in each."""
    codes = np.random.default_rng(4).integers(0, 30, (2_000, 3))
    keys = keys_of(codes)
    axes = module._axes(keys)
    found = module._correlations(np.stack([one.level for one in axes], 1), keys.people, [one.cuts() for one in axes])
    assert np.abs(found - np.eye(3)).max() < 0.2


@pytest.mark.parametrize(("people", "levels"), [(300, 40), (2_000, 30), (20_000, 10)])
def test_information_by_chance_is_what_shuffling_gives(people, levels):
    """Independent attributes of unequal levels, from .13 people a cell to 200: within four standard errors."""
    rng = np.random.default_rng(8)
    a, b = (np.minimum(rng.geometric(3 / levels, people) - 1, levels - 1) for _ in range(2))
    information = []
    for _ in range(30):
        joint = np.zeros((levels, levels))
        np.add.at(joint, (a, rng.permutation(b)), 1)
        information.append(mutual_information(joint))
    expected = np.asarray(np.outer(joint.sum(axis=1), joint.sum(axis=0)) / people)
    mean, error = np.mean(information), np.std(information) / np.sqrt(30)
    assert chance_information(expected) == pytest.approx(mean, rel=0.05, abs=4 * error)
    assert mean > 0


@pytest.mark.parametrize("seed", range(3))
def test_other_names_of_values_change_nothing(seed):
    """Values without an order are ordered by the people who have them, not by their names."""
    codes = drawn(CORRELATIONS, 12, 3_000, seed=5)
    renamed = np.random.default_rng(seed).permutation(12)[codes]
    one, other = (copula(keys_of(each, named=True), 50_000).value for each in (codes, renamed))
    assert one == pytest.approx(other, rel=1e-3)


def test_values_that_the_sample_lacks_are_counted_with():
    """Of 3,000 equally rare names 500 people have 460: far more of the population are unique than by these alone."""
    names = np.random.default_rng(6).integers(0, 3_000, (500, 1))
    uniques = 20_000 * (1 - 1 / 3_000) ** 19_999
    found = copula(keys_of(names, named=True), 20_000).value
    few = copula(keys_of(names), 20_000).value
    assert found is not None
    assert few is not None
    assert uniques == pytest.approx(25.5, abs=0.5)
    assert few < 1e-6 < found < 4 * uniques


def test_many_levels_are_merged_in_the_fit_alone():
    """A number of 2,000 values beside one of two: correlated as its 256 parts are."""
    rng = np.random.default_rng(7)
    x = rng.permutation(4_000) // 2
    codes = np.stack([x, (x + rng.normal(0, 300, 4_000) > 1_000).astype(int)], axis=1)
    keys = keys_of(codes)
    axes = module._axes(keys)
    level, cut = module._merged(axes[0].level, axes[0].cuts())
    assert cut.size == 257
    assert (np.diff(cut) > 0).all()
    merged = np.bincount(level, keys.people)
    assert merged.size == 256
    assert 14 <= merged.min() <= merged.max() <= 18
    found = module._correlations(np.stack([one.level for one in axes], 1), keys.people, [one.cuts() for one in axes])
    assert found[0, 1] > 0.8


def test_without_people_who_differ_it_is_undefined():
    """One person, or all alike: undefined, not zero."""
    for codes in ([[1, 2]], [[1, 2], [1, 2]]):
        found = copula(keys_of(np.array(codes)), 100)
        assert found.value is None
        assert "differ" in found.why


COLUMNS = {
    "birthplace": ("AGEP", "SEX", "RAC1P", "MAR", "SCHL", "POBP"),
    "class of worker": ("AGEP", "SEX", "RAC1P", "MAR", "SCHL", "COW"),
    "eight": ("AGEP", "SEX", "RAC1P", "MAR", "SCHL", "COW", "RELP", "WKHP"),
    "occupation": ("AGEP", "SEX", "RAC1P", "OCCP"),
}
NUMBERS = {"AGEP", "SEX", "SCHL", "WKHP"}

WITHIN = {0.01: 0.3, 0.05: 0.15, 0.1: 0.1}
"""Relative errors by the share drawn, at most: seen, of four states by four sets of columns, .25, .12 and .09."""


@pytest.mark.parametrize("state", ["IL", *(pytest.param(one, marks=pytest.mark.sweep) for one in ("NY", "PA", "TX"))])
@pytest.mark.parametrize("names", COLUMNS)
def test_workers_of_four_states(data_folder, state, names):
    """The census survey as a population that is known; one draw of each share."""
    path = data_folder / "acs-income-2018" / f"acs_income_2018_{state}.parquet"
    table = parquet.read_table(path, columns=list(COLUMNS[names]))
    columns = {name: np.asarray(table[name]) for name in COLUMNS[names]}
    codes = np.stack([np.unique(values, return_inverse=True)[1] for values in columns.values()], axis=1)
    uniques = float((np.unique(codes, axis=0, return_counts=True)[1] == 1).sum())
    for share, most in WITHIN.items():
        rows = np.random.default_rng(3).permutation(table.num_rows)[: int(table.num_rows * share)]
        sample = {
            name: [float(x) if name in NUMBERS else str(x) for x in values[rows]] for name, values in columns.items()
        }
        found = copula(Keys.of(Table.of(sample, quasi=COLUMNS[names])), table.num_rows).value
        assert found is not None
        assert abs(found / uniques - 1) < most
