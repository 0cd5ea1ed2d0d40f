"""Finished parts of interrupted work: `--resume FOLDER`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from unmask.commands.notes import Notes, current_listener
from unmask.errors import InvalidInputError, NotConvergedError
from unmask.files.parts import PartsFolder
from unmask.runtime import work
from unmask.runtime.streams import fresh_seed
from unmask.wording import message

_folder: ContextVar[PartsFolder | None] = ContextVar("folder", default=None)


@contextmanager
def resuming(path: str | Path | None, *, keep: str | None = None) -> Iterator[PartsFolder | None]:
    """Keep finished parts in a folder inside the `with` block, and take up from those that are there.

    They are removed when the block has come to its end, except those of the work that `keep` names, and stay where it
    was interrupted or failed. Chains that disagree at their limit are an end: nothing would come of going on with them.
    """
    if path is None:
        yield None
        return
    folder = PartsFolder(path, current_listener())
    token = _folder.set(folder)
    finished = False
    try:
        with work.stored(folder):
            yield folder
        finished = True
    except NotConvergedError:
        finished = True
        raise
    except Exception:
        if folder.parts:
            current_listener()(
                message("finished parts are kept in {folder}: the same command goes on from them", folder=folder.name)
            )
        raise
    finally:
        _folder.reset(token)
        folder.close(finished=finished, keep=keep)


@contextmanager
def not_resuming() -> Iterator[None]:
    """Keep no parts inside the `with` block, and take up none: of work with a seed of its own."""
    token = _folder.set(None)
    try:
        with work.stored(None):
            yield
    finally:
        _folder.reset(token)


def seed_of(seed: int | None, notes: Notes) -> int:
    """Return the given seed, else a new one, with a note how to get the same numbers again.

    Interrupted work continues with its first seed.

    Fails
        With `InvalidInputError` for a negative seed, and for one that differs from that of the continued work.
    """
    if seed is not None and seed < 0:
        msg = message("seed must be a whole number of at least 0; got {seed}", seed=seed)
        raise InvalidInputError(msg)
    seed = _begun_with(seed, notes)
    if seed is None:
        seed = fresh_seed()
        notes.aside(message("seed {seed} (say --seed {seed} to see the same numbers again)", seed=seed))
    _begin_with(seed)
    return seed


def _begun_with(seed: int | None, notes: Notes) -> int | None:
    """Return the seed of the work that is taken up here, else the one given.

    Fails
        With `InvalidInputError` where both are given and are different.
    """
    folder = _folder.get()
    if folder is None or folder.seed is None:
        return seed
    if seed is None:
        notes.aside(
            message("seed {seed}, with which the work in {folder} was begun", seed=folder.seed, folder=folder.name)
        )
    elif seed != folder.seed:
        msg = message(
            "seed must be {seed}, with which the work in {folder} was begun; got {seed2}. ",
            seed=folder.seed,
            folder=repr(folder.name),
            seed2=seed,
        )
        raise InvalidInputError(message("{msg}Leave --seed out, or name another folder", msg=msg))
    return folder.seed


def _begin_with(seed: int) -> None:
    """Keep the seed of work that may be interrupted."""
    folder = _folder.get()
    if folder is not None and folder.seed is None:
        folder.keep_seed(seed)
