"""Hidden names beside an output: there it is written, and there what it replaces is kept until all is done.

A hidden file or folder is claimed while its process lives. What processes that were killed have left is swept by the
next one that writes the same output: by owner and claim, never by age.
"""

from __future__ import annotations

import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from unmask.files.claiming import abandoned, claimed
from unmask.files.unfinished import remove, unfinished

_OLD = "old-"
_LONGEST = 200
"""Bytes of an output's name that its hidden names can hold beside the rest."""


@contextmanager
def hidden(path: Path, *, folder: bool = False) -> Iterator[Path]:
    """Make an empty hidden file or folder beside an output, for its owner only; remove it unless it is moved away."""
    with unfinished(_name(path)) as place:  # known before it is there: an interruption may come at any moment
        if folder:
            place.mkdir(mode=0o700)
        else:
            os.close(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with claimed(place, patience=0):
            yield place


def name_for_old(path: Path) -> Path:
    """Return a free hidden name for what stands in the place of an output."""
    return _name(path, _OLD)


def sweep(path: Path) -> None:
    """Remove what processes that were killed left beside an output, and put back what they were about to replace."""
    path = path.resolve() if path.is_symlink() else path.absolute()
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
