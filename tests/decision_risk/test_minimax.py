"""Minimax: the least worst risk, against trying all rules for all records together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tests.decision_risk import plain
from unmask.decision_risk.disclosure_risk import risk
from unmask.decision_risk.rules import _saddle
from unmask.decision_risk.rules.minimax import Minimax
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError

BOOK = [("Mary", "Smith", 1), ("Mary", "Jones", 2), ("Ann", "Smith", 3), ("Ann", "Jones", 4)]
PHI5 = Sensitivity.phi5(np.array([[0.1, 0.2, 1.0]]))
PARTS = [plain.compared([BOOK[0]], book) for book in (BOOK, BOOK[:2], [*BOOK, ("Mary", "Smith", 9)])]


def test_of_mary_smith_against_three_dictionaries():
    """Her first name, at .552585: worst against all four, and best of what can be done there."""
    found = Minimax(1).choose(PARTS, PHI5)
    assert [(0,)] == plain.sets_in(found.rule.disclosed)
    assert math.isclose(0.552585, found.worst, abs_tol=5e-7)
    assert math.isclose(found.worst, found.bound, rel_tol=1e-5)


def test_records_make_up_for_each_other():
    """Losses (1, 0) and (0, 1) for the first attribute, .6 for the second: both disclose the first, at .5."""
    records = [("a1", "b"), ("a2", "b")]
    parts = [plain.compared(records, [(name, "b")]) for name in ("a1", "a2")]
    found = Minimax(1).choose(parts, Sensitivity.phi1(np.array([1.0, 0.6]), 2))
    assert [(0,), (0,)] == plain.sets_in(found.rule.disclosed)
    assert math.isclose(0.5, found.worst)
    assert math.isclose(0.5, found.bound, rel_tol=1e-5)


def test_randomized_rule_has_less_risk():
    """One record, safe against the first dictionary or the second: any rule costs 1, a coin costs a half."""
    parts = [plain.compared([("a", "b")], book) for book in ([("a", "x")], [("x", "b")])]
    found = Minimax(1).choose(parts, Sensitivity.phi1(np.array([1.0, 1.0]), 1))
    assert math.isclose(1.0, found.worst)
    assert math.isclose(1.0, found.bound, rel_tol=1e-5)
    assert math.isclose(0.5, found.mixed, rel_tol=1e-5)
    assert [0.5, 0.5] == pytest.approx(found.prior.tolist())
    assert [0.5, 0.5] == pytest.approx([share for share, _ in found.mixture])


@st.composite
def games(draw: st.DrawFn) -> tuple[Sequence[plain.Row], Sequence[Sequence[plain.Row]], int, Sensitivity]:
    """Draw up to four records of three attributes, and two or three dictionaries."""
    value = st.sampled_from("xy") | st.none()
    rows = st.lists(st.tuples(value, value, value), min_size=1, max_size=4)
    records = draw(rows)
    books = draw(st.lists(rows, min_size=2, max_size=3))
    number = st.sampled_from([0.0, 0.2, 0.5, 1.0, 3.0])
    n = len(records)
    weight = np.array(draw(st.lists(st.lists(number, min_size=3, max_size=3), min_size=n, max_size=n)))
    return records, books, draw(st.integers(1, 2)), Sensitivity(weight, wrong=draw(st.sampled_from([0.0, 0.3])))


@given(games())
def test_no_rule_is_better(game):
    """All rules for all records together; and all that draw, by one linear program over records and sets."""
    records, books, k, sensitivity = game
    parts = [plain.compared(records, book) for book in books]
    found = Minimax(k).choose(parts, sensitivity)
    options = [plain.choices(record, k) for record in records]

    def worst(rule):
        disclosed = np.array([[j in chosen for j in range(3)] for chosen in rule])
        return max(risk(part, sensitivity, disclosed).value for part in parts)

    least = min(worst(rule) for rule in product(*options))
    assert math.isclose(least, found.worst, rel_tol=1e-5, abs_tol=1e-9)
    assert math.isclose(found.worst, worst(plain.sets_in(found.rule.disclosed)), rel_tol=1e-9, abs_tol=1e-12)
    assert found.bound <= least * (1 + 1e-5) + 1e-9
    assert math.isclose(drawn(parts, options, sensitivity), found.mixed, rel_tol=1e-5, abs_tol=1e-9)


def drawn(parts, options, sensitivity):
    """Return the least worst risk of rules that draw a set for each record."""
    n = len(options)
    pairs = [(i, chosen) for i, each in enumerate(options) for chosen in each]
    loss = []
    for part in parts:
        each = []
        for i, chosen in pairs:
            disclosed = np.zeros((n, 3), bool)
            disclosed[i, list(chosen)] = True
            each.append(risk(part, sensitivity, disclosed).loss[i] / n)
        loss.append([*each, -1.0])
    one_each = [[float(i == r) for i, _ in pairs] + [0.0] for r in range(n)]
    costs = [0.0] * len(pairs) + [1.0]
    return linprog(costs, A_ub=loss, b_ub=[0.0] * len(parts), A_eq=one_each, b_eq=[1.0] * n).fun


def test_many_records_come_near_the_bound_without_integer_programming():
    """Of 400 records hardly more than one per dictionary is torn: the single rule is within .1 % of the bound."""
    rng = np.random.default_rng(7)
    books = [[tuple(row) for row in rng.integers(0, 4, (n, 5)).tolist()] for n in (300, 200, 100)]
    records = [books[i % 3][i // 3 % 100] for i in range(400)]
    parts = [plain.compared(records, book) for book in books]
    sensitivity = Sensitivity.phi5(rng.random((400, 5)))
    found = Minimax(2, variables=0).choose(parts, sensitivity)
    risks = [risk(part, sensitivity, found.rule.disclosed).value for part in parts]
    assert math.isclose(max(risks), found.worst)
    assert found.bound <= found.worst <= found.bound * 1.001
    mixed = [sum(share * risk(part, sensitivity, rule).value for share, rule in found.mixture) for part in parts]
    assert math.isclose(max(mixed), found.mixed)
    assert found.mixed <= found.bound * (1 + 1e-5)


def test_what_is_never_to_one_dictionary_is_avoided():
    """The second attribute, though the first is free against one of the two; and where nothing is left, it is said."""
    never = Sensitivity.phi1(np.array([np.inf, 5.0]), 1)
    parts = [plain.compared([("a", "b")], book) for book in ([("x", "b")], [("a", "b")])]
    assert [(1,)] == plain.sets_in(Minimax(1).choose(parts, never).rule.disclosed)
    hopeless = Minimax(2).choose(parts, never)
    assert ([(0, 1)], math.inf, math.inf) == (
        plain.sets_in(hopeless.rule.disclosed), hopeless.worst, hopeless.bound
    )  # fmt: skip


def test_where_all_is_never_what_is_there_is_disclosed():
    """The first attribute is missing, so the second one is, at any price."""
    never = Sensitivity.phi1(np.array([np.inf, np.inf]), 1)
    parts = [plain.compared([(None, "b")], [("a", "b")])] * 2
    assert [(1,)] == plain.sets_in(Minimax(1).choose(parts, never).rule.disclosed)


def test_a_record_with_too_few_values_is_disclosed_and_counted():
    """It adds its loss whatever the others do."""
    records = [("a", None), ("a", "b")]
    parts = [plain.compared(records, book) for book in ([("a", "b")], [("a", "c")])]
    found = Minimax(2).choose(parts, Sensitivity.phi1(np.array([1.0, 1.0]), 2))
    assert [(0,), (0, 1)] == plain.sets_in(found.rule.disclosed)
    assert math.isclose(1.5, found.worst)
    assert "1 record has fewer than 2 values: all are disclosed" in found.rule.notes[0]


def test_too_many_sets_are_refused(monkeypatch):
    """As the Bayes rule refuses them."""
    with pytest.raises(InvalidInputError, match="at most 2 to be tried; got 3"):
        Minimax(1, most=2).choose(PARTS, PHI5)
    with pytest.raises(InvalidInputError, match="got 4"):
        Minimax(4).choose(PARTS, PHI5)
    monkeypatch.setattr(_saddle, "CELLS", 8)
    with pytest.raises(InvalidInputError, match="at most 8; got 1 × 3 × 3"):
        Minimax(1).choose(PARTS, PHI5)
