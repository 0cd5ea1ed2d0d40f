"""The contract with users: names, suggestions, streams, and a summary of one screen."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import MONDRIAN, ROLES, Unmask
from unmask.documents.published_schemas import read_schema

pytestmark = pytest.mark.usefixtures("no_advice")

AUDIT_WRITES = ("--html", "r.html", "--json", "r.json", "--junit", "r.xml", "--markdown", "r.md")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["anonymize", "people.csv"], "there is no command 'anonymize'. Did you mean sanitize or harden?"),
        (["audti", "people.csv"], "Did you mean 'audit'?"),
        (["sanitize", "mondrian", "people.csv"], "Did you mean: unmask sanitize people.csv mondrian"),
        (["hierarchy", "people.csv", "age"], "Did you mean: unmask hierarchy age people.csv"),
        (["help", "audti"], "Did you mean 'audit'?"),
        (["audit", ".", "people.csv"], "Did you mean: unmask audit people.csv --release .?"),
        (["audit", "people.csv", "--sanitizer", "mondrian", "--k", "5"], "there is no option --k. Write --set k=5"),
        (["sanitize", "people.csv", "mondrian", "--distinct-l=3"], "Write --set distinct-l=3"),
        (["compare", "people.csv", "--release", "rows.csv"], "Write unmask compare RELEASE --original TABLE"),
        (["sanitize", "people.csv", "mondrian", "--seed", "5"], "kept secret"),
        (["audit", "people.csv", "-k", "age"], "there is no option -k. Did you mean -q?"),
        (["audit", "people.csv", "-i", "id"], "Did you mean --identifier or --insensitive?"),
        (["audit", "people.csv", "--sensitiv", "ill"], "Did you mean '--sensitive'?"),
        (["audit", "people.csv", "people.csv"], "Did you mean --release people.csv?"),
        (["audit", "people.csv"], "Write --release PATH, or --sanitizer NAME to try one on the table"),
        (["audit"], "Write --release PATH"),
        (["sanitize", "people.csv"], "unmask sanitize people.csv mondrian --out DIR"),
        (["sanitize", "people.csv", "mondrian", "-q", "age"], "Write --out DIR"),
        (["attack"], "See unmask list attacks"),
        (["attack", "random-worlds"], "Write --release PATH"),
        (["explain", "definety"], "Did you mean 'definetti'?"),
        (["list", "atacks"], "Did you mean 'attacks'?"),
        (["audit", "people.csv", "--max-belief", "half"], "'--max-belief'"),
        (["audit", "people.csv", "--seed", "-1", *MONDRIAN[:-2]], "seed must be a whole number of at least 0"),
        (["audit", "people.csv", *MONDRIAN, "--location", "moon"], "location must be one of attributes, row"),
        (["audit", "people.csv", *MONDRIAN, "--all", "--attack", "linkage"], "either --all attacks or those named"),
        (["audit", "people.csv", *MONDRIAN, "--all", "--quick"], "must be --quick or run --all attacks"),
        (
            ["audit", "people.csv", *MONDRIAN, "--quick", "--attack", "linkage"],
            "must be --quick or run the attacks named",
        ),
        (["audit", "people.csv", *MONDRIAN, "--attack-set", "linkage=1"], "must be written NAME.KEY=VALUE"),
        (
            ["audit", "people.csv", *MONDRIAN, "--attack", "linkage", "--attack-set", "definetti.limit=500"],
            "Add --attack",
        ),
        (["audit", "people.csv", *MONDRIAN, "--keep", "keep.json"], "--keep must come with the table and the release"),
        (
            ["audit", "people.csv", "--release", "people.csv", *ROLES, "--set", "k=3"],
            "--set must come with --sanitizer",
        ),
        (["audit", "people.csv", *MONDRIAN, "--set", "k=4"], "--set must give each setting once; got k twice"),
        ([], "a command must be given: one of demo, inspect, hierarchy, sanitize"),
    ],
)
@pytest.mark.usefixtures("table")
def test_a_guess_finds_the_way(unmask: Unmask, arguments, expected):
    """Exit code 2, one line, with what was probably meant."""
    ran = unmask(*arguments)
    assert ran.code == 2
    assert expected in ran.error


def test_names_may_be_written_with_either_hyphen(unmask: Unmask, table):
    """Of algorithms, settings and options: `random_worlds`, `distinct_l`, `--max_belief`."""
    one = unmask("audit", table, *MONDRIAN, "--set", "distinct-l=1", "--attack", "random-worlds", "--max-belief", "1")
    two = unmask("audit", table, *MONDRIAN, "--set", "distinct_l=1", "--attack", "Random_Worlds", "--max_belief=1")
    assert (one.code, one.out) == (two.code, two.out)
    assert unmask("explain", "random_worlds").out == unmask("explain", "random-worlds").out


def test_a_release_folder_alone_is_audited_as_what_it_is(unmask: Unmask, release):
    """`unmask audit release/`: the rows are attacked, and what is right is not known."""
    ran = unmask("audit", f"{release}/", "--seed", "1")
    assert ran.code == 0
    assert "no table was given" in ran.err
    assert ran.out == unmask("audit", "--release", release, "--seed", "1").out


def test_lists_and_explanations_fit_the_screen(unmask: Unmask):
    """`attack --list` is `list attacks`; each is at most 80 columns wide."""
    attacks = unmask("list", "attacks").out
    assert {"linkage", "random-worlds", "definetti", "intersection", "baseline"} <= set(attacks.split())
    assert unmask("attack", "--list").out == attacks
    assert unmask("sanitize", "--list").out == unmask("list", "sanitizers").out
    everything = unmask("list").out
    assert all(name in everything for name in ("attacks:", "sanitizers:", "models:", "metrics:", "guarantees:"))
    assert max(map(len, everything.splitlines())) <= 80
    for word in ("anatomy", "k", "exposed", "max-risk"):
        ran = unmask("explain", word)
        assert ran.code == 0
        assert word in ran.out


def test_a_schema_is_explained_by_its_name_or_its_file(unmask: Unmask):
    """What the document is, where its schema is, and its keys."""
    assert "  policy-1 " in unmask("list", "schemas").out
    ran = unmask("explain", "policy.toml")
    assert ran.code == 0
    assert ran.out == unmask("explain", "policy-1").out
    (path,) = [line.removeprefix("JSON Schema: ") for line in ran.out.splitlines() if line.startswith("JSON Schema: ")]
    keys = json.loads(Path(path).read_text(encoding="utf-8"))["properties"]
    assert all(f"  {key}: " in ran.out for key in keys)


@pytest.mark.parametrize("word", ["icd10", "preset:icd10", "quantiles"])
def test_a_preset_is_explained(unmask: Unmask, word):
    """As `list presets` names it, and as roles name it."""
    ran = unmask("explain", word)
    assert ran.code == 0
    assert ran.out.startswith(f"{word.removeprefix('preset:')} (preset): ")
    assert ("Example: E11.90 →" in ran.out) == ("icd10" in word)


def test_the_answer_is_on_stdout_and_notes_are_on_stderr(unmask: Unmask, table):
    """The summary fits 24 lines of 80 columns, and its last line says how to get a report."""
    ran = unmask("audit", table, *MONDRIAN[:-2], "--max-belief", "0.5")
    lines = ran.out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "For a page to read or hand on, add --html report.html."
    notes = ran.err.splitlines()
    assert notes[0] == "2 columns without a role not used: id, job"
    assert any(note.startswith("seed ") and "--seed" in note for note in notes)
    assert "\x1b" not in ran.out + ran.err  # no color, with or without NO_COLOR


def test_quiet_says_nothing_but_the_answer(unmask: Unmask, table):
    """Not even the seed, which the report has."""
    ran = unmask("audit", table, *MONDRIAN[:-2], "--quiet", "--json", "-")
    assert ran.err == ""
    assert json.loads(ran.out)["seed"] >= 0


def test_json_on_stdout_is_alone_there_and_keeps_its_schema(unmask: Unmask, table, release):
    """`--json -`, of audit and of attack."""
    keys = set(read_schema("report-1")["required"])
    ran = unmask("audit", table, *MONDRIAN, "--json", "-", "--max-belief", "0.5")
    assert ran.code == 1
    document = json.loads(ran.out)
    assert keys <= set(document)
    assert document["verdict"] == "limit broken"
    attack = ("attack", "random-worlds", "--release", release, "--people", table, "--truth", table, "--seed", "1")
    document = json.loads(unmask(*attack, "--json", "-").out)
    assert keys <= set(document)
    assert [one["name"] for one in document["attacks"]] == ["random-worlds"]


def test_verbose_tells_how_long_each_step_took(unmask: Unmask, table):
    """Only on request: a log that is compared should hold no durations."""
    assert "publishing with mondrian: 0." in unmask("audit", table, *MONDRIAN, "-v").err
    assert "publishing" not in unmask("audit", table, *MONDRIAN).err


def test_files_are_for_their_owner_only(unmask: Unmask, table, release):
    """Reports, beliefs, releases, what is kept back."""
    if os.name != "posix":
        pytest.skip("permissions as POSIX has them")
    assert (
        unmask("audit", table, *MONDRIAN, *AUDIT_WRITES, "--max-belief", "0.5", "--people-at-risk", "risk.csv").code
        == 1
    )
    assert (
        unmask("attack", "linkage", "--release", release, "--people", table, "--out", "b.csv", "--seed", "1").code == 0
    )
    for name in (
        "r.html",
        "r.json",
        "r.xml",
        "r.md",
        "risk.csv",
        "b.csv",
        "keep.json",
        "rel/rows.csv",
        "rel/release.json",
    ):
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600, name
    assert stat.S_IMODE(release.stat().st_mode) == 0o700


def test_nothing_is_written_unless_an_option_names_it(unmask: Unmask, table, release):
    """Audits and attacks look; they leave nothing behind."""
    before = sorted(p.name for p in Path().rglob("*"))
    unmask("audit", table, *MONDRIAN, "--max-belief", "0.5")
    unmask("attack", "random-worlds", "--release", release, "--people", table)
    assert sorted(p.name for p in Path().rglob("*")) == before


def test_force_replaces_reports_of_its_own(unmask: Unmask, table):
    """The second night of a pipeline: the same command with --force."""
    command = ("audit", table, *MONDRIAN, *AUDIT_WRITES, "--max-belief", "0.5", "--people-at-risk", "risk.csv")
    assert unmask(*command).code == 1
    first = {name: Path(name).read_bytes() for name in AUDIT_WRITES[1::2]}
    assert unmask(*command).code == 2
    assert unmask(*command, "--force").code == 1
    assert {name: Path(name).read_bytes() for name in first} == first


def test_roles_beside_the_table_are_found_and_options_override_them(unmask: Unmask, table):
    """`roles.toml` is said on stderr where it was found by itself; `-q` goes before it."""
    Path("roles.toml").write_text(
        '[columns]\nage = { role = "quasi-identifier" }\nill = { role = "sensitive", harmless = ["cold"] }\n'
        'id = { role = "person-key" }\n'
    )
    audit = ("audit", table, "--sanitizer", "mondrian", "--set", "k=3", "--seed", "1", "--json", "-")
    ran = unmask(*audit)
    assert "roles from roles.toml" in ran.err
    assert "3 columns without a role not used: sex, zip, job" in ran.err
    assert unmask(*audit, "-q", "sex").out != ran.out
    Path("roles.toml").rename("other.toml")
    named, before = json.loads(unmask(*audit, "--roles", "other.toml").out), json.loads(ran.out)
    assert named.pop("command") == [*before.pop("command")[:-2], "--roles", "other.toml", "--seed", "1"]
    assert named == before
    Path("other.toml").write_text('[columns]\nage = { rolle = "quasi-identifier" }\n')
    assert "Did you mean 'role'?" in unmask(*audit, "--roles", "other.toml").error


def test_missing_marks_replace_the_usual_ones(unmask: Unmask, folder):
    """NA may be Namibia: named marks replace all default ones, with a note on what now counts as a value."""
    lines = [f"{20 + i},{('NA', 'ZA', '-99')[i % 3]},{'ab'[i % 2]}" for i in range(12)]
    (folder / "t.csv").write_text("age,country,ill\n" + "\n".join(lines) + "\n")
    audit = ("audit", "t.csv", "--sanitizer", "mondrian", "--set", "k=2", "-q", "age", "-q", "country", "-s", "ill")
    assert "cells that count as missing: 4 NA;" in unmask(*audit).err
    ran = unmask(*audit, "--missing", "-99")
    assert "cells that count as missing: 4 -99;" in ran.err
    assert "counted as values, since --missing names other marks: NA" in ran.err
    assert "4 -99, 4 NA" in unmask(*audit, "--missing", "-99", "--missing", "NA").err


def test_harmless_values_expose_nobody(unmask: Unmask, table, release):
    """Told on the command line, also where the release comes in a folder that does not say so."""
    every = [part for ill in ("flu", "asthma", "cold") for part in ("--harmless", f"ill={ill}")]
    audit = ("audit", table, "--release", release, "--max-belief", "0.5", "--seed", "1")
    assert unmask(*audit).code == 1
    assert unmask(*audit, *every).code == 0
    assert unmask("audit", table, *MONDRIAN, "--max-belief", "0.5", *every).code == 0
    assert unmask("audit", release, "--max-belief", "0.5", *every).code == 0


def test_a_policy_is_a_file_and_options_replace_its_limits(unmask: Unmask, table):
    """What the policy says of recipient and review belongs in the report."""
    Path("policy.toml").write_text(
        'recipient = "licensed researchers"\nnext_review = 2027-11-01\n[limits]\nmax_belief = 0.5\n'
        '[required]\nattacks = ["linkage", "random_worlds"]\n'
    )
    assert tomllib.loads(Path("policy.toml").read_text())
    ran = unmask("audit", table, *MONDRIAN, "--policy", "policy.toml", "--json", "-")
    assert ran.code == 1
    context = json.loads(ran.out)["context"]
    assert {"recipient: licensed researchers", "next review: 2027-11-01"} <= set(context)
    assert unmask("audit", table, *MONDRIAN, "--policy", "policy.toml", "--max-belief", "1").code == 0
    Path("policy.toml").write_text('[required]\nattacks = ["linkege"]\n')
    assert "Did you mean 'linkage'?" in unmask("audit", table, *MONDRIAN, "--policy", "policy.toml").error


def test_a_people_file_with_the_groups_makes_the_row_known(unmask: Unmask, table):
    """The group column of Anatomy's tables, with attributes of people: limits are judged for an attacker with both."""
    assert unmask("sanitize", table, "anatomy", "--set", "l=2", *ROLES, "--out", "ana", "--keep", "k.json").code == 0
    group = json.loads(Path("k.json").read_text())["group"]
    lines = table.read_text().splitlines()
    lines_with_group = [f"{lines[0]},group", *(f"{line},{g}" for line, g in zip(lines[1:], group, strict=True))]
    Path("told.csv").write_text("\n".join(lines_with_group) + "\n")
    attack = ("attack", "random-worlds", "--release", "ana", "--people", "told.csv", "--truth", table, "--seed", "1")
    ran = unmask(*attack, "--json", "-")
    assert "the people file has each person's group" in ran.err
    assert json.loads(ran.out)["attacks"][0]["location"] == "row"
    ran = unmask(*attack, "--location", "attributes", "--json", "-")
    assert json.loads(ran.out)["attacks"][0]["location"] == "attributes"
    audit = (
        "audit",
        table,
        "--release",
        "ana",
        "--people",
        "told.csv",
        "--max-belief",
        "0.6",
        "--seed",
        "1",
        "--json",
        "-",
    )
    ran = unmask(*audit, "--attack", "random-worlds")
    assert json.loads(ran.out)["policy"]["location"] == "row"
    assert unmask("attack", "random-worlds", "--release", "ana", "--people", table, "--location", "row").code == 2


def test_a_table_on_standard_input(unmask: Unmask, table, monkeypatch):
    """`-` is CSV on stdin."""
    with table.open("rb") as stream:
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": stream})())
        ran = unmask("audit", "-", *MONDRIAN)
    assert ran.out == unmask("audit", table, *MONDRIAN).out
