"""One person with several rows, from the messy file to the verdict: people are counted, not rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unmask
from tests.strategies import tables
from unmask.cli import run
from unmask.commands.comparing import compare
from unmask.commands.measuring import measure
from unmask.errors import InvalidInputError
from unmask.files.release_folder import write_release
from unmask.files.releases import read_release
from unmask.models.k_anonymity import KAnonymity
from unmask.models.l_diversity import DistinctL, MaxShareL
from unmask.models.recursive_cl import RecursiveCL
from unmask.models.release_assessment import measure_all
from unmask.models.t_closeness import TCloseness
from unmask.models.uniqueness import SampleUniqueness
from unmask.sanitizers.mondrian import Mondrian

VISITS = """patient,age,ill,note
 A7 ,30,flu,x
A7,30,flu,x
A7 ,30,flu,x
B2,30,cold,x
,30,flu,x
,30,cold,x
C1,50,cold,x
D,50,flu,x
D,51,?,x
"""
"""Person keys with blanks around them; two rows without a key are two people; D looks different on two visits."""

MODELS = (KAnonymity(), SampleUniqueness(), DistinctL(), MaxShareL(), RecursiveCL(), TCloseness())

ROLES: Any = {"quasi": "age", "sensitive": "ill", "person_key": "patient"}


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    path.write_text(VISITS, encoding="utf-8")
    return path


def values(found: Any) -> dict[str, float]:
    """Return what was measured, by model."""
    return {line.name: line.measured.value for line in found.lines if line.measured is not None}


def test_a_table_with_a_person_key_is_measured_in_people(file: Path):
    """Of nine rows, six people: four look 30, C and D 50, and D is alone at 51."""
    found = measure(file, **ROLES)
    assert (found.facts.n_people, found.facts.n_rows) == (6, 9)
    assert "6 people (9 rows) in 3 groups" in str(found)
    assert "6 people have 9 rows: people are counted, not rows" in found.notes
    by_row = measure(file, quasi="age", sensitive="ill")
    assert by_row.facts.n_people == 9
    assert values(found)["k"] == values(by_row)["k"] == 1
    assert values(found)["uniqueness"] == pytest.approx(1 / 6)
    assert values(by_row)["uniqueness"] == pytest.approx(1 / 9)


def test_people_counts_of_names_like_formulas_are_read_again(file: Path, tmp_path: Path):
    """The writer protects the column's name and its values in people.csv; the reader removes the protection."""
    file.write_text(VISITS.replace("ill", "=ill").replace("flu", "=1+1"), encoding="utf-8")
    roles = ["-q", "age", "-s", "=ill", "--person-key", "patient"]
    assert run(["sanitize", str(file), "mondrian", "--set", "k=2", *roles, "--out", str(tmp_path / "release")]) == 0
    assert "'=ill" in (tmp_path / "release" / "people.csv").read_text(encoding="utf-8")
    assert measure(tmp_path / "release").facts.n_people == 6


def test_a_person_key_that_is_not_there_is_not_ignored(file: Path):
    """A typo would count rows, and call them people."""
    with pytest.raises(InvalidInputError, match="person-key must be a column of the release"):
        measure(file, quasi="age", sensitive="ill", person_key="patients")


def test_a_release_read_back_gives_the_numbers_of_the_run_that_made_it(file: Path, tmp_path: Path):
    """The key is not published; how many people each group has, and each value, is."""
    made = unmask.sanitize(file, "mondrian", set={"k": 2}, **ROLES).release
    assert made.headcount is not None
    write_release(made, tmp_path / "out")
    back = read_release(tmp_path / "out").release
    assert back.same_content(made)
    assert (back.n_people, back.n_rows) == (6, 9)
    for one, other in zip(measure_all(made, MODELS), measure_all(back, MODELS), strict=True):
        assert (one.value, one.people, one.lenient.value) == (other.value, other.people, other.lenient.value)
    text = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "out").rglob("*.*"))
    assert "A7" not in text
    assert "patient" not in text
    write_release(back, tmp_path / "again")
    for path in sorted((tmp_path / "out").iterdir()):
        assert (tmp_path / "again" / path.name).read_bytes() == path.read_bytes()


