from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from tests.models import reference
from tests.models.strategies import arrays, groups
from unmask.errors import InvalidInputError
from unmask.models.beta_likeness import BetaLikeness, EnhancedBetaLikeness
from unmask.models.privacy_model import holds

BOTH = (BetaLikeness, EnhancedBetaLikeness)


def test_a_rare_value_must_not_become_likely():
    """One in ten in the table, one in two in the group: five times as much is a growth by four."""
    score = BetaLikeness().score(np.array([2.0]), np.array([[1.0, 1.0]]), np.array([1.0, 9.0]))
    assert score == pytest.approx([4])
    assert holds(BetaLikeness(4), score).all()
    assert not holds(BetaLikeness(3.9), score).any()


def test_a_value_of_half_the_people_may_become_certain_for_the_plain_model_only():
    """The gain is 1, within β = 1; but it exceeds −ln 0.5 = 0.69, so no β makes it enhanced β-like."""
    counts = np.array([[2.0, 0.0]]), np.array([2.0, 2.0])
    assert BetaLikeness().score(np.array([2.0]), *counts).tolist() == [1]
    assert EnhancedBetaLikeness().score(np.array([2.0]), *counts).tolist() == [math.inf]


@pytest.mark.parametrize("model", BOTH)
def test_one_group_gains_nothing(model):
    """The group is the table: also where it has one value only, whose −ln q is 0."""
    assert model().score(*arrays([[3, 1, 0]])).tolist() == [0]
    assert model().score(*arrays([[4]])).tolist() == [0]


@pytest.mark.parametrize("model", BOTH)
def test_nothing_known_is_undefined_and_never_safe(model):
    """Not a gain of nothing."""
    score = model().score(np.array([2.0]), np.zeros((1, 3)), np.ones(3))
    assert np.isnan(score).all()
    assert not holds(model(9), score).any()
    assert np.isnan(model().score(np.array([2.0]), np.zeros((1, 0)), np.zeros(0))).all()


@pytest.mark.parametrize("model", BOTH)
def test_a_value_that_the_table_lacks_is_infinitely_likelier(model):
    """Where the table that is compared with is another one."""
    assert model().score(np.array([1.0]), np.array([[1.0, 0.0]]), np.array([0.0, 5.0])).tolist() == [math.inf]


@pytest.mark.parametrize("model", BOTH)
def test_beta_is_positive(model):
    """β = 0 would allow one group only."""
    with pytest.raises(InvalidInputError, match="beta must be above 0; got 0"):
        model(0)


@given(counts=groups())
def test_both_equal_their_definitions(counts):
    """Value by value, as fractions."""
    overall = np.array(counts).sum(axis=0).tolist()
    assert BetaLikeness().score(*arrays(counts)) == pytest.approx([reference.beta(row, overall) for row in counts])
    expected = [reference.enhanced_beta(row, overall) for row in counts]
    assert EnhancedBetaLikeness().score(*arrays(counts)) == pytest.approx(expected)
