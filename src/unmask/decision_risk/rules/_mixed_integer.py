"""Mixed-integer programming without solver output on standard output."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from scipy.optimize import milp

STDOUT = 1

_ONE_AT_A_TIME = threading.Lock()  # standard output is shared by the process: one redirection at a time

OWN = b"HighsMipSolverData::"
"""The beginning of the line that HiGHS 1.12 sometimes prints even if silenced."""


def solved(*program: Any, **settings: Any) -> Any:  # noqa: ANN401 - SciPy's
    """Solve a mixed-integer program as `scipy.optimize.milp` does."""
    with quiet():
        return milp(*program, **settings)


@contextmanager
def quiet() -> Iterator[None]:
    """Capture standard output below Python, and write it afterwards without the solver's lines.

    Other threads may write at the same time, so nothing else is dropped.
    """
    with _ONE_AT_A_TIME, tempfile.TemporaryFile() as written:
        try:
            kept = os.dup(STDOUT)
        except OSError:  # no standard output
            yield
            return
        os.dup2(written.fileno(), STDOUT)
        try:
            yield
        finally:
            os.dup2(kept, STDOUT)
            os.close(kept)
            written.seek(0)
            others = b"".join(line for line in written if not line.startswith(OWN))
            with suppress(OSError):  # the reader has closed the pipe
                while others:
                    others = others[os.write(STDOUT, others) :]
