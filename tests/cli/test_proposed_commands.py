"""Commands that an answer proposes are the next ones to type: they read the same file in the same way."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Unmask

ROWS = "".join(f"{20 + i % 7};{'fm'[i % 2]};{['flu', 'cold', '-9'][i % 3]}\n" for i in range(42))
READ = ("--skip-lines", "2", "--missing", "-9", "--missing", "-8", "--delimiter", ";", "--encoding", "utf-8")
ROLES = ("-q", "age", "-q", "sex", "-s", "ill")


@pytest.fixture
def titled(folder: Path) -> str:
    """Write a table below a title and an empty line, in a folder below; return its path."""
    (folder / "data").mkdir()
    (folder / "data" / "t.csv").write_text(f"Patients of 2025\n\nage;sex;ill\n{ROWS}")
    return "data/t.csv"


def proposed(out: str) -> list[str]:
    """Return the words of the command that the last line proposes."""
    return shlex.split(out.strip().splitlines()[-1].partition(": unmask ")[2])


def test_the_proposed_audit_reads_the_table_as_the_sanitizer_did(unmask: Unmask, titled: str):
    """Without --skip-lines it ended with `line 3 must have 2 cells`."""
    made = unmask("sanitize", titled, "mondrian", "--set", "k=3", *ROLES, *READ, "--out", "rel")
    ran = unmask(*proposed(made.out), "--seed", "1", "--attack", "random-worlds")
    assert ran.code == 0, ran.err
    assert "42 rows attacked" in ran.out


def test_the_proposed_draft_reads_the_table_that_was_inspected(unmask: Unmask, titled: str):
    """Its folder and the options of reading were left out; a draft that is there is not offered to --force."""
    command = proposed(unmask("inspect", titled, *READ).out)
    assert unmask(*command).code == 0
    assert Path("roles.toml").exists()
    again = unmask(*command)
    assert (again.code, "--force" in again.err) == (2, False)


def test_a_title_is_proposed_where_there_is_one(unmask: Unmask, titled: str):
    """A line in the middle with a cell too many is no sign of one: skipping the header would show a person."""
    assert "skip them: --skip-lines 2" in unmask("inspect", titled).err
    Path("one.csv").write_text("note\n" + "well\n" * 20 + "well; then ill\n")
    assert unmask("inspect", "one.csv").code == 0
    Path("long.csv").write_text("age;sex;ill\n" + ROWS + "30;f;flu;1,5;2,5\n")
    ran = unmask("inspect", "long.csv")
    assert "line 44 of 'long.csv' must have 3 cells like the header" in ran.err
    assert "--skip-lines" not in ran.err


def test_the_proposed_audit_takes_the_same_roles(unmask: Unmask, folder: Path):
    """A file of roles that is not beside the table: its marks of missing values belong to what was kept."""
    (folder / "v.csv").write_text("pid,zip,ill\n1,A,x\n1,A,n/a\n2,A,y\n3,B,x\n4,B,y\n")
    (folder / "my.toml").write_text(
        'missing = ["n/a"]\n[columns]\npid = { role = "person-key" }\nzip = { role = "quasi-identifier" }\n'
        'ill = { role = "sensitive" }\n'
    )
    publish = ["sanitize", "v.csv", "mondrian", "--set", "k=2", "--roles", "my.toml"]
    made = unmask(*publish, "--out", "r", "--keep", "k.json")
    ran = unmask(*proposed(made.out), "--seed", "1", "--attack", "random-worlds")
    assert ran.code == 0, ran.err
