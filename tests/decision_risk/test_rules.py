"""Rules: which attributes to disclose, against trying every set by hand."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.decision_risk import plain
from unmask.decision_risk import bitmaps
from unmask.decision_risk.comparisons.within import Within
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.disclosure_risk import bayes_risk, risk
from unmask.decision_risk.harm_weights import Form
from unmask.decision_risk.rules.bayes import Bayes
from unmask.decision_risk.rules.exact import Exact
from unmask.decision_risk.rules.min_risk import MinRisk
from unmask.decision_risk.rules.minimax import Minimax
from unmask.decision_risk.rules.random import Random
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.subsets import of_size
from unmask.errors import InvalidInputError

BOOK = [("Mary", "Smith", 1), ("Mary", "Jones", 2), ("Ann", "Smith", 3), ("Ann", "Jones", 4)]
MARY = plain.compared([BOOK[0]], BOOK)
PHI5 = Sensitivity.phi5(np.array([[0.1, 0.2, 1.0]]))


@pytest.mark.parametrize("kind", [MinRisk, Exact])
def test_of_mary_smith_the_first_name_and_then_both_names(kind):
    """Her number is the last to go."""
    assert [[(0,)], [(0, 1)], [(0, 1, 2)], [()]] == [
        plain.sets_in(kind(k).choose(MARY, PHI5).disclosed) for k in (1, 2, 3, 0)
    ]


def test_of_three_dictionaries_as_one():
    """Bayes over all three discloses the first name, too."""
    parts = [plain.compared([BOOK[0]], book) for book in (BOOK, BOOK[:2], [*BOOK, ("Mary", "Smith", 9)])]
    assert [(0,)] == plain.sets_in(Bayes(1).choose(parts, [1, 1, 1], PHI5).disclosed)


def test_independence_is_an_assumption():
    """Two rare names that always go together cost as much as one of them: MinRisk counts both, the search does not."""
    book = [("Xaver", "Zyx", "m"), *[("Anna", "Lee", "f")] * 6, *[("Tom", "Lee", "m")] * 3]
    consistency = plain.compared([book[0]], book)
    sensitivity = Sensitivity.phi5(np.array([[0.0, 0.0, 1.0]]))
    assert [(1, 2)] != plain.sets_in(MinRisk(2).choose(consistency, sensitivity).disclosed)
    exact, cautious = (kind(2).choose(consistency, sensitivity) for kind in (Exact, MinRisk))
    losses = [risk(consistency, sensitivity, one.disclosed).value for one in (exact, cautious)]
    assert ([(0, 1)], 1.0) == (plain.sets_in(exact.disclosed), losses[0])
    assert math.isclose(math.e, losses[1])


@st.composite
def products(draw: st.DrawFn) -> plain.Drawn:
    """Draw a dictionary in which attributes are independent: every combination of lists of values, some repeated."""
    m = draw(st.integers(1, 4))
    lists = [draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=3)) for _ in range(m)]
    n = draw(st.integers(1, 4))
    records = [tuple(draw(st.sampled_from(values)) for values in lists) for _ in range(n)]
    number = st.floats(0, 2, allow_subnormal=False)
    weight = draw(st.lists(st.lists(number, min_size=m, max_size=m), min_size=n, max_size=n))
    return plain.Drawn(records, list(product(*lists)), weight, [], draw(st.integers(0, m)))


@given(products())
def test_where_attributes_are_independent_minrisk_is_best(case):
    """Every product dictionary that contains the disclosed values."""
    sensitivity = Sensitivity.phi5(np.array(case.weight))
    consistency = plain.compared(case.records, case.entries)
    found = risk(consistency, sensitivity, MinRisk(case.k).choose(consistency, sensitivity).disclosed)
    for i, record in enumerate(case.records):
        assert math.isclose(plain.least(record, case.entries, case.weight[i], case.k), found.loss[i], rel_tol=1e-9)


@given(products(), st.data())
def test_where_values_may_be_absent_the_free_one_is_best(case, data):
    """Disclosing a value without records costs nothing; some records have one, or lack one."""
    records = [tuple(data.draw(st.sampled_from([v, "absent", None])) for v in record) for record in case.records]
    sensitivity = Sensitivity.phi5(np.array(case.weight))
    consistency = plain.compared(records, case.entries)
    found = risk(consistency, sensitivity, MinRisk(case.k, "free").choose(consistency, sensitivity).disclosed)
    for i, record in enumerate(records):
        assert math.isclose(plain.least(record, case.entries, case.weight[i], case.k), found.loss[i], rel_tol=1e-9)


def test_unmatched_value_is_chosen_last_with_a_note():
    """The cautious reading, which is the paper's: the dictionary may only be incomplete. The free one says why, too."""
    consistency = plain.compared([("absent", "Smith", 1)], BOOK)
    cautious, free = MinRisk(1).choose(consistency, PHI5), MinRisk(1, "free").choose(consistency, PHI5)
    assert ([(1,)], [(0,)]) == (plain.sets_in(cautious.disclosed), plain.sets_in(free.disclosed))
    assert "1 values are nowhere in the dictionary: chosen last" in cautious.notes[0]
    assert "chosen first, since they match no entry" in free.notes[0]
    assert [(0, 1, 2)] == plain.sets_in(MinRisk(3).choose(consistency, PHI5).disclosed)


