"""Noisy counts read by their likelihood: against sums over every true count, one by one."""

from __future__ import annotations

from itertools import product
from math import exp, inf, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import gamma, nbinom, poisson

from unmask.arrays import Float64
from unmask.attacks.noisy_counts.denoising import lifts

MOST = 60
"""True counts are listed up to here; noise and usual numbers are small enough in these tests."""


def chance(shape: float, weight: float, size: list[float], noisy: list[list[float]], scale: list[list[float]]) -> float:
    """Sum over all true counts of one value: an urn to which what was drawn is added, times the noise."""
    total, whole = 0.0, weight + sum(size)
    rising = [1.0]  # shape · (shape + 1) · …, with as many factors as people were drawn
    for n in range(MOST * len(size)):
        rising.append(rising[-1] * (shape + n))
    tables = []
    for expected, published, scales in zip(size, noisy, scale, strict=True):
        own, drawn = [], 1.0
        for n in range(MOST):
            noise = [exp(-abs(y - n) / b) if b else float(y == n) for y, b in zip(published, scales, strict=True)]
            own.append(drawn * prod(noise))
            drawn *= expected / whole / (n + 1)
        tables.append(own)
    for counts in product(range(MOST), repeat=len(size)):
        total += rising[sum(counts)] * prod(own[n] for own, n in zip(tables, counts, strict=True))
    return float(total * (weight / whole) ** shape)


def oracle(share: Float64, weight: float, size: list[float], noisy: Float64, scale: Float64) -> Float64:
    """Return how much likelier each value is: P(counts | one more has v, who makes v more usual) / P(counts)."""
    result = []
    for v in range(share.size):
        shape = float(share[v]) * weight
        above = chance(shape + 1, weight, size, (noisy[v] - 1).tolist(), scale.tolist())
        result.append(above / chance(shape, weight, size, noisy[v].tolist(), scale.tolist()))
    return np.array(result) / max(result)


SHARE = np.array([0.5, 0.3, 0.2])


def test_without_noise_a_value_is_believed_as_often_as_it_is_counted():
    """Three, two and five people: whatever is usual, one of ten is meant, so shares are beliefs. Random worlds."""
    belief = SHARE * lifts(SHARE, 20.0, np.array([10.0]), np.array([[[3.0]], [[2.0]], [[5.0]]]), np.zeros((1, 1)), True)  # noqa: FBT003
    assert np.array([0.3, 0.2, 0.5]) == pytest.approx(belief / belief.sum(), rel=1e-12)


def test_with_noise_it_is_believed_as_often_as_it_is_expected():
    """One release: E[count | noisy count], the count being negative binomial beforehand; by hand for scale 2."""
    noisy, n = np.array([3.0, -1.0, 6.0]), np.arange(2_000)
    expected = []
    for y, share in zip(noisy, SHARE, strict=True):
        weight = nbinom.pmf(n, 20 * share, 20 / 30) * np.exp(-np.abs(y - n) / 2)
        expected.append((n * weight).sum() / weight.sum())
    belief = SHARE * lifts(SHARE, 20.0, np.array([10.0]), noisy[:, None, None], np.full((1, 1), 2.0), True)  # noqa: FBT003
    assert np.array(expected) / sum(expected) == pytest.approx(belief / belief.sum(), rel=1e-10)


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_beliefs_are_what_listing_all_true_counts_gives(data):
    """One or two releases, or one counted twice; large and small noise, and none; to nine digits."""
    kind = data.draw(st.sampled_from(["one", "two", "twice"]))
    counts, times = {"one": (1, 1), "two": (2, 1), "twice": (1, 2)}[kind]
    noisy = np.array(data.draw(st.lists(st.integers(-4, 9), min_size=3 * counts * times, max_size=3 * counts * times)))
    noisy = noisy.reshape(3, counts, times).astype(float)
    scale = np.array(
        data.draw(st.lists(st.sampled_from([0.3, 1.0, 2.0]), min_size=counts * times, max_size=counts * times))
    )
    scale = scale.reshape(counts, times)
    size = data.draw(st.lists(st.sampled_from([1.0, 4.0, 9.0]), min_size=counts, max_size=counts))
    weight = data.draw(st.sampled_from([5.0, 20.0]))
    found = lifts(SHARE, weight, np.array(size), noisy, scale, True)  # noqa: FBT003
    assert oracle(SHARE, weight, size, noisy, scale) == pytest.approx(found, rel=1e-9)


