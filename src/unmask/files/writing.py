"""Atomic writers of private files and folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from unmask.errors import OutputError
from unmask.files.hidden import hidden, sweep
from unmask.files.ownership import MANIFEST, Digests, files_in, is_ours, listed_files, unchanged, write_manifest
from unmask.files.placing import FOLDER_MODE, FileMove, FolderMove, Move, place_all
from unmask.files.regular import real_path
from unmask.files.release_files import owned_files
from unmask.wording import message

FILE_MODE = 0o600

Owned = Callable[[Path], Digests]
"""A function that returns the files of a folder that unmask wrote."""


class _Batch:
    """Outputs under hidden names, before they are moved into place."""

    def __init__(self) -> None:
        self.moves: list[Move] = []
        self.hidden = ExitStack()  # the hidden files


_batch: ContextVar[_Batch | None] = ContextVar("batch", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Move all outputs of the `with` block into place at its end: all of them or none.

    Fails
        With `OutputError` where one of them cannot be written; then none is written.
    """
    if _batch.get() is not None:
        yield
        return
    batch = _Batch()
    token = _batch.set(batch)
    try:
        with batch.hidden:
            yield
            with _explained(None):
                place_all(batch.moves)
    finally:
        _batch.reset(token)


@contextmanager
def _batched() -> Iterator[_Batch]:
    """Yield the current batch of outputs, or a new one for this output alone."""
    ambient = _batch.get()
    if ambient is not None:
        yield ambient
        return
    batch = _Batch()
    with batch.hidden:
        yield batch
        place_all(batch.moves)


def require_free(path: Path, *, force: bool = False) -> None:
    """Fail where the file cannot be written; call it before long work. Remove what a killed process left.

    Fails
        With `OutputError` where a file exists; with `force` only if it is neither empty nor written by unmask.
        Also where its parent folder does not exist or cannot be written to, or is one that unmask writes.
    """
    sweep(path)
    if path.is_dir():
        msg = message("output {path} must be a file; it is a folder. Name a file in it", path=repr(str(path)))
        raise OutputError(msg)
    batch = _batch.get()
    require_outside(path, () if batch is None else [one.path for one in batch.moves if isinstance(one, FolderMove)])
    if os.path.lexists(path):
        with _explained(path):
            ours = is_ours(path)
        if not ours and force and path.suffix == ".toml":
            msg = message(
                "output {path} must not exist yet; it does, and a roles file is never replaced, since it is "
                "edited by hand. Delete it, or choose another name and copy from it",
                path=repr(str(path)),
            )
            raise OutputError(msg)
        if not ours:
            if force:
                msg = message(
                    "output {path} must be a file that unmask may replace; it is not. Choose another name",
                    path=repr(str(path)),
                )
            else:
                msg = message("output {path} must not exist yet; it does. Choose another name", path=repr(str(path)))
            raise OutputError(msg)
    _require_place(path, force=force)


def require_free_folder(path: Path, *, owned: Owned = listed_files, force: bool = False) -> None:
    """Fail where the folder cannot be written; call it before long work. Remove what a killed process left.

    Fails
        With `OutputError` where a folder exists; with `force` only if unmask did not write it.
    """
    sweep(path)
    _require_place(path, force=force)
    if os.path.lexists(path):
        _files_of_others(path, owned)


def require_outside(path: Path, folders: Collection[Path] = ()) -> None:
    """Fail where a file lies in one of the folders, or in one that unmask wrote: it would be handed out with it.

    A folder may lie there: a release can hold others.
    """
    folder = enclosing_folder(path, folders)
    if folder is not None:
        msg = message(
            "output {path} must lie outside of folders that unmask writes; got a place in {folder}, with "
            "which it would be handed out. Choose another place",
            path=repr(path.name),
            folder=repr(folder.name),
        )
        raise OutputError(msg)


def enclosing_folder(path: Path, folders: Collection[Path] = ()) -> Path | None:
    """Return the innermost folder around a path that is one of the folders, or that unmask wrote; None without one."""
    for folder in (real_path(path.parent) / path.name).parents:
        if folder in folders or owned_files(folder) or ((folder / MANIFEST).is_file() and listed_files(folder)):
            return folder
    return None


