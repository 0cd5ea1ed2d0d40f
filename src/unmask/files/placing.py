"""Put finished files and folders in their places: all of them or none.

What is finished waits under a hidden name beside its place. To place it is one rename, which can be undone as long as
what stood there before is kept under a hidden name, too.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

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
    try:
        for move in moves:
            placed.append(move)
            move.place()
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
    _before: Path | None = None
    _placed: bool = False

    def place(self) -> None:
        """Put the file in its place; without `force`, fail where another file has appeared there."""
        if self.force:
            self._before = _kept_aside(self.path)
            self.hidden.replace(self.path)
        else:
            try:
                os.link(self.hidden, self.path)  # unlike a rename, this fails where another file was faster
            except FileExistsError:
                raise
            except OSError:  # a file system without links
                self.hidden.rename(self.path)
        self._placed = True

    def undo(self) -> None:
        """Remove the file, or put back the one before."""
        if self._before is not None:
            self._before.replace(self.path)
        elif self._placed:
            self.path.unlink(missing_ok=True)

    def finish(self) -> None:
        """Remove the file before."""
        if self._before is not None:
            self._before.unlink(missing_ok=True)


@dataclass
class FolderMove:
    """A finished folder on its way to its place."""

    hidden: Path
    path: Path
    kept: list[str] = field(default_factory=list)  # files of others in the folder before, which stay
    _before: Path | None = None
    _placed: bool = False

    def place(self) -> None:
        """Put the folder in place of the one before."""
        if self.path.exists():
            aside = Path(tempfile.mkdtemp(dir=self.path.parent, prefix=f".{self.path.name}.old."))
            self._before = aside / self.path.name
            self.path.rename(self._before)
        self.hidden.rename(self.path)
        self._placed = True
        if self._before is not None:
            _move_over(self.kept, self._before, self.path)

    def undo(self) -> None:
        """Take the folder away, and put back the one before."""
        if self._placed and self._before is not None:
            _move_over([name for name in self.kept if os.path.lexists(self.path / name)], self.path, self._before)
        if self._placed:
            self.path.rename(self.hidden)  # it is removed there
        if self._before is not None and self._before.exists():
            self._before.rename(self.path)
            self._before.parent.rmdir()

    def finish(self) -> None:
        """Remove the folder before."""
        if self._before is not None:
            shutil.rmtree(self._before.parent)


def _move_over(names: list[str], old: Path, new: Path) -> None:
    """Move files from one folder to another."""
    for name in names:
        (new / name).parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        (old / name).rename(new / name)


def _kept_aside(path: Path) -> Path | None:
    """Give a file a second, hidden name, under which it outlives its replacement."""
    if not os.path.lexists(path):
        return None
    handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.old.")
    os.close(handle)
    aside = Path(name)
    aside.unlink()
    try:
        os.link(path, aside)
    except OSError:  # a file system without links
        with suppress(OSError):
            shutil.copy2(path, aside)
    return aside if aside.exists() else None
