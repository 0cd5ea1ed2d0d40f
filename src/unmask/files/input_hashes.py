"""Keyed hashes of input files: they identify what an audit read, and reveal nothing to a reader without the key."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from unmask.auditing.findings import InputHash
from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import is_dsn
from unmask.files.ownership import files_in
from unmask.files.releases import two_paths

_BLOCK = 1 << 20
_INPUT = b"unmask input\0"


def hash_inputs(sources: Mapping[str, Iterable[object]], key: bytes) -> tuple[InputHash, ...]:
    """Return the HMAC-SHA-256 of each file of the sources, which are given by their use.

    A folder has one hash for each of its files. Data frames, databases and standard input are no files, and have none.

    Fails
        With `InvalidInputError` where a file cannot be read.
    """
    return tuple(
        _hash(use, name, path, key)
        for use, given in sources.items()
        for source in given
        for name, path in _files(source)
    )


def _files(source: object) -> Iterator[tuple[str, Path]]:
    """Yield the files of a source, each with its name; none where it is no file."""
    if not isinstance(source, (str, Path)) or is_dsn(source):
        return
    path = Path(source)
    if path.is_dir():
        yield from ((f"{path.name}/{name}", path / name) for name in files_in(path) if (path / name).is_file())
    elif path.is_file():
        yield path.name, path
    else:
        yield from ((one.name, one) for one in two_paths(str(source)) or ())


def _hash(use: str, name: str, path: Path, key: bytes) -> InputHash:
    try:
        with path.open("rb") as file:
            size, code = _digest(file, key)
    except OSError as error:
        raise InvalidInputError.unreadable(f"input {path.name!r}", error) from error
    return InputHash(use, name, size, code)


def _digest(file: BinaryIO, key: bytes) -> tuple[int, str]:
    found, size = hmac.new(key, _INPUT, "sha256"), 0
    while block := file.read(_BLOCK):
        found.update(block)
        size += len(block)
    return size, found.hexdigest()