def test_two_releases_are_the_integral_over_what_is_usual_in_the_cell():
    """Poisson counts around a rate that is Gamma: the sums that list no counts, on a fine grid of rates."""
    rate, n = np.linspace(1e-9, 4, 40_001), np.arange(400)
    size, noisy, scale = [12.0, 30.0], np.array([[7.0], [-4.0]]), np.array([[3.0], [8.0]])

    def believed(share: float) -> float:
        around = [
            (poisson.pmf(n[:, None], s * rate[::8]) * np.exp(-np.abs(y - n) / b)[:, None]).sum(axis=0)
            for s, y, b in zip(size, noisy[:, 0], scale[:, 0], strict=True)
        ]
        one_more = [
            (poisson.pmf(n[:, None], s * rate[::8]) * np.exp(-np.abs(y - 1 - n) / b)[:, None]).sum(axis=0)
            for s, y, b in zip(size, noisy[:, 0], scale[:, 0], strict=True)
        ]
        before = gamma.pdf(rate[::8], share * 20, scale=1 / 20)
        return float((rate[::8] * before * np.prod(one_more, axis=0)).sum() / (before * np.prod(around, axis=0)).sum())

    share = np.array([0.6, 0.4])
    by_grid = np.array([believed(one) for one in share])
    found = share * lifts(share, 20.0, np.array(size), np.stack([noisy, noisy]), scale, True)  # noqa: FBT003
    assert by_grid / by_grid.sum() == pytest.approx(found / found.sum(), rel=1e-4)


def test_where_every_cell_equals_the_population_counts_are_poisson():
    """Local weight without bounds: P(y − 1) over P(y), summed over a Poisson count; two releases multiply."""
    n = np.arange(400)
    noisy = np.array([[[3.0], [8.0]], [[5.0], [-2.0]]])
    share, size = np.array([0.5, 0.5]), np.array([6.0, 9.0])

    def ratio(y: float, mean: float) -> float:
        before = poisson.pmf(n, mean)
        return float((before * np.exp(-np.abs(y - 1 - n) / 2)).sum() / (before * np.exp(-np.abs(y - n) / 2)).sum())

    expected = np.array([prod(ratio(y, 0.5 * s) for y, s in zip(noisy[v, :, 0], size, strict=True)) for v in range(2)])
    found = lifts(share, inf, size, noisy, np.full((2, 1), 2.0), True)  # noqa: FBT003
    assert expected / expected.max() == pytest.approx(found, rel=1e-10)


def test_what_cannot_be_is_not_believed():
    """An exact count of zero: no person has the value."""
    found = lifts(SHARE, 20.0, np.array([10.0]), np.array([[[0.0]], [[2.0]], [[5.0]]]), np.zeros((1, 1)), True)  # noqa: FBT003
    assert found[0] == 0
    contradiction = np.array([[[1.0, 2.0]]])
    assert [0.0] == lifts(np.ones(1), 20.0, np.array([2.0]), contradiction, np.zeros((1, 2)), True).tolist()  # noqa: FBT003


def test_more_noise_tells_less():
    """A count of nine among ones: with ever larger noise the belief falls towards what is usual, and never below."""
    noisy = np.array([[[9.0]], [[1.0]], [[1.0]]])
    share = np.full(3, 1 / 3)
    tops = []
    for scale in (0.1, 1.0, 5.0, 50.0, 5_000.0):
        belief = share * lifts(share, 20.0, np.array([11.0]), noisy, np.full((1, 1), scale), True)  # noqa: FBT003
        tops.append(float(belief[0] / belief.sum()))
    assert tops == sorted(tops, reverse=True)
    assert 9 / 11 == pytest.approx(tops[0], abs=1e-3)
    assert 1 / 3 == pytest.approx(tops[-1], abs=1e-3)


def test_large_counts_are_read_where_they_are():
    """A million people with noise of 20: only counts around are looked at, and a belief is the share to six digits."""
    noisy = np.array([[[600_000.0]], [[399_980.0]], [[20.0]]])
    belief = SHARE * lifts(SHARE, 20.0, np.array([1e6]), noisy, np.full((1, 1), 20.0), True)  # noqa: FBT003
    assert np.array([0.6, 0.39998, 0.00002]) == pytest.approx(belief / belief.sum(), abs=1e-4)