def test_weights_without_bound_and_values_without_a_number():
    """Never is chosen last, and e to the power of 800 is still less than e to the power of 900."""
    for weight, expected in (([np.inf, 0.2, 1.0], 1), ([800.0, 900.0, 1000.0], 0), ([900.0, 800.0, 1000.0], 1)):
        sensitivity = Sensitivity.phi5(np.array([weight]))
        for kind in (MinRisk, Exact):
            assert [(expected,)] == plain.sets_in(kind(1).choose(MARY, sensitivity).disclosed)


def test_equals_go_to_the_first():
    """The lowest index, among equal costs."""
    even = Sensitivity.phi5(np.zeros((1, 3)))
    twins = plain.compared([("x", "x", "x")], [("x", "x", "x"), ("y", "y", "y")])
    for kind in (MinRisk, Exact):
        assert [(0, 1)] == plain.sets_in(kind(2).choose(twins, even).disclosed)


@pytest.mark.parametrize("kind", [MinRisk, Exact])
def test_a_record_with_too_few_values_discloses_all_of_them(kind):
    """What is missing is no value; and how many records that concerns is said."""
    consistency = plain.compared([("Mary", None, None), (None, None, None), BOOK[0]], BOOK)
    sensitivity = Sensitivity.phi5(np.zeros((3, 3)))
    found = kind(2).choose(consistency, sensitivity)
    assert [(0,), (), (0, 1)] == plain.sets_in(found.disclosed)
    assert ("2 records have fewer than 2 values: all are disclosed",) == found.notes
    assert [(0,), (), (0, 1, 2)] == plain.sets_in(kind(3).choose(consistency, sensitivity).disclosed)


def test_a_record_whose_every_choice_is_never_still_discloses_k():
    """All sets cost infinitely much: the first one that is there is taken."""
    consistency = plain.compared([(None, "Smith", 1)], BOOK)
    never = Sensitivity.phi5(np.full((1, 3), np.inf))
    assert [(1,)] == plain.sets_in(Exact(1).choose(consistency, never).disclosed)


@given(plain.cases(), st.booleans(), st.sampled_from([0.0, 0.6]))
def test_the_exact_rule_equals_trying_everything(case, additive, wrong):
    """On any dictionary, of any sensitivity, all sets at once or best first."""
    form: Form = "additive" if additive else "multiplicative"
    sensitivity = Sensitivity(np.array(case.weight), form=form, wrong=wrong)
    consistency = plain.compared(case.records, case.entries)
    for rule in (Exact(case.k), Exact(case.k, most=0)):
        found = rule.choose(consistency, sensitivity)
        losses = risk(consistency, sensitivity, found.disclosed).loss
        assert found.gap is not None
        assert not found.gap.any()
        for i, record in enumerate(case.records):
            each = []
            for chosen in plain.choices(record, case.k):
                harm = sum(case.weight[i][j] for j in chosen) if additive else plain.phi5(case.weight[i], chosen)
                n = len(plain.fitting(record, case.entries, chosen))
                each.append((harm + (n - 1) * wrong) / n if n else 0.0)
            assert math.isclose(min(each), losses[i], rel_tol=1e-9, abs_tol=1e-12)
            assert found.disclosed[i].sum() == min(case.k, sum(v is not None for v in record))


