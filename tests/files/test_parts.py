"""The folder of finished parts: owner-only, whole parts or none, no other files, and removed when all is done."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

from unmask.errors import OutputError
from unmask.files.parts import HEAD, PartsFolder
from unmask.runtime import work


def triple(numbers):
    """Triple some numbers, in a part that can be kept."""
    return work.parts_of("tripling", "", (numbers,)).saved(
        "all", lambda: 3 * numbers, lambda found: {"found": found}, lambda kept: kept["found"]
    )


@pytest.fixture
def notes():
    """Collect what a folder has to say."""
    return []


@pytest.fixture
def begun(tmp_path, notes):
    """Return a folder in which work was begun and interrupted."""
    folder = PartsFolder(tmp_path / "parts", notes.append)
    folder.keep_seed(7)
    with work.stored(folder):
        triple(np.arange(3))
    folder.close(finished=False)
    return tmp_path / "parts"


def names(path):
    """Return what a folder holds."""
    return sorted(file.name for file in path.iterdir())


def part_in(path):
    """Return the only part in a folder."""
    (part,) = path.glob("*.npz")
    return part


def test_only_its_owner_can_read_it(begun):
    """What lies there tells what is believed of people: 0700 the folder, 0600 each file."""
    assert stat.S_IMODE(begun.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in begun.iterdir()} == {0o600}
    assert len(names(begun)) == 2


def test_a_folder_that_others_could_read_is_closed_to_them(tmp_path):
    """An empty one may be used, with any origin."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine").chmod(0o755)
    PartsFolder(tmp_path / "mine", print).close(finished=False)
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o700


def test_work_goes_on_from_its_parts_with_its_seed(begun, notes):
    """Nothing is computed: a part of other numbers in its place comes back."""
    part = part_in(begun)
    np.savez(part, found=np.array([5]))
    folder = PartsFolder(begun, notes.append)
    with work.stored(folder):
        assert triple(np.arange(3)).tolist() == [5]
    assert folder.seed == 7
    assert notes == [f"going on from the finished parts in {begun}"]
    folder.close(finished=False)


def test_work_inside_of_other_work_goes_on_although_the_outer_has_no_part_yet(begun, notes):
    """The outer has kept nothing; nothing of its kind lies there that would be of other data."""
    folder = PartsFolder(begun, notes.append)
    with work.stored(folder):
        outer = work.parts_of("summing", "", (np.arange(3),))
        found = outer.saved("all", lambda: triple(np.arange(3)), lambda x: {"x": x}, lambda kept: kept["x"])
    assert found.tolist() == [0, 3, 6]
    assert notes == [f"going on from the finished parts in {begun}"]
    folder.close(finished=False)


def test_finished_work_leaves_nothing(begun, notes):
    """Neither parts nor the folder."""
    folder = PartsFolder(begun, notes.append)
    with work.stored(folder):
        triple(np.arange(3))
    folder.close(finished=True)
    assert not begun.exists()


def test_a_folder_of_the_user_stays_empty(tmp_path, notes):
    """It was there before."""
    (tmp_path / "mine").mkdir()
    folder = PartsFolder(tmp_path / "mine", notes.append)
    folder.keep_seed(7)
    folder.close(finished=True)
    assert names(tmp_path / "mine") == []


def test_parts_of_other_work_are_not_taken_and_not_removed(begun, notes):
    """Other data: computed anew, and said; the first work can still go on."""
    folder = PartsFolder(begun, notes.append)
    with work.stored(folder):
        assert triple(np.arange(4)).tolist() == [0, 3, 6, 9]
    folder.close(finished=True)
    assert len(names(begun)) == 2
    assert notes == [
        f"the parts in {begun} are of other data, settings or another version: beginning anew",
        f"1 finished parts of other work stay in {begun}",
    ]


def test_another_version_does_not_take_parts_of_this_one(begun, notes, monkeypatch):
    """It may compute differently."""
    monkeypatch.setattr("unmask.files.parts.__version__", "99")
    folder = PartsFolder(begun, notes.append)
    with work.stored(folder):
        triple(np.arange(3))
    assert "another version" in notes[0]
    folder.close(finished=False)


