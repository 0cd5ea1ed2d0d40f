"""Identification: how many entries fit, by every way of counting, and with entries that are selected more often."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.decision_risk import plain
from unmask.decision_risk import _joined
from unmask.decision_risk._joined import by_joining
from unmask.decision_risk.comparison import Comparison
from unmask.decision_risk.comparisons.exact import Exact
from unmask.decision_risk.comparisons.folded import Folded
from unmask.decision_risk.comparisons.within import Within
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.identification import identified
from unmask.decision_risk.subsets import chances, of_size
from unmask.errors import InvalidInputError
from unmask.table import Table

BOOK = [("Mary", "Smith", 1), ("Mary", "Jones", 2), ("Ann", "Smith", 3), ("Ann", "Jones", 4)]


def disclosing(*sets: tuple[int, ...], m: int = 3) -> np.ndarray:
    """Return which attributes are disclosed of each record."""
    return np.array([[j in one for j in range(m)] for one in sets])


def test_four_people_by_first_name_surname_and_number():
    """Nothing fits all four, a name two, both names one."""
    records = [BOOK[0]] * 5
    found = identified(plain.compared(records, BOOK), disclosing((), (0,), (1,), (2,), (0, 1)))
    assert [4, 2, 2, 1, 1] == found.count.tolist()
    assert [0.25, 0.5, 0.5, 1, 1] == found.chance.tolist()


def test_who_is_not_in_the_dictionary_is_not_found():
    """A new combination fits no entry, and an entry with a missing value fits any."""
    records = [("Mary", "Miller", 1), ("Zoe", "Smith", 3)]
    assert [0, 0] == identified(plain.compared(records, BOOK), disclosing((0, 1), (0,))).count.tolist()
    gaps = [*BOOK, ("Mary", None, None), (None, "Smith", 9)]
    assert [1, 1] == identified(plain.compared(records, gaps), disclosing((0, 1), (0,))).count.tolist()


def test_what_a_record_lacks_discloses_nothing():
    """A missing value fits all entries, disclosed or not."""
    assert [2, 4] == identified(plain.compared([("Mary", None, 1), (None, None, None)], BOOK),
                                disclosing((0, 1), (0, 1, 2))).count.tolist()  # fmt: skip


def test_attribute_absent_from_the_dictionary_matches_all():
    """And that is said, since it may be a slip in a name."""
    book = Dictionary("book", Table.of({"first": ["Mary", "Ann"]}, quasi=["first"]))
    records = Table.of({"first": ["Mary"], "born": [1970]}, quasi=["first", "born"])
    found = Consistency.of(records, book)
    assert [1] == identified(found, disclosing((0, 1), m=2)).count.tolist()
    assert ("'book' has no born: it matches all entries there",) == found.notes


def test_entries_that_are_selected_more_often():
    """Of two Marys the one who is selected three times as often is the person in three of four cases.

    A person without an own entry, or whose own does not fit, is taken for any of those that do.
    """
    names = (("m1", "m2", "nobody", "m2"), ("m1", "m2", "a3", "a4"))
    records = [BOOK[0], BOOK[1], BOOK[0], ("Ann", "Smith", 1)]
    found = identified(
        plain.compared(records, BOOK, probability=[3, 1, 1, 1], names=names), disclosing((0,), (0,), (0,), (0,))
    )
    assert [2, 2, 2, 2] == found.count.tolist()
    assert [0.75, 0.25, 0.5, 0.5] == found.chance.tolist()


def test_selection_without_identities_is_uniform_with_a_note():
    """It matters which entry is the person's, and that is unknown."""
    consistency = plain.compared(BOOK[:1], BOOK, probability=[3, 1, 1, 1])
    assert [0.5] == identified(consistency, disclosing((0,))).chance.tolist()
    assert ("identities in 'book' are unknown: entries count as selected uniformly",) == consistency.notes


def test_equal_selection_is_no_selection():
    """Whatever the common number."""
    names = (("m1",), ("m1", "m2", "a3", "a4"))
    found = identified(plain.compared(BOOK[:1], BOOK, probability=[7.0] * 4, names=names), disclosing((0,)))
    assert [0.5] == found.chance.tolist()


CLOSE: dict[str, Comparison] = {"a": Within(1), "b": Folded(), "c": Exact(), "d": Within(0), "e": Within(2)}
REACH = {"a": 1, "b": 0, "c": 0, "d": 0, "e": 2}


@given(plain.cases())
def test_counting_equals_enumeration(case):
    """Posting lists and keys agree with the definition, whatever is missing."""
    consistency = plain.compared(case.records, case.entries)
    expected = [
        len(plain.fitting(r, case.entries, np.flatnonzero(d).tolist()))
        for r, d in zip(case.records, case.disclosed, strict=True)
    ]
    for cost in (0.0, 1e30):  # by keys always; never
        with pytest.MonkeyPatch.context() as patch:
            for name in ("NODE", "ENTRY", "RECORD", "SPREAD"):
                patch.setattr(_joined, name, cost)
            assert expected == identified(consistency, np.array(case.disclosed)).count.tolist()


