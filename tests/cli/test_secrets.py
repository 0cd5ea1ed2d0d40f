"""No raw record or seed in reports and errors; the same seed gives the same bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import ROLES, Unmask, people

CANARY = "CANARYx9f3"
AUDIT = (
    "--seed",
    "7",
    "--max-belief",
    "0.5",
    "--html",
    "r.html",
    "--json",
    "r.json",
    "--junit",
    "r.xml",
    "--markdown",
    "r.md",
)


@pytest.fixture
def canaries(folder: Path) -> Path:
    """Write a table with a canary in each identifier, in a column without a role, and as a rare value of the others."""
    text = people(key=CANARY + "id").replace("clerk", CANARY + "job")
    lines = text.splitlines()
    lines[1] = f"{CANARY}id0,20,{CANARY}sex,{CANARY}zip,{CANARY}job,{CANARY}ill"
    path = folder / "canaries.csv"
    path.write_text("\n".join(lines) + "\n")
    return path.relative_to(folder)


@pytest.mark.parametrize("sanitizer", [("mondrian", "k=3"), ("anatomy", "l=2")])
def test_no_value_of_a_table_is_in_any_report(unmask: Unmask, canaries: Path, sanitizer):
    """Page, numbers, pipeline, Markdown, screen, notes: looked through for what only the table holds."""
    options = ("--sanitizer", sanitizer[0], "--set", sanitizer[1], *ROLES, "--identifier", "id")
    ran = unmask("audit", canaries, *options, *AUDIT)
    assert ran.code in {0, 1}
    written = [Path(name).read_text() for name in ("r.html", "r.json", "r.xml", "r.md")]
    for text in (ran.out, ran.err, *written):
        assert CANARY not in text
    assert "canaries" not in written[2] + written[3]  # nor does a report about a sanitizer need the file's name


@pytest.mark.parametrize("regime", ["hipaa", "wp29"])
def test_no_value_of_a_table_is_in_evidence_for_a_regime(unmask: Unmask, canaries: Path, regime: str):
    """Not in the record, and in no part of the file for word processors."""
    options = ("--sanitizer", "mondrian", "--set", "k=3", *ROLES, "--identifier", "id", "--seed", "1")
    ran = unmask("audit", canaries, *options, "--for", regime, "--json", "e.json", "--docx", "e.docx")
    assert ran.code == 0
    with zipfile.ZipFile("e.docx") as archive:
        parts = [archive.read(name).decode("latin-1") for name in archive.namelist()]
    assert any("This is not a legal finding." in part for part in parts)
    for text in (Path("e.json").read_text(encoding="utf-8"), *parts):
        assert CANARY not in text


def test_a_release_holds_no_identifier_and_no_seed(unmask: Unmask, canaries: Path):
    """Published is what has a published role; the seed would replay the ties."""
    ran = unmask(
        "sanitize",
        canaries,
        "anatomy",
        "--set",
        "l=2",
        *ROLES,
        "--identifier",
        "id",
        "--out",
        "rel",
        "--keep",
        "k.json",
    )
    assert ran.code == 0
    seed = json.loads(Path("k.json").read_text())["seed"]
    for file in Path("rel").rglob("*"):
        text = file.read_text()
        assert f"{CANARY}id" not in text
        assert f"{CANARY}job" not in text
        assert str(seed) not in text
    assert str(seed) not in ran.out + ran.err


@pytest.mark.parametrize(
    "options",
    [
        ("-q", "nothing"),
        ("--set", "k=1000"),
        ("--set", "l=3"),
        ("--hierarchy", "job=h.csv"),
        ("--order", "job=nurse,smith"),
        ("--bins", "job=10,20"),
        ("--keep", "canaries.csv"),
        ("--policy", "canaries.csv"),
        ("--roles", "canaries.csv"),
        ("--delimiter", ";"),
        ("--decimal", ","),
        ("--missing-policy", "canary"),
        ("--weight", "id"),
        ("--household", "id", "--weight", "job"),
    ],
)
def test_errors_name_columns_and_never_a_person(unmask: Unmask, canaries: Path, options):
    """Whatever goes wrong with a table, its identifiers are not in the message."""
    Path("h.csv").write_text("nurse;*\n")
    ran = unmask("audit", canaries, "--sanitizer", "mondrian", *ROLES, *options, "--seed", "1")
    assert f"{CANARY}id" not in ran.out + ran.err
    assert ran.code in {0, 2}


def test_the_same_seed_gives_the_same_bytes(unmask: Unmask, folder: Path):
    """Wherever the file lies, however it is named on the command line, in this process or in another one.

    An attack that computes, and one that draws in several threads.
    """
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    for place in ("a", "b"):
        (folder / place / "people.csv").write_text(people(30))
    drawn = ("--attack", "definetti", "--attack-set", "definetti.assignments=0", "--attack-set", "definetti.limit=320")
    options = ("--sanitizer", "anatomy", "--set", "l=2", *ROLES, "--attack", "random-worlds", *drawn)
    names = ("r.html", "r.json", "r.xml", "r.md")
    unmask("audit", "a/people.csv", *options, *AUDIT)
    first = {name: Path(name).read_bytes() for name in names}
    assert str(folder).encode() not in b"".join(first.values())
    unmask("audit", folder / "b" / "people.csv", *options, *AUDIT, "--force")
    assert {name: Path(name).read_bytes() for name in names} == first
    command = [sys.executable, "-m", "unmask", "audit", "a/people.csv", *options, *AUDIT, "--force"]
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1", "PYTHONHASHSEED": "7", "LC_ALL": "C"}
    subprocess.run(command, env=environment, capture_output=True, check=False)  # noqa: S603 - our own program
    assert {name: Path(name).read_bytes() for name in names} == first


def test_a_seed_that_was_drawn_is_not_told_twice(unmask: Unmask, folder: Path):
    """It stands in the report once, as a number; a second run with it gives the same bytes."""
    (folder / "people.csv").write_text(people())
    options = ("--sanitizer", "mondrian", "--set", "k=3", *ROLES, "--attack", "random-worlds", "--json")
    ran = unmask("audit", "people.csv", *options, "1.json")
    seed = json.loads(Path("1.json").read_text())["seed"]
    assert f"seed {seed} " in ran.err
    unmask("audit", "people.csv", *options, "2.json", "--seed", seed)
    assert Path("1.json").read_bytes() == Path("2.json").read_bytes()
