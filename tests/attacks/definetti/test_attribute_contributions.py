"""Contributions of attributes, and of the other members of the group, to a posterior."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracle, stories
from unmask.attacks.definetti.attribute_contributions import explained, level_chances
from unmask.errors import InvalidInputError
from unmask.view import Worlds


def enumerated() -> tuple[np.ndarray, np.ndarray]:
    """Return, of Table 6, the level of each published row and the exact beliefs about it."""
    table, published = stories.smokers()
    view = stories.view_of(published.release, table.visible("disease"), "disease", [published.group_of],
                           rows=[published.row_of])  # fmt: skip
    beliefs = np.array([[float(p) for p in row] for row in oracle.exact(view, Worlds("dirichlet"))])
    return table["smoker"], beliefs


def test_what_was_learned_is_the_posterior_mean():
    """Table 6: P(smoker | cancer) = (expected smokers with cancer + 1) / (4 + 2), over all 64 worlds."""
    table, published = stories.smokers()
    codes, beliefs = enumerated()
    groups_read = oracle._read(published.release, "disease")
    values = ["Cancer", "Flu", "None"]
    total, mean = Fraction(0), Fraction(0)
    yes = table.schema["smoker"].values.index("y")
    for world in oracle._worlds(groups_read.groups, values):
        held = [v for group in world for v in group]
        weight = oracle._bayes_weight(
            list(zip(groups_read.lines, held, strict=True)), values, groups_read.kinds, Fraction(1)
        )
        smoking = [int(published.release.masked.cell_of("smoker")[line]) == yes for line in range(12)]
        n = sum(s and v == "Cancer" for s, v in zip(smoking, held, strict=True))
        total += weight
        mean += weight * Fraction(n + 1, 4 + 2)
    learned = level_chances(codes, 2, beliefs, 1.0)
    assert learned[yes, 0] == pytest.approx(float(mean / total), abs=1e-12)
    assert learned.sum(axis=0) == pytest.approx(1)


def test_a_group_can_be_left_out_of_what_was_learned():
    """Each person's own belief is left out of its explanation."""
    codes, beliefs = enumerated()
    kept = np.arange(12) < 10
    assert level_chances(codes, 2, beliefs, 1.0, kept) == pytest.approx(level_chances(codes[:10], 2, beliefs[:10], 1.0))


def test_missing_levels_tell_nothing():
    """Negative codes are passed over."""
    beliefs = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert level_chances(np.array([0, -1], np.int32), 2, beliefs, 1.0).tolist() == [[2 / 3, 0.5], [1 / 3, 0.5]]


def test_one_attribute_alone_explains_everything():
    """A group of one whose two values are open: Bayes' rule, and nothing is left to the others."""
    chance = np.array([0.6, 0.2])
    before = np.array([0.5, 0.5])
    after = before * chance / (before @ chance)
    why = explained(["smoker"], [chance], ["yes", "no"], before, after, 0)
    assert why.moved[0].factor == pytest.approx(3)
    assert why.others == pytest.approx(1)


@given(st.lists(st.tuples(*[st.floats(0.01, 0.99)] * 3), min_size=1, max_size=4), st.integers(0, 2))
def test_the_factors_multiply_to_the_change_of_odds(chances, value):
    """Whatever was believed before and after."""
    before, after = np.array([0.2, 0.5, 0.3]), np.array([0.7, 0.1, 0.2])
    names = [f"a{i}" for i in range(len(chances))]
    why = explained(names, [np.array(one) for one in chances], list("xyz"), before, after, value)
    product = why.others * np.prod([one.factor for one in why.moved])
    odds = after[value] / (1 - after[value]) / (before[value] / (1 - before[value]))
    assert product == pytest.approx(odds)
    strength = [abs(np.log(one.factor)) for one in why.moved]
    assert strength == sorted(strength, reverse=True)


@pytest.mark.parametrize("certain", [0.0, 1.0])
def test_what_was_settled_before_was_moved_by_nothing(certain):
    """Impossible, or the only value of the group."""
    before = np.array([certain, 1 - certain])
    with pytest.raises(InvalidInputError, match="must be possible and uncertain before"):
        explained([], [], ["a", "b"], before, before, 0)


def test_levels_and_beliefs_are_about_the_same_rows():
    """Else the counts would belong to other rows."""
    with pytest.raises(InvalidInputError, match="each of 2 rows; got 3"):
        level_chances(np.zeros(3, np.int32), 1, np.ones((2, 1)), 1.0)
