"""The fault table: signals at many moments, full disks, closed streams, little memory; and what is left of each.

When a signal arrives decides which moment is tried, never whether a test passes.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import chdir
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.cli.conftest import ROLES, people
from unmask.cli import run
from unmask.commands.outcome.exit_codes import DONE, INTERRUPTED, MACHINE

if sys.platform != "linux":
    pytest.skip("needs /proc, and signals and limits as Linux has them", allow_module_level=True)

PATIENCE = 600.0
"""Seconds for one process on a machine that does other things."""

MOMENTS = 20
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
SECRET = "u57-does-not-leave"  # noqa: S105 - a name
"""A person key: nothing but inputs, and what keeps people apart, may hold it."""

COMMANDS = {
    "sanitize": (
        "sanitize", "people.csv.gz", "mondrian", "--set", "k=3", *ROLES, "--out", "rel", "--keep", "keep.json",
        "--force",
    ),
    "audit": (
        "audit", "people.csv.gz", "--sanitizer", "mondrian", "--set", "k=3", *ROLES, "--seed", "1", "--attack",
        "linkage", "--attack", "random-worlds", "--html", "r.html", "--json", "r.json", "--force",
    ),
    "study": ("study", "kifer-2009", "--quick", "--set", "parts=tables", "--seed", "1", "--out", "st", "--force"),
    "ledger": (
        "ledger", "add", "rel", "--embed", "--people", "people.csv.gz", "--person-key", "id", "--key", "key", "--name",
        "second", "--force",
    ),
}  # fmt: skip
SAMPLE = [
    ("sanitize", signal.SIGKILL, 17), ("audit", signal.SIGHUP, 14),
    pytest.param("sanitize", signal.SIGTERM, 12, marks=pytest.mark.sweep),
    pytest.param("ledger", signal.SIGKILL, 18, marks=pytest.mark.sweep),
    pytest.param("study", signal.SIGINT, 10, marks=pytest.mark.sweep),
]  # fmt: skip


@dataclass(frozen=True)
class World:
    """A folder with inputs, and outputs of an earlier run."""

    folder: Path
    before: dict[str, str]  # path → content hash

    @property
    def scratch(self) -> Path:
        """The temporary folder."""
        return self.folder.parent / "scratch"


def contents(folder: Path) -> dict[str, str]:
    """Return the hash of every file, by its path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*")) if path.is_file()
    }  # fmt: skip


