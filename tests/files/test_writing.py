"""Outputs: whole or not at all, owner-only, never over another user's file."""

from __future__ import annotations

import errno
import hashlib
import json
import stat
from pathlib import Path

import pytest

from unmask.errors import OutputError
from unmask.files import unfinished
from unmask.files.placing import FileMove
from unmask.files.writing import require_free, together, write_file, writing, writing_folder


def mode(path: Path) -> int:
    """Return the permissions of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_appears_whole_and_only_its_owner_can_read_it(tmp_path):
    """The story: text comes out as UTF-8, with permissions 0600, and nothing else is left behind."""
    write_file(tmp_path / "out.json", '{"größe": 1}')
    assert (tmp_path / "out.json").read_text(encoding="utf-8") == '{"größe": 1}'
    assert mode(tmp_path / "out.json") == 0o600
    assert list(tmp_path.iterdir()) == [tmp_path / "out.json"]


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ValueError])
def test_an_interrupted_file_leaves_nothing(tmp_path, interruption):
    """Ctrl-C in the middle: no half file, no hidden one either."""

    def begin() -> None:
        with writing(tmp_path / "out.csv") as file:
            file.write(b"half")
            raise interruption("in the middle")

    with pytest.raises(interruption, match="in the middle"):
        begin()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ValueError])
def test_an_interrupted_folder_leaves_the_old_one_as_it_was(tmp_path, interruption):
    """With --force and Ctrl-C the former release is still there."""
    with writing_folder(tmp_path / "out") as folder:
        (folder / "a.csv").write_text("old")

    def begin() -> None:
        with writing_folder(tmp_path / "out", force=True) as folder:
            (folder / "a.csv").write_text("new")
            raise interruption("in the middle")

    with pytest.raises(interruption, match="in the middle"):
        begin()
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]
    assert (tmp_path / "out" / "a.csv").read_text() == "old"


def test_an_existing_output_is_an_error_unless_forced(tmp_path):
    """Asked before the long work as well as when writing."""
    first = b'{"schema": "unmask-report/1"}'
    write_file(tmp_path / "out", first)
    with pytest.raises(OutputError, match="must not exist yet"):
        require_free(tmp_path / "out")
    with pytest.raises(OutputError, match="--force"):
        write_file(tmp_path / "out", b"second")
    assert (tmp_path / "out").read_bytes() == first
    write_file(tmp_path / "out", b"second", force=True)
    assert (tmp_path / "out").read_bytes() == b"second"
    with (
        pytest.raises(OutputError, match="must be a folder; it is a file"),
        writing_folder(tmp_path / "out", force=True),
    ):
        pass


def test_force_spares_a_file_that_unmask_did_not_write(tmp_path):
    """A slip, --html people.csv --force, must not cost the data; nor may a device or a link be replaced."""
    (tmp_path / "people.csv").write_text("age,ill\n30,flu\n")
    with pytest.raises(OutputError, match="that unmask may replace"):
        write_file(tmp_path / "people.csv", b"<html>", force=True)
    assert (tmp_path / "people.csv").read_text() == "age,ill\n30,flu\n"
    (tmp_path / "roles.toml").write_text("[columns]\n")
    with pytest.raises(OutputError, match=r"a roles file is never replaced, since it is edited by hand\. Delete it"):
        write_file(tmp_path / "roles.toml", b"[columns]", force=True)
    (tmp_path / "link").symlink_to(tmp_path / "people.csv")
    with pytest.raises(OutputError, match="that unmask may replace"):
        write_file(tmp_path / "link", b"<html>", force=True)
    (tmp_path / "empty").touch()  # as mktemp leaves it
    write_file(tmp_path / "empty", b"<html>", force=True)
    assert (tmp_path / "empty").read_bytes() == b"<html>"


def test_a_file_that_appeared_meanwhile_is_not_overwritten(tmp_path):
    """Between asking and writing an hour may pass."""

    def write_while_another_process_does() -> None:
        with writing(tmp_path / "out") as file:
            file.write(b"ours")
            (tmp_path / "out").write_bytes(b"theirs")

    with pytest.raises(OutputError, match="exists"):
        write_while_another_process_does()
    assert (tmp_path / "out").read_bytes() == b"theirs"


def test_force_replaces_only_what_unmask_wrote(tmp_path):
    """The user's notes in the folder stay, stale files of ours go; a folder without anything of ours is left alone."""
    out = tmp_path / "out"
    with writing_folder(out) as folder:
        (folder / "a.csv").write_text("old")
        (folder / "inner").mkdir()
        (folder / "inner" / "stale.csv").write_text("old")
    (out / "notes.txt").write_text("mine")
    (out / "mine").mkdir()
    (out / "mine" / "deep.txt").write_text("mine too")
    with writing_folder(out, force=True) as folder:
        (folder / "a.csv").write_text("new")
    found = sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file())
    assert found == ["a.csv", "mine/deep.txt", "notes.txt", "unmask-files.json"]
    assert (out / "a.csv").read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match="nothing of ours"), writing_folder(tmp_path / "foreign", force=True):
        pass
    assert (tmp_path / "foreign" / "thesis.txt").read_text() == "years of work"