DAMAGE = {
    "half": lambda whole: whole[: len(whole) // 2],
    "empty": lambda _: b"",
    "one bit": lambda whole: whole.replace(np.arange(3).tobytes(), np.arange(1, 4).tobytes()),
    "text": lambda _: b"who has what",
    "an array without a name": lambda _: b"\x93NUMPY\x01\x00v\x00" + b"{" * 118,
    "nothing that ran": lambda _: b"cos\nsystem\n(S'touch ran'\ntR.",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_part_is_computed_anew(begun, notes, damage):
    """Said in one line, with the name of the file; nothing in it is run."""
    part = part_in(begun)
    before = part.read_bytes()
    part.write_bytes(damage(before.replace((3 * np.arange(3)).tobytes(), np.arange(3).tobytes())))
    folder = PartsFolder(begun, notes.append)
    with work.stored(folder):
        assert triple(np.arange(3)).tolist() == [0, 3, 6]
    assert notes[-1] == f"a part in {begun} is damaged, and computed anew: {part.name}"
    assert part.read_bytes() == before
    folder.close(finished=False)


def test_objects_are_never_read(begun, notes):
    """An array of Python objects would run code; it counts as damage."""
    np.savez(part_in(begun), found=np.array([print], object))
    folder = PartsFolder(begun, notes.append)
    with work.stored(folder):
        assert triple(np.arange(3)).tolist() == [0, 3, 6]
    folder.close(finished=False)


def test_a_part_that_was_being_written_when_the_process_was_killed_is_swept_up(begun):
    """A hidden file with the part's name; the folder remains usable."""
    (begun / f".{part_in(begun).name}.k3x_9a").write_bytes(b"half")
    (begun / f".{HEAD}.abcd").write_bytes(b"{")
    PartsFolder(begun, print).close(finished=False)
    assert len(names(begun)) == 2


@pytest.mark.parametrize("other", ["notes.txt", "data.npz", ".hidden"])
def test_a_folder_with_anything_else_in_it_is_refused(begun, other):
    """Other files are never in the way, whether there are parts or not."""
    (begun / other).write_text("mine")
    with pytest.raises(OutputError, match="must be empty, or hold nothing but finished parts; it holds other things"):
        PartsFolder(begun, print)
    for file in begun.iterdir():
        if file.name != other:
            file.unlink()
    with pytest.raises(OutputError, match="it holds other things"):
        PartsFolder(begun, print)
    assert names(begun) == [other]


def test_a_file_a_place_that_does_not_exist_and_a_link_to_nowhere_are_refused(tmp_path):
    """Each says what it must be."""
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match="must be a folder; it is a file"):
        PartsFolder(tmp_path / "file", print)
    with pytest.raises(OutputError, match="must lie in a folder that exists"):
        PartsFolder(tmp_path / "a" / "b", print)
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"schema": "unmask-resume-2", "seed": 1}', "\udcff"])
def test_parts_of_an_unknown_beginning_are_refused(begun, text):
    """Without its seed the work cannot go on."""
    (begun / HEAD).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(OutputError, match="Remove the folder to begin anew"):
        PartsFolder(begun, print)


def test_what_resume_json_says(begun):
    """The seed, and a warning about the content of the folder."""
    document = json.loads((begun / HEAD).read_text())
    assert document["schema"] == "unmask-resume-1"
    assert document["seed"] == 7
    assert "inferences about people" in document["warning"]


@pytest.mark.skipif(os.name != "posix", reason="folders are locked as POSIX has it")
def test_two_runs_do_not_share_a_folder(begun):
    """The second is told; it is free again when the first process is gone."""
    code = "import sys; from unmask.files.parts import PartsFolder; PartsFolder(sys.argv[1], print)"
    first = PartsFolder(begun, print)
    second = subprocess.run([sys.executable, "-c", code, begun], capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    assert "must not be in use by another run" in second.stderr
    first.close(finished=False)
    PartsFolder(begun, print).close(finished=False)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_refused(tmp_path):
    """In one line."""
    (tmp_path / "closed").mkdir(mode=0o500)
    with pytest.raises(OutputError, match="must be a folder that you own and may write to"):
        PartsFolder(tmp_path / "closed" / "parts", print)


def test_no_parts_lie_in_a_folder_that_is_handed_out(tmp_path, notes):
    """They are inferences about people; a release or a study may be handed out at any time."""
    (tmp_path / "unmask-files.json").write_text('{"schema": "unmask-files-1", "files": {}}')
    with pytest.raises(OutputError, match="must lie outside of releases and other folders that unmask writes"):
        PartsFolder(tmp_path / "parts", notes.append)
    assert names(tmp_path) == ["unmask-files.json"]
