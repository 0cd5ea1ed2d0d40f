"""Measuring a release: every model a line, and a requirement that gates."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from unmask.commands.measuring import measure
from unmask.errors import InvalidInputError
from unmask.release import Release
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table


def boxes() -> Release:
    """Publish two groups of three; one of them shares a value."""
    table = Table.of(
        {"age": [30, 31, 32, 50, 51, 52], "ill": ["flu", "flu", "flu", "flu", "cold", "none"]},
        quasi=["age"],
        sensitive=["ill"],
    )
    return Mondrian(k=3).sanitize(table, np.random.default_rng(0)).release


def test_every_model_has_a_line_and_what_is_asked_for_gates():
    """Groups of three are met; three values in each group are not: one of them has a single one."""
    found = measure(boxes(), require=["k=3", "distinct_l=3"])

    lines = {line.name: line for line in found.lines}
    assert found.exit_code == 1
    assert not lines["k"].broken
    assert lines["distinct-l"].broken
    assert "at least 3: NOT MET" in str(found)


def test_the_numbers_can_be_read_by_a_machine():
    """Infinite is a word and undefined is null, so that the file is standard JSON."""
    document = json.loads(measure(boxes()).to_json())

    values = {one["model"]: one.get("value") for one in document["measures"]}
    assert (values["k"], values["distinct-l"], values["max-risk"]) == (3.0, 1.0, pytest.approx(1 / 3))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k", "must be a list of MODEL=VALUE; got 'k'"),
        ("k5", "must be a list of MODEL=VALUE; got 'k5'"),
        ("nonsense=3", "model must be one of alpha, .*; got 'nonsense'"),
    ],
)
def test_a_requirement_that_names_no_limit_or_no_model_is_refused(text, words):
    """In one line."""
    with pytest.raises(InvalidInputError, match=words):
        measure(boxes(), require=[text])


SAMPLE = "age,sex,home,w\n30,f,1,10\n30,f,1,10\n30,m,2,10\n40,f,2,10\n50,f,3,10\n"


def people_of(tmp_path, text=SAMPLE):
    """Write a raw table."""
    path = tmp_path / "people.csv"
    path.write_text(text)
    return path


def test_a_sample_of_which_no_population_is_known_says_so_and_prints_no_zero(tmp_path):
    """Three of five are alone; what that means outside is not known."""
    found = measure(people_of(tmp_path), quasi=["age", "sex"])
    document = json.loads(found.to_json())["population_risk"]
    assert document["prosecutor"]["highest"]["value"] == 1
    assert document["uniqueness"]["sample"]["value"] == 3
    assert document["journalist"] is None
    assert document["uniqueness"]["pitman"]["value"] is None
    assert "not known, which is not zero" in str(found)


@pytest.mark.parametrize("how", [{"sampled": "10%"}, {"sampled": "5/50"}, {"sampled": 0.1}, {"weight": "w"}])
def test_a_share_and_equal_weights_say_the_same(tmp_path, how):
    """A unique person who stands for ten is identified with probability (p / q) ln (1 / p) = 0.256, p = 0.1."""
    found = json.loads(measure(people_of(tmp_path), quasi=["age", "sex"], **how).to_json())["population_risk"]
    assert found["population"]["value"] == pytest.approx(50)
    assert found["journalist"]["highest"]["value"] == pytest.approx(np.log(10) / 9)


def test_weights_scaled_to_the_file_are_noticed_and_a_share_scales_them_back(tmp_path):
    """Weights of 1 stand for no other person, unless one in ten was drawn."""
    path = people_of(tmp_path, SAMPLE.replace(",10\n", ",1\n"))
    plain = measure(path, quasi=["age", "sex"], weight="w")
    assert any("scaled to it?" in note for note in plain.notes)
    found = json.loads(measure(path, quasi=["age", "sex"], weight="w", sampled="10%").to_json())["population_risk"]
    assert found["journalist"]["highest"]["value"] == pytest.approx(np.log(10) / 9)


def test_a_household_is_found_with_any_member(tmp_path):
    """Home 2 has two people who are alone: by the largest 1; home 1 two with 1/2 each: 3/4 that one is found."""
    found = measure(people_of(tmp_path), quasi=["age", "sex"], household="home")
    homes = json.loads(found.to_json())["population_risk"]["households"]
    assert homes["households"] == 3
    assert homes["largest"]["expected"]["value"] == pytest.approx(0.5 * 2 + 3)
    assert homes["any_member"]["expected"]["value"] == pytest.approx(0.75 * 2 + 3)


def test_a_table_of_the_population_counts(tmp_path):
    """Two of the population equal the two in the file; the person of 50 is alone in both. k-map agrees."""
    population = tmp_path / "all.csv"
    population.write_text("age,sex\n30,f\n30,f\n30,m\n30,m\n40,f\n40,f\n40,f\n50,f\n60,m\n")
    found = measure(people_of(tmp_path), quasi=["age", "sex"], population=population)
    document = json.loads(found.to_json())
    risk = document["population_risk"]
    assert risk["journalist"]["expected"]["value"] == pytest.approx(1 / 2 + 1 / 2 + 1 / 2 + 1 / 3 + 1)
    assert risk["uniqueness"]["sample_and_population"]["value"] == 1
    assert risk["uniqueness"]["counted"]["value"] == 2
    k_map = next(one for one in document["measures"] if one["model"] == "k-map")
    assert (k_map["value"], k_map["people"]) == (1, 1)


def test_people_at_risk_are_keys_and_numbers_worst_first(tmp_path):
    """No attribute of a person is in the list."""
    lines = measure(people_of(tmp_path), quasi=["age", "sex"]).at_risk().splitlines()
    assert lines[0] == "person,prosecutor,journalist,suda2,dis"
    assert [line.split(",")[0] for line in lines[1:]] == ["2", "3", "4", "0", "1"]
    keyed = measure(people_of(tmp_path), quasi=["age", "sex"], person_key="home").at_risk()
    assert {line.split(",")[0] for line in keyed.splitlines()[1:]} <= {"1", "2", "3"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"sampled": "0"}, "above 0"), ({"sampled": "120%"}, "at most 1"), ({"sampled": "some"}, "10%"),
        ({"sampled": "5/0"}, "above 0"), ({"sampled": "nan"}, "above 0"),
    ],
)  # fmt: skip
def test_a_share_that_is_none_is_refused(tmp_path, options, expected):
    """With how to write one."""
    with pytest.raises(InvalidInputError, match=expected):
        measure(people_of(tmp_path), quasi=["age", "sex"], **options)


@pytest.mark.parametrize("weight", ["-1", "NA", "heavy"])
def test_weights_that_are_none_are_refused(tmp_path, weight):
    """Negative, missing, words: no risk is made of them."""
    path = people_of(tmp_path, SAMPLE.replace("50,f,3,10", f"50,f,3,{weight}"))
    with pytest.raises(InvalidInputError, match="weight"):
        measure(path, quasi=["age", "sex"], weight="w", sampled="10%")


def test_a_population_smaller_than_the_sample_or_beside_a_share_is_refused(tmp_path):
    """The people of the sample are part of the population."""
    few = tmp_path / "few.csv"
    few.write_text("age,sex\n30,f\n")
    with pytest.raises(InvalidInputError, match="at least the 5 people"):
        measure(people_of(tmp_path), quasi=["age", "sex"], population=few)
    with pytest.raises(InvalidInputError, match="must not come with"):
        measure(people_of(tmp_path), quasi=["age", "sex"], population=few, sampled="10%")


def test_suda_is_not_searched_for_ever(tmp_path):
    """Sixteen columns of noise, 800 people: left out, and said to be."""
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(17)]
    rows = [",".join(map(str, row)) for row in rng.integers(0, 9, (800, 17)).tolist()]
    found = measure(people_of(tmp_path, "\n".join([",".join(names), *rows])), quasi=names)
    assert json.loads(found.to_json())["population_risk"]["suda2"] is None
    assert "SUDA2): not searched" in str(found)


def test_a_data_frame_is_a_table_too():
    """With its weights."""
    frame = {"age": [30, 30, 30, 40, 50], "sex": list("ffmff"), "w": [10.0] * 5}
    found = json.loads(measure(frame, quasi=["age", "sex"], weight="w").to_json())["population_risk"]
    assert found["journalist"]["highest"]["value"] == pytest.approx(np.log(10) / 9)


MESSY = "\ufeffzip;age;ill;w\n" + "".join(
    f"0123{i % 3};{30 + i % 2};{'flu' if i % 4 else '?'};1,5\n" for i in range(12)
)


@pytest.mark.parametrize(
    ("weights", "wrong"), [("1 2 -3 -4", "2 below 0"), ("1 2 3 ?", "1 missing"), ("1 2 3 two", "text among them")]
)
def test_a_weight_that_was_asked_for_and_is_none_is_an_error(tmp_path, weights, wrong):
    """An error, not a note: a named column must have an effect."""
    path = people_of(tmp_path, "age,w\n" + "".join(f"30,{w}\n" for w in weights.split()))

    with pytest.raises(InvalidInputError, match=f"weight column 'w' of 'people.csv' must hold .* got {wrong}. Correct"):
        measure(path, quasi=["age"], weight="w")


@pytest.mark.parametrize("option", ["household", "weight"])
def test_a_column_that_was_misspelled_is_an_error(tmp_path, option):
    """The population's part of the answer is what was asked for."""
    misspelled: Any = {option: "hom"}
    with pytest.raises(InvalidInputError, match="must be one of age, sex, home, w; got 'hom'"):
        measure(people_of(tmp_path), quasi=["age", "sex"], **misspelled)


