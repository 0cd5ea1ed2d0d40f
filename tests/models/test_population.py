"""Models that ask how many people of the population look like a group: k-map and δ-presence."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unmask.errors import InvalidInputError
from unmask.models.delta_presence import DeltaPresence
from unmask.models.k_map import KMap
from unmask.models.privacy_model import holds


def test_a_group_of_one_is_hidden_by_the_people_outside():
    """k-anonymity fails at 1; five people of the town look alike, so 5-map holds."""
    score = KMap().score_among(np.array([1.0, 6.0]), np.array([5.0, 6.0]))
    assert score.tolist() == [5, 6]
    assert holds(KMap(5), score).all()
    assert not holds(KMap(6), score).all()


def test_an_empty_group_meets_k_map():
    """People of the population who fit no group are not in the release."""
    assert KMap().score_among(np.array([0.0]), np.array([3.0])).tolist() == [math.inf]


def test_presence_is_members_over_people_who_fit():
    """Both limits count, and touching one is fine."""
    score = DeltaPresence().score_among(np.array([1.0, 2.0, 4.0]), np.array([4.0, 4.0, 4.0]))
    assert score.tolist() == [0.25, 0.5, 1]
    assert holds(DeltaPresence(0.25, 0.5), score).tolist() == [True, True, False]
    assert holds(DeltaPresence(0.3, 1), score).tolist() == [False, True, True]


def test_people_who_fit_no_group_are_certainly_not_in_the_release():
    """Which breaks a lower limit, and only that."""
    score = DeltaPresence().score_among(np.array([0.0]), np.array([3.0]))
    assert score.tolist() == [0]
    assert holds(DeltaPresence(0, 0.5), score).all()
    assert not holds(DeltaPresence(0.1, 0.5), score).any()


def test_a_group_that_fits_no_person_is_infinite_and_an_empty_one_undefined():
    """The table given is not the population; and neither is within any limits."""
    score = DeltaPresence().score_among(np.array([2.0, 0.0]), np.array([0.0, 0.0]))
    assert score[0] == math.inf
    assert math.isnan(score[1])
    assert not holds(DeltaPresence(0, 1), score).any()


def test_limits_are_checked():
    """There are no half people in k, and 0 ≤ low ≤ high ≤ 1."""
    for k in (0, 2.5):
        with pytest.raises(InvalidInputError, match=r"k must be a whole number( of at least 1)?; got"):
            KMap(k)  # type: ignore[arg-type]
    for low, high in ((0.6, 0.5), (-0.1, 0.5), (0, 1.5)):
        with pytest.raises(InvalidInputError, match="delta-presence must have limits"):
            DeltaPresence(low, high)