@given(st.data())
def test_pairs_that_weigh_together_are_seen_by_the_search(data):
    """Φ4, all sets at once and best first, on numbers that fit where they are near."""
    m, k = 4, data.draw(st.integers(1, 4))
    rows = st.lists(st.tuples(*[st.integers(0, 4)] * m), min_size=1, max_size=6)
    entries = data.draw(rows)
    record = data.draw(st.sampled_from(entries))
    number = st.sampled_from([0.0, 0.3, 1.0])
    weight = np.array([data.draw(st.lists(number, min_size=4, max_size=4))])
    sensitivity = Sensitivity.phi4(weight, np.array([data.draw(st.lists(number, min_size=6, max_size=6))]))
    consistency = plain.compared([record], entries, {name: Within(1) for name in "abcd"})
    expected = min(risk(consistency, sensitivity, row[None, :]).value for row in of_size(m, k))
    for rule in (Exact(k), Exact(k, most=0)):
        found = rule.choose(consistency, sensitivity).disclosed
        assert math.isclose(expected, risk(consistency, sensitivity, found).value, abs_tol=1e-12)


@given(plain.cases(), st.sampled_from([0.0, 0.6]), st.data())
def test_the_search_sees_that_entries_are_selected_unequally(case, wrong, data):
    """Best first as by trying all: a person seldom selected is seldom identified, until the entry does not fit."""
    n, size = len(case.records), len(case.entries)
    q = data.draw(st.lists(st.sampled_from([1.0, 2.0, 5.0]), min_size=size, max_size=size))
    own = data.draw(st.lists(st.integers(0, size), min_size=n, max_size=n))
    names = (tuple(f"e{i}" for i in own), tuple(f"e{i}" for i in range(size)))
    consistency = plain.compared(case.records, case.entries, probability=q, names=names)
    sensitivity = Sensitivity(np.array(case.weight), form="multiplicative", wrong=wrong)
    tried, searched = (Exact(case.k, most=most).choose(consistency, sensitivity) for most in (10_000, 0))
    least, found = (risk(consistency, sensitivity, one.disclosed).loss for one in (tried, searched))
    np.testing.assert_allclose(found, least, rtol=1e-9, atol=1e-12)
    assert searched.gap is not None
    assert not searched.gap.any()


def test_a_search_that_ends_early_says_how_far_off_it_may_be():
    """20 attributes, 10 of them: 184,756 sets. The gap holds against a search without an end."""
    rng = np.random.default_rng(3)
    entries = [tuple(row) for row in rng.integers(0, 3, (200, 20)).tolist()]
    consistency = plain.compared(entries[:4], entries)
    sensitivity = Sensitivity.phi5(rng.random((4, 20)))
    early = Exact(10, effort=50).choose(consistency, sensitivity)
    best = Exact(10, most=200_000).choose(consistency, sensitivity)
    loss, least = (risk(consistency, sensitivity, one.disclosed).loss for one in (early, best))
    assert early.gap is not None
    assert (early.gap > 0).any()
    assert (loss - early.gap <= least + 1e-9).all()
    assert (loss >= least - 1e-9).all()
    assert "records may do better" in early.notes[0]
    whole = Exact(10, most=10, effort=10**7).choose(consistency, sensitivity)
    np.testing.assert_allclose(least, risk(consistency, sensitivity, whole.disclosed).loss)


@given(plain.cases(), st.data())
def test_the_bayes_rule_equals_trying_everything(case, data):
    """Two or three dictionaries, of which one may be held by no intruder."""
    rows = st.lists(st.tuples(*[st.sampled_from("xyz") | st.none()] * len(case.records[0])), min_size=1, max_size=5)
    books = [case.entries, *data.draw(st.lists(rows, min_size=1, max_size=2))]
    prior = data.draw(st.lists(st.sampled_from([0, 1, 3]), min_size=len(books), max_size=len(books)).filter(any))
    parts = [plain.compared(case.records, book) for book in books]
    sensitivity = Sensitivity.phi5(np.array(case.weight))
    found = Bayes(case.k).choose(parts, prior, sensitivity).disclosed
    expected = 0.0
    for i, record in enumerate(case.records):
        expected += min(
            sum(p * plain.loss(record, book, d, plain.phi5(case.weight[i], d))
                for p, book in zip(prior, books, strict=True) if p)
            for d in plain.choices(record, case.k)
        ) / sum(prior) / len(case.records)  # fmt: skip
    risks = [risk(part, sensitivity, found) for part in parts]
    assert math.isclose(expected, bayes_risk(risks, prior), rel_tol=1e-9)


