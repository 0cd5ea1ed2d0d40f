"""How far to trust what was learned."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.attacks.minimality import tempering


def drawn(times: float, n_groups: int = 1000) -> tuple[np.ndarray, ...]:
    """Return people in groups of three of two jobs, and factors whose logarithms are so many times too large."""
    rng = np.random.default_rng(1)
    profile = rng.integers(0, 2, 3 * n_groups).astype(np.int32)
    ill = rng.random(profile.size) < np.array([0.2, 0.6])[profile]
    counts = np.stack([(~ill).reshape(-1, 3).sum(axis=1), ill.reshape(-1, 3).sum(axis=1)], axis=1).astype(np.int64)
    factors = np.array([[0.8, 0.2], [0.4, 0.6]]) / [0.6, 0.4]
    return np.arange(0, profile.size + 1, 3), profile, counts, factors**times


@pytest.mark.parametrize(("times", "expected"), [(1.0, 1.0), (2.0, 0.5), (4.0, 0.25)])
def test_factors_that_are_too_sure_are_trusted_as_much_less(times, expected):
    """Twice too large a logarithm is halved; what is right is taken as it is."""
    assert tempering.power(*drawn(times)) == pytest.approx(expected, abs=0.1)


def test_each_stretch_has_as_many_people_of_each_value_as_it_has():
    """60 and 40 people, whose factors point elsewhere: chances of a row add up to one, those of a stretch to counts."""
    weight = np.random.default_rng(2).random((100, 3)) + 0.1
    begin, total = np.array([0, 60]), np.array([[30, 20, 10], [5, 5, 30]])
    chance = tempering._calibrated(weight, begin, total)
    assert chance.sum(axis=1) == pytest.approx(1)
    assert np.add.reduceat(chance, begin) == pytest.approx(total, rel=1e-6)


def test_what_predicts_nothing_is_forgotten():
    """Factors that go against the groups get no weight at all."""
    start, profile, counts, factors = drawn(1.0)
    assert tempering.power(start, profile, counts, 1 / factors) < 0.02


def test_few_people_tell_too_little():
    """With one value the power is 1."""
    assert tempering.power(*drawn(4.0, 100)) == 1.0
    start, profile, counts, factors = drawn(4.0)
    alone = np.stack([counts.sum(axis=1), np.zeros(1000, np.int64)], axis=1)
    assert tempering.power(start, profile, alone, factors) == 1.0
