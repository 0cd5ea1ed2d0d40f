"""Hidden temporary files and folders beside an output: the new content, and the old content until all is done.

Each is locked while its process lives. The next process that writes the same output removes what killed processes
left: those of the same owner without a lock, whatever their age.
"""

from __future__ import annotations

import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unmask.files.claiming import abandoned, claimed
from unmask.files.regular import real_path
from unmask.files.unfinished import remove, unfinished

_OLD = "old-"
_LONGEST = 200
"""Number of bytes of an output's name that fit into its hidden names."""


@contextmanager
def hidden(path: Path, *, folder: bool = False) -> Iterator[Path]:
    """Make an empty private hidden file or folder beside an output; remove it at the end unless it was moved."""
    with unfinished(_name(path)) as place:  # registered before it exists: an interruption may come at any moment
        if folder:
            place.mkdir(mode=0o700)
        else:
            os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with claimed(place, patience=0):
            yield place


def name_for_old(path: Path) -> Path:
    """Return a free hidden name for the file or folder that an output replaces."""
    return _name(path, _OLD)


def sweep(path: Path) -> None:
    """Remove what killed processes left beside an output, and restore what they were about to replace."""
    path = real_path(path) if path.is_symlink() else path.absolute()
    start = _beginning(path)
    for name in glob.glob(f"{glob.escape(start)}*", root_dir=path.parent):  # noqa: PTH207 - as names begin with a point
        left = path.parent / name
        with suppress(OSError), abandoned(left) as is_left:
            if is_left and name.startswith(start + _OLD) and not os.path.lexists(path):
                left.rename(path)
            elif is_left:
                remove(left)


def _name(path: Path, kind: str = "") -> Path:
    return path.absolute().parent / f"{_beginning(path)}{kind}{secrets.token_hex(6)}"


def _beginning(path: Path) -> str:
    name = path.name if len(os.fsencode(path.name)) <= _LONGEST else path.name[: _LONGEST // 4]
    return f".{name}.unmask-"
