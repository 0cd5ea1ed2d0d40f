"""Transactional moves of finished files and folders into place: all of them or none.

A finished output waits under a hidden name beside its place. It is exchanged with the old one atomically, and back
again where another output cannot be placed.
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
    """A move of one output into its place."""

    path: Path

    def place(self) -> None:
        """Move the output into its place."""

    def undo(self) -> None:
        """Remove the output, and restore what it replaced."""

    def finish(self) -> None:
        """Remove what the output replaced."""


def place_all(moves: list[Move]) -> None:
    """Move all outputs into place; undo all if one cannot be placed or the user interrupts."""
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
    """A move of a finished file into its place."""

    hidden: Path
    path: Path
    force: bool
    _before: Path | None = None  # where what stood there is now
    _placed: bool = False

    def place(self) -> None:
        """Move the file into its place; without `force`, fail where another file has appeared there."""
        if self.force and os.path.lexists(self.path):
            self._before = _put_over(self.hidden, self.path)
            return
        try:
            os.link(self.hidden, self.path)  # unlike a rename, this fails where a file exists
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            self.hidden.rename(self.path)
        self._placed = True

    def undo(self) -> None:
        """Remove the file, or restore the previous one."""
        _take_back(self.path, self._before, placed=self._placed)

    def finish(self) -> None:
        """Remove the previous file."""
        if self._before is not None:
            remove(self._before)


@dataclass
class FolderMove:
    """A move of a finished folder into its place."""

    hidden: Path
    path: Path
    kept: list[str] = field(default_factory=list)  # files of others in the previous folder, which stay
    _before: Path | None = None  # where what stood there is now
    _placed: bool = False

    def place(self) -> None:
        """Move the folder into its place."""
        if self.path.exists():
            for name in self.kept:
                _give(self.path / name, self.hidden / name)
            self._before = _put_over(self.hidden, self.path)
        else:
            self.hidden.rename(self.path)
            self._placed = True

    def undo(self) -> None:
        """Remove the folder, and restore the previous one."""
        _take_back(self.path, self._before, placed=self._placed)

    def finish(self) -> None:
        """Remove the previous folder."""
        if self._before is not None:
            remove(self._before)


def _take_back(path: Path, before: Path | None, *, placed: bool) -> None:
    """Remove what was placed, and restore what it replaced, if anything."""
    if before is not None:
        remove(_put_over(before, path))
    elif placed:
        remove(path)


def _put_over(new: Path, place: Path) -> Path:
    """Replace a file or folder by another one, and return the new path of the old one."""
    if exchange(new, place):
        return new
    old = name_for_old(place)  # if the process is killed here, the next one restores it
    place.rename(old)
    try:
        new.rename(place)
    except OSError:
        old.rename(place)
        raise
    return old


def _give(file: Path, place: Path) -> None:
    """Link a file of others into a second folder, so that a killed process never loses it."""
    place.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    try:
        os.link(file, place, follow_symlinks=False)
    except OSError:  # a file system without links
        shutil.copy2(file, place, follow_symlinks=False)
