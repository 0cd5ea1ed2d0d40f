from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from tests.models import reference
from tests.models.strategies import arrays, groups
from unmask.errors import InvalidInputError
from unmask.models.delta_disclosure import DeltaDisclosure
from unmask.models.privacy_model import holds


def test_twice_as_likely_is_one_bit_and_the_limit_is_strict():
    """Half of the group, a quarter of the table; the inequality is strict."""
    score = DeltaDisclosure().score(np.array([4.0]), np.array([[2.0, 2.0]]), np.array([1.0, 3.0]))
    assert score == pytest.approx([1])
    assert not holds(DeltaDisclosure(1), score).any()
    assert holds(DeltaDisclosure(1.01), score).all()


def test_a_value_absent_from_one_group_is_infinite():
    """No finite δ holds: who is in that group does not have the value. Other tools say 0.69, or 1."""
    score = DeltaDisclosure().score(*arrays([[2, 0], [1, 1]]))
    assert score[0] == math.inf
    assert not holds(DeltaDisclosure(1e300), score)[0]


def test_an_unused_level_changes_nothing():
    """A value that occurs nowhere is absent from no group."""
    one = DeltaDisclosure().score(*arrays([[2, 1], [1, 1]]))
    assert DeltaDisclosure().score(*arrays([[2, 0, 1], [1, 0, 1]])).tolist() == one.tolist()


def test_nothing_known_is_undefined_and_never_safe():
    """Not infinite: nothing was said about the group."""
    score = DeltaDisclosure().score(np.array([2.0]), np.zeros((1, 3)), np.ones(3))
    assert np.isnan(score).all()
    assert not holds(DeltaDisclosure(9), score).any()


def test_delta_is_positive():
    """The inequality is strict, so 0 allows nothing."""
    with pytest.raises(InvalidInputError, match="delta must be above 0; got 0"):
        DeltaDisclosure(0)


@given(counts=groups())
def test_it_equals_the_definition(counts):
    """Value by value, with the logarithm to base 2 of a fraction."""
    overall = np.array(counts).sum(axis=0).tolist()
    expected = [reference.delta(row, overall) for row in counts]
    assert DeltaDisclosure().score(*arrays(counts)) == pytest.approx(expected)
