"""People with several entries: each counts once where any of these fits, whatever is disclosed and however compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.decision_risk import plain
from unmask.decision_risk import _unique_people
from unmask.decision_risk._joined import by_joining
from unmask.decision_risk.bitmaps import by_bits
from unmask.decision_risk.comparison import Comparison
from unmask.decision_risk.comparisons.within import Within
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.hierarchy_levels import Ladder
from unmask.decision_risk.identification import identified
from unmask.decision_risk.rules.exact import Exact
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.subsets import chances, of_size, tabulated
from unmask.decision_risk.upper_bound import as_it_grows, upper_bound
from unmask.errors import InvalidInputError, NotApplicableError

VISITS = [("Ulm", "May"), ("Ulm", "June"), ("Ulm", "July"), ("Ulm", "May"), ("Bonn", None)]
PATIENTS = ("p1", "p1", "p1", "p2", "p3")


def people(
    record: plain.Row, entries: Sequence[plain.Row], ids: Sequence[str], disclosed: Sequence[int], fits: plain.Fits
):
    """Count the people of whom some entry fits, one by one."""
    return len({ids[e] for e in plain.fitting(record, entries, disclosed, fits)})


def close(a: int, b: int) -> bool:
    """Compare numbers."""
    return abs(a - b) <= 1


def held(ids: tuple[str, ...] | None = PATIENTS) -> Dictionary:
    """Return a register of visits."""
    return Dictionary("register", plain.table(VISITS), ids)


def test_person_with_three_visits_is_one_of_two_in_ulm():
    """Four visits to Ulm are of two people; in May they are two of two; in June one. Nothing fits three people."""
    records = plain.table([("Ulm", "May"), ("Ulm", "June")])
    found = Consistency.of(records, held(), identities=("p1", "p1"))
    sets = np.array([[False, False], [True, False], [False, True], [True, True]])
    counts = [identified(found, np.tile(one, (2, 1))).count.tolist() for one in sets]
    assert counts == [[3, 3], [2, 2], [3, 2], [2, 1]]  # who came on an unknown day may have come on any
    assert found.n_people == 3
    assert found.notes == ("some people have several entries in 'register': each is counted once",)


def test_repeated_person_counts_once():
    """Ninety-nine visits of another person leave a chance of a half, not of a hundredth."""
    entries = [("Ulm", f"day {i}") for i in range(100)]
    book = Dictionary("register", plain.table(entries), ("p1", *["p2"] * 99))
    found = Consistency.of(plain.table([entries[0]]), book, identities=("p1",))
    assert identified(found, np.array([[True, False]])).chance.tolist() == [0.5]
    assert identified(found, np.array([[True, True]])).chance.tolist() == [1.0]
    assert found.n_entries < 102  # what all visits have in common is put beside them once


def test_entries_that_say_the_same_of_a_person_are_one():
    """Then no person has two rows, and the estimate may be an upper bound."""
    once = Dictionary("register", plain.table(VISITS[:1] * 2 + VISITS[3:]), ("p1", "p1", "p2", "p3")).without_repeats()
    assert (once.n, once.identities, once.repeats) == (3, ("p1", "p2", "p3"), False)
    assert held().without_repeats().n == 5
    assert held(None).without_repeats().n == 5


def test_no_bound_with_a_repeated_identity():
    """Theorem 1 is about entries; and what is expected of larger dictionaries goes by people."""
    part = Consistency.of(plain.table(VISITS[:1]), held())
    sensitivity = Sensitivity.phi5(np.zeros((1, 2)))
    assert (
        upper_bound(part, held(), held(), sensitivity).fails == ("'register' has several entries of some people",) * 2
    )
    grown = as_it_grows(part, sensitivity, np.array([[True, False]]), (1, 2))
    assert grown.risk.tolist() == pytest.approx([1 / 2, 1 / (1 + 5 / 2)])  # 6 people, 5 others, where there were 2


def test_selection_probabilities_and_levels_need_one_entry_each():
    """Which entry is the person's would not be known; both say so."""
    with pytest.raises(InvalidInputError, match="must name each person once to have selection probabilities"):
        Dictionary("register", plain.table(VISITS), PATIENTS, np.ones(5))
    with pytest.raises(InvalidInputError, match="must name each person once to have levels"):
        Ladder.of_levels(plain.table(VISITS[:1]), held(), {})


def test_too_many_different_entries_of_one_person_are_refused(monkeypatch):
    """Any of their attributes may be shared; no name is printed."""
    monkeypatch.setattr(_unique_people, "LOOKS", 0)
    with pytest.raises(NotApplicableError, match="people must have few different entries in 'register'"):
        Consistency.of(plain.table(VISITS[:1]), held())


@given(plain.cases(), st.booleans(), st.data())
def test_people_are_counted_as_one_by_one(case, near, data):
    """By keys, by bits, beforehand and for one disclosure; whatever is missing, exactly or within 1."""
    n, m = len(case.records), len(case.records[0])
    ids = tuple(data.draw(st.lists(st.sampled_from("abc"), min_size=len(case.entries), max_size=len(case.entries))))
    records, entries = case.records, case.entries
    if near:
        number = {"x": 1, "y": 2, "z": 3, None: None}
        records, entries = ([tuple(number[v] for v in row) for row in rows] for rows in (records, entries))
        if any(all(row[j] is None for row in rows) for j in range(m) for rows in (records, entries)):
            return  # a column without a number is none of numbers
    how: dict[str, Comparison] | None = {name: Within(1) for name in "abcde"[:m]} if near else None
    fits = close if near else plain.same
    names = tuple(map(str, range(n))), ids
    found = plain.compared(records, entries, how, names=names)
    sets = of_size(m, case.k)
    expected = [[people(row, entries, ids, d, fits) for d in plain.sets_in(sets)] for row in records]
    assert expected == chances(found, sets, slice(0, n))[0].tolist()
    assert expected == chances(tabulated(found, [case.k]), sets, slice(0, n))[0].tolist()
    if found.once:
        for way in (by_joining, by_bits):
            np.testing.assert_allclose(way(found, sets, np.arange(n))[1], expected)
    disclosed = np.array(case.disclosed)
    each = [people(row, entries, ids, d, fits) for row, d in zip(records, plain.sets_in(disclosed), strict=True)]
    assert each == identified(found, disclosed).count.tolist()


@given(plain.cases(), st.data())
def test_the_least_loss_is_found_best_first_too(case, data):
    """As when all sets are tried."""
    ids = tuple(data.draw(st.lists(st.sampled_from("abc"), min_size=len(case.entries), max_size=len(case.entries))))
    found = plain.compared(case.records, case.entries, names=(tuple(map(str, range(len(case.records)))), ids))
    sensitivity = Sensitivity.phi5(np.array(case.weight))
    rules = [Exact(case.k, most=most).choose(found, sensitivity) for most in (10_000, 0)]
    costs = []
    for rule in rules:
        harm, chance = sensitivity.of_rule(rule.disclosed), identified(found, rule.disclosed).chance
        costs.append((harm * chance).tolist())
    assert costs[0] == pytest.approx(costs[1])
