from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests.models.strategies import arrays, groups
from unmask.errors import InvalidInputError
from unmask.models.p_sensitive import PSensitive
from unmask.models.privacy_model import holds


def test_nine_of_ten_may_share_a_value():
    """Two values are 2-sensitive however they are spread: the model bounds no belief."""
    assert PSensitive().score(*arrays([[9, 1], [5, 5]])).tolist() == [2, 2]


def test_a_value_that_occurs_nowhere_does_not_count():
    """An unused level changes nothing."""
    assert PSensitive().score(*arrays([[1, 0, 1]])).tolist() == [2]


def test_nothing_known_is_undefined_and_never_safe():
    """Not 0, and not 1."""
    score = PSensitive().score(np.array([2.0]), np.zeros((1, 3)), np.ones(3))
    assert np.isnan(score).all()
    assert not holds(PSensitive(1), score).any()


def test_p_is_at_least_one():
    """Every group shows a value."""
    with pytest.raises(InvalidInputError, match="p must be at least 1; got 0"):
        PSensitive(0)


@given(counts=groups())
def test_it_counts_the_values(counts):
    """One by one."""
    assert PSensitive().score(*arrays(counts)).tolist() == [sum(n > 0 for n in row) for row in counts]
