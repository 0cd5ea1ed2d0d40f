"""Compiled code finds a place, also where neither the installation nor a home can be written to."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from unmask import compiled_code
from unmask.compiled_code import VARIABLE, CacheFolder, Compilation, keep_compiled_code, njit

CONTAINER = """
import os
writable = os.access
os.access = lambda path, mode: writable(path, mode) and (not mode & os.W_OK or str(path).startswith({room!r}))
from unmask.cli import main
main({arguments!r})
"""
"""A process for which nothing can be written but one folder, as for `USER nobody`."""


def in_container(room: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run unmask where only `room` can be written to."""
    environment = {key: value for key, value in os.environ.items() if key not in {VARIABLE, "XDG_CACHE_HOME"}}
    environment |= {"HOME": "/nonexistent", "TMPDIR": str(room)}
    command = [sys.executable, "-c", CONTAINER.format(room=str(room), arguments=list(arguments))]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603 - our own


def test_a_container_without_a_home_runs_with_one_note(tmp_path: Path):
    """Exit code 0 instead of 70; nothing is left behind."""
    people = tmp_path / "people.csv"
    people.write_text("age,ill\n" + "20,flu\n30,cold\n" * 4)
    ran = in_container(tmp_path, "measure", str(people), "-q", "age", "-s", "ill", "--quiet")
    assert (ran.returncode, ran.stderr.count("\n")) == (0, 1), ran.stderr
    assert f"set {VARIABLE} to a folder of yours" in ran.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let nothing be writable but the temporary folder."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(CacheFolder, "folder", None)
    monkeypatch.setattr(compiled_code, "_is_writable", lambda _: False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_folder_is_private(nowhere: Path):
    """Code in it is executed, so only its owner may write to it; it is made once."""
    folder = keep_compiled_code()
    assert folder is not None
    assert (folder.parent, stat.S_IMODE(folder.stat().st_mode)) == (nowhere, 0o700)
    assert os.environ[VARIABLE] == str(folder)
    assert keep_compiled_code() == folder


def test_what_the_user_chose_stays(nowhere: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder that is named goes before ours."""
    monkeypatch.setenv(VARIABLE, "/somewhere")
    assert keep_compiled_code() is None
    assert (os.environ[VARIABLE], list(nowhere.iterdir())) == ("/somewhere", [])


def test_numbas_own_places_are_left_to_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Beside the source, or in the user's cache folder, whether it exists yet or not."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(CacheFolder, "folder", None)
    monkeypatch.setattr(compiled_code, "__file__", "/proc/none/compiled_code.py")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "not" / "yet"))
    assert keep_compiled_code() is None
    assert VARIABLE not in os.environ


def test_compiling_is_reported_once(tmp_path, monkeypatch):
    """A kernel is compiled at its first call, those that it calls within; afterwards it is not."""
    monkeypatch.setattr(CacheFolder, "folder", tmp_path)
    reported = []

    @contextmanager
    def report() -> Iterator[None]:
        reported.append("began")
        yield
        reported.append("ended")

    monkeypatch.setattr(Compilation, "reported", report)

    @njit()
    def doubled(number: int) -> int:
        return 2 * number

    @njit()
    def quadrupled(number: int) -> int:
        return int(doubled(doubled(number)))

    assert quadrupled(3) == 12
    assert quadrupled(4) == 16
    assert reported == ["began", "ended"]


LOADED = """
import sys
from unmask.compiled_code import njit

@njit()
def doubled(number):
    return 2 * number

print(doubled(3), "scipy.linalg" in sys.modules, any(hasattr(one, "thread") for one in sys.meta_path))
import scipy.linalg
"""


def test_a_kernel_loads_no_linear_algebra(tmp_path: Path):
    """Numba would, for products of matrices, which no kernel has; afterwards it can be imported as before."""
    (tmp_path / "kernels.py").write_text(LOADED)
    command = [sys.executable, str(tmp_path / "kernels.py")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own source
    assert (ran.stdout, ran.stderr) == ("6 False False\n", "")
