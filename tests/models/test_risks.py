"""Models of size alone: the largest risk, the average, the share of people who are alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.models.average_risk import AverageRisk
from unmask.models.max_risk import MaxRisk
from unmask.models.privacy_model import holds
from unmask.models.uniqueness import SampleUniqueness

NOTHING: tuple[Float64, Float64] = (np.zeros((1, 0)), np.zeros(0))


def average(model: AverageRisk | SampleUniqueness, sizes: list[float]) -> float:
    """Return the one number."""
    size = np.array(sizes)
    return model.average(model.score(size, *NOTHING), size)


def test_the_average_is_over_people_and_not_over_groups():
    """Groups of 4 and 2 people: of six people who are looked for, two are found. 0.375 is the mean over groups."""
    assert average(AverageRisk(), [4, 2]) == pytest.approx(2 / 6)


def test_uniques_are_counted_as_people():
    """Two of six are alone."""
    assert average(SampleUniqueness(), [1, 4, 1]) == pytest.approx(2 / 6)


@pytest.mark.parametrize(("limit", "size"), [(0.09, 11), (0.2, 5), (0.05, 20), (1, 1), (1 / 3, 3), (0.33, 3)])
def test_regulators_round_their_thresholds(limit, size):
    """0.09 stands for groups of 11, whose risk is 0.0909; and a group smaller by one is beyond it."""
    model = MaxRisk(limit)
    assert holds(model, model.score(np.array([float(size)]), *NOTHING)).all()
    if size > 1:
        assert not holds(model, model.score(np.array([size - 1.0]), *NOTHING)).any()


@pytest.mark.parametrize(("limit", "size"), [(0.3, 3), (0.4, 2), (0.24, 4)])
def test_a_limit_that_is_no_rounded_fraction_is_taken_as_is(limit, size):
    """0.3 is not 1/3 written with two decimals: a group of three is beyond it, and one more person is not."""
    model = MaxRisk(limit)
    assert not holds(model, model.score(np.array([float(size)]), *NOTHING)).any()
    assert holds(model, model.score(np.array([size + 1.0]), *NOTHING)).all()


@pytest.mark.parametrize("model", [AverageRisk(), SampleUniqueness()])
def test_without_people_the_average_is_undefined(model):
    """Undefined, not 0."""
    assert math.isnan(average(model, []))


@pytest.mark.parametrize(
    ("make", "limit"), [(AverageRisk, 0), (AverageRisk, 1.1), (MaxRisk, 0), (MaxRisk, 2), (SampleUniqueness, -0.1)]
)
def test_a_limit_is_a_share(make, limit):
    """Said with the value."""
    with pytest.raises(InvalidInputError, match=r"between 0 and 1|above 0 and at most 1"):
        make(limit)


@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=9))
def test_averages_are_the_mean_over_all_people(sizes):
    """Each person stands in a list with their own risk."""
    risks = [1 / n for n in sizes for _ in range(n)]
    assert average(AverageRisk(), [float(n) for n in sizes]) == pytest.approx(sum(risks) / len(risks))
    assert average(SampleUniqueness(), [float(n) for n in sizes]) == pytest.approx(risks.count(1) / len(risks))
    assert MaxRisk().score(np.array(sizes, float), *NOTHING).max() == pytest.approx(max(risks))