def started(command: str, folder: Path, *, shell: str = "", **environment: str) -> subprocess.Popen[str]:
    """Start a command in a folder, beside a temporary folder of its own; `shell` is run before it, or after a `;`."""
    before, _, after = shell.partition(";")
    line = f'{before or "true"} && exec "$0" -m unmask "$@" {after}'
    return subprocess.Popen(  # noqa: S603 - our own commands
        ["timeout", str(int(PATIENCE)), "bash", "-c", line, sys.executable, *COMMANDS[command]]
        if shell
        else [sys.executable, "-m", "unmask", *COMMANDS[command]],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(folder.parent / "scratch"), **environment},
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return the exit code, and what was printed."""
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


@cache
def template(root: Path) -> tuple[Path, float]:
    """Make the inputs and the earlier outputs once, and return how long a command takes."""
    folder = root / "template" / "work"
    (folder.parent / "scratch").mkdir(parents=True)
    folder.mkdir()
    (folder / "people.csv.gz").write_bytes(gzip.compress(people().replace("u57,", f"{SECRET},").encode(), mtime=0))
    (folder / "key").write_text("5" * 64)
    with chdir(folder):
        assert [run(list(arguments)) for arguments in COMMANDS.values()] == [DONE] * len(COMMANDS)
    (folder / "rel" / "notes.txt").write_text("of somebody else\n")
    began = time.monotonic()
    assert ended(started("sanitize", folder))[0] == DONE
    return folder, time.monotonic() - began


@pytest.fixture
def world(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    """Copy the template."""
    folder = tmp_path / "work"
    shutil.copytree(template(tmp_path_factory.getbasetemp())[0], folder)
    (tmp_path / "scratch").mkdir()
    return World(folder, contents(folder))


def require_clean(world: World, code: int, err: str, *, killed: bool = False) -> None:
    """Check what is there after a run: every output old or new, nothing of others changed, nothing left."""
    lines = [line for line in err.splitlines() if line.startswith("error: ")]
    assert "Traceback" not in err
    assert "Warning" not in err
    assert len(lines) == (code not in {DONE, -signal.SIGKILL}), err
    after = contents(world.folder)
    hidden = [name for name in after if any(part.startswith(".") for part in Path(name).parts)]
    assert all(".unmask-" in name for name in hidden)
    assert killed or not hidden, hidden
    for name in ("people.csv.gz", "key", "rel/notes.txt"):
        assert after[name] == world.before[name], name
    assert {name for name in world.before if name not in after} == set()
    for folder, about in (("rel", "release.json"), ("st", "unmask-files.json")):
        listed = json.loads((world.folder / folder / about).read_text())["files"]
        assert all(after[f"{folder}/{name}"] == content for name, content in listed.items())
    for name in ("keep.json", "r.json", "ledger.json"):
        assert json.loads((world.folder / name).read_text())
    assert (world.folder / "r.html").read_text().rstrip().endswith("</html>")
    left = [path for path in world.scratch.rglob("*") if path.is_file()]
    assert not any(SECRET.encode() in path.read_bytes() for path in left)
    assert killed or not left, left
    beside = [name for name in hidden if SECRET.encode() in (world.folder / name).read_bytes()]
    assert not beside, "a person key beside the outputs"


def caught(process: subprocess.Popen[str]) -> None:
    """Wait until a process handles signals, or has ended."""
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        line = next((line for line in status.read_text().splitlines() if line.startswith("SigCgt:")), "SigCgt: 0")
        if int(line.split()[1], 16) & 1 << signal.SIGHUP - 1:
            return
        time.sleep(0.002)


def interrupt(world: World, command: str, how: signal.Signals, moment: int, seconds: float) -> None:
    """Send a signal after some of the time that a command takes, and see what is left."""
    process = started(command, world.folder)
    if how is not signal.SIGKILL:
        caught(process)
    time.sleep(seconds * moment / MOMENTS)
    process.send_signal(how)
    code, _, err = ended(process)
    killed = how is signal.SIGKILL
    assert code in {DONE, -how if killed else INTERRUPTED}, err  # DONE: it had ended before
    require_clean(world, code, err, killed=killed)
    if killed:  # the next one sweeps, and does what this one was to do
        again, _, err = ended(started(command, world.folder))
        assert again == DONE, err
        require_clean(world, again, err)


@pytest.mark.parametrize(("command", "how", "moment"), SAMPLE)
def test_a_signal_at_some_moments(world: World, tmp_path_factory: pytest.TempPathFactory, command, how, moment):
    """The promised code, at most one line, outputs old or new, nothing left."""
    interrupt(world, command, how, moment, template(tmp_path_factory.getbasetemp())[1])


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("how", SIGNALS)
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_signal_at_every_moment(world: World, tmp_path_factory: pytest.TempPathFactory, command, how, moment):
    """The whole table."""
    interrupt(world, command, how, moment, template(tmp_path_factory.getbasetemp())[1])


FAULTS = {
    "full disk": ("ulimit -f 0", {}, {MACHINE}),
    "read-only home": ("", {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache"}, {DONE}),
    "no temporary folder": ("", {"TMPDIR": "/dev/null"}, {DONE, MACHINE}),
    "closed input": (";<&-", {}, {DONE}),
    "closed output": (";>&-", {}, {DONE}),
    "closed errors": (";2>&-", {}, {DONE}),
    "all closed": (";<&- >&- 2>&-", {}, {DONE}),
    "full output": (";>/dev/full", {}, {DONE}),
    **{f"{size} MB": (f"ulimit -v {size << 10}", {}, {DONE, MACHINE}) for size in (300, 1500, 2100, 2600, 4000)},
}  # fmt: skip


def meet(world: World, command: str, fault: str) -> None:
    """Run a command where something is missing."""
    shell, environment, codes = FAULTS[fault]
    code, _, err = ended(started(command, world.folder, shell=shell, **environment))
    assert code in codes, err
    require_clean(world, code, err)


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        pytest.param("sanitize", "full disk", marks=pytest.mark.sweep), ("ledger", "full disk"),
        ("sanitize", "2100 MB"), ("study", "all closed"),
    ],
)  # fmt: skip
def test_some_faults(world: World, command: str, fault: str):
    """The promised code, at most one line, outputs old or new, nothing left."""
    meet(world, command, fault)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault(world: World, command: str, fault: str):
    """The whole table."""
    meet(world, command, fault)
