"""Files and folders that appear whole or not at all, and that only their owner can read."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from unmask.errors import OutputError
from unmask.files.unfinished import unfinished

FILE_MODE = 0o600
FOLDER_MODE = 0o700

_SIGNS = (
    b'"schema": "unmask-',
    b'"unmask_keep"',
    b'<meta name="generator" content="unmask',
    b'<testsuites name="unmask',
    b"Higher is worse in every column. unmask ",
)
"""What tells a file of ours, within its first or its last kilobyte."""

_FIRST_LINES = (
    b"person,attribute,value,probability,error\n",
    b"person,loss,chance,entries,dictionary\n",
    b"person,prosecutor,journalist,suda2,dis\n",
    b"person\n",
)
"""What tells a CSV file of ours."""

_NEAR = 1024


def require_free(path: Path, *, force: bool = False) -> None:
    """Fail where no file can be written: ask before the long work.

    Fails
        With `OutputError` where something stands there already; with `force` only if that is neither a file that unmask
        wrote nor an empty one. Also where the folder around it does not exist or cannot be written to.
    """
    if path.is_dir():
        msg = f"output {str(path)!r} must be a file; it is a folder. Name a file in it"
        raise OutputError(msg)
    _require_place(path, force=force)
    if os.path.lexists(path) and not _is_ours(path):
        msg = f"output {str(path)!r} must be a file that unmask wrote to be replaced; it is not. Choose another name"
        raise OutputError(msg)


def require_free_folder(path: Path, *, ours: Callable[[str], bool], force: bool = False) -> None:
    """Fail where no folder can be written: ask before the long work.

    Fails
        With `OutputError` where something stands there already; with `force` only if it holds nothing of ours.
    """
    _require_place(path, force=force)
    if os.path.lexists(path):
        _files_of_others(path, ours)


def _require_place(path: Path, *, force: bool) -> None:
    parent = path.absolute().parent
    if not parent.is_dir():
        msg = f"output {str(path)!r} must lie in a folder that exists; {str(path.parent)!r} is none. Make it first"
        raise OutputError(msg)
    if not os.access(parent, os.W_OK | os.X_OK):
        msg = f"output {str(path)!r} must lie in a folder that you may write to. Choose another place"
        raise OutputError(msg)
    if os.path.lexists(path) and not force:
        msg = f"output {str(path)!r} must not exist yet; it does. Choose another name, or give --force to replace it"
        raise OutputError(msg)


@contextmanager
def writing(path: str | Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its place only when all of it is written.

    Fails
        With `OutputError` where something stands there already, where the disk is full or may not be written to.
    """
    path = Path(path)
    require_free(path, force=force)
    with _explained(path):
        handle, name = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.")  # owner-only from birth
    with unfinished(Path(name)) as hidden:
        with _explained(path), os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with _explained(path):
            _take_place(hidden, path, force=force)


def write_file(path: str | Path, content: bytes | str, *, force: bool = False) -> None:
    """Write a file whole or not at all; text as UTF-8."""
    with writing(path, force=force) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing_folder(path: str | Path, *, ours: Callable[[str], bool], force: bool = False) -> Iterator[Path]:
    """Give an empty hidden folder to write into, which takes its place only when all is written.

    `ours` says of a path inside the folder whether we write files of that name. With `force` an existing folder is
    replaced, but only what is ours in it: files of others stay, and a folder without anything of ours is left alone.

    Fails
        With `OutputError` where the folder stands there already, or where it cannot be written.
    """
    path = Path(path)
    require_free_folder(path, ours=ours, force=force)
    path = path.resolve() if path.is_symlink() else path.absolute()
    kept: list[str] = []
    if path.exists():
        kept = _files_of_others(path, ours)
    with _explained(path):
        made = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    with unfinished(made) as hidden, _explained(path):
        yield hidden
        _make_private(hidden)
        _exchange(hidden, path, kept)


def _is_ours(path: Path) -> bool:
    """Say whether a file is one that unmask wrote, or an empty one; a link or a device never is."""
    if path.is_symlink() or not path.is_file():
        return False
    with _explained(path), path.open("rb") as file:
        start = file.read(_NEAR)
        file.seek(-min(_NEAR, path.stat().st_size), os.SEEK_END)
        end = file.read()
    return not start or start.startswith(_FIRST_LINES) or any(sign in start or sign in end for sign in _SIGNS)


def _take_place(hidden: Path, path: Path, *, force: bool) -> None:
    if force:
        hidden.replace(path)
        return
    try:
        os.link(hidden, path)  # unlike a rename, this fails where somebody else was faster
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        hidden.rename(path)


def _files_of_others(path: Path, ours: Callable[[str], bool]) -> list[str]:
    if not path.is_dir():
        msg = f"output {str(path.name)!r} must be a folder; it is a file. Choose another name"
        raise OutputError(msg)
    inside = [file.relative_to(path).as_posix() for file in path.rglob("*") if not file.is_dir() or file.is_symlink()]
    others = [name for name in inside if not ours(name)]
    if others and len(others) == len(inside):
        msg = f"output {path.name!r} must be a folder that unmask wrote; it holds nothing of ours. Choose another name"
        raise OutputError(msg)
    return others


def _exchange(hidden: Path, path: Path, kept: list[str]) -> None:
    """Put the new folder in place of the old one, and move what belongs to others over."""
    if not path.exists():
        hidden.rename(path)
        return
    old = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.old."))
    path.rename(old / path.name)
    try:
        hidden.rename(path)
    except OSError:
        (old / path.name).rename(path)
        old.rmdir()
        raise
    for name in kept:
        (path / name).parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        (old / path.name / name).rename(path / name)
    shutil.rmtree(old)


def _make_private(folder: Path) -> None:
    folder.chmod(FOLDER_MODE)
    for inner in folder.rglob("*"):
        inner.chmod(FOLDER_MODE if inner.is_dir() else FILE_MODE)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say in one line what the machine did not allow."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        msg = f"output {path.name!r} must be writable; {reason.lower()}. Nothing was written"
        raise OutputError(msg) from error