def test_what_is_said_of_a_table_is_said_once(tmp_path):
    """Models and population risk look at one table."""
    found = measure(people_of(tmp_path, MESSY), quasi=["zip", "age"], sensitive=["ill"])

    expected = [note.removeprefix("people: ") for note in found.notes]
    assert "columns separated by semicolon" in expected
    assert len(expected) == len(set(expected))


def test_a_population_that_lacks_a_column_would_make_everybody_look_safer(tmp_path):
    """An unknown column fits all people: refused for a release as for a table."""
    (tmp_path / "population.csv").write_text("zip\n" + "01\n" * 9)

    with pytest.raises(InvalidInputError, match=r"'population.csv' must have every quasi-identifier.* it lacks age"):
        measure(boxes(), population=tmp_path / "population.csv")


def test_one_person_is_a_person_and_no_measure_is_minus_nothing(tmp_path):
    """In plain words; without a person key a row is a row."""
    table = people_of(tmp_path, "id,age,ill\n1,30,flu\n")
    text = str(measure(table, person_key="id", quasi=["age"], sensitive=["ill"]))

    assert text.startswith("people: 1 person in 1 group\n")
    assert "How surely 1 person could be found" in text
    assert "people in worst" in text
    assert "-0" not in text

    text = str(measure(table, quasi=["age"], sensitive=["ill"]))
    assert text.startswith("people: 1 row in 1 group\n")
    assert "How surely 1 row could be found" in text
    assert "rows in worst" in text
    assert "person" not in text


def test_without_a_sensitive_column_it_says_how_to_name_one(tmp_path):
    """As short as for a population."""
    lines = {line.name: line.why for line in measure(people_of(tmp_path), quasi=["age"]).lines}

    assert lines["t"] == "needs a sensitive column: -s COLUMN"


def test_a_group_in_which_nobodys_value_is_known_is_told_apart_from_a_bad_one(tmp_path):
    """Undefined is not the worst number: the answer says for how many people, and that they meet no limit."""
    found = measure(
        people_of(tmp_path, "age,ill\n30,\n30,\n40,flu\n40,cold\n"),
        quasi=["age"],
        sensitive=["ill"],
        require=["distinct-l=1"],
    )

    assert "  undefined: 2 rows in groups without a known value; these meet no limit." in str(found)
    assert found.exit_code == 1
