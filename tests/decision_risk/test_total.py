"""Total: so many values in all, against every way to share them out."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.decision_risk import plain
from unmask.decision_risk.disclosure_risk import risk
from unmask.decision_risk.rules.total import Total
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError


def test_more_values_of_records_with_less_risk():
    """Six Lees and one Zyx: of four values, first both of a Lee, and a third one of Zyx."""
    book = [("Anna", "Lee")] * 6 + [("Xaver", "Zyx")]
    consistency = plain.compared([book[0], book[6]], book)
    sensitivity = Sensitivity.phi1(np.array([1.0, 1.0]), 2)
    found = Total(2).choose(consistency, sensitivity)
    assert [(0, 1), ()] == plain.sets_in(found.rule.disclosed)
    assert math.isclose(1 / 6, found.value)
    assert [(0, 1), (0,)] == plain.sets_in(Total(3).choose(consistency, sensitivity).rule.disclosed)


@given(plain.cases(m=3), st.booleans(), st.data())
def test_no_way_to_share_out_is_better(case, additive, data):
    """Exactly by the knapsack; by prices, the bound is below and the rule not far above."""
    records, entries = case.records[:3], case.entries
    weight = np.array(case.weight[:3])
    sensitivity = Sensitivity.phi3(weight) if additive else Sensitivity.phi5(weight)
    consistency = plain.compared(records, entries)
    k = data.draw(st.integers(0, int(consistency.available.sum())))
    each = [[chosen for s in range(4) for chosen in plain.choices(r, s) if len(chosen) == s] for r in records]
    costs = []
    for rule in product(*each):
        if sum(map(len, rule)) == k:
            disclosed = np.array([[j in chosen for j in range(3)] for chosen in rule])
            costs.append(risk(consistency, sensitivity, disclosed).value)
    found, priced = Total(k).choose(consistency, sensitivity), Total(k, cells=-1).choose(consistency, sensitivity)
    assert math.isclose(min(costs), found.value, rel_tol=1e-9, abs_tol=1e-12)
    assert found.bound == found.value
    assert k == found.rule.disclosed.sum() == priced.rule.disclosed.sum()
    assert priced.bound <= min(costs) + 1e-9
    assert priced.value >= min(costs) - 1e-9


def test_by_prices_at_most_one_record_pays_too_much():
    """Of 500 records the gap is a small part of the risk, and it is said."""
    rng = np.random.default_rng(8)
    entries = [tuple(row) for row in rng.integers(0, 4, (500, 5)).tolist()]
    consistency, sensitivity = plain.compared(entries, entries), Sensitivity.phi5(rng.random((500, 5)))
    for k in (333, 1001, 2222):
        exact, priced = (Total(k, cells=c).choose(consistency, sensitivity) for c in (1 << 27, 0))
        assert priced.bound <= exact.value <= priced.value
        assert priced.value <= priced.bound * 1.01


def test_infinite_weight_is_disclosed_last():
    """If more values are required than exist, one person's is never disclosed."""
    consistency = plain.compared([("a", "b")], [("a", "b")])
    never = Sensitivity.phi3(np.array([[np.inf, 1.0]]))
    assert [(1,)] == plain.sets_in(Total(1).choose(consistency, never).rule.disclosed)
    assert math.inf == Total(2).choose(consistency, never).value


def test_there_must_be_so_many_values():
    """Missing ones are none."""
    consistency = plain.compared([("a", None)], [("a", "b")])
    with pytest.raises(InvalidInputError, match="number of values of all records, 1; got 2"):
        Total(2).choose(consistency, Sensitivity.phi3(np.ones((1, 2))))
    with pytest.raises(InvalidInputError, match="at most 1; 2 attributes have more"):
        Total(1, most=1).choose(consistency, Sensitivity.phi3(np.ones((1, 2))))