def test_a_stranger_can_say_how_many_people_each_group_has(tmp_path: Path):
    """Without values by person, as many people as possible have each: four of five rows may be all three people."""
    about = {
        "unmask_release": 1,
        "group_column": "g",
        "people": "people.csv",
        "columns": [{"name": "age", "role": "quasi-identifier"}, {"name": "ill", "role": "sensitive"}],
    }
    (tmp_path / "release.json").write_text(json.dumps(about), encoding="utf-8")
    (tmp_path / "rows.csv").write_text("g,age,ill\n" + "x,30-39,flu\n" * 4 + "x,30-39,cold\n", encoding="utf-8")
    people = tmp_path / "people.csv"
    people.write_text("group,column,value,people\n,,,3\nx,,,3\n", encoding="utf-8")
    found = measure(tmp_path)
    assert (values(found)["k"], values(found)["max-share-l"], values(found)["distinct-l"]) == (3, 1, 1)
    assert any("how many people have each ill is unknown" in note for note in found.notes)
    people.write_text(people.read_text() + ",ill,,3\n,ill,flu,2\n,ill,cold,1\nx,ill,,3\nx,ill,flu,2\nx,ill,cold,1\n")
    assert values(measure(tmp_path))["max-share-l"] == 1.5
    people.write_text("group,column,value,people\n,,,3\ny,,,3\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="must count groups whose rows all show the same"):
        measure(tmp_path)
    people.write_text("group,column,value,people\n,,,3\nx,,,4\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="no fewer than in one"):
        measure(tmp_path)


def test_a_row_of_a_group_of_two_people_is_found_every_second_time():
    """Linkage counts people: five rows of two people are two ways to be wrong."""
    frame = pd.DataFrame({"id": list("aaabb"), "age": [30] * 5, "ill": ["flu", "flu", "flu", "cold", "flu"]})
    found = unmask.audit(
        frame, sanitizer="mondrian", set={"k": 2}, quasi="age", sensitive="ill", person_key="id", seed=1, max_belief=0.9
    )
    lines = found.to_frame()
    linkage = lines[(lines.attack == "linkage") & (lines["of"] == "attack")].set_index("metric")
    assert linkage.loc["max-risk", "value"] == 0.5
    assert linkage.loc["average-risk", "value"] == 0.5
    assert linkage.loc["max-risk", "n"] == 2
    guessed = lines[(lines.metric == "accuracy") & (lines.attack == "random-worlds") & (lines["of"] == "attack")]
    assert set(guessed.value) == {0.75}  # a is always right, b every second time; by rows it would be 4 of 5


def test_a_household_is_found_once_anybody_of_it_is():
    """Two of a home in groups of two: one half by the easiest member, three quarters that any member is found."""
    frame = pd.DataFrame({"home": [1, 1, 2, 3], "age": [20, 50, 20, 50], "ill": list("abab")})
    found = unmask.audit(
        frame, sanitizer="mondrian", set={"k": 2}, quasi="age", sensitive="ill", household="home", seed=1
    )
    text = "risk of 3 households: 0.5 on average and 0.5 at most by the member easiest to find; 0.583 and 0.75"
    assert any(text in note for note in found.notes)


@pytest.mark.parametrize("option", ["--person-key", "--weight"])
def test_what_ignores_a_weight_says_so(file: Path, option: str, capsys: pytest.CaptureFixture[str]):
    """A note on standard error; none where there is no weight."""
    file.write_text(VISITS.replace("patient", "w").replace("A7", "3").replace("B2", "2").replace("C1", "1")
                    .replace("D", "1").replace("\n,", "\n1,"), encoding="utf-8")  # fmt: skip
    run(["measure", str(file), "-q", "age", "-s", "ill", option, "w"])
    assert ("ignore weights" in capsys.readouterr().err) is (option == "--weight")


def test_from_the_command_line(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Sanitize, measure, audit; the gate counts people."""
    roles = ["-q", "age", "-s", "ill", "--person-key", "patient"]
    out = str(tmp_path / "out")
    made = run(["sanitize", str(file), "full-domain", "--set", "k=2", "--set", "suppression=0.2", *roles, "--out", out])
    assert made == 0
    assert "6 people (8 rows) published in 2 groups, 0 (1 row) suppressed" in capsys.readouterr().out
    assert run(["measure", out, "--require", "k=2"]) == 0
    assert run(["measure", out, "--require", "k=3"]) == 1
    capsys.readouterr()
    assert run(["measure", out, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["people"], document["rows"]) == (6, 8)
    assert run(["audit", str(file), "--release", out, *roles, "--max-belief", "1", "--seed", "1"]) in {0, 1}
    assert run(["sanitize", str(file), "anatomy", "--set", "l=2", *roles, "--out", str(tmp_path / "no")]) == 2
    assert "one row for each person" in capsys.readouterr().err


def test_a_comparison_says_what_counts_people_and_what_counts_rows(file: Path):
    """Guesses count people once; utility counts cells."""
    made = unmask.sanitize(file, "mondrian", set={"k": 2}, **ROLES).release
    found = compare(made, file, measures=["average-group-size"], seed=1, **ROLES)
    assert any("models and guesses count people, utility counts rows" in note for note in found.notes)
    assert not any("weights" in note for note in found.notes)
    weighted = pd.read_csv(file).assign(w=2.0)
    found = compare(made, weighted, measures=["average-group-size"], seed=1, weight="w", **ROLES)
    assert any("models and utility ignore them" in note for note in found.notes)


@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_whatever_is_missing_a_release_read_back_counts_the_same_people(data: st.DataObject):
    """Law: models agree under both readings before and after, for any assignment of rows to people."""
    table = data.draw(tables(min_rows=2, blanks=True))
    person = data.draw(st.lists(st.integers(0, 4), min_size=table.n_rows, max_size=table.n_rows))
    table = replace(table, person_of=np.array(person, np.int32))
    made = Mondrian(k=1).sanitize(table, np.random.default_rng(0)).release
    with TemporaryDirectory() as folder:
        write_release(made, Path(folder, "out"))
        back = read_release(Path(folder, "out")).release
    assert (back.n_people, back.n_suppressed, back.n_suppressed_rows) == (
        made.n_people, made.n_suppressed, made.n_suppressed_rows,
    )  # fmt: skip
    for one, other in zip(measure_all(made, MODELS), measure_all(back, MODELS), strict=True):
        assert one.value == pytest.approx(other.value, nan_ok=True)
        assert one.lenient.value == pytest.approx(other.lenient.value, nan_ok=True)


ALONE_TWICE = "who,age,ill\na,30,flu\na,40,flu\nb,50,cold\nc,60,flu\nd,60,flu\n,60,cold\n"


def test_who_is_alone_twice_is_one_person_alone(tmp_path: Path):
    """Ada is alone with both of her rows, and Bob with his only one: two of five people, on every line."""
    path = tmp_path / "rows.csv"
    path.write_text(ALONE_TWICE)

    found = measure(path, quasi=["age"], sensitive=["ill"], person_key="who")

    worst = {line.name: line.measured.people for line in found.lines if line.measured is not None}
    text = str(found)
    assert "alone in the file: 2 of 5 people (40.00%)" in text
    assert "special uniques (SUDA2, 1 attributes): 2 people" in text
    assert worst["k"] == 3  # of groups of one, each with a counted person
    assert max(worst.values()) <= 5
    assert [line.split(",")[0] for line in found.at_risk().splitlines()[1:]] == ["a", "b", "c", "d", "5"]
    assert any(note.endswith("1 row without a who: each counts as a separate person") for note in found.notes)