@given(plain.cases(m=4), st.data())
def test_some_attributes_are_always_disclosed(case, data):
    """Among the k, where a record has them; the rest is as good as it can be then."""
    k = max(case.k, 1)
    always = data.draw(st.lists(st.sampled_from("abcd"), max_size=k, unique=True))
    wanted = {"abcd".index(name) for name in always}
    sensitivity = Sensitivity.phi5(np.array(case.weight))
    consistency = plain.compared(case.records, case.entries)
    required = tuple(always)
    rules: list[Exact | MinRisk] = [
        Exact(k, always=required),
        Exact(k, most=0, always=required),
        MinRisk(k, always=required),
    ]
    found = [rule.choose(consistency, sensitivity).disclosed for rule in rules]
    found.append(Bayes(k, always=required).choose([consistency], [1], sensitivity).disclosed)
    found.append(Minimax(k, always=required).choose([consistency], sensitivity).rule.disclosed)
    drawn = Random(k, always=required).choose(consistency, np.random.default_rng(0)).disclosed
    for i, record in enumerate(case.records):
        there = {j for j, value in enumerate(record) if value is not None}
        options = [set(one) for one in plain.choices(record, k) if wanted & there <= set(one)]
        assert all(set(np.flatnonzero(rule[i]).tolist()) in options for rule in (*found, drawn))
        least = min(plain.loss(record, case.entries, sorted(one), plain.phi5(case.weight[i], sorted(one)))
                    for one in options)  # fmt: skip
        for rule in (found[0], found[1], found[3], found[4]):
            assert math.isclose(least, risk(consistency, sensitivity, rule).loss[i], rel_tol=1e-6)


def test_always_disclosed_are_at_most_k():
    """And only what is there."""
    with pytest.raises(InvalidInputError, match="always disclosed, 2; got 1"):
        Exact(1, always=("a", "b")).choose(MARY, PHI5)
    with pytest.raises(InvalidInputError, match="must be one of a, b, c; got 'z'"):
        MinRisk(1, always=("z",)).choose(MARY, PHI5)


def test_records_by_blocks_are_records_at_once(monkeypatch):
    """Memory decides how many are looked at together, and nothing else."""
    rng = np.random.default_rng(4)
    entries = [tuple(row) for row in rng.integers(0, 3, (100, 5)).tolist()]
    consistency = plain.compared(entries, entries)
    sensitivity = Sensitivity.phi5(rng.random((100, 5)))
    at_once = Exact(2).choose(consistency, sensitivity).disclosed
    monkeypatch.setattr(bitmaps, "BITS", 3000)
    assert (at_once == Exact(2).choose(consistency, sensitivity).disclosed).all()


def test_random_rules_take_every_set_alike():
    """Two of three: each pair in a third of 30,000 draws, within 4.5 standard errors."""
    consistency = plain.compared([BOOK[0]] * 30_000, BOOK)
    found = Random(2).choose(consistency, np.random.default_rng(5)).disclosed
    share = np.array([(found == pair).all(axis=1).mean() for pair in of_size(3, 2)])
    assert (np.abs(share - 1 / 3) < 4.5 * np.sqrt(2 / 9 / 30_000)).all()
    assert [(0,)] == plain.sets_in(
        Random(2).choose(plain.compared([("Mary", None, None)], BOOK), np.random.default_rng(6)).disclosed
    )


def test_more_than_there_is_cannot_be_disclosed():
    """K is a number of attributes; and Bayes tries sets, so they may be too many."""
    for choose in (MinRisk(4).choose, Exact(4).choose, lambda c, _: Random(4).choose(c, np.random.default_rng(0))):
        with pytest.raises(InvalidInputError, match="at most the number of attributes, 3; got 4"):
            choose(MARY, PHI5)
    with pytest.raises(InvalidInputError, match="at least 0"):
        MinRisk(-1).choose(MARY, PHI5)
    with pytest.raises(InvalidInputError, match="at most 2 to be tried; got 3"):
        Bayes(1, most=2).choose([MARY], [1], PHI5)
    wide = plain.table([tuple("x" * 63)], [f"a{j}" for j in range(63)])
    with pytest.raises(InvalidInputError, match=r"at most 62 for a search among 39,711 sets; got 63\. Leave some out"):
        Exact(3).choose(Consistency.of(wide, Dictionary("book", wide)), Sensitivity.phi5(np.ones((1, 63))))


def test_minrisk_says_where_it_is_not_even_meant():
    """Where harms add up, no product is least where its factors are."""
    assert "no product" in MinRisk(1).choose(MARY, Sensitivity.phi3(np.ones((1, 3)))).notes[0]
