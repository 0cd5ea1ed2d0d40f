"""Upper bound: theorem 1 where its conditions hold, and what happens where one does not."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.decision_risk import plain
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.disclosure_risk import risk
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.subsets import of_size
from unmask.decision_risk.upper_bound import Bound, as_it_grows, upper_bound
from unmask.errors import InvalidInputError


def book(name: str, rows: Sequence[tuple[object, ...]], who: str | None = None) -> Dictionary:
    """Make a dictionary of rows, named by letters."""
    return Dictionary(name, plain.table(rows), tuple(who) if who is not None else None)


def risks(records: Sequence[tuple[object, ...]], ours: Dictionary, theirs: Dictionary, *, k: int = 1) -> list[float]:
    """Return the estimated and the true risk of disclosing the first k attributes."""
    table = plain.table(records)
    m = len(records[0])
    disclosed, weight = np.tile(np.arange(m) < k, (len(records), 1)), np.ones((len(records), m))
    return [risk(Consistency.of(table, one), Sensitivity.phi3(weight), disclosed).value for one in (ours, theirs)]


def check(records: Sequence[tuple[object, ...]], ours: Dictionary, theirs: Dictionary, wrong: float = 0.0) -> Bound:
    """Check the conditions of the theorem."""
    table = plain.table(records)
    sensitivity = Sensitivity(np.ones((table.n_rows, len(table.schema.names))), wrong=wrong)
    return upper_bound(Consistency.of(table, ours), ours, theirs, sensitivity)


def test_who_has_more_entries_and_knows_less_finds_less():
    """A company's own list against a telephone book: one of two at most, and one of four in truth."""
    ours = book("staff", [("Mary", "Smith"), ("Mary", "Jones")], "ab")
    theirs = book("telephone book", [("Mary", None), ("Mary", "Jones"), ("Mary", "Lee"), ("Mary", "Doe")], "abcd")
    assert check([("Mary", "Smith")], ours, theirs).holds
    assert [0.5, 0.25] == risks([("Mary", "Smith")], ours, theirs)


def test_an_absent_record_bounds_nothing():
    """The first counterexample: c is in the true dictionary only, so the estimate is 0 and the truth 1."""
    ours, theirs = book("ours", [("a",), ("b",)], "ab"), book("theirs", [("a",), ("b",), ("c",)], "abc")
    assert [0.0, 1.0] == risks([("c",)], ours, theirs)
    found = check([("c",)], ours, theirs)
    assert not found.holds
    assert ("1 record fits no entry of 'ours': the loss counts as 0 there",) == found.fails


def test_two_entries_of_one_person_bound_nothing():
    """The second counterexample: definition 8 holds, and the estimate of 1/2 is below the true 1.

    A dictionary without names gives no bound; if both entries are known to be hers, they count once, and it fails.
    """
    twice = [("y",), ("y",)]
    named = book("ours", twice, "aa")
    assert [1.0, 1.0] == risks([("y",)], named, book("theirs", [("y",)], "a"))
    assert ("'ours' has several entries of some people",) == check([("y",)], named, book("theirs", [("y",)], "a")).fails
    ours, theirs = book("ours", twice), book("theirs", [("y",)], "a")
    assert [0.5, 1.0] == risks([("y",)], ours, theirs)
    assert ("'ours' does not name its people",) == check([("y",)], ours, theirs).fails


def test_each_condition_is_reported_alone():
    """Who is missing there, what they know and we do not, selection, and the harm of errors."""
    records: Sequence[tuple[object, ...]] = [("x", "u")]
    ours = book("ours", [("x", "u"), ("x", None), ("z", "u")], "abc")
    fewer = book("theirs", [("x", "u"), ("x", None)], "ab")
    assert ("people of 'ours' who are not in 'theirs': 1",) == check(records, ours, fewer).fails
    knows = book("theirs", [("x", "u"), ("x", "v"), ("y", "u")], "abc")
    assert (
        "people whose a in 'theirs' is missing or different in 'ours': 1",
        "people whose b in 'theirs' is missing or different in 'ours': 1",
    ) == check(records, ours, knows).fails
    chosen = Dictionary("theirs", ours.attributes, ours.identities, np.array([1.0, 2.0, 1.0]))
    assert ("entries are not selected uniformly",) == check(records, ours, chosen).fails
    assert ("a wrong identification may cost more than a right one",) == check(records, ours, ours, wrong=1.0).fails
    assert check(records, ours, ours).holds


