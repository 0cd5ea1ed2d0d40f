"""Sensitivity: five ways to add up harm, and the weights that a custodian gives."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.decision_risk.harm_weights import JointWeight, Weights
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.subsets import of_size
from unmask.errors import InvalidInputError
from unmask.table import Table

W = np.array([[0.1, 0.2, 1.0]])

PEOPLE = Table.of(
    {"zip": ["13012", "14853", "13012"], "ill": ["flu", "HIV", None], "age": [30, 41, 30]}, quasi=["zip", "ill", "age"]
)


def of(sensitivity: Sensitivity, *disclosed: int) -> float:
    """Return the harm of disclosing some attributes of the first record."""
    n, m = sensitivity.weight.shape
    return float(sensitivity.of_rule(np.tile([j in disclosed for j in range(m)], (n, 1)))[0])


def test_the_five_forms_of_the_paper_by_hand():
    """Attributes, records, both, pairs besides, and e to the power of it."""
    assert math.isclose(0.3, of(Sensitivity.phi1(W[0], 2), 0, 1))
    assert math.isclose(1.0, of(Sensitivity.phi2(np.array([0.5]), 3), 0, 2))
    assert math.isclose(1.2, of(Sensitivity.phi3(W), 1, 2))
    assert math.isclose(0.3 + 7.0, of(Sensitivity.phi4(W, np.array([[7.0, 8.0, 9.0]])), 0, 1))
    assert math.isclose(1.3 + 24.0, of(Sensitivity.phi4(W, np.array([[7.0, 8.0, 9.0]])), 0, 1, 2))
    assert math.isclose(math.exp(0.3), of(Sensitivity.phi5(W), 0, 1))


def test_disclosing_nothing():
    """It costs nothing where harms add up, and e to the power of 0 where they multiply."""
    assert [0, 0, 0, 1] == [of(one) for one in (Sensitivity.phi1(W[0], 1), Sensitivity.phi3(W),
                            Sensitivity.phi4(W, np.ones((1, 3))), Sensitivity.phi5(W))]  # fmt: skip
    assert 5 == of(Sensitivity.same(5.0, (1, 3)), 0, 1, 2) == of(Sensitivity.same(5.0, (1, 3)))


def test_never_is_infinite_only_where_it_is_disclosed():
    """Zero times infinity is nothing: what is not disclosed, and a person who minds nothing."""
    never = np.array([[0.1, np.inf, 0.3]])
    assert [0.4, np.inf] == pytest.approx([of(Sensitivity.phi3(never), 0, 2), of(Sensitivity.phi3(never), 0, 1)])
    assert [1.0, np.inf] == [of(Sensitivity.phi5(never)), of(Sensitivity.phi5(never), 1)]


def test_beyond_what_a_number_can_be_it_is_infinite():
    """The exponential of 710 is infinite; there is no warning."""
    assert np.inf == of(Sensitivity.phi5(np.array([[710.0]])), 0)


@given(st.data())
def test_all_sets_at_once_are_what_each_is_alone(data):
    """By matrix product or by addition, with infinite weights and sets of any size."""
    m, n = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))
    number = st.sampled_from([0.0, 0.1, 0.5, 2.0, np.inf])
    weight = np.array(data.draw(st.lists(st.lists(number, min_size=m, max_size=m), min_size=n, max_size=n)))
    t = data.draw(st.integers(0, 3))
    together = data.draw(st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=t, max_size=t))
    extra = np.array(data.draw(st.lists(st.lists(number, min_size=t, max_size=t), min_size=n, max_size=n)))
    sets = np.array(together, bool).reshape(t, m)
    form = data.draw(st.sampled_from(["additive", "multiplicative"]))
    sensitivity = Sensitivity(weight, sets, extra.reshape(n, t), form, data.draw(st.sampled_from([0.0, 1.5])))
    subsets = of_size(m, data.draw(st.integers(0, m)))
    table = sensitivity.of_subsets(subsets, slice(0, n))
    for s, chosen in enumerate(subsets):
        np.testing.assert_allclose(table[:, s], sensitivity.of_rule(np.tile(chosen, (n, 1))))
        for i in range(n):
            total = math.fsum([*weight[i, chosen], *(extra[i, k] for k in range(t) if not (sets[k] & ~chosen).any())])
            harm = total if form == "additive" else math.exp(total)
            assert math.isclose(sensitivity.constant + harm, table[i, s])


def test_pairs_are_in_the_order_of_combinations():
    """(0, 1), (0, 2), (1, 2)."""
    sets = Sensitivity.phi4(W, np.ones((1, 3))).sets
    assert sets is not None
    assert list(combinations(range(3), 2)) == [tuple(np.flatnonzero(row).tolist()) for row in sets]


def test_a_custodian_gives_weights_by_name():
    """A rare diagnosis weighs more, a person's factor multiplies, and a person's own weight stands as it is."""
    weights = Weights(
        {"zip": 0.1, "ill": 1.0},
        default=0.5,
        values={"ill": {"HIV": 10.0}},
        factors={"b": 2.0},
        people={"c": {"age": 7.0}},
        together=(JointWeight(frozenset({"zip", "age"}), 3.0),),
        wrong=0.25,
    )
    found = Sensitivity.of(weights, PEOPLE, ("a", "b", "c"))
    assert [[0.1, 1.0, 0.5], [0.2, 20.0, 1.0], [0.1, 1.0, 7.0]] == found.weight.tolist()
    assert ([[3.0], [6.0], [3.0]], 0.25) == (
        found.set_weight.tolist() if found.set_weight is not None else 0,
        found.wrong,
    )
    assert not found.notes


def test_unused_weights_give_a_note():
    """By number: whose weight it is stays with the custodian."""
    weights = Weights(default=1.0, values={"ill": {"HIV": 2.0, "hvi": 3.0}}, factors={"z": 2.0})
    assert (
        "1 values of ill have a weight, and no record has them",
        "1 people have weights of their own, and no record",
    ) == Sensitivity.of(weights, PEOPLE, ("a", "b", "c")).notes


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (Weights({"zpi": 1.0}, default=1.0), "Did you mean 'zip'?"),
        (Weights(default=1.0, values={"il": {"flu": 1.0}}), "Did you mean 'ill'?"),
        (Weights({"zip": 1.0}), "ill, age have none. Add them, or a default"),
        (Weights(default=1.0, factors={"a": 2.0}), "must come with records that name people"),
    ],
)
def test_invalid_weights_are_refused(weights, message):
    """Unknown attributes, missing ones, and weights of people without names."""
    with pytest.raises(InvalidInputError, match=message.replace("?", r"\?")):
        Sensitivity.of(weights, PEOPLE)


@pytest.mark.parametrize("wrong", [-1.0, float("nan")])
def test_a_weight_is_at_least_0(wrong):
    """In arrays and by name."""
    for make in (
        lambda: Sensitivity.phi3(np.array([[wrong]])),
        lambda: Sensitivity(np.ones((1, 1)), wrong=wrong),
        lambda: Weights({"zip": wrong}),
        lambda: Weights(default=wrong),
        lambda: Weights(values={"zip": {"13012": wrong}}),
        lambda: Weights(factors={"a": wrong}),
        lambda: Weights(people={"a": {"zip": wrong}}),
        lambda: Weights(together=(JointWeight(frozenset({"zip", "age"}), wrong),)),
        lambda: Weights(wrong=wrong),
    ):
        with pytest.raises(InvalidInputError, match=r"must be (a number|numbers) of at least 0, or "):
            make()


def test_one_attribute_is_not_together():
    """It has a weight of its own."""
    with pytest.raises(InvalidInputError, match="at least two; got zip"):
        Weights(together=(JointWeight(frozenset({"zip"}), 1.0),))


def test_weights_of_another_shape_are_refused():
    """Sets are of the attributes."""
    with pytest.raises(InvalidInputError, match="sets × 3 attributes"):
        Sensitivity(W, np.ones((1, 2), bool), np.ones((1, 1)))