def test_a_file_that_was_changed_since_is_not_replaced(tmp_path):
    """What unmask wrote and the user changed is the user's: it stays, and a new file of that name is refused."""
    out = tmp_path / "out"
    with writing_folder(out) as folder:
        (folder / "a.csv").write_text("old")
        (folder / "b.csv").write_text("old")
    (out / "a.csv").write_text("old, and a remark of mine")
    with writing_folder(out, force=True) as folder:
        (folder / "b.csv").write_text("new")
    assert (out / "a.csv").read_text() == "old, and a remark of mine"
    assert (out / "b.csv").read_text() == "new"

    def again() -> None:
        with writing_folder(out, force=True) as folder:
            (folder / "a.csv").write_text("new")

    with pytest.raises(OutputError, match=r"'a\.csv' was written or changed by others"):
        again()
    assert (out / "a.csv").read_text() == "old, and a remark of mine"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("listed", ["", "[]", "{}", '{"schema": "unmask-files-1", "files": 3}', "[" * 100_000])
def test_a_list_that_cannot_be_read_owns_nothing(tmp_path, listed):
    """A folder is ours only with a valid list, whatever the names in it."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "unmask-files.json").write_text(listed)
    (tmp_path / "out" / "report.html").write_text("mine")
    with pytest.raises(OutputError, match="nothing of ours"), writing_folder(tmp_path / "out", force=True):
        pass
    assert (tmp_path / "out" / "report.html").read_text() == "mine"


def test_a_list_that_leads_out_of_its_folder_owns_nothing_there(tmp_path):
    """Names in it are compared with what is inside, and nothing else is touched."""
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("years of work")
    (tmp_path / "out").mkdir()
    sha = hashlib.sha256(b"years of work").hexdigest()
    document = {"schema": "unmask-files-1", "files": {"../thesis.txt": sha, str(thesis): sha}}
    (tmp_path / "out" / "unmask-files.json").write_text(json.dumps(document))
    with writing_folder(tmp_path / "out", force=True) as folder:
        (folder / "a.csv").write_text("new")
    assert thesis.read_text() == "years of work"


def test_outputs_that_are_written_together_appear_together(tmp_path):
    """None before the end; all at the end."""
    with together():
        write_file(tmp_path / "a.json", b"a")
        with writing_folder(tmp_path / "out") as folder:
            (folder / "b.csv").write_text("b")
        assert not (tmp_path / "a.json").exists()
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "a.json").read_bytes() == b"a"
    assert (tmp_path / "out" / "b.csv").read_text() == "b"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "out"]


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt("Ctrl-C")])
def test_outputs_that_are_written_together_fail_together(tmp_path, monkeypatch, failure):
    """The last of three cannot be placed: what stood there before stands there again, and nothing is left over."""
    before = b'{"schema": "unmask-report/1"}'
    write_file(tmp_path / "a.json", before)
    with writing_folder(tmp_path / "out") as folder:
        (folder / "b.csv").write_text("old")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    place = FileMove.place

    def fail(self: FileMove) -> None:
        if self.path.name == "last.json":
            raise failure
        place(self)

    monkeypatch.setattr(FileMove, "place", fail)

    def write() -> None:
        with together():
            write_file(tmp_path / "a.json", b'{"schema": "unmask-report/2"}', force=True)
            with writing_folder(tmp_path / "out", force=True) as folder:
                (folder / "b.csv").write_text("new")
            write_file(tmp_path / "fresh.json", b"fresh")
            write_file(tmp_path / "last.json", b"last")

    with pytest.raises((OutputError, KeyboardInterrupt), match=r"must be writable; no space left|Ctrl-C"):
        write()
    assert (tmp_path / "a.json").read_bytes() == before
    assert (tmp_path / "out" / "b.csv").read_text() == "old"
    assert (tmp_path / "out" / "notes.txt").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "out"]


def test_an_interruption_waits_until_all_is_taken_back(tmp_path, monkeypatch):
    """Ctrl-C right after a rename, and again while the outputs are taken back: all of the old ones are there."""
    monkeypatch.setattr(unfinished._Interruption, "requested", False)
    before = b'{"schema": "unmask-report/1"}'
    write_file(tmp_path / "a.json", before)
    place, undo = FileMove.place, FileMove.undo
    for name, step in (("place", place), ("undo", undo)):
        monkeypatch.setattr(FileMove, name, lambda move, step=step: [step(move), unfinished.interrupt][1]())

    def write() -> None:
        with together():
            write_file(tmp_path / "a.json", b'{"schema": "unmask-report/2"}', force=True)
            write_file(tmp_path / "fresh.json", b"fresh")

    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        write()
    assert (tmp_path / "a.json").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_folders_are_owner_only_all_the_way_down(tmp_path):
    """0700 for folders, 0600 for files, whatever the umask says."""
    with writing_folder(tmp_path / "out") as folder:
        (folder / "inner").mkdir(mode=0o755)
        (folder / "inner" / "b.csv").write_text("x")
        (folder / "inner" / "b.csv").chmod(0o644)
    assert mode(tmp_path / "out") == 0o700
    assert mode(tmp_path / "out" / "inner") == 0o700
    assert mode(tmp_path / "out" / "inner" / "b.csv") == 0o600


def test_an_output_that_cannot_be_written_is_one_clear_line(tmp_path, monkeypatch):
    """No folder around it, a folder that may not be written to, a folder where a file is expected, a full disk."""
    with pytest.raises(OutputError, match="a folder that exists"):
        write_file(tmp_path / "no" / "out.csv", b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="it is a folder"):
        write_file(tmp_path / "folder", b"", force=True)
    with pytest.raises(OutputError, match="no space left on device"), writing(tmp_path / "out.csv"):
        raise OSError(28, "No space left on device")
    assert not (tmp_path / "out.csv").exists()
    monkeypatch.setattr("os.access", lambda *_: False)  # a test may run as root, who may write anywhere
    with pytest.raises(OutputError, match="may write to"):
        write_file(tmp_path / "out.csv", b"")


def test_no_file_is_written_into_a_folder_of_ours(tmp_path):
    """Neither into one that is there, nor into one that appears with it: the file would be handed out."""

    def write_both() -> None:
        with together():
            with writing_folder(tmp_path / "out", force=True) as folder:
                (folder / "a.csv").write_text("a")
            write_file(tmp_path / "out" / "keep.json", b"secret")

    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="must lie outside of folders that unmask writes"):
        write_both()
    assert list((tmp_path / "out").iterdir()) == []
    with writing_folder(tmp_path / "out", force=True) as folder:
        (folder / "a.csv").write_text("a")
    with pytest.raises(OutputError, match="got a place in 'out', with which it would be handed out"):
        write_file(tmp_path / "out" / "keep.json", b"secret")
