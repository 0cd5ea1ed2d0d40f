"""Columns that are always disclosed, and values allocated among records or attributes."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.commands.test_risk import FIRST, NAMES, PHI5
from unmask.commands.risking import DisclosureRisk, disclosure_risk
from unmask.decision_risk.selection import RULES, SHARED, JudgedRule, Name
from unmask.errors import InvalidInputError

TOWN = {"town": ["Ulm"] * 3 + ["Bonn"], "job": ["nurse"] * 3 + ["judge"]}


def best(found: DisclosureRisk) -> JudgedRule:
    """Return what was chosen."""
    assert found.report.best is not None
    return found.report.best


@pytest.mark.parametrize("rule", [name for name in RULES if name not in SHARED])
def test_what_is_always_shown_is_among_the_k(rule: Name):
    """Mary Smith, 1, among four: with the number, which names her, any two cost at least e^1.1 where e^.3 would do."""
    asked = {"weights": PHI5, "disclose": 2, "rule": rule, "person_key": "id"}
    free, bound = disclosure_risk(FIRST, NAMES, **asked), disclosure_risk(FIRST, NAMES, always="n", **asked)  # type: ignore[arg-type]
    assert best(free).worst.value == pytest.approx(math.exp(0.3))
    assert best(bound).worst.value == pytest.approx(math.exp(1.1))
    assert [[True, False, True]] == best(bound).disclosed.tolist()
    assert bound.report.random is not None
    assert bound.report.random.disclosed[0, 2]
    assert [1, 2, 3] == [one.k for one, _ in bound.report.curve]
    assert ["n"] == json.loads(bound.to_json())["chosen"]["always"]
    assert bound.publication().release.provenance.parameters["always"] == "n"


def test_all_illnesses_are_published_where_they_are_always_shown():
    """The rare one with them, which the rule alone would hide."""
    people = {"town": ["Ulm", "Ulm", "Ulm", "Ulm"], "ill": ["flu", "flu", "flu", "gout"]}
    asked = {"disclose": 1, "quasi": "town", "sensitive": "ill"}
    hidden, disclosed = disclosure_risk(people, **asked), disclosure_risk(people, always=["ill"], **asked)  # type: ignore[arg-type]
    assert not best(hidden).disclosed[3, 1]
    release = disclosed.publication().release
    assert (release.columns["ill"] >= 0).all()
    assert release.n_groups == 1


def test_values_are_shared_out_where_they_cost_least():
    """One of each names Bonn: (3/3 + 1) / 4. Four in all, or two of each column, go to two of Ulm: (2/3 + 2/4) / 4."""
    for rule, expected in (("exact", 1 / 2), ("total", 7 / 24), ("per-attribute", 7 / 24)):
        found = best(disclosure_risk(TOWN, disclose=1, rule=rule, curve=False))  # type: ignore[arg-type]
        assert found.worst.value == pytest.approx(expected)
        assert found.disclosed.sum() == 4
        assert found.floor is not None
        assert found.floor.is_reached


def test_it_is_said_how_many_values_are_shared_out():
    """In all, and of each attribute; what does not come out even is left."""
    total = disclosure_risk(TOWN, disclose=1, rule="total")
    assert "total shows 4 values in all: 1 of each record on average, as far as there are so many" in total.notes
    three = {name: values[1:] for name, values in TOWN.items()}
    each = disclosure_risk(three, disclose=1, rule="per-attribute", curve=False)
    assert any(note.startswith("per-attribute shows 1 values of each attribute") for note in each.notes)
    assert best(each).disclosed.sum(axis=0).tolist() == [1, 1]


def test_sharing_out_looks_at_the_worst_of_several_dictionaries_and_says_so():
    """As exact does."""
    found = disclosure_risk(TOWN, [TOWN, {"town": ["Ulm", "Bonn"]}], disclose=1, rule="total")
    assert any("total looks at dictionary 2 alone" in note for note in found.notes)


def test_everything_is_shared_out_where_all_is_asked_for():
    """Records with gaps have fewer values: no more can be shown than there are."""
    gaps = {"town": ["Ulm", None, "Bonn"], "job": ["nurse", "judge", None]}
    for rule in SHARED:
        found = disclosure_risk(gaps, disclose=2, rule=rule).report
        assert found.best is not None
        assert found.best.worst.value == found.everything.worst.value


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"always": "n"}, "must be among some that are chosen. Say how many: --disclose K"),
        ({"always": ["n", "first"], "disclose": 1}, "k must be at least the number of attributes that are always"),
        ({"always": ["nn"], "disclose": 1}, "always disclosed must be one of first, last, n"),
        ({"always": ["n"], "disclose": 1, "rule": "total"}, "rule total must be free to show nothing of a record"),
    ],
)
def test_promises_that_cannot_be_kept_are_refused(options, expected):
    """In a line, with the way out."""
    with pytest.raises(InvalidInputError, match=expected.replace(".", r"\.")):
        disclosure_risk(FIRST, NAMES, person_key="id", **options)


row = st.tuples(st.sampled_from("xyz"), st.sampled_from("pq"))


@settings(max_examples=30, deadline=None)
@given(half=st.lists(row, min_size=1, max_size=4), other=st.lists(row, min_size=4, max_size=4))
def test_who_may_share_out_freely_never_pays_more(half, other):
    """With as many values, any of them may go anywhere: total ≤ exact, and total ≤ per attribute."""
    rows = [*half, *other[: len(half)]]  # an even number: half of the values of each attribute
    people = {"a": [a for a, _ in rows], "b": [b for _, b in rows]}
    free, *others = (best(disclosure_risk(people, disclose=1, rule=rule, curve=False)) for rule in
                     ("total", "exact", "per-attribute"))  # fmt: skip
    assert [len(rows)] * 3 == [int(one.disclosed.sum()) for one in (free, *others)]
    assert all(free.worst.value <= one.worst.value + 1e-12 for one in others)
