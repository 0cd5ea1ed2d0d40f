"""A process that is killed at any moment: each output is the old one or the new one; the next run sweeps the rest."""

from __future__ import annotations

import json
import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from unmask.files import placing
from unmask.files.claiming import claim
from unmask.files.hidden import hidden, name_for_old, sweep
from unmask.files.ownership import listed_files, unchanged
from unmask.files.writing import together, write_file, writing_folder

if not hasattr(os, "fork"):
    pytest.skip("processes are killed as POSIX has it", allow_module_level=True)

STEPS = (
    "open",
    "os.rename",
    "os.link",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.chmod",
    "shutil.rmtree",
    "ctypes.dlsym",
)
MOST = 400


def killed_at(step: int, work: Callable[[], None]) -> bool:
    """Do some work in a process that is killed before its n-th step on the disk; return whether it was."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forks beside threads, which only work on files here
        child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
        return os.WIFSIGNALED(status)
    try:
        left = [step]

        def count(event: str, _: object) -> None:
            if event in STEPS:
                left[0] -= 1
                if left[0] < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        work()
        os._exit(0)
    except BaseException:  # noqa: BLE001 - nothing of the tests may go on in this process
        os._exit(1)


def write(word: str) -> None:
    """Replace a folder and a file together, and add a new file."""
    with together():
        with writing_folder(Path("out"), force=True) as folder:
            (folder / "a.csv").write_text(word)
            (folder / "inner").mkdir()
            (folder / "inner" / "b.csv").write_text(word)
        write_file("keep.json", f'{{"schema": "unmask-{word}"}}', force=True)
        write_file("more.json", f'{{"schema": "unmask-{word}"}}', force=True)


@pytest.mark.parametrize("can_exchange", [True, False])
def test_outputs_are_old_or_new_at_every_moment(tmp_path, monkeypatch, can_exchange):
    """Killed before each step in turn; what others have put into the folder is always there."""
    monkeypatch.chdir(tmp_path)
    if not can_exchange:  # as on other systems than Linux, and on some file systems
        monkeypatch.setattr(placing, "exchange", lambda *_: False)
    write("old")
    Path("out/mine").mkdir()
    Path("out/mine/notes.txt").write_text("mine")
    for step in range(MOST):
        ended = not killed_at(step, lambda: write("new"))
        if not can_exchange:
            sweep(Path("out"))
            sweep(Path("keep.json"))
        assert Path("out/mine/notes.txt").read_text() == "mine"
        word = Path("out/a.csv").read_text()
        assert word in {"old", "new"}
        assert Path("out/inner/b.csv").read_text() == word
        assert set(unchanged(Path("out"), listed_files(Path("out")))) >= {"a.csv", "inner/b.csv"}
        assert json.loads(Path("keep.json").read_text())["schema"] in {"unmask-old", "unmask-new"}
        unexpected = [path.name for path in Path().iterdir() if path.name not in {"out", "keep.json", "more.json"}]
        assert all(name.startswith((".out.unmask-", ".keep.json.unmask-", ".more.json.unmask-")) for name in unexpected)
        write("old")
        assert sorted(path.name for path in Path().iterdir()) == ["keep.json", "more.json", "out"]
        if ended:
            break
    assert 20 < step < MOST - 1


def test_what_is_being_written_is_not_swept(tmp_path):
    """It is claimed, and so is what others have that only looks alike."""
    out = tmp_path / "out.json"
    (tmp_path / ".out.json.swp").write_text("mine")
    stale = tmp_path / ".out.json.unmask-0123456789ab"
    stale.write_text("stale")
    other = tmp_path / ".out.json2.unmask-0123456789ab"
    other.write_text("of another output")
    with hidden(out) as alive:
        sweep(out)
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([alive.name, ".out.json.swp", other.name])


def test_an_output_that_was_put_aside_is_put_back(tmp_path):
    """Where a process was killed between taking the old one away and putting the new one there."""
    out = tmp_path / "out"
    old = name_for_old(out)
    old.mkdir()
    (old / "a.csv").write_text("old")
    handle = claim(old)
    sweep(out)
    assert not out.exists()
    assert handle is not None
    os.close(handle)
    sweep(out)
    assert (out / "a.csv").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
