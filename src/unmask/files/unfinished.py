"""A registry of unfinished outputs, to remove them when the process is ended.

Interruptions, by a signal or by the thread that ends the process, wait while outputs are moved into place.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_paths: set[Path] = set()
_placing = threading.Lock()


class _Interruption:
    """The state of a user interruption: whether it happened, and whether it must wait."""

    requested = False
    waits = False


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Remove a file or folder at the end of the `with` block, also after errors, unless it was moved."""
    _paths.add(path)
    try:
        yield path
    finally:
        remove(path)
        _paths.discard(path)


def remove_at_the_end(path: Path) -> None:
    """Register a file or folder for removal when the process is ended from outside."""
    _paths.add(path)


def remove_unfinished() -> None:
    """Remove all unfinished outputs and block further moves; the process is about to end."""
    _placing.acquire()
    for path in list(_paths):
        remove(path)


def remove(path: Path) -> None:
    """Remove a file or folder as far as possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def interrupt() -> None:
    """Raise `KeyboardInterrupt`, at once or at the end of `undisturbed`; repeated calls are ignored."""
    first, _Interruption.requested = not _Interruption.requested, True
    if first and not _Interruption.waits:
        raise KeyboardInterrupt


def require_uninterrupted() -> None:
    """Raise a waiting `KeyboardInterrupt`, in the main thread only."""
    if _Interruption.requested and threading.current_thread() is threading.main_thread():
        raise KeyboardInterrupt


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let interruptions wait until the end of the `with` block, which must be short."""
    if threading.current_thread() is not threading.main_thread():  # never interrupted
        with _placing:
            yield
        return
    _Interruption.waits = True
    try:
        with _placing:
            yield
    finally:
        _Interruption.waits = False
    require_uninterrupted()
