"""Foreign files stay unchanged; a kept mapping belongs to one release only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import ROLES, Unmask, people

SANITIZE = ("sanitize", "people.csv", "mondrian", "--set", "k=3", *ROLES)
AUDIT = ("audit", "people.csv", *ROLES, "--seed", "1")


@pytest.fixture(autouse=True)
def folder_of_mine(folder: Path) -> Path:
    """Write a table, and files of mine that have names which unmask uses as well."""
    (folder / "people.csv").write_text(people())
    return folder


def contents(folder: Path = Path()) -> dict[str, str]:
    """Return what every file holds."""
    return {path.as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_force_does_not_take_files_by_their_names(unmask: Unmask):
    """`--out . --force` beside the input: nothing is removed, whatever it is called, and nothing is written."""
    for name in ("table.csv", "rows.csv", "README.txt", "counts-ill.csv"):
        Path(name).write_text("mine\n")
    Path("hierarchies").mkdir()
    Path("hierarchies/other.csv").write_text("mine\n")
    ran = unmask(*SANITIZE, "--out", ".", "--force")
    assert ran.code == 2
    assert "must not be a folder that holds the input 'people.csv'" in ran.error
    (Path() / "rel").mkdir()
    for name in ("rows.csv", "README.txt", "people.csv"):
        Path("rel", name).write_text("mine\n")
    before = contents()
    ran = unmask(*SANITIZE, "--out", "rel", "--force")
    assert ran.code == 2
    assert "must be a folder that unmask wrote; it holds nothing of ours" in ran.error
    assert contents() == before


def test_a_release_is_replaced_and_what_others_put_there_stays(unmask: Unmask):
    """Also files that have names of ours, and a release of an earlier version, which lists nothing."""
    assert unmask(*SANITIZE, "--out", "rel").code == 0
    Path("rel/notes.txt").write_text("mine\n")
    Path("rel/counts-ill.csv").write_text("mine\n")
    assert unmask(*SANITIZE, "--out", "rel", "--force").code == 0
    assert (Path("rel/notes.txt").read_text(), Path("rel/counts-ill.csv").read_text()) == ("mine\n", "mine\n")
    document = json.loads(Path("rel/release.json").read_text())
    assert set(document.pop("files")) == {"rows.csv", "README.txt"}
    Path("rel/release.json").write_text(json.dumps(document))
    assert unmask(*SANITIZE, "--out", "rel", "--force").code == 0
    assert "files" in json.loads(Path("rel/release.json").read_text())
    assert (Path("rel/notes.txt").read_text(), Path("rel/counts-ill.csv").read_text()) == ("mine\n", "mine\n")


def test_an_output_is_never_an_input(unmask: Unmask):
    """Not even where unmask wrote it: rows of a release that are sanitized again are read, not replaced."""
    assert unmask(*SANITIZE, "--out", "rel").code == 0
    before = contents()
    again = ("sanitize", "rel/rows.csv", "mondrian", "--set", "k=6", *ROLES, "--out", "rel", "--force")
    assert "must not be a folder that holds the input 'rows.csv'" in unmask(*again).error
    attack = ("attack", "random-worlds", "--release", "rel", "--people", "people.csv")
    ran = unmask(*attack, "--out", "people.csv", "--force")
    assert "must be another file than the input 'people.csv'" in ran.error
    assert contents() == before


def test_what_was_kept_back_opens_its_own_release_only(unmask: Unmask):
    """Another release of as many rows, another table, the same one in another order: each is refused, in one line."""
    assert unmask(*SANITIZE, "--out", "rel", "--keep", "keep.json").code == 0
    assert unmask(*SANITIZE, "--set", "k=4", "--out", "other", "--keep", "other.json").code == 2  # k twice
    other = ("sanitize", "people.csv", "mondrian", "--set", "k=4", *ROLES)
    assert unmask(*other, "--out", "other", "--keep", "other.json").code == 0
    assert unmask(*AUDIT, "--release", "rel", "--keep", "keep.json").code == 0
    ran = unmask(*AUDIT, "--release", "rel", "--keep", "other.json")
    assert (ran.code, "must be about release 'rel'; it is about another one" in ran.error) == (2, True)
    head, *lines = Path("people.csv").read_text().splitlines()
    Path("people.csv").write_text("\n".join([head, *reversed(lines)]) + "\n")
    ran = unmask(*AUDIT, "--release", "rel", "--keep", "keep.json")
    assert (ran.code, "as it was sanitized, in the same order" in ran.error) == (2, True)


def test_people_who_do_not_fit_their_rows_are_noticed_without_any_hash(unmask: Unmask):
    """A file of an earlier version holds no hashes: people in reversed order do not fit."""
    assert unmask(*SANITIZE, "--out", "rel", "--keep", "keep.json").code == 0
    document = json.loads(Path("keep.json").read_text())
    for key in ("release", "table", "salt", "columns"):
        del document[key]
    Path("keep.json").write_text(json.dumps(document))
    assert unmask(*AUDIT, "--release", "rel", "--keep", "keep.json").code == 0
    head, *lines = Path("people.csv").read_text().splitlines()
    Path("people.csv").write_text("\n".join([head, *reversed(lines)]) + "\n")
    ran = unmask(*AUDIT, "--release", "rel", "--keep", "keep.json")
    assert (ran.code, "must lead people to rows of release 'rel' that fit them" in ran.error) == (2, True)


@pytest.mark.parametrize("name", ["hierarchies/h.csv", "rows.csv"])
def test_links_that_lead_out_of_a_release_are_not_followed(unmask: Unmask, name: str):
    """A release made by another person must not read our files."""
    assert unmask(*SANITIZE, "--out", "rel").code == 0
    Path("secret.csv").write_text("CANARY;*\n")
    document = json.loads(Path("rel/release.json").read_text())
    document["columns"][0]["hierarchy"] = "hierarchies/h.csv"
    Path("rel/release.json").write_text(json.dumps(document))
    Path("rel/hierarchies").mkdir()
    Path("rel", name).unlink(missing_ok=True)
    Path("rel", name).symlink_to(Path("secret.csv").absolute())
    ran = unmask("measure", "rel")
    assert ran.code == 2
    assert "leads out of it" in ran.error
    assert "CANARY" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[" * 100_000, "brackets stand in each other too deeply"),
        ('{"suppressed": ' + "9" * 5_000 + "}", "a number has too many digits"),
        ('{"suppressed": NaN}', "NaN is no number"),
        ("{", "it breaks at line 1"),
        ("\x00", "it breaks at line 1"),
    ],
)
def test_json_that_cannot_be_read_is_one_line(unmask: Unmask, text: str, expected: str):
    """Whatever stands in release.json."""
    Path("rel").mkdir()
    Path("rel/release.json").write_text(text)
    ran = unmask("measure", "rel")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert f"'release.json' must be valid JSON; {expected}" in ran.error


def test_json_in_another_encoding_is_one_line(unmask: Unmask):
    """UTF-16, as an editor may save it."""
    Path("rel").mkdir()
    Path("rel/release.json").write_text("{}", encoding="utf-16")
    assert "must be valid JSON; it is no UTF-8" in unmask("measure", "rel").error


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("epsilon", -1),
        ("epsilon", True),
        ("epsilon", 1e999),
        ("delta", 2),
        ("suppressed", True),
        ("suppressed", 10**30),
        ("suppressed", -1),
        ("suppressed", 1.5),
    ],
)
def test_numbers_of_a_release_are_finite_and_in_range(unmask: Unmask, key: str, value: object):
    """A claim that cannot be is refused, with its key."""
    assert unmask(*SANITIZE, "--out", "rel").code == 0
    document = json.loads(Path("rel/release.json").read_text())
    (document if key == "suppressed" else document["made_by"])[key] = value
    Path("rel/release.json").write_text(json.dumps(document))
    ran = unmask("measure", "rel")
    assert ran.code == 2
    assert key in ran.error or "Infinity is no number" in ran.error
