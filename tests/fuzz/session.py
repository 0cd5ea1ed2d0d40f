"""A session of fuzzing: cases run in worker processes until there were enough, or time is up."""

from __future__ import annotations

import json
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.fuzz.running import PATIENCE, Fault

ROOT = Path(__file__).parents[2]


@dataclass
class Session:
    """What was run, and what was wrong with it."""

    kind: str
    seed: int
    apart: bool = False
    cases: int = 0
    codes: Counter[tuple[str, int]] = field(default_factory=Counter)  # of (command, exit code)
    faults: list[Fault] = field(default_factory=list)
    again: set[int] = field(default_factory=set)  # cases that are run a second time

    @property
    def calls(self) -> int:
        """How many commands were run."""
        return self.codes.total()

    def run(self, *, seconds: float = float("inf"), calls: float = float("inf"), first: int = 0) -> Session:
        """Run cases until time is up or there were enough calls, at least one; a call that runs then is the last."""
        end, number = time.monotonic() + seconds, first
        while self.calls < calls and (time.monotonic() < end or not self.calls):
            number = self._one_worker(number, end, calls)
        return self

    def _one_worker(self, number: int, end: float, calls: float) -> int:
        """Let one worker go on until all is done or it dies; return the number of the next case."""
        with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, (Path(folder) / "err").open("w+b") as err:
            worker = subprocess.Popen(  # noqa: S603 - our own
                [sys.executable, "-m", "tests.fuzz.worker", self.kind, str(self.seed), str(number), folder,
                "apart" if self.apart else "here"],
                cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err,
            )  # fmt: skip
            assert worker.stdout is not None
            current: dict[str, Any] = {}
            try:
                while (line := _line(worker.stdout)) is not None:
                    found = json.loads(line)
                    if found.get("done"):
                        self.cases += 1
                        number, current = found["number"] + 1, {}
                        if self.calls >= calls:
                            return number
                        continue
                    current = found
                    if found["code"] is not None:
                        self.codes["".join(found["arguments"][:1]), found["code"]] += 1
                        self.faults += [Fault(**one) for one in found["faults"]]
                        if time.monotonic() >= end:
                            return number
            finally:
                worker.kill()
                worker.stdout.close()
                code = worker.wait()
            if code == -signal.SIGXCPU and number not in self.again:
                self.again.add(number)  # compiling kernels may have taken all the time: they are kept now
                return number
            err.seek(0)
            text = err.read().decode(errors="replace")[-3000:]
            what = f"hangs, or ends the process (worker ended with {code})"
            self.codes["".join(current.get("arguments", ())[:1]), code] += 1
            self.faults.append(Fault(self.kind, self.seed, number, tuple(current.get("arguments", ())), what, text))
            return number + 1


def _line(stream: IO[bytes]) -> bytes | None:
    """Return the next line; None where there is none in time, or no more."""
    ready, _, _ = select.select([stream], [], [], PATIENCE)
    return (stream.readline() or None) if ready else None
