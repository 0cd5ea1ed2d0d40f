"""Locks on files and folders in use: no two runs write into one at the same time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAUSE = 0.05


def claim(path: Path) -> int | None:
    """Lock a file or folder until the returned handle is closed; return None where the system has no such locks.

    Fails
        With `BlockingIOError` where another process holds the lock.
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
    """Whether no process holds the lock of a file or folder of ours; the `with` block itself holds it.

    False where the system has no locks, and for links.
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
    except OSError:  # locked by another process, or the file system has no locks
        yield False
    else:
        yield True
    finally:
        os.close(handle)


@contextmanager
def claimed(path: Path, *, patience: float) -> Iterator[None]:
    """Lock a file or folder inside the `with` block; wait at most `patience` seconds for another process.

    Fails
        With `BlockingIOError` where the lock is not released in time.
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
