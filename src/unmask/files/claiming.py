"""A file or folder is claimed while it is used, so that two runs never write into it at once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAUSE = 0.05


def claim(path: Path) -> int | None:
    """Keep others out of a file or folder until the handle is closed; None where the system has no such locks.

    Fails
        With `BlockingIOError` where somebody else has claimed it.
    """
    try:
        import fcntl  # noqa: PLC0415 - Windows has none
    except ImportError:
        return None
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:  # a file system without locks
        pass
    return handle


@contextmanager
def abandoned(path: Path) -> Iterator[bool]:
    """Whether a file or folder of ours is claimed by nobody; inside the `with` block nobody can claim it.

    False where the system has no claims, and for links.
    """
    try:
        import fcntl  # noqa: PLC0415 - Windows has none
    except ImportError:
        yield False
        return
    if path.is_symlink() or path.stat().st_uid != os.getuid():
        yield False
        return
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # somebody has claimed it, or there are no claims here
        yield False
    else:
        yield True
    finally:
        os.close(handle)


@contextmanager
def claimed(path: Path, *, patience: float) -> Iterator[None]:
    """Claim a file or folder inside the `with` block; wait some seconds for whoever has it.

    Fails
        With `BlockingIOError` where it is not given back in time.
    """
    until = time.monotonic() + patience
    while True:
        try:
            handle = claim(path)
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
