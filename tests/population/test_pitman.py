"""Pitman: how fast new kinds of people keep turning up tells how many are unique in the population."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.population import samples
from unmask.arrays import Int64
from unmask.population.pitman import parameters, pitman

USA = 317_238_626


def likelihood(theta: float, alpha: float, size: Int64, n_keys: Int64) -> float:
    """Return the logarithm of the sampling formula, term by term."""
    kinds, people = int(n_keys.sum()), int(size @ n_keys)
    total = sum(math.log(theta + i * alpha) for i in range(1, kinds))
    total -= sum(math.log(theta + i) for i in range(1, people))
    return total + sum(
        int(n) * sum(math.log(j - alpha) for j in range(1, s)) for s, n in zip(size, n_keys, strict=True)
    )


def test_the_parameters_are_those_of_greatest_likelihood():
    """On 40 people of 15 kinds, against a search that knows nothing but the formula."""
    size, n_keys = np.array([1, 2, 3, 9]), np.array([8, 4, 2, 2])
    ours = parameters(size.astype(float), n_keys.astype(float))
    best = minimize(lambda x: -likelihood(x[0], x[1], size, n_keys), (3.0, 0.4), method="Nelder-Mead",
                    options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000})  # fmt: skip
    assert ours == pytest.approx(tuple(best.x), rel=1e-4)
    assert likelihood(*ours, size, n_keys) >= -best.fun - 1e-9


@pytest.mark.parametrize(
    ("population", "uniques"),
    [(USA, 4614481.191), (30_162_000, 944910.143), (3_016_200, 200186.7065), (603_240, 67664.4743),
     (301_620, 42411.1411), (150_810, 26582.7070), (60_324, 14335.2554), (33_513, 9646.2891)],
)  # fmt: skip
def test_it_agrees_with_arx_on_adult(population, uniques):
    """ARX 3.9.2, eight quasi-identifiers, eight sizes of the population; its solver stops at 3e-7."""
    assert pitman(*samples.sizes(quasi=samples.QI8), population).value == pytest.approx(uniques, rel=4e-7)


@pytest.mark.parametrize(
    ("quasi", "theta", "alpha", "uniques"),
    [
        (("sex", "age", "race"), 89.430, 0.004364, {USA: 95.516, 3_016_200: 93.595, 150_810: 92.379}),
        (("sex", "age", "race", "marital-status"), 139.4858, 0.269539,
         {USA: 7215.370, 3_016_200: 2057.171, 150_810: 917.470}),
        (("sex", "age", "race", "marital-status", "education"), None, None,
         {USA: 237734.204, 3_016_200: 27551.846, 150_810: 6885.087}),
        (("age", "education", "native-country"), 33.194, 0.578729, {}),
    ],
)  # fmt: skip
def test_it_agrees_with_arx_on_fewer_columns(quasi, theta, alpha, uniques):
    """Down to three columns, where new kinds have almost ceased to turn up."""
    size, n_keys = samples.sizes(quasi=quasi)
    if theta is not None:
        assert parameters(size.astype(float), n_keys.astype(float)) == pytest.approx((theta, alpha), rel=2e-4)
    for population, expected in uniques.items():
        assert pitman(size, n_keys, population).value == pytest.approx(expected, rel=1e-6, abs=6e-4)


def test_who_has_company_in_the_sample_is_not_unique_in_the_population():
    """A sample without a unique person: none is expected."""
    assert pitman(np.array([2, 5]), np.array([3, 1]), 1e6).value == 0
    assert pitman(np.zeros(0, int), np.zeros(0, int), 1e6).value == 0


def test_all_unique_is_undefined():
    """New kinds have not begun to thin out: undefined, not infinite, not the whole population."""
    estimate = pitman(np.array([1]), np.array([100]), 1e6)
    assert estimate.value is None
    assert "all people" in estimate.why
