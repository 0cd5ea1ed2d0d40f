"""What is being written and not yet in its place: known by name, so that it can be removed when all else fails."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_paths: set[Path] = set()


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Remove a file or folder at the end of the `with` block, however it ends, unless it has been moved away."""
    _paths.add(path)
    try:
        yield path
    finally:
        _removed(path)
        _paths.discard(path)


def remove_at_the_end(path: Path) -> None:
    """Count a file or folder among those to be removed when the process is ended from outside."""
    _paths.add(path)


def remove_unfinished() -> None:
    """Remove everything unfinished at once: for a process that is about to be ended from outside."""
    for path in list(_paths):
        _removed(path)


def _removed(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
