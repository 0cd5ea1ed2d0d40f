"""What is being written and not yet in its place: known by name, so that it can be removed when all else fails.

Whatever interrupts the process, by a signal or in the thread that ends it, waits while outputs are put in their places.
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
    """Whether the user has interrupted, and whether that must wait."""

    requested = False
    waits = False


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Remove a file or folder at the end of the `with` block, however it ends, unless it has been moved away."""
    _paths.add(path)
    try:
        yield path
    finally:
        remove(path)
        _paths.discard(path)


def remove_at_the_end(path: Path) -> None:
    """Count a file or folder among those to be removed when the process is ended from outside."""
    _paths.add(path)


def remove_unfinished() -> None:
    """Remove everything unfinished at once, and let nothing be placed any more: the process is about to be ended."""
    _placing.acquire()
    for path in list(_paths):
        remove(path)


def remove(path: Path) -> None:
    """Remove a file or folder, as far as that is possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def interrupt() -> None:
    """Raise `KeyboardInterrupt`, at once or where `undisturbed` lets it be raised; a second time it is on its way."""
    first, _Interruption.requested = not _Interruption.requested, True
    if first and not _Interruption.waits:
        raise KeyboardInterrupt


def require_uninterrupted() -> None:
    """Raise `KeyboardInterrupt` where it has been waiting; only the main thread is ever interrupted."""
    if _Interruption.requested and threading.current_thread() is threading.main_thread():
        raise KeyboardInterrupt


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let interruptions wait until the end of the `with` block, which must be short."""
    if threading.current_thread() is not threading.main_thread():  # which is never interrupted
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
