"""Linkage where values need not be equal: names that are misspelled, ages that are a year off."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from tests import stories
from tests.attacks.linkage.test_attack import risk, where
from tests.attacks.linkage.test_control import RNG, random_table, risks, seen
from unmask.attacks.linkage.attack import Linkage
from unmask.decision_risk.comparison_syntax import comparisons_of
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.estimate import Tally, Truth
from unmask.metrics.top_match import TopMatchPrecision, TopMatchRecall
from unmask.parameters import parse_list
from unmask.release import Publication
from unmask.sanitizers.anatomy import Anatomy
from unmask.studies._lebanon_2006.people import FILE
from unmask.table import Table


def comparing(text: str) -> Linkage:
    """Return the attack with comparisons as they are written."""
    return Linkage(compare=comparisons_of(parse_list(text)))


def members() -> Publication:
    """Publish three people, each alone, with name and age."""
    table = Table.of(
        {"name": ["Martha", "Dixon", "Marta"], "age": [30, 41, 58], "ill": list("abc")},
        quasi=["name", "age"],
        sensitive=["ill"],
    )
    return stories.exact(table, [0, 1, 2])


def found(attack: Linkage, people: Table) -> list[dict[int, float]]:
    """Return of each person which of the three members they may be."""
    publication = members()
    member = {str(group): i for i, group in enumerate(publication.group_of)}
    beliefs = attack.infer(where(publication, people), RNG)
    return [{member[group]: p for group, p in beliefs.of(i).items()} for i in range(people.n_rows)]


# --- the story


def test_a_misspelled_name_is_found_by_its_similarity():
    """Jaro of marhta is .944 to martha and to marta: by the name alone both rows fit, and with the age one."""
    known = stories.people_of(name=["MARHTA"], age=[30])
    assert Linkage().infer(where(members(), known), RNG).unplaced[0].sum() == 1
    assert found(comparing("name=jaro:0.8"), stories.people_of(name=["MARHTA"])) == [{0: 0.5, 2: 0.5}]
    assert found(comparing("name=jaro:0.8"), known) == [{0: 1.0}]


def test_an_age_may_be_a_year_off():
    """42 is within a year of 41 and of no other; no record is within a year of 50, and the prior stays."""
    of_42, of_50 = found(comparing("age=within:1"), stories.people_of(age=[42, 50]))
    assert of_42 == {1: 1.0}
    assert of_50 == pytest.approx({0: 1 / 3, 1: 1 / 3, 2: 1 / 3})


def test_rows_of_one_group_that_fit_hide_each_other():
    """Two of a group of three are similar: the group for certain, each row with one half."""
    table = Table.of({"name": ["Marta", "Martha", "Dixon"], "ill": list("abc")}, quasi=["name"], sensitive=["ill"])
    known = stories.people_of(name=["marhta"])
    beliefs = comparing("name=jaro:0.8").infer(where(stories.exact(table, [0, 0, 0]), known), RNG)
    assert beliefs.of(0) == {"0": 1.0}
    assert risk(beliefs) == 1 / 2


# --- edges


def test_nothing_is_compared_where_cells_are_generalized():
    """Whether a range contains a value is what linkage asks anyway."""
    table = Table.of({"age": [30, 31], "ill": list("ab")}, quasi=["age"], sensitive=["ill"])
    view = where(stories.boxed(table, [0, 0]), stories.people_of(age=[30]))
    with pytest.raises(NotApplicableError, match="needs exact rows"):
        comparing("age=within:1").infer(view, RNG)


def test_a_comparison_of_what_is_not_known_is_refused():
    """No name is known."""
    with pytest.raises(InvalidInputError, match="attribute that is compared"):
        comparing("name=jaro").infer(where(members(), stories.people_of(age=[30])), RNG)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name", "must be written COL=HOW; got 'name'"),
        ("name=closely", "must be one of exact, .*; got 'closely'"),
        ("name=within", "within of 'name' must have a number"),
        ("name=jaro:x", "must have numbers after its colons; got 'x'"),
        ("name=jaro, name=exact", "must name each column once; got 'name' twice"),
    ],
)
def test_a_comparison_that_cannot_be_read_is_refused_at_once(text, words):
    """Before anything is looked for."""
    with pytest.raises(InvalidInputError, match=words):
        comparing(text)


# --- laws


def test_equal_values_are_the_same_people_either_way():
    """Compared exactly, beliefs and chances are those of linkage without comparisons."""
    for seed in range(5):
        table = random_table(seed)
        release = Anatomy(l=3).sanitize(table, np.random.default_rng(seed)).release
        one, other = (comparing(text).infer(seen(release, table), RNG) for text in ("", "age=exact"))
        np.testing.assert_allclose(one.dense(), other.dense())
        np.testing.assert_allclose(risks(one), risks(other))


def test_a_false_match_is_what_is_found_without_the_own_group():
    """The control compares in the same way: as if the group were not there, looked for again."""
    attack = comparing("age=within:1")
    for seed in range(5):
        table = random_table(seed)
        publication = Anatomy(l=3).sanitize(table, np.random.default_rng(seed))
        beliefs = attack.infer(seen(publication.release, table), RNG)
        assert beliefs.left_out is not None
        control = risks(beliefs.left_out([publication.group_of]))
        for person in range(0, table.n_rows, 7):
            gone = np.zeros(publication.release.n_groups, bool)
            gone[publication.group_of[person]] = True
            again = attack.infer(seen(publication.release.without(gone), table.take(np.array([person]))), RNG)
            assert again.unplaced[0].sum() == 0
            np.testing.assert_allclose(control[person], risks(again)[0], rtol=1e-9)


# --- people with misspelled records


COMPARED = ("given_name", "surname", "suburb", "postcode", "date_of_birth")
CLOSELY = "given_name=jaro:0.85, surname=jaro:0.85, suburb=jaro:0.85, postcode=jaro:0.85, date_of_birth=jaro:0.9"


def febrl(path: Path) -> dict[str, dict[str, str]]:
    """Return the records of a file by the number of the person."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return {row["rec_id"].split("-")[1]: row for row in csv.DictReader(file, skipinitialspace=True)}


@pytest.mark.slow
def test_misspelled_people_are_found_by_similar_values(data_folder):
    """FEBRL: 5,000 records are published, and their misspelled copies looked for, whose originals are known.

    Every match is right, either way; equal values find a quarter of the people, similar ones two thirds.
    """
    published = febrl(data_folder / FILE)
    copies = febrl(data_folder / FILE.replace("4a", "4b"))
    people = sorted(published)
    tables = [
        Table.of(
            {name: [of[one][name].strip() or None for one in people] for name in COMPARED}
            | {"ill": [f"v{i % 7}" for i in range(len(people))]},
            quasi=COMPARED, sensitive=["ill"],
        )
        for of in (published, copies)
    ]  # fmt: skip
    publication = stories.exact(tables[0], list(range(len(people))))
    view = where(publication, tables[1].only(COMPARED))
    truth = Truth(view.about, view.knowledge.prior.values, publication.group_of)
    measured = {}
    for text in ("", CLOSELY):
        tally = Tally.of(comparing(text).infer(view, RNG), truth)
        measured[text] = tuple(metric.measure(tally).value for metric in (TopMatchPrecision(), TopMatchRecall()))
    assert measured[""] == pytest.approx((1, 0.26), abs=0.01)
    assert measured[CLOSELY] == pytest.approx((1, 0.65), abs=0.01)
