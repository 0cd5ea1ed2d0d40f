"""Generalization: levels of hierarchies in the place of values or nothing."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.decision_risk import plain
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.hierarchy_levels import Ladder
from unmask.decision_risk.rules.exact import Exact
from unmask.decision_risk.rules.generalization import Generalization
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.errors import InvalidInputError
from unmask.hierarchies import Hierarchy

DIGITS = Hierarchy.from_rows([(a + b, a + "*") for a in "123" for b in "123"])
LETTERS = Hierarchy.from_rows([("x", "x or y", "*"), ("y", "x or y", "*"), ("z", "z", "*")])


def ladder(records, entries, hierarchies, shares=None):
    """Compare rows with rows at all levels."""
    return Ladder.of_levels(plain.table(records), Dictionary("book", plain.table(entries)), hierarchies, shares)


def test_half_a_value_may_cost_less_than_half():
    """Nine codes of two digits: as it is 12 names its person, its first digit leaves three; half of it is enough."""
    entries = [(a + b,) for a in "123" for b in "123"]
    steps = ladder([("12",)], entries, {"a": DIGITS})
    sensitivity = Sensitivity.phi1(np.array([6.0]), 1)
    for benefit, level, loss in ((1.0, 0, 6.0), (0.5, 1, 1.0), (0.0, 2, 0.0)):
        found = Generalization(benefit).choose(steps, sensitivity)
        assert [[level]] == found.level.tolist()
        assert (loss, benefit) == (found.value, found.benefit[0])


def test_shares_are_the_custodians():
    """Where the first digit is nearly worth the whole code, and weighs nearly as much."""
    steps = ladder([("12",)], [(a + b,) for a in "123" for b in "123"], {"a": DIGITS}, {"a": [1, 0.9]})
    found = Generalization(0.9).choose(steps, Sensitivity.phi1(np.array([6.0]), 1))
    assert [[1]] == found.level.tolist()
    assert math.isclose(6 * 0.9 / 3, found.value)


def test_without_hierarchies_it_is_the_exact_rule():
    """A value or nothing: at least k values then, at the price of k."""
    rng = np.random.default_rng(9)
    entries = [tuple(row) for row in rng.integers(0, 3, (60, 4)).tolist()]
    sensitivity = Sensitivity.phi5(rng.random((60, 4)))
    consistency = plain.compared(entries, entries)
    found = Generalization(2).choose(ladder(entries, entries, {}), sensitivity)
    exact = Exact(2).choose(consistency, sensitivity).disclosed
    assert (found.level == ~exact).all()


@given(st.data())
def test_no_way_is_better(data):
    """All ways, by labels, with missing values, and with pairs of attributes that weigh together."""
    m = data.draw(st.integers(1, 3))
    rows = st.lists(st.tuples(*[st.sampled_from("xyz") | st.none()] * m), min_size=1, max_size=4)
    records, entries = data.draw(rows), data.draw(rows)
    trees = [data.draw(st.sampled_from([None, LETTERS])) for _ in range(m)]
    weight = [data.draw(st.sampled_from([0.0, 0.5, 1.0])) for _ in range(m)]
    benefit = data.draw(st.sampled_from([0.0, 0.6, 1.0, 1.4]).filter(lambda b: b <= m))
    together = {pair: data.draw(st.sampled_from([0.0, 0.7])) for pair in combinations(range(m), 2)}
    sets = np.array([[j in pair for j in range(m)] for pair in together], bool).reshape(-1, m)
    named = {"abc"[j]: tree for j, tree in enumerate(trees) if tree is not None}
    found = Generalization(benefit).choose(
        ladder(records, entries, named),
        Sensitivity(
            np.tile(weight, (len(records), 1)), sets, np.tile([*together.values()], (len(records), 1)), "multiplicative"
        ),
    )

    def label(j, value, level):
        tree = trees[j]
        if tree is None or level == 0:
            return value
        return tree.labels[level - 1][tree.label_of[level - 1]["xyz".index(value)]]

    tops = [1 if tree is None else 3 for tree in trees]
    for i, record in enumerate(records):
        costs = []
        for way in product(*(range(top + 1) for top in tops)):
            if any(record[j] is None and way[j] < tops[j] for j in range(m)):
                continue
            kept = [j for j in range(m) if way[j] < tops[j]]
            share = [1 - way[j] / tops[j] for j in range(m)]
            n = sum(
                all(e[j] is None or label(j, record[j], way[j]) == label(j, e[j], way[j]) for j in kept)
                for e in entries
            )
            pairs = sum(w * min(share[a], share[b]) for (a, b), w in together.items())
            harm = math.exp(sum(weight[j] * share[j] for j in range(m)) + pairs)
            costs.append((sum(share), harm / n if n else 0.0))
        least = min(benefit, max(worth for worth, _ in costs))
        expected = min(cost for worth, cost in costs if worth >= least - 1e-9)
        assert math.isclose(expected, found.loss[i], rel_tol=1e-9)
        assert found.benefit[i] >= least - 1e-9


def test_joint_weight_has_the_least_share():
    """Code and letter cost 4 together: the first digit and the letter tell half of that, and three have the digit."""
    entries = [(a + b, "x") for a in "123" for b in "123"]
    steps = ladder([("12", "x")], entries, {"a": DIGITS})
    together = Sensitivity.phi4(np.zeros((1, 2)), np.array([[4.0]]))
    whole, half = (Generalization(benefit).choose(steps, together) for benefit in (2, 1.5))
    assert ([[0, 0]], 4.0) == (whole.level.tolist(), whole.value)
    assert [[1, 0]] == half.level.tolist()
    assert math.isclose(2 / 3, half.value)
    never = Sensitivity.phi4(np.zeros((1, 2)), np.array([[np.inf]]))
    assert 0 == Generalization(1).choose(steps, never).value


def test_a_record_of_too_few_values_tells_all_it_has():
    """And is counted."""
    found = Generalization(2).choose(ladder([("12", None)], [("12", "a")], {"a": DIGITS}), Sensitivity.same(1, (1, 2)))
    assert ([[0, 1]], [1.0]) == (found.level.tolist(), found.benefit.tolist())
    assert ("1 record has too few values: all are disclosed",) == found.notes


def test_invalid_input_is_refused():
    """Shares that rise, attributes that are not there, too many ways, and too much to ask."""
    entries = [("12", "a")]
    for wrong in ([1, 1.5], [0.5, 0.2], [1], [1, float("nan")], [1, -0.5]):
        with pytest.raises(InvalidInputError, match="must fall from 1, one for each of its 2 levels"):
            ladder(entries, entries, {"a": DIGITS}, {"a": wrong})
    with pytest.raises(InvalidInputError, match="must be one of a, b; got 'z'"):
        ladder(entries, entries, {"z": DIGITS})
    steps = ladder(entries, entries, {"a": DIGITS})
    same = Sensitivity.same(1, (1, 2))
    with pytest.raises(InvalidInputError, match="at most 5; got 6"):
        Generalization(1, most=5).choose(steps, same)
    with pytest.raises(InvalidInputError, match=r"number of attributes, 2; got 2\.5"):
        Generalization(2.5).choose(steps, same)
