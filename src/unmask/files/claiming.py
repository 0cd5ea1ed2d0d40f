"""A folder is claimed while it is used, so that two runs never write into it at once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAUSE = 0.05


def claim(folder: Path) -> int | None:
    """Keep others out of a folder until the handle is closed; None where the system has no such locks.

    Fails
        With `BlockingIOError` where somebody else has claimed it.
    """
    try:
        import fcntl  # noqa: PLC0415 - Windows has none
    except ImportError:
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:  # a file system without locks
        pass
    return handle


@contextmanager
def claimed(folder: Path, *, patience: float) -> Iterator[None]:
    """Claim a folder inside the `with` block; wait some seconds for whoever has it.

    Fails
        With `BlockingIOError` where it is not given back in time.
    """
    until = time.monotonic() + patience
    while True:
        try:
            handle = claim(folder)
            break
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)
