"""No control character of data reaches a terminal or a page: every command, names and values alike."""

from __future__ import annotations

import json
import shutil
import unicodedata
from contextlib import chdir
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Unmask
from tests.test_visible_text import BIDIRECTIONAL, is_control
from unmask.cli import run
from unmask.csv_writing import Rows

HOSTILE = "\x1b[2J\x1b]0;x\x07\x9b1m\x7f\u202e\u2066a\t\x85\u2028b\nc"
"""Clear the screen, set the title, color, delete, reverse the order of letters, break the line."""

AGE, ILL, KEY, FLU = (f"{name}{HOSTILE}" for name in ("age", "ill", "id", "flu"))
ROLES = ("-q", AGE, "-q", "zip", "-s", ILL)
SANITIZE = ("sanitize", "people.csv", "mondrian", "--set", "k=3", *ROLES)


NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="\0") | st.sampled_from([*"\x1b\x07\x9b\n\t\r", *BIDIRECTIONAL]),
    min_size=1,
    max_size=8,
)


def write_people(path: Path, *, n: int = 24) -> None:
    """Write a table whose names of columns, keys and values hold controls."""
    rows = Rows([KEY, AGE, "zip", ILL, HOSTILE])
    rows.extend([f"{HOSTILE}{i}", 20 + i % 5, f"{HOSTILE}{i % 3}", FLU if i % 2 else "cold", i] for i in range(n))
    path.write_text(rows.text, newline="")


