"""`unmask.attack`: releases, a list of people, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import unmask
from unmask.auditing.scenes import default_attacks
from unmask.datasets.papers import KIFER_PATIENTS
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.files.reading import read
from unmask.files.release_folder import write_release
from unmask.files.releases import generalized
from unmask.files.roles import Roles
from unmask.models.l_diversity import DistinctL
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table

RELEASE = pd.DataFrame(
    {"age": ["20-29"] * 4 + ["30-39"] * 4, "ill": ["flu", "flu", "flu", "cold", "cold", "cold", "hiv", "hiv"]}
)
OPTIONS: dict[str, Any] = {"quasi": "age", "sensitive": "ill", "seed": 1}


def arrow(found: Any) -> pa.Table:
    """Return the beliefs as an Arrow table, whatever library the data were of."""
    return nw.from_native(found.to_frame(), eager_only=True).to_arrow()


def believed(found: Any, person: str | int) -> dict[str, float]:
    """Return what is believed of a person."""
    lines = arrow(found).to_pylist()
    return {line["value"]: line["probability"] for line in lines if line["person"] == person}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_ann_is_25_and_probably_has_the_flu(frame):
    """The story: three of the four people in their twenties have it. Who is 35 cannot."""
    people = frame({"name": ["Ann", "Bob"], "age": [25, 35]})
    found = unmask.attack("random-worlds", RELEASE, people=people, person_key="name", **OPTIONS)
    assert believed(found, "Ann") == {"flu": 0.75, "cold": 0.25}
    assert believed(found, "Bob") == {"cold": 0.5, "hiv": 0.5}
    assert found.location == "attributes"


def test_what_is_known_beforehand_can_be_uniform_or_a_file(tmp_path):
    """Bob does not have a cold, says the prior: a zero stays zero. Beliefs of one attack are the prior of the next."""
    people = pd.DataFrame({"age": [25, 35]})
    attack: dict[str, Any] = {"people": people, **OPTIONS}
    assert believed(unmask.attack("baseline", RELEASE, prior="uniform", **attack), 0)["hiv"] == pytest.approx(1 / 3)
    prior = pd.DataFrame({"value": ["flu", "hiv"], "probability": [0.5, 0.5]})
    assert believed(unmask.attack("random-worlds", RELEASE, prior=prior, **attack), 1) == {"hiv": 1.0}

    first = unmask.attack("random-worlds", RELEASE, **attack)
    file = tmp_path / "beliefs.csv"
    first.to_frame().to_csv(file, index=False)
    second = unmask.attack("baseline", RELEASE, prior=file, **attack)
    assert believed(second, 1) == believed(first, 1)

    keyed = pd.DataFrame({"name": ["Ann", "Bob"], "age": [25, 35]})
    own = pd.DataFrame({"person": ["Bob", "Ann"], "value": ["hiv", "flu"], "probability": [1, 1]})
    found = unmask.attack("baseline", RELEASE, people=keyed, person_key="name", prior=own, **OPTIONS)
    assert (believed(found, "Ann"), believed(found, "Bob")) == ({"flu": 1.0}, {"hiv": 1.0})


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        ({"value": ["flu"]}, "must be one of value; got 'probability'"),
        ({"value": ["flu"], "probability": ["much"]}, "'probability' of 'data frame' must hold numbers only"),
        ({"value": ["flu"], "probability": [-1]}, "at least 0"),
        ({"value": ["flu"], "probability": [0]}, "must give each person a probability above 0; 1 of 1 have none"),
        ({"value": ["flu"], "probability": [1], "person": [7]}, "by line number from 0"),
        ({"value": ["flu"], "probability": [1], "person": [0]}, "1 of 2 have none"),
    ],
)
def test_a_prior_that_is_none_is_said(prior, expected):
    """Each target needs a belief; numbers must be numbers, and people must exist."""
    with pytest.raises(InvalidInputError, match=expected):
        unmask.attack("baseline", RELEASE, people=pd.DataFrame({"age": [25, 35]}), prior=pd.DataFrame(prior), **OPTIONS)


def test_truth_is_held_against_the_beliefs_afterwards():
    """By line, or by the key; the beliefs are the same with and without it."""
    people = pd.DataFrame({"name": ["Ann", "Bob"], "age": [25, 35]})
    truth = pd.DataFrame({"name": ["Bob", "Ann"], "ill": ["hiv", "flu"]})
    attack: dict[str, Any] = {"people": people, **OPTIONS}
    by_key = unmask.attack("random-worlds", RELEASE, truth=truth, person_key="name", **attack)
    accuracy = by_key.report.scenes[0].results[0].get("accuracy")
    assert (accuracy.value, accuracy.n) == (0.75, 2)  # Ann: right; Bob: one of two that are tied
    by_line = unmask.attack("random-worlds", RELEASE, truth=truth.iloc[::-1], **attack)
    assert by_line.report.scenes[0].results[0].get("accuracy").value == 0.75
    without = unmask.attack("random-worlds", RELEASE, person_key="name", **attack)
    assert arrow(without).equals(arrow(by_key))
    assert without.report.scenes[0].results[0].get("accuracy").value is None
    with pytest.raises(InvalidInputError, match="must have the 2 lines of the people file"):
        unmask.attack("random-worlds", RELEASE, truth=truth.head(1), **attack)
    with pytest.raises(InvalidInputError, match="a line for each of the 8 published rows"):
        unmask.attack("random-worlds", RELEASE, truth=truth, **OPTIONS)


def test_without_people_the_published_rows_are_the_targets():
    """Their places are known; a person is a line of the release as it came, not as it was sorted."""
    found = unmask.attack("random-worlds", RELEASE.iloc[::-1], **OPTIONS)
    assert found.location == "row"
    assert believed(found, 0) == {"cold": 0.5, "hiv": 0.5}
    assert believed(found, 7) == {"flu": 0.75, "cold": 0.25}
    with pytest.raises(InvalidInputError, match="location attributes must come with people"):
        unmask.attack("random-worlds", RELEASE, location="attributes", **OPTIONS)
    with pytest.raises(NotApplicableError, match="linkage needs people to look for"):
        unmask.attack("linkage", RELEASE, **OPTIONS)
    with pytest.raises(InvalidInputError, match="2 releases must have targets"):
        unmask.attack("intersection", [RELEASE, RELEASE], **OPTIONS)


def test_two_releases_together_tell_more_than_each():
    """In the second one Ann's group has asthma or the flu: the flu it is."""
    other = pd.DataFrame({"age": ["25-29", "25-29", "10-19", "10-19"], "ill": ["flu", "asthma", "cold", "hiv"]})
    people = pd.DataFrame({"age": [25]})
    found = unmask.attack("intersection", [RELEASE, other], people=people, set={"rule": "set"}, **OPTIONS)
    assert believed(found, 0) == {"flu": 1.0}


