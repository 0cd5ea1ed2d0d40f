from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests.models import reference
from tests.models.strategies import arrays, groups
from unmask.errors import InvalidInputError
from unmask.models.alpha_k import AlphaK
from unmask.models.privacy_model import holds


def test_half_of_a_group_may_share_a_value_at_alpha_one_half():
    """Two of four have flu: α = 0.5 holds with the limit 0.5 and not with 0.4."""
    score = AlphaK().score(*arrays([[2, 1, 1]]))
    assert score.tolist() == [0.5]
    assert holds(AlphaK(0.5), score).all()
    assert not holds(AlphaK(0.4), score).any()


def test_a_group_of_one_value_has_alpha_one():
    """Homogeneity: all values are certain."""
    assert AlphaK().score(*arrays([[3, 0], [0, 1]])).tolist() == [1, 1]


def test_nothing_known_is_undefined_and_never_safe():
    """A group whose values are all missing has no largest share; nor is there one without values."""
    score = AlphaK().score(np.array([2.0]), np.zeros((1, 3)), np.ones(3))
    assert np.isnan(score).all()
    assert not holds(AlphaK(1), score).any()
    assert np.isnan(AlphaK().score(np.array([2.0]), np.zeros((1, 0)), np.zeros(0))).all()


@pytest.mark.parametrize("limit", [0, -1, 1.1, float("nan")])
def test_alpha_is_a_share(limit):
    """0 would forbid every value."""
    with pytest.raises(InvalidInputError, match="alpha must be above 0 and at most 1"):
        AlphaK(limit)


@given(counts=groups())
def test_it_is_the_largest_share(counts):
    """As exact fractions say."""
    assert AlphaK().score(*arrays(counts)) == pytest.approx([float(max(reference.shares(row))) for row in counts])