def _require_place(path: Path, *, force: bool) -> None:
    parent = path.absolute().parent
    if not parent.is_dir():
        msg = message(
            "output {path} must lie in a folder that exists; {parent} is none. Make it first",
            path=repr(str(path)),
            parent=repr(str(path.parent)),
        )
        raise OutputError(msg)
    if not os.access(parent, os.W_OK | os.X_OK):
        msg = message(
            "output {path} must lie in a folder that you may write to. Choose another place", path=repr(str(path))
        )
        raise OutputError(msg)
    if os.path.lexists(path) and not force:
        msg = message(
            "output {path} must not exist yet; it does. Choose another name, or give --force to replace it",
            path=repr(str(path)),
        )
        raise OutputError(msg)


@contextmanager
def writing(path: str | Path, *, force: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing; it is moved into place when all of it is written.

    Fails
        With `OutputError` where the file exists, or the disk is full or not writable.
    """
    path = Path(path)
    require_free(path, force=force)
    with _explained(path), _batched() as batch:
        place = batch.hidden.enter_context(hidden(path))
        with place.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        batch.moves.append(FileMove(place, path, force))


def write_file(path: str | Path, content: bytes | str, *, force: bool = False) -> None:
    """Write a file atomically; text as UTF-8."""
    with writing(path, force=force) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing_folder(path: str | Path, *, owned: Owned = listed_files, force: bool = False) -> Iterator[Path]:
    """Yield an empty hidden folder to write into; it is moved into place when all is written.

    `owned` returns the files of an existing folder that unmask wrote. With `force` these are replaced if unchanged;
    all others stay. A folder that is not a release gets a manifest.

    Fails
        With `OutputError` where the folder exists and `force` is not given, where unmask did not write it, where a
        file that others wrote or changed has the name of an output, or where it cannot be written.
    """
    path = Path(path)
    require_free_folder(path, owned=owned, force=force)
    path = real_path(path) if path.is_symlink() else path.absolute()
    with _explained(path), _batched() as batch:
        others = _files_of_others(path, owned) if path.exists() else []
        place = batch.hidden.enter_context(hidden(path, folder=True))
        yield place
        if owned is listed_files:
            write_manifest(place)
        _require_apart(path, place, others)
        _make_private(place)
        batch.moves.append(FolderMove(place, path, others))


def _files_of_others(path: Path, owned: Owned) -> list[str]:
    if not path.is_dir():
        msg = message(
            "output {real_path} must be a folder; it is a file. Choose another name",
            real_path=repr(real_path(path).name),
        )
        raise OutputError(msg)
    with _explained(path):
        inside, ours = files_in(path), frozenset(unchanged(path, owned(path)))
    if inside and not ours:
        name = real_path(path).name
        msg = message(
            "output {name} must be a folder that unmask wrote; it holds nothing of ours. Choose another name",
            name=repr(name),
        )
        raise OutputError(msg)
    return [name for name in inside if name not in ours]


def _require_apart(path: Path, made: Path, others: list[str]) -> None:
    """Fail where a file that unmask did not write, or that was changed, has the name of an output."""
    taken = sorted(set(others).intersection(files_in(made)))
    if taken:
        msg = message(
            "output {path} must hold no file of others under a name that unmask writes; {taken} was written "
            "or changed by others. Move it away, or choose another name",
            path=repr(path.name),
            taken=repr(taken[0]),
        )
        raise OutputError(msg)


def _make_private(folder: Path) -> None:
    folder.chmod(FOLDER_MODE)
    for inner in folder.rglob("*"):
        inner.chmod(FOLDER_MODE if inner.is_dir() else FILE_MODE)


@contextmanager
def _explained(path: Path | None) -> Iterator[None]:
    """Turn an error of the operating system into a one-line `OutputError`."""
    try:
        yield
    except OSError as error:
        name = path.name if path is not None else Path(os.fsdecode(error.filename2 or error.filename or "?")).name
        reason = error.strerror or type(error).__name__
        msg = message(
            "output {name} must be writable; {reason}. Nothing was written", name=repr(name), reason=reason.lower()
        )
        raise OutputError(msg) from error