def test_linkage_names_the_group_and_the_chance_of_the_right_row():
    """Of four rows that fit, naming one is right with 1/4; the value is the number of the group."""
    found = unmask.attack("linkage", RELEASE, people=pd.DataFrame({"age": [25]}), **OPTIONS)
    line = arrow(found).to_pylist()[0]
    assert (line["attribute"], line["probability"]) == ("@row:release", 0.25)


def test_what_an_attack_makes_no_use_of_is_said():
    """A complete list of people changes nothing for random worlds; a population, which no attack uses, is no option."""
    people = pd.DataFrame({"age": [25]})
    attack: dict[str, Any] = {"people": people, **OPTIONS}
    plain = unmask.attack("random-worlds", RELEASE, **attack)
    found = unmask.attack("random-worlds", RELEASE, complete=True, **attack)
    assert "random-worlds makes no use of the people listed being all the people of the release" in found.notes
    assert arrow(found).equals(arrow(plain))
    with pytest.raises(InvalidInputError, match=r"option.*population"):
        unmask.attack("random-worlds", RELEASE, population=people, **attack)  # type: ignore[call-arg]


def patients(*, locally: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return Kifer's twelve patients, and what is published of them, recoded."""
    cells = [("25-45", "9021*"), ("40-50", "07620"), ("20-50", "33109")]
    if not locally:
        cells = [("24-49", "9021*"), ("24-49", "0762*"), ("24-49", "3310*")]
    groups = [0, 0, 0, 0, 1, 2, 1, 2, 1, 1, 2, 2]
    table = pd.DataFrame(KIFER_PATIENTS)
    release = pd.DataFrame({"gender": "*", "age": [cells[g][0] for g in groups], "zip": [cells[g][1] for g in groups],
                            "disease": table["disease"]})  # fmt: skip
    return table, release


@pytest.mark.parametrize("locally", [False, True])
def test_who_has_a_list_of_all_patients_learns_more(locally):
    """Tuple 1 has AIDS with .860, recoded globally or locally; without such a list the belief is 3/4."""
    people, release = patients(locally=locally)
    options: dict[str, Any] = {"quasi": ["gender", "age", "zip"], "sensitive": "disease", "seed": 1}
    found = unmask.attack("definetti", release, people=people, truth=people, complete=True, **options)
    assert believed(found, 0)["AIDS"] == pytest.approx(0.860, abs=0.02)
    scene = found.report.scenes[0]
    assert (scene.attacker.name, scene.results[0].get("accuracy").n) == ("complete", 12)
    plain = unmask.attack("random-worlds", release, people=people, **options)
    assert believed(plain, 0)["AIDS"] == 0.75


def test_a_list_that_cannot_be_complete_or_is_none_is_refused():
    """Eleven of twelve patients; no person at all."""
    people, release = patients()
    options: dict[str, Any] = {"quasi": ["gender", "age", "zip"], "sensitive": "disease", "seed": 1, "complete": True}
    with pytest.raises(NotApplicableError, match=r"each of the 12 published rows; the list has 11\."):
        unmask.attack("definetti", release, people=people.head(11), **options)
    with pytest.raises(InvalidInputError, match=r"must be given to be complete\. Write --people FILE"):
        unmask.attack("definetti", release, **options)


def test_the_gain_of_a_complete_list_is_explained_by_the_group_without_it():
    """Which attributes moved the belief is not divided up: cells would have to be learned from without the list."""
    people, release = patients()
    found = unmask.attack(
        "definetti", release, people=people, explain=["0"], quasi=["gender", "age", "zip"], sensitive="disease",
        seed=1, complete=True,
    )  # fmt: skip
    first = found.explained[0]
    assert first.factors == ()
    assert first.groups
    assert [one.what for one in first.variants] == ["the group's list alone"]


def test_an_algorithm_that_is_told_but_not_known_here_is_said_and_not_guessed(tmp_path):
    """An unknown parameter changes the algorithm in an unknown way: noted, and not replayed."""
    table = Table.of({"age": [20, 20, 30, 30], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])
    made = Mondrian(k=2, models=(DistinctL(2),)).sanitize(table, np.random.default_rng(0)).release
    (tmp_path / "people.csv").write_text("age\n20\n20\n30\n30\n")
    here: dict[str, Any] = {"people": tmp_path / "people.csv", "complete": True, "seed": 1}
    known = unmask.attack("replay", made, **here)
    assert not any("not replayed" in note for note in known.notes)
    unknown = replace(made, provenance=replace(made.provenance, parameters={"k": 2, "cutoff": 3}))
    with pytest.raises(NotApplicableError, match="needs to know the algorithm"):
        unmask.attack("replay", unknown, **here)
    other = unmask.attack("random-worlds", unknown, **here)
    assert any("setting of mondrian must be one of" in note and "not replayed" in note for note in other.notes)


HIDING = pd.DataFrame(
    {
        "age": ["20-29"] * 40 + ["40-49"] * 40 + ["20-49"] * 4,
        "job": ["clerk"] * 40 + ["judge"] * 42 + ["clerk"] * 2,
        "town": [f"t{row % 10}" for row in range(84)],
    }
)
"""Clerks are in their twenties, judges in their forties; of four people rows show hardly any age."""


def test_a_quasi_identifier_of_the_rows_can_be_asked_about():
    """Named with -q and with -s it stays what it is, and is the question; the two judges are in their forties."""
    settings = {"miners": "naive-bayes, tree-of-five", "folds": 3}
    found = unmask.attack("fusion", HIDING, quasi=["age", "job", "town"], sensitive=["age"], set=settings, seed=1)
    judge, clerk = believed(found, 80), believed(found, 83)
    assert sum(p for age, p in judge.items() if float(age) >= 40) > 0.6
    assert sum(p for age, p in clerk.items() if float(age) < 30) > 0.6
    assert set(believed(found, 0)) == {str(age) for age in range(20, 30)}
    prior = pd.DataFrame({"value": ["44", "45"], "probability": [0.5, 0.5]})
    known = unmask.attack(
        "fusion", HIDING, quasi=["age", "job", "town"], sensitive=["age"], set=settings, seed=1, prior=prior
    )
    assert set(believed(known, 80)) == {"44", "45"}
    with pytest.raises(InvalidInputError, match="column 'value' of 'data frame' must hold numbers, as age is one"):
        unmask.attack(
            "fusion", HIDING, quasi=["age", "job", "town"], sensitive=["age"], prior=prior.assign(value=["44", "old"])
        )


def test_a_release_folder_is_asked_about_a_column_by_its_name(tmp_path):
    """Its roles stand in it; -s only says which column is meant. Other attacks say that they ask about others."""
    release = generalized(read(HIDING), Roles.of(quasi=["age", "job", "town"])).release
    write_release(release, tmp_path / "rows")
    found = unmask.attack(
        "fusion", tmp_path / "rows", sensitive="age", set={"miners": "naive-bayes", "folds": 2}, seed=1, prior="uniform"
    )
    assert [one.about.name for one in found.beliefs] == ["age"]
    with pytest.raises(NotApplicableError, match="among the sensitive attributes"):
        unmask.attack("random-worlds", tmp_path / "rows", sensitive="age", seed=1)
    with pytest.raises(InvalidInputError, match=r"have a quasi-identifier .* -s age is enough"):
        unmask.attack("fusion", tmp_path / "rows", seed=1)


def test_an_audit_does_not_ask_what_rows_hide():
    """It asks about sensitive values and places; fusion is asked for by name."""
    assert "fusion" not in [one.name for one in default_attacks()]


@pytest.mark.parametrize(
    ("attacks", "compare", "all_fit", "none_fits"),
    [
        (["linkage"], {}, False, True),
        (["linkage"], {"compare": "age=within:1"}, True, False),
        (["linkage", "random-worlds"], {"compare": "age=within:1"}, True, True),
    ],
)
def test_notes_say_whom_a_missing_cell_fits_by_attack(attacks, compare, all_fit, none_fits):
    """Under `compare` a missing age fits Bob, who is 99; under equality it fits no person with an age."""
    rows = pd.DataFrame({"age": [20, None, 22], "ill": ["flu", "cold", "hiv"]})
    people = pd.DataFrame({"age": [99], "ill": ["cold"]})
    options: dict[str, Any] = {"people": people, "quasi": "age", "sensitive": "ill", "seed": 1}
    settings = {f"linkage.{key}": value for key, value in compare.items()}
    notes = [unmask.audit(release=rows, attack=attacks, attack_set=settings, **options).notes]
    if len(attacks) == 1:
        found = unmask.attack("linkage", rows, set=compare, **options)
        assert ("fit no group" in " ".join(found.notes)) is none_fits
        notes.append(found.notes)
    for texts in notes:
        assert any("matches them with all people" in text for text in texts) is all_fit
        assert any("no person with a value matches them" in text for text in texts) is none_fits
