"""Pipes, closed streams, odd encodings, full folders: read, or refused in one line with the right code."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import ROLES, Unmask, people
from unmask.files import scratch
from unmask.files.encodings import as_utf8

MEASURE = ("measure",)
QUASI = ("-q", "age", "-q", "sex", "-q", "zip", "--quiet")
UNMASK = f'"{sys.executable}" -m unmask'
AUDIT = (
    f"{UNMASK} audit people.csv --sanitizer mondrian --set k=3 {' '.join(ROLES)} --seed 1 --quiet"
    " --attack random-worlds"
)


@pytest.fixture
def table(folder: Path) -> Path:
    """Write a table."""
    (folder / "people.csv").write_text(people())
    return Path("people.csv")


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell of its own."""
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)  # noqa: S603, S607 - our own commands


def test_a_named_pipe_is_read_once(unmask: Unmask, table: Path):
    """It is neither opened twice, which hangs, nor called empty."""
    os.mkfifo("pipe")
    writer = threading.Thread(target=lambda: Path("pipe").write_text(table.read_text()))
    writer.start()
    found = unmask("measure", "pipe", *QUASI)
    writer.join()
    expected = unmask("measure", table, *QUASI)
    assert found.code == expected.code == 0
    assert found.out.replace("pipe", "people") == expected.out


def test_what_a_shell_pipes_is_read(unmask: Unmask, table: Path):
    """Standard input by its device, and the output of another command."""
    expected = unmask("measure", table, *QUASI).out.splitlines()[1:]
    for source in (f"cat {table} | {UNMASK} measure /dev/stdin", f"{UNMASK} measure <(cat {table})"):
        ran = shell(f"{source} {' '.join(QUASI)}")
        assert (ran.returncode, ran.stdout.splitlines()[1:]) == (0, expected), ran.stderr


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (">&-", 5),
        pytest.param(">/dev/full", 5, marks=pytest.mark.sweep),
        ("--json - --markdown r.md >/dev/full", 5),
        pytest.param("--markdown r.md >/dev/full", 0, marks=pytest.mark.sweep),
        ("--markdown r.md <&- >&- 2>&-", 0),
        pytest.param("--html r.html <&- >&- 2>&-", 0, marks=pytest.mark.sweep),  # charts have a process of their own
        ("| head -n 0", 0),
    ],
)
@pytest.mark.usefixtures("table")
def test_an_answer_that_is_lost(options: str, code: int):
    """Five where it stands nowhere else, in one line; a named file is written all the same."""
    ran = shell(f"set -o pipefail; {AUDIT} {options}")
    assert ran.returncode == code
    assert "Traceback" not in ran.stderr
    lines = [line for line in ran.stderr.splitlines() if line.startswith("error: standard output must be writable")]
    assert len(lines) == (code == 5)
    for option, file in (("--markdown", "r.md"), ("--html", "r.html")):
        assert Path(file).exists() == (option in options)


@pytest.mark.parametrize(
    ("content", "options", "expected"),
    [
        (b"\xef\xbb\xbf\xc3", (), "must be text in utf-8, by its byte order mark; some bytes are not"),
        (b"age,zip\n" + b"20,1\n" * 250_000 + b"2\x000,1\n", (), "must be text; it holds a zero character"),
        ("age,zip\n2\x000,1\n".encode("utf-16"), (), "must be text; it holds a zero character"),
        (b"age,zip\n20,1\n", ("--encoding", "zlib"), "must be one of text that Python knows"),
        (b"age,zip\n20,1\n", ("--encoding", "rot13"), "must be one of text that Python knows"),
        (b"age,zip\n20,1\n", ("--encoding", "undefined"), "must be one of text that Python knows"),
        (b"age,zip\n20,1\n", ("--delimiter", "||"), "--delimiter must be one character, and no quote; got '||'"),
        (b"age,zip\n20,1\n", ("--delimiter", '"'), "--delimiter must be one character, and no quote"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_text_that_is_none_is_one_line(unmask: Unmask, content: bytes, options: tuple[str, ...], expected: str):
    """What it is, and the way out; exit code 2."""
    Path("odd.csv").write_bytes(content)
    ran = unmask("measure", "odd.csv", "-q", "age", *options)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert expected in ran.error


@pytest.mark.parametrize("written", ["\t", "\\t", "tab"])
@pytest.mark.usefixtures("folder")
def test_a_tab_can_be_written_in_words(unmask: Unmask, written: str):
    """As shells make it hard to type one."""
    Path("tabs.csv").write_text("age\tzip\n20\t1\n20\t1\n")
    assert unmask("measure", "tabs.csv", "-q", "age", "--delimiter", written).code == 0


def test_no_copy_of_an_input_can_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """While a file in another encoding is read, nothing lies in the temporary folder: kill -9 leaves nothing there."""
    room = tmp_path / "room"
    room.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(room))
    (tmp_path / "old.csv").write_bytes("größe\n1\n".encode("cp1252"))
    with as_utf8(tmp_path / "old.csv", "old.csv") as text:
        assert text.path.read_text(encoding="utf-8") == "größe\n1\n"
        assert list(room.iterdir()) == []


def test_where_there_is_no_proc_stale_copies_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder of a process that was killed goes; one whose process lives stays, and so does what others have."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "_OPEN_FILES", tmp_path / "none")
    stale, thesis = tmp_path / "unmask-scratch-stale", tmp_path / "thesis"
    for folder in (stale, thesis):
        folder.mkdir()
        (folder / "1").write_text("secret")
    with scratch.scratch() as alive:
        first = alive.file()
        first.write_text("mine")
        with scratch.scratch() as other:
            other.file().write_text("mine, too")
            assert first.read_text() == "mine"
            assert not stale.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["thesis"]


@pytest.mark.usefixtures("folder")
def test_a_full_temporary_folder_is_called_one(unmask: Unmask, monkeypatch: pytest.MonkeyPatch):
    """Not a damaged gzip file; exit code 5, with what would help."""
    import gzip  # noqa: PLC0415 - here alone

    Path("people.csv.gz").write_bytes(gzip.compress(people().encode()))
    monkeypatch.setattr(scratch.Scratch, "file", lambda _: Path("/dev/full"))
    ran = unmask("measure", "people.csv.gz", *QUASI)
    assert ran.code == 5
    assert "the temporary folder must have room for a copy of 'people.csv.gz'; no space left on device" in ran.error
    assert "set TMPDIR" in ran.error
