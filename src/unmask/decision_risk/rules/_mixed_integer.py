"""Mixed-integer programs, solved without a word on standard output, which belongs to whoever called."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from scipy.optimize import milp

STDOUT = 1

_ONE_AT_A_TIME = threading.Lock()  # standard output is the process's: who puts it back must be who took it away

OWN = b"HighsMipSolverData::"
"""How the line begins that HiGHS 1.12 leaves now and then, told to be silent or not."""


def solved(*program: Any, **settings: Any) -> Any:  # noqa: ANN401 - SciPy's
    """Solve a mixed-integer program as `scipy.optimize.milp` does."""
    with quiet():
        return milp(*program, **settings)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep what is written to standard output from below Python, and write it afterwards without the solver's lines.

    Other threads may write there at the same time, so nothing else is dropped.
    """
    with _ONE_AT_A_TIME, tempfile.TemporaryFile() as written:
        try:
            kept = os.dup(STDOUT)
        except OSError:  # there is none to be soiled
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
            with suppress(OSError):  # nobody reads any more
                while others:
                    others = others[os.write(STDOUT, others) :]
