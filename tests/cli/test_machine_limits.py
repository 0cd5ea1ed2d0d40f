"""`--jobs`, `--memory` and `--time-limit`: exit code 5 and one line, and finished parts stay."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROLES, people
from tests.contracts.test_public_functions import OF_COMMAND, options_of
from unmask.cli.app import program

if sys.platform != "linux":
    pytest.skip("needs timers and limits as Linux has them", allow_module_level=True)

SHARE = {"jobs", "memory", "time_limit"}


def unmask(*arguments: str, code: int, program: tuple[str, str] = ("-m", "unmask")) -> list[str]:
    """Run a command in a process of its own; return the lines on standard error."""
    ran = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, *program, *arguments], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert ran.returncode == code, ran.stderr
    assert "Traceback" not in ran.stderr
    return ran.stderr.splitlines()


@pytest.mark.parametrize("name", sorted({*OF_COMMAND, "demo"} - {"ledger prune"}))
def test_every_command_that_works_has_a_share(name):
    """Those that show progress; the others are done at once."""
    command = program().commands["demo"] if name == "demo" else None
    names = {one.name for one in (options_of(name) if command is None else command.params)}
    assert names >= SHARE | {"verbose"}


def test_too_little_memory_is_one_line(folder: Path):
    """The columns of so many rows do not fit; nothing is written, nothing is killed."""
    line = "".join(f",{'x' * 40}{i}" for i in range(40))
    (folder / "wide.csv").write_text(
        "id" + "".join(f",c{i}" for i in range(40)) + "\n" + "".join(f"{i}{line}\n" for i in range(200_000))
    )
    roles = ("-q", "id", *(word for i in range(40) for word in ("-q", f"c{i}")))
    for command in (("measure", "wide.csv"), ("sanitize", "wide.csv", "mondrian", "--out", "rel")):
        (line,) = [one for one in unmask(*command, *roles, "--memory", "512MB", code=5) if one.startswith("error:")]
        assert "must fit into 512 MB of memory" in line
        assert "larger --memory" in line
    assert [one.name for one in folder.iterdir()] == ["wide.csv"]


IN_THE_MIDDLE = """
import signal, sys
from unmask.cli import main
from unmask.files.parts import PartsFolder
keep, left = PartsFolder.save, [None] * 4
def save(*arguments):
    keep(*arguments)
    if left:
        left.pop()
    else:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
PartsFolder.save = save
main(sys.argv[1:])
"""


def test_a_time_limit_keeps_finished_parts(folder: Path):
    """The work ends like an interruption, with another code; the same command goes on from the parts."""
    (folder / "people.csv").write_text(people(600))
    roles = ("-q", "sex", "-q", "job", "-s", "ill")
    unmask("sanitize", "people.csv", "anatomy", "--set", "l=2", *roles, "--out", "rel", code=0)
    attack = ("attack", "definetti", "--release", "rel", "--set", "limit=800", "--seed", "5", "--resume", "parts")
    lines = unmask(*attack, "--time-limit", "600", code=5, program=("-c", IN_THE_MIDDLE))
    assert lines[-1] == (
        "error: the work must end within 600 minutes (--time-limit); it did not, and nothing half-written was left. "
        "Finished parts lie in parts"
    )
    assert [line for line in lines if line.startswith("error")] == lines[-1:]
    assert any("going on from the finished parts in parts" in line for line in unmask(*attack, code=0))
    assert not Path("parts").exists()


def test_a_time_limit_ends_other_work(folder: Path):
    """As soon as the libraries are loaded."""
    (folder / "people.csv").write_text(people())
    *_, line = unmask("measure", "people.csv", *ROLES, "--time-limit", "0.001", code=5)
    assert line == (
        "error: the work must end within 0.001 minutes (--time-limit); it did not, and nothing half-written was left"
    )


@pytest.mark.parametrize("minutes", ["0", "-1", "inf", "nan"])
def test_a_time_limit_is_a_time(folder: Path, minutes: str):
    """In minutes, of which there are some."""
    (folder / "people.csv").write_text(people())
    (line,) = unmask("measure", "people.csv", *ROLES, f"--time-limit={minutes}", code=2)
    assert line.startswith("error: --time-limit must be above 0 minutes, and finite; got ")


def test_a_search_has_less_time_than_its_process(folder: Path):
    """The budget ends a search with its result; a time limit below it would leave none."""
    (folder / "people.csv").write_text(people())
    harden = ("harden", "people.csv", *ROLES, "--max-belief", "0.5", "--out", "rel", "--time-limit", "5")
    (line,) = unmask(*harden, code=2)
    assert line.endswith(
        "must be above --budget, 10 minutes, which ends with a result; got 5. Write a smaller --budget"
    )
