"""Scratch files: copies of input that end with the process, however it ends, kill -9 included.

Where the system has /proc, a scratch file has no name from the beginning: it is reached through the process's own list
of open files, and gone with it. Elsewhere it lies in a folder that is locked while the process lives; folders of
processes that were killed are swept when the next one makes its own.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

from unmask.errors import InvalidInputError, ResourceError
from unmask.files.claiming import abandoned, claimed
from unmask.files.unfinished import unfinished

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Errors of the machine: no room, or no more open files."""

_OPEN_FILES = Path("/proc/self/fd")
_PREFIX = "unmask-scratch-"
_BLOCK = 1 << 20


class Scratch:
    """A place for scratch files."""

    def __init__(self, open_files: ExitStack) -> None:
        self._open_files = open_files
        self._folder: Path | None = None
        self._n = 0

    def file(self) -> Path:
        """Return the path of a new, empty file that only its owner can read."""
        if not _OPEN_FILES.is_dir():
            if self._folder is None:
                self._folder = self._open_files.enter_context(_locked_folder())
            self._n += 1
            return self._folder / str(self._n)
        file = self._open_files.enter_context(_nameless())
        return _OPEN_FILES / str(file.fileno())

    def copy(self, stream: BinaryIO, name: str) -> Path:
        """Return a scratch file with all that a stream holds.

        Fails
            With `ResourceError` where there is no room for it, with `InvalidInputError` where it cannot be read.
        """
        try:
            path = self.file()
            with path.open("wb") as out:
                while block := stream.read(_BLOCK):
                    out.write(block)
        except OSError as error:
            require_room(error, name)
            raise InvalidInputError.unreadable(repr(name), error) from error
        return path

    def plain(self, path: Path) -> Path:
        """Return another path of a file, without the characters that DuckDB takes for a pattern."""
        if not set(str(path)) & set("*?["):
            return path
        if _OPEN_FILES.is_dir():
            return _OPEN_FILES / str(self._open_files.enter_context(path.open("rb")).fileno())
        link = self.file()
        link.symlink_to(path.absolute())
        return link


def _nameless() -> IO[bytes]:
    try:
        return tempfile.TemporaryFile()
    except OSError as error:
        reason = "it is full, or is none" if isinstance(error, FileNotFoundError) else (error.strerror or "").lower()
        msg = f"the temporary folder must let files be written; {reason}. Make room, or set TMPDIR to one that does"
        raise ResourceError(msg) from error


@contextmanager
def scratch() -> Iterator[Scratch]:
    """Give a place for scratch files, which are gone after the `with` block."""
    with ExitStack() as open_files:
        yield Scratch(open_files)


def require_room(error: OSError, name: str) -> None:
    """Fail where an error says that the machine has no room for a copy of an input."""
    if error.errno in FULL:
        reason = (error.strerror or "it has not").lower()
        msg = (
            f"the temporary folder must have room for a copy of {name!r}; {reason}. "
            f"Make room, or set TMPDIR to a folder that has it"
        )
        raise ResourceError(msg) from error


@contextmanager
def _locked_folder() -> Iterator[Path]:
    """Make a folder that is locked while the process lives, and sweep those of processes that were killed."""
    for stale in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError), abandoned(stale) as is_stale:
            if is_stale:
                shutil.rmtree(stale, ignore_errors=True)
    with unfinished(Path(tempfile.mkdtemp(prefix=_PREFIX))) as folder, claimed(folder, patience=0):
        yield folder
