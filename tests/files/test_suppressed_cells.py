"""`*` is a cell that is not published, in columns of every role and in every reader; it is never a value."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Ran
from unmask.auditing.evidence import Targets
from unmask.cli import run
from unmask.commands.inputs.reader import Reader
from unmask.commands.measuring import measure
from unmask.commands.notes import Notes
from unmask.files.people import answers
from unmask.files.raw import Raw
from unmask.files.releases import generalized
from unmask.files.roles import Roles
from unmask.files.tables import to_table
from unmask.schema import UNKNOWN, Missing
from unmask.unit import Unit

ARX = (
    "age;sex;ill\n[20, 30[;m;flu\n[20, 30[;m;cold\n[20, 30[;m;none\n[20, 30[;m;flu\n"
    "[50, 60[;f;cold\n[50, 60[;f;none\n[50, 60[;f;flu\n[50, 60[;f;none\n*;*;*\n"
)
ROLES = Roles.of(quasi=["age", "sex"], sensitive=["ill"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def unmask(capsys: pytest.CaptureFixture[str], *arguments: object) -> Ran:
    """Run the command line."""
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    found = capsys.readouterr()
    return Ran(code, found.out, found.err)


@pytest.mark.usefixtures("folder")
def test_the_suppressed_row_of_arx_breaks_no_limit(capsys):
    """It was believed to have the diagnosis `*` with certainty: a broken limit that no change could repair."""
    Path("arxs.csv").write_text(ARX)
    ran = unmask(
        capsys, "audit", "--release", "arxs.csv", "-q", "age", "-q", "sex", "-s", "ill", "--max-belief", "0.95",
        "--json", "out.json",
    )  # fmt: skip
    assert ran.code == 0, ran.out
    assert ran.out.startswith("WITHIN THE LIMITS")
    (facts,) = json.loads(Path("out.json").read_text())["releases"]
    assert (facts["people"], facts["suppressed"], facts["smallest_group"]) == (8, 1, 4)


@pytest.mark.usefixtures("folder")
def test_nothing_is_believed_to_be_a_star(capsys):
    """Of nine people, eight have a diagnosis that is published; the ninth may have any of these."""
    Path("arxs.csv").write_text(ARX)
    arguments = ("--release", "arxs.csv", "-q", "age", "-q", "sex", "-s", "ill", "--out", "b.csv")
    assert unmask(capsys, "attack", "random-worlds", *arguments).code == 0
    lines = list(csv.DictReader(Path("b.csv").read_text().splitlines()))
    assert {line["value"] for line in lines} == {"flu", "cold", "none"}
    ninth = {line["value"]: float(line["probability"]) for line in lines if line["person"] == "8"}
    assert ninth == {"flu": 0.375, "cold": 0.25, "none": 0.375}  # as in the release as a whole


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("bands", [("[20, 30[", "[50, 60["), ("20", "50")])
def test_suppressed_rows_are_not_among_the_people_who_could_be_found(bands):
    """No person is identified by a row of stars: at most 1/4, and no person is alone."""
    text = ARX.replace("[20, 30[", bands[0]).replace("[50, 60[", bands[1])
    Path("arxs.csv").write_text(text)
    found = measure("arxs.csv", quasi=["age", "sex"], sensitive=["ill"])
    assert found.people is not None
    risk = found.people.risk
    assert (risk.n, risk.prosecutor.highest.value, risk.uniqueness.sample.value) == (8, 0.25, 0)


@pytest.mark.parametrize("policy", list(Missing))
@given(rows=st.lists(st.sampled_from([("x", "1"), ("x", "2"), ("y", "*"), ("*", "*"), ("y", "")]), min_size=1))
def test_a_star_is_no_value_under_any_policy(policy, rows):
    """The values are those of the other rows; a missing cell is one more only where the policy says so."""
    roles = Roles.of(quasi=["a"], sensitive=["s"]).with_options(missing_policy=str(policy))
    raw = Raw.of({"a": [a for a, _ in rows], "s": [s for _, s in rows]})
    release = generalized(raw, roles).release
    own = {release.schema["s"].mark} if policy is Missing.OWN and ("y", "") in rows else set()
    assert set(release.schema["s"].values) == {s for _, s in rows} - {"*", ""} | own
    untold = sum(s == "*" or (s == "" and policy is not Missing.OWN) for _, s in rows)
    assert int((release.columns["s"] == UNKNOWN).sum()) == untold
    assert release.counts_of("s").data.sum() == len(rows) - untold


def test_numbers_beside_a_star_are_numbers_still():
    """Else 50 and 50.0 would be two diagnoses, and ages would be words in alphabetical order."""
    release = generalized(
        Raw.of({"a": ["x", "x", "x"], "s": ["50.0", "7", "*"]}), Roles.of(quasi=["a"], sensitive=["s"])
    )
    assert release.release.schema["s"].values == ("7", "50")


@pytest.mark.usefixtures("folder")
def test_tables_of_people_lack_what_is_a_star():
    """An age of `*` leaves ages numbers; a truth of `*` is none, whatever a missing value counts as."""
    Path("people.csv").write_text("age,sex,ill,who\n20,m,flu,a\n30,f,,b\n*,f,*,*\n*,m,flu,*\n")
    raw = Reader(ROLES, {}, Notes()).raw("people.csv")
    table = to_table(raw, ROLES)
    assert table.schema["age"].is_numeric
    assert np.isnan(table["age"]).tolist() == [False, False, True, True]
    released = generalized(Raw.of({"age": ["20"], "sex": ["m"], "ill": [None]}), ROLES)
    values, answer = answers(raw, "ill", [released])
    assert [values[code] if code >= 0 else None for code in answer.tolist()] == ["flu", "?", None, "flu"]
    keyed = Targets.of(to_table(raw, Roles.of(quasi=["age"], sensitive=["ill"], person_key="who")))
    assert (keyed.count.n, keyed.count.unit) == (4, Unit.PEOPLE)  # whose rows two stars are is not published


def test_suppressed_keys_are_no_people():
    """Two suppressed keys are two people, as two missing ones are."""
    raw = Raw.of({"a": ["x", "x", "x"], "s": ["1", "2", "2"], "who": ["p", "*", "*"]})
    read = generalized(raw, Roles.of(quasi=["a"], sensitive=["s"], person_key="who"))
    assert read.release.n_people == 3


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("cells", [("50-59,*", "20-29,*"), ("*,*", "*,*"), ("50,*", "20,*"), ("*,x", "*,*")])
def test_a_column_without_information_is_ignored(capsys, cells):
    """Full-domain tools publish it at the top level; it ended with a division by zero levels of an axis."""
    one, two = cells
    Path("r.csv").write_text("a,b,ill\n" + f"{one},flu\n{two},cold\n" * 60)
    Path("o.csv").write_text("a,b,ill\n" + "50,x,flu\n20,y,cold\n" * 60)
    columns = ("-q", "a", "-q", "b", "-s", "ill")
    assert unmask(capsys, "audit", "--release", "r.csv", *columns).code == 0
    assert unmask(capsys, "audit", "o.csv", "--release", "r.csv", *columns, "--complete").code == 0
    assert unmask(capsys, "measure", "r.csv", *columns).code == 0
    assert unmask(capsys, "compare", "r.csv", "--original", "o.csv", *columns).code == 0


@pytest.mark.usefixtures("folder")
def test_a_column_without_information_changes_no_belief(capsys):
    """The stated release, without its column of stars, gives the same beliefs."""
    Path("r.csv").write_text("a,b,ill\n" + "50-59,*,flu\n20-29,*,cold\n50-59,*,cold\n" * 40)
    Path("s.csv").write_text("a,ill\n" + "50-59,flu\n20-29,cold\n50-59,cold\n" * 40)
    for file, columns in (("r.csv", ("-q", "a", "-q", "b")), ("s.csv", ("-q", "a"))):
        ran = unmask(capsys, "attack", "definetti", "--release", file, *columns, "-s", "ill", "--out", f"b-{file}")
        assert ran.code == 0, ran.err
    assert Path("b-r.csv").read_text() == Path("b-s.csv").read_text()
