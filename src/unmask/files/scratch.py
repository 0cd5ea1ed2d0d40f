"""Scratch files: copies of input that do not outlive the process, even after kill -9.

Where the system has /proc, a scratch file has no name and is reached through the process's list of open files.
Elsewhere it is in a folder that is locked while the process lives; the next process removes the folders of killed
ones.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

from unmask.errors import InvalidInputError, ResourceError, system_reason
from unmask.files.claiming import abandoned, claimed
from unmask.files.unfinished import unfinished
from unmask.wording import message

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Error numbers of the system: no space, or too many open files."""

_OPEN_FILES = Path("/proc/self/fd")
_PREFIX = "unmask-scratch-"
_BLOCK = 1 << 20


class Scratch:
    """A store of scratch files."""

    def __init__(self, open_files: ExitStack) -> None:
        self._open_files = open_files
        self._folder: Path | None = None
        self._n = 0

    def file(self) -> Path:
        """Return the path of a new, empty file that only the owner can read."""
        if not _OPEN_FILES.is_dir():
            if self._folder is None:
                self._folder = self._open_files.enter_context(_locked_folder())
            self._n += 1
            return self._folder / str(self._n)
        file = self._open_files.enter_context(_nameless())
        return _OPEN_FILES / str(file.fileno())

    def copy(self, stream: BinaryIO, name: str) -> Path:
        """Copy a stream into a scratch file; return its path.

        Fails
            With `ResourceError` where there is no space, with `InvalidInputError` where the stream cannot be read.
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
        """Return an alternative path of a file, without the characters that DuckDB parses as a pattern."""
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
        full = isinstance(error, FileNotFoundError)
        reason = message("it is full, or is none") if full else system_reason(error)
        msg = message(
            "the temporary folder must let files be written; {reason}. Make room, or set TMPDIR to one that does",
            reason=reason,
        )
        raise ResourceError(msg) from error


@contextmanager
def scratch() -> Iterator[Scratch]:
    """Yield a store of scratch files, which are removed after the `with` block."""
    with ExitStack() as open_files:
        yield Scratch(open_files)


def require_room(error: OSError, name: str) -> None:
    """Fail with `ResourceError` if an error means that there is no space for a copy of an input."""
    if error.errno in FULL:
        reason = error.strerror.lower() if error.strerror else message("it has not")
        msg = message(
            "the temporary folder must have room for a copy of {name}; {reason}. Make room, or set TMPDIR to "
            "a folder that has it",
            name=repr(name),
            reason=reason,
        )
        raise ResourceError(msg) from error


@contextmanager
def _locked_folder() -> Iterator[Path]:
    """Return a new folder that is locked while the process lives; remove those of killed processes."""
    for stale in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError), abandoned(stale) as is_stale:
            if is_stale:
                shutil.rmtree(stale, ignore_errors=True)
    with unfinished(Path(tempfile.mkdtemp(prefix=_PREFIX))) as folder, claimed(folder, patience=0):
        yield folder
