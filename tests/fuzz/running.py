"""Run a case: its commands in this process, or as processes of their own, each checked."""

from __future__ import annotations

import io
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.fuzz import cases
from tests.fuzz.checks import Call, faults, state_of

PATIENCE = 600.0
"""Seconds for one process on a machine that does other things."""


@dataclass(frozen=True)
class Fault:
    """What was wrong with a call."""

    kind: str
    seed: int
    number: int
    arguments: tuple[str, ...]
    what: str
    err: str

    def __str__(self) -> str:
        return (
            f"{self.what}\n  unmask {' '.join(map(repr, self.arguments))}\n  {self.err.strip()[-600:]}\n"
            f"  replay: python -m tests.fuzz --replay {self.kind} {self.seed} {self.number} FOLDER"
        )


def run_case(
    kind: str, seed: int, number: int, folder: Path, *, apart: bool = False
) -> Iterator[tuple[tuple[str, ...], int | None, list[Fault]]]:
    """Yield each command of a case before it runs, and after it ran with its exit code and its faults."""
    work, scratch = folder / "work", folder / "scratch"
    for path in (work, scratch):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    if not apart:
        _draw_seeds_from(cases.drawn(f"seeds of {kind}", seed, number))
    for scene, given in cases.KINDS[kind](cases.drawn(kind, seed, number), work):
        arguments = tuple(part.replace("\0", "").encode(errors="replace").decode() for part in given)
        yield arguments, None, []
        before = state_of(work)
        code, out, err = (_apart if apart else _here)(arguments, work, scratch)
        left = sorted(path.name for path in scratch.iterdir())
        call = Call(arguments, code, out, err, before, state_of(work), left, work, scene.table)
        yield arguments, code, [Fault(kind, seed, number, arguments, what, err) for what in faults(call)]


def _here(arguments: tuple[str, ...], work: Path, scratch: Path) -> tuple[int, str, str]:
    """Run a command in this process, with its warnings as a user would see them."""
    from unmask.cli import keep_warnings_from_terminal, run  # noqa: PLC0415 - parents of workers need none of it

    keep_warnings_from_terminal()
    sys.unraisablehook = sys.__unraisablehook__
    with _streams() as (out, err), _inside(work, scratch):
        code = run(list(arguments))
    return code, out.getvalue().decode(errors="replace"), err.getvalue().decode(errors="replace")


def _draw_seeds_from(rng: Random) -> None:
    """Let the seeds of releases be the same each time; OpenDP's noise alone differs."""
    drawn = {
        "randbits": rng.getrandbits,
        "randbelow": rng.randrange,
        "token_hex": lambda nbytes=None: rng.randbytes(nbytes or 32).hex(),
    }
    for name, draw in drawn.items():
        setattr(secrets, name, draw)


@contextmanager
def _streams() -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Catch what is written to standard output and error, below Python too; standard input is empty."""
    found, before = (io.BytesIO(), io.BytesIO()), (sys.stdin, sys.stdout, sys.stderr)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(os.devnull, "rb") as nothing:  # noqa: PTH123 - a device
        kept = [os.dup(number) for number in range(3)]
        for number, file in enumerate((nothing, out, err)):
            os.dup2(file.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(os.fdopen(os.dup(0), "rb")),
            io.TextIOWrapper(os.fdopen(os.dup(1), "wb"), errors="replace", write_through=True),
            io.TextIOWrapper(os.fdopen(os.dup(2), "wb"), errors="replace", write_through=True),
        )
        try:
            yield found
        finally:
            for stream in (sys.stdin, sys.stdout, sys.stderr):
                stream.close()
            sys.stdin, sys.stdout, sys.stderr = before
            for number, handle in enumerate(kept):
                os.dup2(handle, number)
                os.close(handle)
            for file, into in zip((out, err), found, strict=True):
                file.seek(0)
                into.write(file.read())


@contextmanager
def _inside(work: Path, scratch: Path) -> Iterator[None]:
    """Work in a folder, with a temporary folder of its own."""
    before = Path.cwd()
    os.chdir(work)
    tempfile.tempdir = str(scratch)
    try:
        yield
    finally:
        os.chdir(before)
        tempfile.tempdir = None


def _apart(arguments: tuple[str, ...], work: Path, scratch: Path) -> tuple[int, str, str]:
    """Run a command as a process."""
    ran = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "unmask", *arguments], cwd=work, env={**os.environ, "TMPDIR": str(scratch)},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    return ran.returncode, ran.stdout.decode(errors="replace"), ran.stderr.decode(errors="replace")
