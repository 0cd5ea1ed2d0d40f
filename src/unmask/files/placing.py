"""Put finished files and folders in their places: all of them or none.

What is finished waits under a hidden name beside its place. It is exchanged with what stands there in one step, and
back again where another output cannot be placed.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from unmask.files.exchanging import exchange
from unmask.files.hidden import name_for_old
from unmask.files.unfinished import remove, require_uninterrupted, undisturbed

FOLDER_MODE = 0o700


_placed: list[Path] = []


def any_placed() -> bool:
    """Whether this process has put any output in its place."""
    return bool(_placed)


class Move(Protocol):
    """One output on its way to its place."""

    path: Path

    def place(self) -> None:
        """Put it in its place."""

    def undo(self) -> None:
        """Take it away again, and put back what stood there before."""

    def finish(self) -> None:
        """Remove what stood there before."""


def place_all(moves: list[Move]) -> None:
    """Put all outputs in their places; where one cannot be placed, or the user interrupts, take back the others."""
    placed: list[Move] = []
    with undisturbed():
        try:
            for move in moves:
                placed.append(move)
                move.place()
            require_uninterrupted()
        except BaseException:
            for move in reversed(placed):
                move.undo()
            raise
        for move in placed:
            move.finish()
        _placed.extend(move.path for move in placed)


@dataclass
class FileMove:
    """A finished file on its way to its place."""

    hidden: Path
    path: Path
    force: bool
    _before: Path | None = None  # where what stood there is now
    _placed: bool = False

    def place(self) -> None:
        """Put the file in its place; without `force`, fail where another file has appeared there."""
        if self.force and os.path.lexists(self.path):
            self._before = _put_over(self.hidden, self.path)
            return
        try:
            os.link(self.hidden, self.path)  # unlike a rename, this fails where another file was faster
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            self.hidden.rename(self.path)
        self._placed = True

    def undo(self) -> None:
        """Remove the file, or put back the one before."""
        _take_back(self.path, self._before, placed=self._placed)

    def finish(self) -> None:
        """Remove the file before."""
        if self._before is not None:
            remove(self._before)


@dataclass
class FolderMove:
    """A finished folder on its way to its place."""

    hidden: Path
    path: Path
    kept: list[str] = field(default_factory=list)  # files of others in the folder before, which stay
    _before: Path | None = None  # where what stood there is now
    _placed: bool = False

    def place(self) -> None:
        """Put the folder in place of the one before."""
        if self.path.exists():
            for name in self.kept:
                _give(self.path / name, self.hidden / name)
            self._before = _put_over(self.hidden, self.path)
        else:
            self.hidden.rename(self.path)
            self._placed = True

    def undo(self) -> None:
        """Take the folder away, and put back the one before."""
        _take_back(self.path, self._before, placed=self._placed)

    def finish(self) -> None:
        """Remove the folder before."""
        if self._before is not None:
            remove(self._before)


def _take_back(path: Path, before: Path | None, *, placed: bool) -> None:
    """Remove what was placed; put back what stood there before, if anything did."""
    if before is not None:
        remove(_put_over(before, path))
    elif placed:
        remove(path)


def _put_over(new: Path, place: Path) -> Path:
    """Put a file or folder in the place of another one, and return where that one is now."""
    if exchange(new, place):
        return new
    old = name_for_old(place)  # a process that is killed in between leaves it there: the next one puts it back
    place.rename(old)
    try:
        new.rename(place)
    except OSError:
        old.rename(place)
        raise
    return old


def _give(file: Path, place: Path) -> None:
    """Let a file of others be in a second folder, too: it is never in none, whenever the process is killed."""
    place.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    try:
        os.link(file, place, follow_symlinks=False)
    except OSError:  # a file system without links
        shutil.copy2(file, place, follow_symlinks=False)
