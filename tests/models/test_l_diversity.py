"""l-diversity: how many values a person is hidden among; distinct, by entropy, and by the largest share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.models.l_diversity import DistinctL, EntropyL, MaxShareL
from unmask.models.privacy_model import all_hold, holds
from unmask.table import Table

MODELS = (DistinctL, EntropyL, MaxShareL)


def scores(model, *counts):
    """Score groups given by how often each value occurs in them."""
    table = np.array(counts, float)
    return model.score(table.sum(axis=1), table, table.sum(axis=0))


def test_a_group_of_one_value_is_diverse_at_1_however_the_rows_are_sorted():
    """Quasi-identifiers 1, 1, 2, 2 with x, x, y, z: the first group shows one value, in any order of rows."""
    for order in ([0, 1, 2, 3], [3, 1, 2, 0], [2, 0, 3, 1]):
        table = Table.of({"qi": [1, 1, 2, 2], "ill": list("xxyz")}, quasi=["qi"], sensitive=["ill"]).take(
            np.array(order)
        )
        number, _ = table.only(["qi"]).profiles()
        counts = np.zeros((2, 3))
        np.add.at(counts, (number, table["ill"]), 1)
        assert scores(DistinctL(), *counts).tolist() == [1, 2]
        assert scores(MaxShareL(), *counts)[0] == 1  # the largest share, alpha, is 1


@pytest.mark.parametrize("n", range(2, 31))
def test_n_equally_likely_values_have_entropy_n(n):
    """A real number, never rounded down: n values are n-diverse, for each n from 2 to 30."""
    for model in MODELS:
        score = scores(model(), [1] * n, [7] * n)
        assert score == pytest.approx(n, rel=1e-12)
        assert holds(model(n), score).all()
        assert not holds(model(n + 0.01), score).any()


def test_by_entropy_a_rare_second_value_counts_little():
    """Nine to one: two distinct values, exp(.325) = 1.384 by entropy, 10/9 by the largest share."""
    assert scores(DistinctL(), [9, 1]) == pytest.approx([2])
    assert scores(EntropyL(), [9, 1]) == pytest.approx([np.exp(-0.9 * np.log(0.9) - 0.1 * np.log(0.1))])
    assert scores(MaxShareL(), [9, 1]) == pytest.approx([10 / 9])


def test_where_no_value_is_known_diversity_is_undefined_and_never_enough():
    """All values of the group are missing: not 0, not 2, and no limit is met."""
    for model in MODELS:
        assert np.isnan(scores(model(), [0, 0])).all()
        assert not holds(model(1), scores(model(), [0, 0])).any()


def test_a_missing_value_as_a_value_of_its_own_is_one_value():
    """A whole group without a diagnosis shows one value: distinct l = 1."""
    table = Table.of({"qi": [1, 1, 2], "ill": [None, None, "flu"]}, quasi=["qi"], sensitive=["ill"])
    counts = np.zeros((2, 2))
    np.add.at(counts, ((table["qi"] - 1).astype(int), table["ill"]), 1)
    assert scores(DistinctL(), *counts).tolist() == [1, 1]


def test_a_group_must_meet_all_models_for_each_sensitive_attribute():
    """Diverse in diagnoses but not in jobs is not diverse."""
    ills, jobs = np.array([[1.0, 1], [1, 1]]), np.array([[2.0, 0], [1, 1]])
    safe = all_hold([DistinctL(2)], np.array([2.0, 2.0]), [ills, jobs], [ills.sum(axis=0), jobs.sum(axis=0)])
    assert safe.tolist() == [False, True]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("limit", [0, 0.5, float("nan")])
def test_l_is_at_least_1(model, limit):
    """Fewer than one value cannot be asked for."""
    with pytest.raises(InvalidInputError, match="l must be at least 1"):
        model(limit)


@given(counts=st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any))
def test_the_three_are_ordered_and_reach_from_one_to_the_number_of_values(counts):
    """Largest share ≤ entropy ≤ distinct: what bounds belief asks for most."""
    share, entropy, distinct = (scores(model(), counts)[0] for model in (MaxShareL, EntropyL, DistinctL))
    assert 1 - 1e-12 <= share <= entropy + 1e-9 <= distinct + 2e-9
    assert distinct == np.count_nonzero(counts)