@given(st.data())
def test_counting_by_pairs_equals_enumeration(data):
    """Fitting need not be an equivalence: 1 is near to 2 and 2 to 3, and 1 is not near to 3."""
    m = data.draw(st.integers(1, 5))
    rows = st.lists(st.tuples(*[st.integers(0, 5) | st.none()] * m), min_size=1, max_size=7)
    records, entries = data.draw(rows), data.draw(rows)
    names = [chr(ord("a") + j) for j in range(m)]
    q = data.draw(st.lists(st.sampled_from([1.0, 2.0, 5.0]), min_size=len(entries), max_size=len(entries)))
    consistency = plain.compared(records, entries, {name: CLOSE[name] for name in names}, q)
    reach = [REACH[name] for name in names]

    def fits(r, e, d):
        return all(r[j] is None or e[j] is None or abs(r[j] - e[j]) <= reach[j] for j in d)

    sets = of_size(m, data.draw(st.integers(0, m)))
    for cost in (0.0, 1e30):  # by what is shown always; never
        with pytest.MonkeyPatch.context() as patch:
            for name in ("NODE", "ENTRY", "RECORD", "SPREAD"):
                patch.setattr(_joined, name, cost)
            count, _ = chances(consistency, sets, slice(0, len(records)))
            _, mass = by_joining(consistency, sets, np.arange(len(records)))
            for s, members in enumerate(plain.sets_in(sets)):
                fit = [[fits(r, e, members) for e in entries] for r in records]
                assert list(map(sum, fit)) == count[:, s].tolist()
                assert [sum(np.array(q)[one]) for one in fit] == mass[:, s].tolist()
                alone = identified(consistency, np.tile(sets[s], (len(records), 1))).count
                assert list(map(sum, fit)) == alone.tolist()


@given(plain.cases(), st.data())
def test_unequal_selection_equals_its_definition(case, data):
    """q(own) / Σ q over those that fit, by single disclosures and by bits."""
    n, size = len(case.records), len(case.entries)
    q = data.draw(st.lists(st.sampled_from([1, 2, 5]), min_size=size, max_size=size))
    own = data.draw(st.lists(st.integers(0, size), min_size=n, max_size=n))
    names = (tuple(f"e{i}" for i in own), tuple(f"e{i}" for i in range(size)))
    consistency = plain.compared(case.records, case.entries, probability=q, names=names)
    m = len(case.records[0])
    for members in plain.sets_in(of_size(m, case.k)):
        flags = np.tile([j in members for j in range(m)], (n, 1))
        expected = []
        for i, record in enumerate(case.records):
            rho = plain.fitting(record, case.entries, members)
            right = Fraction(q[own[i]], sum(q[e] for e in rho)) if own[i] in rho else Fraction(1, max(len(rho), 1))
            expected.append(float(right) if rho else 0.0)
        np.testing.assert_allclose(identified(consistency, flags).chance, expected, rtol=1e-12)
        np.testing.assert_allclose(chances(consistency, flags[:1], slice(0, n))[1][:, 0], expected, rtol=1e-12)


def test_more_than_one_word_of_entries():
    """Bits run over 64; and the order of the records is nothing to the counts."""
    rng = np.random.default_rng(1)
    entries = [tuple(row) for row in rng.integers(0, 4, (1000, 4)).tolist()]
    records = [tuple(row) for row in rng.integers(0, 5, (300, 4)).tolist()]
    consistency = plain.compared(records, entries)
    sets = of_size(4, 2)
    count, _ = chances(consistency, sets, slice(100, 300))
    for s in range(len(sets)):
        alone = identified(consistency, np.tile(sets[s], (300, 1))).count
        assert alone[100:].tolist() == count[:, s].tolist()
        assert alone[7] == len(plain.fitting(records[7], entries, np.flatnonzero(sets[s]).tolist()))
    turned = identified(consistency.take(np.arange(299, -1, -1)), np.tile(sets[0], (300, 1))).count
    assert identified(consistency, np.tile(sets[0], (300, 1))).count.tolist() == turned[::-1].tolist()


def test_each_entry_needs_an_identity():
    """One identity for each; whose identity stands twice is one person all the same."""
    table = Table.of({"who": ["1", "2", "1"], "first": ["Mary", "Ann", "Mary"]}, quasi=["who", "first"])
    with pytest.raises(InvalidInputError, match="must name each of its 3 entries; it names 2"):
        Dictionary("book", table, ("1", "2"))
    assert Dictionary.of(table, "who").repeats
    with pytest.raises(InvalidInputError, match="must have at least one entry"):
        Dictionary.of(table.take(np.array([], np.int64)), "who")
    with pytest.raises(InvalidInputError, match="must name a person in each row; 1 rows"):
        Dictionary.of(Table.of({"who": ["1", None], "first": ["Mary", "Ann"]}, quasi=["who", "first"]), "who")
    book = Dictionary.of(table.take(np.array([0, 1])), "who")
    assert (("1", "2"), ("first",)) == (book.identities, book.attributes.schema.names)


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan"), float("inf")])
def test_selection_probabilities_are_above_0(wrong):
    """A person who is never selected is no entry."""
    table = Table.of({"first": ["Mary", "Ann"], "q": [1.0, wrong]}, quasi=["first", "q"])
    with pytest.raises(InvalidInputError, match="must be numbers above 0, one for each entry; 1 are not"):
        Dictionary.of(table, probability="q")


def test_invalid_input_is_refused():
    """A comparison of an attribute that is not there, and a dictionary of other attributes."""
    book = Dictionary("book", plain.table(BOOK, ["first", "last", "code"]))
    records = plain.table(BOOK, ["first", "last", "code"])
    with pytest.raises(InvalidInputError, match="Did you mean 'first'"):
        Consistency.of(records, book, {"frist": Exact()})
    with pytest.raises(InvalidInputError, match="must have an attribute of the records"):
        Consistency.of(plain.table(BOOK), book)
