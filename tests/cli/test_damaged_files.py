"""Damaged files of ours, and other content under their names: exit code 2, one line, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import ROLES, Unmask

AUDIT = ("audit", "people.csv", "--release", "rel", *ROLES, "--attack", "linkage", "--seed", "1")
JSON = {
    "rel/release.json": ("measure", "rel", "--json", "new.json"),
    "keep.json": (*AUDIT, "--keep", "keep.json", "--html", "new.html"),
    "ledger.json": ("ledger", "list", "--json", "new.json"),
    "parts/resume.json": (*AUDIT, "--resume", "parts", "--json", "new.json"),
    "study/unmask-files.json": ("study", "kifer-2009", "--set", "parts=tables", "--out", "study", "--force"),
}
TOML = {
    "policy.toml": (*AUDIT, "--policy", "policy.toml", "--json", "new.json"),
    "roles.toml": ("sanitize", "people.csv", "mondrian", "--set", "k=2", *ROLES, "--out", "new"),
    "weights.toml": ("risk", "people.csv", *ROLES, "--weights", "weights.toml", "--json", "new.json"),
    "scenario.toml": (
        "attack",
        "fusion",
        "--release",
        "rel",
        "-s",
        "age",
        "--scenario",
        "scenario.toml",
        "--out",
        "new.csv",
    ),
}
"""Files, and a command that reads each."""

NO_JSON = (
    b"", b"[]", b"null", b"1", b"{", b"[" * 1000 + b"]" * 1000, b"[" * 100_000, b'{"a":' * 1000 + b"1" + b"}" * 1000,
    b'{"schema": NaN}', b'{"unmask_release": 1e400}', b'{"seed": ' + b"9" * 5000 + b"}", b'{"a": 1, "a": 2}', b"\0",
    '{"schema": 1}'.encode("utf-16"),
)  # fmt: skip
NO_TOML = (
    b"x", b"x = 1\nx = 1", b"[limits]\n[limits]", b"x = " + b"[" * 1000 + b"]" * 1000, b"x = " + b"9" * 5000, b"\0",
    b"x = " + b"{x = " * 100 + b"1" + b"}" * 100, "x = 1".encode("utf-16"),
)  # fmt: skip


def listing() -> list[str]:
    """Return the paths of all files below the working folder."""
    return sorted(str(path) for path in Path().rglob("*"))


@pytest.mark.parametrize("file", [*JSON, *TOML])
@pytest.mark.usefixtures("release")
def test_a_file_of_other_content_is_refused(unmask: Unmask, file: str):
    """None of it is taken for a default, and nothing of it ends the program."""
    command = {**JSON, **TOML}[file]
    Path(file).parent.mkdir(exist_ok=True)
    for content in NO_JSON if file in JSON else NO_TOML:
        Path(file).write_bytes(content)
        before = listing()
        ran = unmask(*command)
        assert (ran.code, len(ran.error) < 600) == (2, True), content[:40]
        assert listing() == before


@pytest.mark.parametrize("file", ["rel/release.json", "keep.json", "ledger.json"])
@pytest.mark.usefixtures("release")
def test_a_repeated_key_is_refused_by_its_name(unmask: Unmask, file: str):
    """Other readers may take the first of two values, or the last."""
    assert unmask("ledger", "add", "rel").code == 0
    assert unmask(*JSON[file]).code == 0
    written = Path(file).read_text()
    key = written.split('"')[1]
    Path(file).write_text(written.replace("{", f'{{"{key}": 1,', 1))
    assert (
        f"must be valid JSON; key '{key}' stands twice in one object. Remove one"
        in unmask(*JSON[file], "--force").error
    )
