"""The audit covers every published column, also undeclared ones."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.conftest import Unmask

PEOPLE = "name,age,ill\nAda,20,flu\nBen,20,cold\nCem,20,none\nDora,40,flu\nEmil,40,cold\nFay,40,none\n"
MADE = ("-q", "age", "-s", "ill", "--set", "k=3")
LIMITS = ("--max-belief", "0.5", "--excess", "0.1", "--seed", "1")


@pytest.fixture
def named(folder: Path, unmask: Unmask) -> Path:
    """Return a release that shows names beside groups of three."""
    (folder / "p.csv").write_text(PEOPLE)
    ran = unmask("sanitize", "p.csv", "mondrian", *MADE, "--insensitive", "name", "--out", "rel")
    assert ran.code == 0
    assert "warning: column 'name' (insensitive) singles out 6 of 6, holds names of people (by its name)" in ran.err
    assert "an audit with limits counts them as known" in ran.err
    return folder


def test_names_beside_groups_break_the_limit(named: Path, unmask: Unmask):
    """An attacker who knows the name learns the illness: each of six people has a separate class."""
    ran = unmask("audit", "p.csv", "--release", "rel", *LIMITS, "--json", "a.json", "--html", "a.html",
                 "--markdown", "a.md")  # fmt: skip
    assert ran.code == 1
    assert "by all published columns: some ill is believed" in ran.out
    assert 'accept by ignore = ["name"] in policy.toml' in " ".join(
        (named / "a.md").read_text().replace("\\", "").split()
    )
    for file in ("a.html", "a.md"):
        text = (named / file).read_text().replace("&#39;", "'")
        assert "singles out 6 of 6" in text.replace("\\", "")
    assert "6 of 6 unique" in (named / "a.md").read_text()
    found = json.loads((named / "a.json").read_text())["releases"][0]["published_columns"]
    assert (found["by_all"]["unique"], found["by_all"]["n"], found["by_all"]["smallest_class"]) == (6, 6, 1)
    assert [one["fault"] for one in found["findings"]] == [
        "singles people out", "equals a column of the original", "holds direct identifiers",
    ]  # fmt: skip
    assert found["broken"][0]["limit"] == "max-belief"


def test_a_policy_may_name_the_column(named: Path, unmask: Unmask):
    """Then the verdict is about the other columns, and the report says what was left out of account."""
    (named / "policy.toml").write_text('ignore = ["name"]\n[limits]\nmax_belief = 0.5\nexcess = 0.1\n')
    ran = unmask("audit", "p.csv", "--release", "rel", "--policy", "policy.toml", "--seed", "1", "--json", "-")
    assert ran.code == 0
    report = json.loads(ran.out)
    assert report["policy"]["ignore"] == ["name"]
    assert report["releases"][0]["published_columns"]["ignored"] == ["name"]
    screen = unmask("audit", "p.csv", "--release", "rel", "--policy", "policy.toml", "--seed", "1").out
    assert "ignored by the policy: column 'name'" in screen
    assert "by all published columns: 6 of 6 unique" in screen
    (named / "policy.toml").write_text('ignore = ["nmae"]\n[limits]\nmax_belief = 0.5\n')
    ran = unmask("audit", "p.csv", "--release", "rel", "--policy", "policy.toml", "--seed", "1")
    assert ran.code == 2
    assert ran.error.endswith("Did you mean 'name'?")


def test_without_a_broken_limit_it_is_not_decided(named: Path, unmask: Unmask):
    """All have flu: no belief exceeds the control. The names still prevent a clean verdict."""
    (named / "q.csv").write_text(PEOPLE.replace(",cold", ",flu").replace(",none", ",flu"))
    ran = unmask("audit", "q.csv", "--sanitizer", "mondrian", *MADE, "--insensitive", "name", *LIMITS)
    assert ran.code == 4
    assert "NOT DECIDED" in ran.out
    assert unmask("audit", "q.csv", "--sanitizer", "mondrian", *MADE, *LIMITS).code == 0


def test_requirements_are_measured_with_all_columns(named: Path, unmask: Unmask):
    """By age k is 3, 1 by age and name."""
    ran = unmask("measure", "rel")
    assert ran.code == 0
    assert "by all published columns: 6 of 6 unique" in ran.out
    ran = unmask("measure", "rel", "--require", "k=3", "--json", "m.json")
    assert ran.code == 1
    assert "by all published columns NOT MET: k of at least 3 is required; found 1" in ran.out
    k = next(one for one in json.loads((named / "m.json").read_text())["measures"] if one["model"] == "k")
    assert (k["value"], k["met"], k["by_all_columns"]) == (3, False, "k of at least 3 is required; found 1")
    assert unmask("measure", "rel", "--require", "max-share-l=1").code == 4
    assert unmask("measure", "rel", "--require", "k=3", "--ignore", "name").code == 0
    assert unmask("measure", "rel", "--require", "k=3", "--ignore", "nme").error.endswith("Did you mean 'name'?")


def test_a_vendors_file_with_a_column_without_a_role(folder: Path, unmask: Unmask):
    """The same as a table: an undeclared column is published all the same."""
    (folder / "p.csv").write_text(PEOPLE)
    (folder / "vendor.csv").write_text(PEOPLE.replace(",20", ",20-39").replace(",40", ",40-59"))
    policy = ("--policy", "policy.toml", "--seed", "1")
    (folder / "policy.toml").write_text("[limits]\nmax_risk = 0.34\n")
    ran = unmask("audit", "p.csv", "--release", "vendor.csv", "-q", "age", "-s", "ill", *policy)
    assert ran.code == 1
    assert "max-risk of at most 0.34 is required; found 1" in " ".join(ran.out.split())
    (folder / "policy.toml").write_text('ignore = ["name"]\n[limits]\nmax_risk = 0.34\n')
    assert unmask("audit", "p.csv", "--release", "vendor.csv", "-q", "age", "-s", "ill", *policy).code == 0
    assert unmask("measure", "vendor.csv", "-q", "age", "-s", "ill", "--require", "k=3").code == 1


def test_a_parquet_index_is_a_column(folder: Path, unmask: Unmask):
    """An index of pandas is written beside the columns, with the values that it had: here the record numbers."""
    frame = pd.DataFrame({"age": [20, 20, 20, 40, 40, 40], "ill": ["flu", "cold", "none"] * 2})
    frame.index = pd.Index([701, 702, 703, 704, 705, 706])
    frame.to_parquet(folder / "indexed.parquet")
    ran = unmask("measure", "indexed.parquet", "-q", "age", "-s", "ill", "--require", "k=3")
    assert ran.code == 1
    assert "column '__index_level_0__' (no role) singles out 6 of 6" in ran.out
    frame.rename_axis("index").reset_index().to_csv(folder / "indexed.csv", index=False)
    ran = unmask("measure", "indexed.csv", "-q", "age", "-s", "ill", "--require", "k=3")
    assert (ran.code, "column 'index' (no role)" in ran.out) == (1, True)


def test_the_rest_published_as_it_is(folder: Path, unmask: Unmask):
    """Birth date, patient number and free text: each of them is found, and what is said of it."""
    lines = [f"{20 + i % 2},19{50 + i}-03-0{1 + i % 9},{4000 + i},came in with pain in the left knee {i},flu"
             for i in range(8)]  # fmt: skip
    (folder / "h.csv").write_text("age,born,Patientennummer,note,ill\n" + "\n".join(lines) + "\n")
    ran = unmask("sanitize", "h.csv", "mondrian", "--set", "k=4", "-q", "age", "-s", "ill", "--rest", "insensitive",
                 "--out", "rel")  # fmt: skip
    assert ran.code == 0
    assert "holds record numbers of people (by its name)" in ran.err
    assert "holds free text (by its content)" in ran.err
    assert "column 'born' (insensitive) singles out 8 of 8" in ran.err
    readme = (folder / "rel" / "README.txt").read_text()
    assert "nobody" not in readme
    assert "Published as it is, protected by nothing: born, Patientennummer, note." in readme


def test_a_pseudonym_is_no_fault_but_the_original_key_is(folder: Path, unmask: Unmask):
    """A declared person key counts people; one that equals the key of the table links all people to it."""
    rows = "who,age,ill\nu,20,flu\nv,20,cold\nw,40,flu\nx,40,cold\n"
    (folder / "p.csv").write_text(rows)
    pseudonyms = rows
    for real, made in (("u", "3"), ("v", "1"), ("w", "4"), ("x", "2")):
        pseudonyms = pseudonyms.replace(f"{real},", f"{made},")
    (folder / "pseudo.csv").write_text(pseudonyms)
    (folder / "keyed.csv").write_text(rows)
    ask = ("-q", "age", "-s", "ill", "--person-key", "who", "--max-belief", "0.9", "--seed", "1")
    assert unmask("audit", "p.csv", "--release", "pseudo.csv", *ask).code == 0
    ran = unmask("audit", "p.csv", "--release", "keyed.csv", *ask)
    assert ran.code == 4
    assert "column 'who' (person-key) equals column who of the original line by line" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("sanitizer", "setting"),
    [("mondrian", "k=3"), ("anatomy", "l=3"), ("k-member", "k=3"), ("microaggregation", "k=3")],
)
def test_declared_columns_keep_their_clean_verdict(folder: Path, unmask: Unmask, sanitizer: str, setting: str):
    """Sensitive values are secret by assumption: that they would tell people apart is counted, and gates nothing."""
    (folder / "p.csv").write_text(PEOPLE.replace("name", "nobody"))
    ran = unmask("audit", "p.csv", "--sanitizer", sanitizer, "--set", setting, "-q", "age", "-s", "ill",
                 "--attack", "random-worlds", *LIMITS)  # fmt: skip
    assert (ran.code, "published columns" in ran.out.partition("\n\n")[0]) == (0, False)


def test_a_person_of_several_rows_is_exposed_once(folder: Path, unmask: Unmask):
    """Six people of ten rows: a number beside the groups exposes all of them, and a third of six is tolerated.

    The vendor's file has no key, but its lines are the table's rows; in another order they are counted as rows.
    """
    who, ages, ills = "AAABBCCDEF", [20] * 5 + [40] * 5, ["flu", "cold", "none", "flu", "cold"] * 2
    rows = list(zip(who, ages, ills, strict=True))
    (folder / "p.csv").write_text("who,age,ill\n" + "".join(f"{w},{a},{i}\n" for w, a, i in rows))
    lines = [f"{a}-{a + 9},{i},{n}\n" for n, (_, a, i) in enumerate(rows, 701)]
    command = ("audit", "p.csv", "--release", "v.csv", "-q", "age", "-s", "ill", "--person-key", "who", *LIMITS,
               "--tolerate", "34%", "--advice", "0")  # fmt: skip
    (folder / "v.csv").write_text("age,ill,no\n" + "".join(lines))
    assert "of 6 of 6 people; 2 are tolerated" in " ".join(unmask(*command).out.split())
    (folder / "v.csv").write_text("age,ill,no\n" + "".join(reversed(lines)))
    assert "of 10 of 10 rows; 3 are tolerated" in " ".join(unmask(*command).out.split())


def test_columns_that_break_a_limit_are_advised_to_be_withheld_together(folder: Path, unmask: Unmask):
    """Groups of three keep the limits; a number and a name beside them each single out all people."""
    (folder / "p.csv").write_text(PEOPLE)
    made = [line.split(",") for line in PEOPLE.splitlines()[1:]]
    lines = [f"{int(age)}-{int(age) + 9},{ill},{name},{n}" for n, (name, age, ill) in enumerate(made, 701)]
    (folder / "v.csv").write_text("\n".join(["age,ill,name,no", *lines, ""]))
    command = ("audit", "p.csv", "--release", "v.csv", "-q", "age", "-s", "ill", *LIMITS)
    assert unmask(*command, "--json", "a.json").code == 1
    best = json.loads((folder / "a.json").read_text())["advice"]["lines"][0]
    assert best["options"] == ["--withhold", "name", "--withhold", "no"]
    assert best["passes"]
    advice = json.loads((folder / "a.json").read_text())["advice"]
    assert (advice["before"]["by_columns"], best["after"]["by_columns"]) == ({"max-belief": 6}, {})
    words = " ".join(unmask(*command).out.split())
    assert "withhold name and no: by all published columns: 6 exposed → limit kept" in words
    assert "0 exposed → 0" not in words
    assert unmask(*command, "--withhold", "name", "--withhold", "no").code == 0
    assert unmask(*command, "--withhold", "no").code == 1
