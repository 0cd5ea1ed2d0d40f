"""The disclosure risk from files: dictionaries, weights, the best rule, and its bounds."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.decision_risk import plain
from unmask.commands.risking import disclosure_risk
from unmask.decision_risk.harm_weights import Weights
from unmask.errors import InvalidInputError
from unmask.files.weights import read_weights

NAMES: dict[str, list[Any]] = {
    "id": list("abcd"),
    "first": ["Mary", "Mary", "Ann", "Ann"],
    "last": ["Smith", "Jones"] * 2,
    "n": [1, 2, 3, 4],
}
PHI5 = Weights({"first": 0.1, "last": 0.2, "n": 1}, form="multiplicative")
FIRST = {name: values[:1] for name, values in NAMES.items()}
CLINIC = {"visit": [f"2020-01-0{day}" for day in range(1, 9)], "diagnosis": ["HIV", "flu"] * 4}


def book(*rows: int) -> dict[str, list[Any]]:
    """Return some entries of the dictionary."""
    return {name: [values[i] for i in rows] for name, values in NAMES.items()}


def test_the_losses_of_the_small_case():
    """Mary Smith, 1, among four: .25 for nothing, e^.1 / 2 for the first name, e^1.3 for all, by hand."""
    found = disclosure_risk(FIRST, NAMES, weights=PHI5, disclose=1, person_key="id").report
    assert found.everything.worst.value == pytest.approx(math.exp(1.3))
    assert found.best is not None
    assert found.best.worst.value == pytest.approx(0.552585, abs=1e-6)
    assert found.best.disclosed.tolist() == [[True, False, False]]
    assert found.held[0].withheld.tolist() == pytest.approx([math.exp(1.2), math.exp(1.1), math.exp(0.3)])
    assert [one.worst.value for one, _ in found.curve] == pytest.approx([0.25, 0.552585, math.exp(0.3), math.exp(1.3)])


def test_the_worst_of_three_dictionaries_and_the_average():
    """All four, the first two, and one more Mary Smith: disclosing the first name costs at most e^.1 / 2 anywhere."""
    more = {
        name: [*values, extra] for (name, values), extra in zip(NAMES.items(), ["e", "Mary", "Smith", 9], strict=True)
    }
    books = [NAMES, book(0, 1), more]
    found = disclosure_risk(FIRST, books, weights=PHI5, disclose=1, rule="minimax", person_key="id").report
    assert found.best is not None
    assert found.best.worst.value == pytest.approx(0.552585, abs=1e-6)
    each = [math.exp(0.1) / n for n in (2, 2, 3)]
    assert [one.value for one in found.best.risks] == pytest.approx(each)
    assert found.best.average == pytest.approx(sum(each) / 3)
    believed = disclosure_risk(FIRST, books, weights=PHI5, disclose=1, prior="0,0,5", person_key="id").report
    assert believed.best is not None
    assert believed.best.rule == "bayes"
    assert believed.best.average == pytest.approx(min(each[2], math.exp(0.2) / 3))


def test_counting_alone_finds_a_date_riskier_than_a_diagnosis():
    """Eight days, one each: without weights a date costs 1 and a diagnosis 1/4; with them .1 and 8 / 4 or 1 / 4."""
    alike = disclosure_risk(CLINIC, disclose=1, quasi=["visit"], sensitive=["diagnosis"])
    assert alike.report.worst.withheld.tolist() == [0.25, 1.0]
    assert alike.report.best is not None
    assert alike.report.best.disclosed[:, 1].all()
    weighed = Weights({"visit": 0.1, "diagnosis": 1}, values={"diagnosis": {"HIV": 8}})
    bad = disclosure_risk(CLINIC, weights=weighed, disclose=1, quasi=["visit"], sensitive=["diagnosis"])
    assert bad.report.worst.withheld.tolist() == pytest.approx([(2 + 0.25) / 2, 0.1])
    assert bad.report.best is not None
    assert bad.report.best.disclosed[:, 0].all()


def test_min_risk_stands_beside_the_least_risk():
    """Surname and first name go together, so each alone looks rarer than both are: MinRisk pays for independence."""
    twins = {"a": list("xxyyzz"), "b": list("xxyyzz"), "c": list("pqpqpq")}
    found = disclosure_risk(twins, disclose=2, rule="min-risk").report
    assert found.best is not None
    assert found.least is not None
    assert (found.best.worst.value, found.least.worst.value) == (1.0, 0.5)


def test_an_estimate_is_a_bound_only_where_everybody_is_named_and_fits():
    """Person keys make it one; without them, or with a record that fits no entry, the failed condition is named."""
    theirs = {
        name: [*values, extra] for (name, values), extra in zip(NAMES.items(), ["e", "Eve", "Orr", 5], strict=True)
    }
    bounds = disclosure_risk(FIRST, [NAMES, theirs], weights=PHI5, person_key="id").report.held
    assert bounds[0].bound.holds
    assert [bound.holds for _, bound in bounds[0].bounds] == [True]
    assert "people of 'dictionary 2' who are not in 'dictionary 1'" in bounds[1].bounds[0][1].fails[0]
    unnamed = disclosure_risk({"first": ["Bob"]}, NAMES).report.held[0].bound
    assert [text.split(":")[0] for text in unnamed.fails] == [
        "'dictionary 1' does not name its people",
        "1 record fits no entry of 'dictionary 1'",
    ]
    assert disclosure_risk(FIRST).report.held[0].bound.holds  # each row of the table is a separate person


def test_never_is_infinite_and_no_number_of_the_files():
    """A genome that must never be shown: infinite on the screen and in JSON, a worst person first in the list."""
    weights = Weights({"first": 0.1, "last": 0.2, "n": math.inf})
    found = disclosure_risk(NAMES, NAMES, weights=weights, disclose=2, person_key="id")
    document = json.loads(found.to_json())
    assert document["everything"]["worst"] == "infinite"
    assert document["chosen"]["worst"] == pytest.approx(0.3)
    assert document["dictionaries"][0]["never"] == 4
    assert "infinite" in str(found)
    assert "points are infinite" in found.to_html()
    assert found.at_risk().splitlines()[1] == "a,infinite,1,1,dictionary 1"


def test_who_is_at_risk_is_told_by_key_worst_first_and_once():
    """The person whose weight is doubled first; of two records of a person the dearer one."""
    twice = {name: [*values, values[0]] for name, values in NAMES.items()}
    weights = Weights(default=1, factors={"c": 2})
    found = disclosure_risk(twice, NAMES, weights=weights, person_key="id")
    lines = list(csv.DictReader(io.StringIO(found.at_risk())))
    assert [line["person"] for line in lines] == ["c", "a", "b", "d"]
    assert [float(line["loss"]) for line in lines] == [6, 3, 3, 3]
    assert "some people have several records: the risk is averaged over records, not people" in found.notes


def test_nobody_at_risk_is_listed_where_nothing_is_lost():
    """A weight of 0 costs nothing."""
    assert disclosure_risk(CLINIC, weights=Weights(default=0)).at_risk().count("\n") == 1


def test_the_worst_is_listed_however_unlikely():
    """A value that must never be told, of one who is found in 1 of 12: an infinite loss, before all others."""
    alike = {"id": list("abcdefghijkl"), "a": ["x"] * 12}
    weights = Weights(default=1, people={"k": {"a": math.inf}})
    lines = disclosure_risk(alike, weights=weights, person_key="id").at_risk().splitlines()
    assert lines == ["person,loss,chance,entries,dictionary", "k,infinite,0.0833333,12,the table itself"]


def test_who_bears_half_of_the_risk_is_listed_however_unlikely():
    """Found in 1 of 12, one weighs 12 and eleven 1 each: she bears more than half; of equals all are told."""
    alike = {"id": list("abcdefghijkl"), "a": ["x"] * 12}
    dear = disclosure_risk(alike, weights=Weights(default=1, factors={"k": 12}), person_key="id").at_risk()
    assert dear.splitlines()[1:] == ["k,1,0.0833333,12,the table itself"]
    assert disclosure_risk(alike, person_key="id").at_risk().count("\n") == 13


def test_half_of_the_risk_against_any_of_several_dictionaries_counts():
    """No person has a risk of 1/11: of two who fit 12 and 20 entries each bears half against one of the two."""
    books = [{"a": ["x"] * 12 + ["z"]}, {"a": ["y"] * 20 + ["z"]}]
    lines = disclosure_risk({"a": ["x", "y"]}, books).at_risk().splitlines()
    assert lines[1:] == ["0,0.0833333,0.0833333,12,dictionary 1", "1,0.05,0.05,20,dictionary 2"]


def test_nothing_that_a_record_says_is_in_what_is_written():
    """Names of columns and dictionaries only: neither HIV nor a date, neither on the page nor in JSON."""
    found = disclosure_risk(CLINIC, disclose=1, weights=Weights(default=1, values={"diagnosis": {"HIV": 8}}))
    for text in (str(found), found.to_json(), found.to_html(), found.at_risk()):
        assert "HIV" not in text
        assert "2020-01" not in text


def test_the_page_is_the_same_twice_and_has_the_curve():
    """Any k is drawn from a stream of its own, so a report says the same again."""
    page = [disclosure_risk(CLINIC, disclose=1).to_html() for _ in range(2)]
    assert page[0] == page[1]
    assert "Risk against the number of attributes disclosed" in page[0]
    assert "<script" not in page[0]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"disclose": 4}, "k must be at least 0 and at most the number of attributes, 3; got 4"),
        ({"disclose": -1}, "k must be at least 0"),
        ({"rule": "best", "disclose": 1}, "rule must be one of min-risk, exact, bayes, minimax"),
        ({"prior": "1,2"}, "a number for each of 1 dictionaries"),
        ({"prior": [-1]}, "probability of at least 0 each"),
        ({"weights": Weights({"height": 1, "first": 1, "last": 1, "n": 1})}, "attribute that has a weight must be one"),
        ({"weights": Weights({"first": 1})}, "every attribute must have a weight; last, n have none"),
        ({"weights": Weights(default=1, factors={"a": 2}), "person_key": None, "identifier": "id"}, "Name the column"),
        ({"compare": ["first=soundex"]}, "comparison of 'first' must be one of exact, folded"),
        ({"compare": ["first=prefix"]}, "must have a number; got 0"),
        ({"compare": ["first=jaro:high"]}, "must have numbers after its colons"),
        ({"compare": ["first=prefix:1.5"]}, "whole number of characters"),
        ({"compare": ["first"]}, "must be written COL=HOW"),
        ({"compare": ["first=exact", "first=folded"]}, "must name each column once"),
        ({"compare": ["height=exact"]}, "attribute that is compared must be one of"),
        ({"selection": "p"}, "column must be one of"),
        ({"selection": "n"}, "must be a column that is neither disclosed"),
        ({"person_key": "ssn"}, "column must be one of id, first, last, n"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(options, expected):
    """With the wrong number, and the way out; no person is named."""
    with pytest.raises(InvalidInputError, match=expected.replace("(", r"\(")):
        disclosure_risk(FIRST, NAMES, **{"person_key": "id", **options})


@pytest.mark.parametrize(
    ("dictionary", "expected"),
    [
        ({"id": ["a", None], "first": ["Mary", "Ann"]}, "1 rows have no value"),
        ({"id": ["a"], "height": [180]}, "must have an attribute of the records"),
        ({"id": [], "first": []}, "must have at least one row"),
    ],
)
def test_a_dictionary_that_is_none_is_refused(dictionary, expected):
    """Ids that are missing, columns that tell nothing, no entry at all."""
    with pytest.raises(InvalidInputError, match=expected):
        disclosure_risk(FIRST, dictionary, person_key="id")


@pytest.mark.parametrize("weight", ["-1", "nan", '"often"', "true"])
def test_a_weight_that_is_no_number_of_at_least_0_is_refused(tmp_path, weight):
    """In the file of weights; `never` alone is a word."""
    file = tmp_path / "weights.toml"
    file.write_text(f"default = {weight}\n")
    with pytest.raises(InvalidInputError, match="number of at least 0"):
        read_weights(file)


def test_nothing_times_never_is_nothing():
    """A person of factor 0 minds nothing, not even what must never be shown."""
    weights = Weights({"first": 0, "last": 0, "n": math.inf}, factors={"a": 0})
    assert disclosure_risk(FIRST, NAMES, weights=weights, person_key="id").report.worst.risk.value == 0


def test_how_values_are_compared_changes_who_fits_and_is_noted():
    """Accents and case, a prefix, a number within 2; a column that a dictionary lacks fits all people, with a note."""
    records = {"name": ["JOSÉ"], "zip": ["10115"], "age": [40]}
    entries = {"name": ["jose", "Jose", "Ann"], "zip": ["10117", "10200", "10115"], "age": [41, 45, 39]}
    one = {"name": "folded", "zip": "prefix:3", "age": "within:2"}
    assert disclosure_risk(records, entries).report.worst.risk.count.tolist() == [0]
    assert disclosure_risk(records, entries, compare=one).report.worst.risk.count.tolist() == [1]
    assert disclosure_risk(
        records, entries, compare=["name=folded"], quasi="name"
    ).report.worst.risk.count.tolist() == [2]
    untold = disclosure_risk(records, {"name": ["JOSÉ"] * 3})
    assert untold.report.worst.risk.count.tolist() == [3]
    assert "'dictionary 1' has no age: it matches all entries there" in untold.notes


def test_values_that_are_nowhere_are_said_and_chosen_last():
    """Alpha = 0: MinRisk is cautious although disclosing such a value costs nothing against this dictionary."""
    found = disclosure_risk({"a": ["new"], "b": ["x"]}, {"a": ["old"], "b": ["x"]}, disclose=1, rule="min-risk")
    assert found.report.best is not None
    assert found.report.best.disclosed.tolist() == [[False, True]]
    assert any("1 values are nowhere in the dictionary" in note for note in found.notes)


def test_a_column_that_is_written_otherwise_is_not_taken_for_safe():
    """01000 in the table and 1000 in the register: no entry fits, the risk is 0, and a note warns of it."""
    found = disclosure_risk({"zip": ["01000", "01001"]}, {"zip": [1000, 1001]})
    assert found.report.worst.risk.value == 0
    assert any("has no value of zip that a record has" in note for note in found.notes)
    assert not any("has no value" in note for note in disclosure_risk({"zip": ["01000", None]}).notes)


def test_entries_that_are_selected_more_often_name_their_people_more_often():
    """Two Marys, of whom the first is selected three times as often: found with 3/4."""
    entries = {**book(0, 1), "p": [3, 1]}
    found = disclosure_risk(FIRST, entries, selection="p", person_key="id", quasi="first").report
    assert found.worst.risk.chance.tolist() == [0.75]
    assert found.worst.bound.fails == ("entries are not selected uniformly",)


def test_exact_looks_at_the_worst_of_several_dictionaries_and_says_so():
    """Bayes and minimax look at all of them."""
    found = disclosure_risk(FIRST, [NAMES, book(0, 1)], disclose=1, rule="exact", person_key="id")
    assert any("exact looks at dictionary 1 alone" in note for note in found.notes)


cells = st.lists(st.tuples(st.sampled_from(["x", "y", None]), st.sampled_from([1, 2, None])), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(records=cells, entries=cells)
def test_the_risk_of_what_is_read_is_that_of_the_definition(records, entries):
    """Whatever is missing: the mean of 1 over the entries that fit, counted one by one, 0 where none does."""

    def columns(rows):
        return {"a": [a or "?" for a, _ in rows], "b": [b for _, b in rows]}

    found = disclosure_risk(columns(records), columns(entries)).report
    losses = [plain.loss(record, entries, [0, 1], 1.0) for record in records]
    assert found.everything.average == pytest.approx(float(sum(losses)) / len(losses))


def test_what_blocking_misses_is_said():
    """Christine and Kristine are alike and begin otherwise; the note says of how many names that was tried."""
    pytest.importorskip("rapidfuzz", reason="the extra `fuzzy` is not installed")
    records, entries = {"name": ["Kristine", "Anna"]}, {"name": ["Christine", "Kristine", "Anna"]}
    whole = disclosure_risk(records, entries, compare={"name": "jaro:0.8"})
    blocked = disclosure_risk(records, entries, compare={"name": "jaro:0.8:1"})
    assert whole.report.worst.risk.count.tolist() == [2, 1]
    assert blocked.report.worst.risk.count.tolist() == [1, 1]
    assert any(note.startswith("name: ") for note in blocked.notes)


def test_rows_of_one_person_that_say_the_same_are_one_entry():
    """She is alone in Ulm with two rows; with person keys no person is counted twice, so the bound may hold."""
    found = disclosure_risk({"id": [1, 1, 2, 3], "town": ["Ulm", "Ulm", "Bonn", "Bonn"]}, person_key="id").report
    assert found.worst.risk.chance.tolist() == [1, 1, 0.5, 0.5]
    assert (found.worst.entries, found.worst.bound.holds) == (3, True)


def test_who_has_several_rows_is_one_of_those_who_fit():
    """In the table as in a register: of two people in Ulm each is found with 1/2, whatever else one of them did."""
    visits = {"id": [1, 1, 1, 2], "town": ["Ulm", "Ulm", "Bonn", "Ulm"], "month": ["May", "June", "May", "May"]}
    table = disclosure_risk(visits, person_key="id", quasi="town")
    assert table.report.worst.risk.chance.tolist() == [0.5, 0.5, 1, 0.5]
    book = disclosure_risk({"id": [2], "town": ["Ulm"]}, visits, person_key="id")
    assert book.report.worst.risk.chance.tolist() == [0.5]
    assert book.report.worst.bound.fails == ("'dictionary 1' has several entries of some people",)
    assert "some people have several entries in 'dictionary 1': each is counted once" in book.notes
