"""Counting who fits: by keys, by bits and beforehand, all sets of attributes at once, whatever is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.decision_risk import plain
from unmask.decision_risk import _joined, subsets
from unmask.decision_risk._joined import by_joining, own_set, prefixes
from unmask.decision_risk.assessment import disclosing
from unmask.decision_risk.bitmaps import by_bits
from unmask.decision_risk.comparisons.within import Within
from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.dictionary import Dictionary
from unmask.decision_risk.disclosure_risk import risk
from unmask.decision_risk.identification import identified
from unmask.decision_risk.rules.bayes import Bayes
from unmask.decision_risk.rules.exact import Exact
from unmask.decision_risk.selection import DecisionProblem
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.decision_risk.subsets import blocks, chances, of_size, tabulated

BOOK = [("Mary", "Smith", 1), ("Mary", "Jones", 2), ("Ann", "Smith", 3), ("Ann", None, 4), (None, "Smith", 1)]
ALWAYS, NEVER = 0.0, 1e30


@contextmanager
def by_keys(cost: float) -> Iterator[None]:
    """Let a step of the walk cost so much: nothing, or more than anything else."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("NODE", "ENTRY", "RECORD", "SPREAD"):
            patch.setattr(_joined, name, cost)
        yield


def every(m: int) -> np.ndarray:
    """Return all sets of m attributes."""
    return np.concatenate([of_size(m, k) for k in range(m + 1)])


def test_mary_smith_in_every_set_of_attributes():
    """Of five entries two lack a value: nothing fits 5, Mary 3, Smith 4, 1 two, both names 2, and all three 2.

    So do a first name and a number, 2, and a surname and a number, 2.
    """
    records = plain.compared([("Mary", "Smith", 1)], BOOK)
    found = {members: by_joining(records, every(3)[s : s + 1], np.arange(1))[0].item()
             for s, members in enumerate(plain.sets_in(every(3)))}  # fmt: skip
    assert {(): 5, (0,): 3, (1,): 4, (2,): 2, (0, 1): 2, (0, 2): 2, (1, 2): 2, (0, 1, 2): 2} == found


def test_sets_that_begin_alike_share_the_work():
    """All eight sets of three take seven steps, one for each that is not empty; ab, abc and b take four."""
    assert 7 == prefixes(every(3))
    assert 4 == prefixes(np.array([[True, True, False], [True, True, True], [False, True, False]]))
    assert 0 == prefixes(of_size(3, 0))


@given(plain.cases(), st.data())
def test_keys_bits_and_a_table_equal_enumeration(case, data):
    """In every set of each size, for records of which some are asked for, some twice; and by unequal selection."""
    n, size, m = len(case.records), len(case.entries), len(case.records[0])
    q = data.draw(st.none() | st.lists(st.sampled_from([1.0, 2.0, 5.0]), min_size=size, max_size=size))
    consistency = plain.compared(case.records, case.entries, probability=q)
    rows = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=8)))
    sets = of_size(m, case.k)
    fit = [[plain.fitting(case.records[i], case.entries, d) for d in plain.sets_in(sets)] for i in rows]
    expected = [[len(one) for one in each] for each in fit]
    for how in (by_joining, by_bits):
        count, mass = how(consistency, sets, rows)
        assert expected == count.tolist()
        if q is not None:
            np.testing.assert_allclose(mass, [[sum(q[e] for e in one) for one in each] for each in fit], rtol=1e-12)
    with by_keys(ALWAYS):
        part = tabulated(consistency, [case.k]).take(rows)
    assert part.tabulated is not None
    count, chance = chances(part, sets, slice(0, rows.size))
    assert expected == count.tolist()
    for s, one in enumerate(sets):
        alone = identified(part, np.tile(one, (rows.size, 1)))
        assert (count[:, s] == alone.count).all()
        assert (chance[:, s] == alone.chance).all()


@given(plain.cases())
def test_records_are_counted_by_their_own_sets(case):
    """Each by what it shows and the others do not."""
    consistency = plain.compared(case.records, case.entries)
    visible = np.where(case.disclosed, consistency.ours, -1).astype(np.int32)
    expected = [
        len(plain.fitting(record, case.entries, np.flatnonzero(d).tolist()))
        for record, d in zip(case.records, case.disclosed, strict=True)
    ]
    assert expected == own_set(consistency, visible)[0].tolist()


def test_a_thousand_entries_with_gaps_and_values_that_only_one_side_has():
    """Larger than what is drawn: 200 records, five attributes, a tenth of the values missing on either side."""
    rng = np.random.default_rng(3)

    def rows(n: int, values: int) -> list[tuple[int | None, ...]]:
        drawn = rng.integers(0, values, (n, 5)).tolist()
        return [tuple(None if rng.random() < 0.1 else v for v in row) for row in drawn]

    consistency = plain.compared(rows(200, 5), rows(1000, 4))
    for k in range(6):
        keys, bits = (how(consistency, of_size(5, k), np.arange(200)) for how in (by_joining, by_bits))
        assert (keys[0] == bits[0]).all()
    assert consistency.n_gaps > 20