def assert_visible(*texts: str) -> None:
    """No control but our own line ends."""
    for text in texts:
        found = {unicodedata.name(c, hex(ord(c))) for c in text.replace("\n", "") if is_control(c)}
        assert not found, (found, text[:2000])
        assert not {line for line in text.split("\n") if line.startswith("c") and line[1:2] in {"'", '"', ",", ":"}}


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the table and its release, once for all tests."""
    made = tmp_path_factory.mktemp("hostile")
    write_people(made / "people.csv")
    with chdir(made):
        assert run([*SANITIZE, "--out", "rel", "--keep", "keep.json"]) == 0
    return made


@pytest.fixture
def hostile(folder: Path, published: Path) -> Path:
    """Return a folder with the table and its release."""
    shutil.copytree(published, folder, dirs_exist_ok=True)
    return folder


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("measure", "rel"), 0),
        (("measure", "people.csv", *ROLES), 0),
        (("measure", "people.csv", "-q", HOSTILE + "?"), 2),
        (("measure", "people.csv", "-s", ILL), 2),
        (("measure", "rel", "--people-at-risk", "risk.csv", "--population", "people.csv"), 0),
        (("reason", "rel"), None),
        (("attack", "linkage", "--release", "rel", "--people", "people.csv", "--truth", "people.csv"), None),
        (("attack", "nothing" + HOSTILE, "--release", "rel"), 2),
        (("audit", "people.csv", "--release", "rel", "--keep", "keep.json", *ROLES, "--attack", "random-worlds",
          "--html", "a.html", "--markdown", "a.md", "--junit", "a.xml", "--max-belief", "0.1"), 1),
        (("audit", "people.csv", "--release", "rel", "-q", HOSTILE, "-s", ILL), None),
        (("compare", "rel", "rel", "--original", "people.csv", "--html", "c.html"), None),
        (("risk", "people.csv", "--dictionary", "people.csv", *ROLES, "--html", "r.html", "--people-at-risk", "p.csv"),
         None),
        (("sanitize", "people.csv", "laplace", "--set", "epsilon=1", *ROLES, "--out", "noisy"), 2),
        (("sanitize", "people.csv", "mondrian", "--set", "k=900", *ROLES, "--out", "o"), 2),
        (("sanitize", "people.csv", "mondrian", "--set", f"k={HOSTILE}", *ROLES, "--out", "o"), 2),
        (("sanitize", "people.csv", "mondrian", "--set", "k=3", *ROLES, "--out", f"o{HOSTILE}"), 0),
        (("hierarchy", "zip", "people.csv", "--mask", "--out", "h.csv"), 0),
        (("hierarchy", HOSTILE + "!", "people.csv", "--mask"), 2),
        (("ledger", "add", "rel", "--name", HOSTILE, "--ledger", "l.json"), 0),
        (("ledger", "add", "rel", "--ledger", f"l{HOSTILE}.json"), None),
        (("explain", HOSTILE), 2),
        (("list", HOSTILE), 2),
        ((HOSTILE,), 2),
        (("measure", "rel", f"--{HOSTILE}"), 2),
        (("measure", f"missing{HOSTILE}"), 2),
        (("measure", "rel", "--require", f"k={HOSTILE}"), 2),
        (("audit", "people.csv", *ROLES, "--sanitizer", HOSTILE), 2),
        (("study", HOSTILE), 2),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("hostile")
def test_no_command_shows_a_control(unmask: Unmask, folder: Path, arguments: tuple[str, ...], code: int | None):
    """Answers, notes, errors, pages, Markdown and JUnit."""
    ran = unmask(*arguments)
    assert ran.code == code or (code is None and ran.code != 70), ran.err
    pages = [page.read_text() for kind in ("*.html", "*.md", "*.xml") for page in folder.glob(kind)]
    assert_visible(ran.out, ran.err, *pages)
    assert ran.code != 0 or ran.out


@pytest.mark.usefixtures("hostile")
def test_a_release_is_described_visibly(unmask: Unmask):
    """On the screen, and in its README."""
    ran = unmask(*SANITIZE, "--out", "again")
    assert ran.code == 0, ran.err
    assert_visible(ran.out, ran.err, Path("again", "README.txt").read_text())


@pytest.mark.usefixtures("hostile")
def test_a_ledger_lists_visible_names(unmask: Unmask):
    """Each release on one line, whatever its name."""
    assert unmask("ledger", "add", "rel", "--name", HOSTILE, "--ledger", "l.json").code == 0
    ran = unmask("ledger", "list", "--ledger", "l.json")
    assert_visible(ran.out, ran.err)
    assert "\\x1b[2J" in ran.out
    ran = unmask("ledger", "list", "--ledger", "l.json", "--json", "-")
    assert_visible(ran.out)
    assert json.loads(ran.out)["releases"][0]["name"] == HOSTILE


@pytest.mark.parametrize("arguments", [("measure", "rel"), ("reason", "rel"), ("compare", "rel")])
@pytest.mark.usefixtures("hostile")
def test_json_on_standard_output_is_exact_and_visible(unmask: Unmask, arguments: tuple[str, ...]):
    """Controls are escaped as JSON escapes them, so what is read is what was there."""
    ran = unmask(*arguments, "--json", "-")
    assert ran.code == 0, ran.err
    assert_visible(ran.out, ran.err)
    json.loads(ran.out)


@pytest.mark.usefixtures("hostile")
def test_csv_keeps_controls(unmask: Unmask):
    """A hierarchy must hold the values of the table, and the keys of people must join with it."""
    ran = unmask("hierarchy", AGE, "people.csv", "--intervals", "5")
    assert ran.code == 0, ran.err
    ran = unmask("hierarchy", "zip", "people.csv", "--mask")
    assert HOSTILE[:4] in ran.out


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=NAMES)
def test_any_name_of_a_column_is_shown_visibly(unmask: Unmask, folder: Path, name: str):
    """In the summary, in notes and in errors that list names."""
    rows = Rows([name, "x" + name, "ill"])
    rows.extend([i % 2, f"{name}{i % 3}", f"{name}!"] for i in range(6))
    (folder / "t.csv").write_text(rows.text, newline="")
    for arguments in (["-q", name, "-s", "x" + name], ["-q", "none"], ["-s", "ill"], ["-q", "x" + name, "-s", "ill"]):
        ran = unmask("measure", "t.csv", *arguments)
        assert ran.code in {0, 2}
        assert_visible(ran.out, ran.err)
