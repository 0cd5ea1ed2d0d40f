"""Per attribute: k values of each, against every way to choose them."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.decision_risk import plain
from unmask.decision_risk.disclosure_risk import risk
from unmask.decision_risk.rules import per_attribute
from unmask.decision_risk.rules.per_attribute import PerAttribute
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError


def test_discloses_the_names_with_least_risk():
    """One first name and one surname: both of a Lee, of whom there are six, and none of Zyx's."""
    book = [("Anna", "Lee")] * 6 + [("Xaver", "Zyx")]
    consistency = plain.compared([book[6], book[0]], book)
    found = PerAttribute(1).choose(consistency, Sensitivity.phi1(np.array([1.0, 1.0]), 2))
    assert [(), (0, 1)] == plain.sets_in(found.rule.disclosed)
    assert math.isclose(1 / 6, found.value)
    assert math.isclose(found.value, found.bound, rel_tol=1e-5)


@given(plain.cases(m=3), st.data())
def test_no_way_to_choose_is_better(case, data):
    """All of them: C(n, k) for each attribute."""
    records = case.records[:3]
    sensitivity = Sensitivity.phi5(np.array(case.weight[:3]))
    consistency = plain.compared(records, case.entries)
    k = data.draw(st.integers(0, len(records)))
    columns = []
    for j in range(3):
        there = [i for i, record in enumerate(records) if record[j] is not None]
        columns.append(list(combinations(there, min(k, len(there)))))
    costs = []
    for rule in product(*columns):
        disclosed = np.array([[i in rule[j] for j in range(3)] for i in range(len(records))])
        costs.append(risk(consistency, sensitivity, disclosed).value)
    found = PerAttribute(k).choose(consistency, sensitivity)
    assert math.isclose(min(costs), found.value, rel_tol=1e-5, abs_tol=1e-9)
    assert [len(one[0]) for one in columns] == found.rule.disclosed.sum(axis=0).tolist()
    assert found.bound <= min(costs) + 1e-9


def test_a_column_of_too_few_values_is_disclosed_whole():
    """And that is said."""
    consistency = plain.compared([("a", None), ("a", "b"), ("c", None)], [("a", "b"), ("c", "d")])
    found = PerAttribute(2).choose(consistency, Sensitivity.phi3(np.ones((3, 2))))
    assert [2, 1] == found.rule.disclosed.sum(axis=0).tolist()
    assert ("fewer than 2 values are there of b: all are disclosed",) == found.rule.notes


def test_infinite_weight_is_disclosed_only_if_unavoidable():
    """One of the two values of the first attribute is never; one is asked for, then both."""
    consistency = plain.compared([("a", "x"), ("a", "x")], [("a", "x")])
    never = Sensitivity.phi3(np.array([[np.inf, 1.0], [1.0, 1.0]]))
    found = PerAttribute(1).choose(consistency, never)
    assert found.rule.disclosed[:, 0].tolist() == [False, True]
    assert math.isfinite(found.value)
    assert (math.inf, math.inf) == (
        PerAttribute(2).choose(consistency, never).value,
        PerAttribute(2).choose(consistency, never).bound,
    )


@given(plain.cases(m=3), st.data())
def test_prices_share_out_as_many_values_and_their_bound_holds(case, data):
    """Without a program: as many of each attribute, at no less than the least risk; the bound is no more."""
    consistency = plain.compared(case.records, case.entries)
    sensitivity = Sensitivity.phi5(np.array(case.weight))
    k = data.draw(st.integers(0, len(case.records)))
    least, found = (PerAttribute(k, variables=most).choose(consistency, sensitivity) for most in (10**6, 0))
    assert least.rule.disclosed.sum(axis=0).tolist() == found.rule.disclosed.sum(axis=0).tolist()
    assert found.bound <= least.value * (1 + 1e-5) + 1e-9
    assert least.value <= found.value * (1 + 1e-5) + 1e-9


@pytest.mark.parametrize("k", [75, 150, 225])
def test_of_many_records_prices_come_near_the_bound(k):
    """300 of whom most are torn between sets, being alike: within 1 % of what no sharing-out is below."""
    rng = np.random.default_rng(5)
    rows = [tuple(row) for row in rng.geometric(0.4, (300, 5)).tolist()]
    found = PerAttribute(k, variables=0).choose(plain.compared(rows, rows), Sensitivity.phi1(rng.random(5), 300))
    assert [k] * 5 == found.rule.disclosed.sum(axis=0).tolist()
    assert found.bound <= found.value <= found.bound * 1.01
    assert len(found.rule.notes) == (found.bound < found.value * (1 - 1e-5))


def test_records_that_are_all_alike_take_turns():
    """A hundred, of whom 30 tell each of three attributes: 90 values that cost 1/100 each, of a hundred people."""
    rows = [("a", "b", "c")] * 100
    found = PerAttribute(30, variables=0).choose(plain.compared(rows, rows), Sensitivity.phi1(np.ones(3), 100))
    assert [30, 30, 30] == found.rule.disclosed.sum(axis=0).tolist()
    assert math.isclose(3 * 30 / 100 / 100, found.value)
    assert math.isclose(found.value, found.bound, rel_tol=1e-4)


def test_prices_tell_never_only_where_it_must_be():
    """As the program does; a bound that is infinite says that there is no way around."""
    consistency = plain.compared([("a", "x"), ("a", "x")], [("a", "x")])
    never = Sensitivity.phi3(np.array([[np.inf, 1.0], [1.0, 1.0]]))
    found = PerAttribute(1, variables=0).choose(consistency, never)
    assert found.rule.disclosed[:, 0].tolist() == [False, True]
    hopeless = PerAttribute(2, variables=0).choose(consistency, never)
    assert (math.inf, math.inf) == (hopeless.value, hopeless.bound)


def test_there_must_be_so_many_records(monkeypatch):
    """And not too many."""
    consistency = plain.compared([("a", "b")], [("a", "b")])
    with pytest.raises(InvalidInputError, match="number of records, 1; got 2"):
        PerAttribute(2).choose(consistency, Sensitivity.phi3(np.ones((1, 2))))
    monkeypatch.setattr(per_attribute, "CELLS", 3)
    with pytest.raises(InvalidInputError, match="at most 3; got 1 × 4"):
        PerAttribute(1).choose(consistency, Sensitivity.phi3(np.ones((1, 2))))