def test_what_records_do_not_tell_is_no_condition():
    """A column that both could compare, and no record has."""
    ours = book("ours", [("x", "u")], "a")
    theirs = book("theirs", [("x", "v")], "a")
    assert not check([("x", "u")], ours, theirs).holds
    assert check([("x",)], ours, theirs).holds


def test_an_attribute_that_only_they_have_is_known_to_them_alone():
    """We do not tell it, so every value of theirs is more than ours."""
    ours = book("ours", [("x",), ("x",)], "ab")
    theirs = book("theirs", [("x", "u"), ("x", None)], "ab")
    assert ("people whose b in 'theirs' is missing or different in 'ours': 1",) == check(
        [("x", "u")], ours, theirs
    ).fails
    assert [1.0, 2.0] == risks([("x", "w")], ours, book("theirs", [("x", "w"), ("x", "u")], "ab"), k=2)


def test_unmatched_records_are_reported():
    """An infinite number rules its entry out, and the other one is found: 1/2 would be too low a bound."""
    ours, theirs = book("ours", [(1.0,), (1.0,)], "ab"), book("theirs", [(1.0,), (math.inf,)], "ab")
    assert [0.5, 1.0] == risks([(1.0,)], ours, theirs)
    assert ("people whose a in 'theirs' is missing or different in 'ours': 1",) == check([(1.0,)], ours, theirs).fails


@given(st.data())
def test_where_the_conditions_hold_no_rule_breaks_the_bound(data):
    """Every disclosure of every set, with further entries and values blanked."""
    case = data.draw(plain.cases())
    m = len(case.records[0])
    who = "abcdefghijklmnopqrst"
    blank = data.draw(st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=6, max_size=6))
    known = [tuple(None if hide else v for v, hide in zip(e, b, strict=True))
             for e, b in zip(case.entries, blank, strict=False)]  # fmt: skip
    more = data.draw(st.lists(st.tuples(*[st.sampled_from("xyz") | st.none()] * m), max_size=5))
    ours = book("ours", case.entries, who[: len(case.entries)])
    theirs = book("theirs", [*known, *more], who[: len(known) + len(more)])
    table = plain.table(case.records)
    estimate, truth = Consistency.of(table, ours), Consistency.of(table, theirs)
    sensitivity = Sensitivity.phi5(np.array(case.weight))
    bound = upper_bound(estimate, ours, theirs, sensitivity)
    assert all("no entry" in one for one in bound.fails)
    assume(bound.holds)
    for k in range(m + 1):
        for chosen in of_size(m, k):
            disclosed = np.tile(chosen, (len(case.records), 1))
            assert (
                risk(truth, sensitivity, disclosed).loss <= risk(estimate, sensitivity, disclosed).loss + 1e-12
            ).all()


def test_how_loose_the_bound_gets():
    """Of 101 others in ours ten look like her: ten times as many entries make it about a hundred."""
    rows: Sequence[tuple[object, ...]] = [("Mary",)] * 11 + [("Ann",)] * 90
    estimate = Consistency.of(plain.table([("Mary",)]), book("ours", rows))
    found = as_it_grows(estimate, Sensitivity.phi1(np.ones(1), 1), np.ones((1, 1), bool), (1, 10))
    np.testing.assert_allclose([1 / 11, 1 / (1 + 10 * 1009 / 100)], found.risk)


def test_without_other_matches_the_risk_is_unchanged():
    """The rareness of a unique person cannot be estimated: the risk is unchanged, and so is 0."""
    estimate = Consistency.of(plain.table([("Mary",), ("Zoe",)]), book("ours", [("Mary",), ("Ann",)]))
    found = as_it_grows(estimate, Sensitivity.phi1(np.ones(1), 2), np.ones((2, 1), bool))
    assert [0.5] * 5 == found.risk.tolist()
    with pytest.raises(InvalidInputError, match=r"at least 1.*got 0\.5"):
        as_it_grows(estimate, Sensitivity.phi1(np.ones(1), 2), np.ones((2, 1), bool), (0.5, 1))