@given(plain.cases(), st.booleans())
def test_what_is_chosen_does_not_depend_on_how_it_is_counted(case, additive):
    """The exact rule and the Bayes rule, and what they cost, are the same to the last bit."""
    weight = np.array(case.weight)
    sensitivity = Sensitivity.phi3(weight) if additive else Sensitivity.phi5(weight)
    parts = [plain.compared(case.records, case.entries), plain.compared(case.records, case.entries[:1])]
    found = []
    for cost in (NEVER, ALWAYS):
        with by_keys(cost):
            for looked_up in (False, True) if cost == ALWAYS else (False,):
                held = [tabulated(part, [case.k]) for part in parts] if looked_up else parts
                exact = Exact(case.k).choose(held[0], sensitivity).disclosed
                bayes = Bayes(case.k).choose(held, [0.7, 0.3], sensitivity).disclosed
                found.append((exact, bayes, risk(held[0], sensitivity, exact).loss))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            assert (a == b).all()


def test_all_numbers_of_attributes_are_judged_by_one_count():
    """The report says the same whether sets are counted beforehand or each time."""
    rng = np.random.default_rng(5)
    people = plain.table([tuple(row) for row in rng.integers(0, 4, (300, 4)).tolist()])
    dictionary = Dictionary("book", people)
    found = []
    for cost in (NEVER, ALWAYS):
        with by_keys(cost):
            part = Consistency.of(people, dictionary)
            case = DecisionProblem.of([part], [dictionary], Sensitivity.phi5(np.ones((300, 4))))
            found.append(disclosing(case, k=2, curve=True))
    values = [[(a.average, b.average) for a, b in one.curve] for one in found]
    assert values[0] == values[1]
    assert found[0].everything.average == found[1].everything.average
    assert (found[0].held[0].withheld == found[1].held[0].withheld).all()


def test_the_least_risk_stands_beside_that_of_minrisk_where_it_is_soon_found(monkeypatch):
    """Two nanoseconds are not enough for it; and without it the report leaves it out."""
    people = plain.table([tuple(row) for row in np.random.default_rng(6).integers(0, 4, (50, 4)).tolist()])
    dictionary = Dictionary("book", people)
    part = Consistency.of(people, dictionary)
    case = DecisionProblem.of([part], [dictionary], Sensitivity.phi5(np.ones((50, 4))))
    found = disclosing(case, k=2, rule="min-risk")
    assert found.least is not None
    assert found.best is not None
    assert found.least.average <= found.best.average
    monkeypatch.setattr("unmask.decision_risk.assessment.BESIDE", 2.0)
    assert disclosing(case, k=2, rule="min-risk").least is None


def test_what_cannot_be_counted_beforehand_is_not(monkeypatch):
    """Values that fit thousands take too much memory; sets of many attributes are too many; little is not worth it."""
    near = plain.compared([(1, 2), (2, 2)], [(1, 3), (2, 2)], {"a": Within(1)})
    with by_keys(ALWAYS):
        assert tabulated(near, [1]).tabulated is not None
        monkeypatch.setattr(_joined, "MOST", 3)
        assert [2, 1] == near.spread.tolist()
        assert tabulated(near, [1]).tabulated is None
        assert [[1], [1]] == chances(near, of_size(2, 2), slice(0, 2))[0].tolist()
        columns = [f"a{j}" for j in range(40)]
        people = plain.table([tuple(range(40))], columns)
        wide = Consistency.of(people, Dictionary("book", people))
        assert tabulated(wide, [20]).tabulated is None
    assert tabulated(plain.compared(BOOK, BOOK), [2]).tabulated is None


@pytest.mark.parametrize(("n", "m", "sizes"), [(0, 3, [1]), (1, 3, []), (1, subsets.WIDEST + 1, [1])])
def test_whether_counting_beforehand_pays_is_not_even_asked(monkeypatch, n, m, sizes):
    """No person, no disclosure, or so many attributes that listing all sets would take seconds."""
    people = plain.table([tuple(range(m))], [f"a{j}" for j in range(m)])
    part = Consistency.of(people, Dictionary("book", people)).take(np.arange(n))
    monkeypatch.setattr(subsets, "prefixes", None)
    assert tabulated(part, sizes).tabulated is None


def test_blocks_are_as_large_as_the_table_allows(monkeypatch):
    """Where bits are not needed, they do not count."""
    consistency = plain.compared(BOOK * 4, BOOK)
    monkeypatch.setattr(subsets, "TABLE", 32 * 3 * 6)
    with by_keys(ALWAYS):
        assert [6, 6, 6, 2] == [one.stop - one.start for one in blocks([consistency], of_size(3, 1))]
    with by_keys(NEVER):
        assert [20] == [one.stop - one.start for one in blocks([consistency], of_size(3, 1))]
