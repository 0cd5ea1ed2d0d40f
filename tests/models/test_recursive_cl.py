from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models import reference
from tests.models.strategies import arrays, groups
from unmask.errors import InvalidInputError
from unmask.models.privacy_model import holds
from unmask.models.recursive_cl import RecursiveCL


@pytest.mark.parametrize(("counts", "l"), [([4, 1, 1], 3), ([4, 1], 2)])
def test_c_must_exceed_four(counts, l):
    """4 < c · 1: the inequality is strict, so c = 4 is not enough and anything above is."""
    score = RecursiveCL(l=l).score(*arrays([counts]))
    assert score.tolist() == [4]
    assert not holds(RecursiveCL(4, l), score).any()
    assert not holds(RecursiveCL(1, l), score).any()
    assert holds(RecursiveCL(4.001, l), score).all()


def test_fewer_than_l_values_are_never_enough():
    """No c is: infinite stays infinite, also where the domain has fewer than l values at all."""
    score = RecursiveCL(l=3).score(*arrays([[1, 1, 0], [5, 0, 0]]))
    assert np.isinf(score).all()
    assert not holds(RecursiveCL(1e300, 3), score).any()
    assert np.isinf(RecursiveCL(l=9).score(*arrays([[1, 1]]))).all()


def test_l_of_one_asks_for_the_largest_share():
    """r_1 < c · n."""
    assert RecursiveCL(l=1).score(*arrays([[3, 1]])).tolist() == [0.75]


def test_nothing_known_is_undefined_and_never_safe():
    """Neither 0 nor infinite."""
    score = RecursiveCL().score(np.array([2.0]), np.zeros((1, 3)), np.ones(3))
    assert np.isnan(score).all()
    assert not holds(RecursiveCL(1e9), score).any()


@pytest.mark.parametrize(("c", "l", "word"), [(0, 3, "c must be above 0"), (1, 0, "l must be"), (1, 1.5, "l must be")])
def test_c_is_positive_and_l_a_whole_number(c, l, word):
    """Said with the value."""
    with pytest.raises(InvalidInputError, match=word):
        RecursiveCL(c, l)


@given(counts=groups(), l=st.integers(1, 6))
def test_it_is_the_ratio_of_the_definition(counts, l):
    """Sorted and added up one by one, as fractions."""
    assert RecursiveCL(l=l).score(*arrays(counts)).tolist() == [reference.recursive(row, l) for row in counts]
