"""The files of a release folder: their names, which of them unmask wrote, and a hash over them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from unmask.errors import InvalidInputError
from unmask.files.ownership import Digests, digest
from unmask.files.regular import file_inside
from unmask.files.release_json import ReleaseFile
from unmask.wording import message

ABOUT = "release.json"
README = "README.txt"
FIRST_WORDS = "This folder is a release"
"""The first words of README.txt."""


def owned_files(folder: Path) -> Digests:
    """Return the files of a release folder that unmask wrote, with the SHA-256 of their content.

    release.json lists them. In earlier versions it did not: then they are the files that it describes and whose
    first line is as described.
    """
    path = folder / ABOUT
    if path.is_symlink() or not path.is_file():
        return {}
    try:
        about = ReleaseFile.read(path)
    except InvalidInputError:
        return {}
    if about.files is not None:
        return {**about.files, ABOUT: None}
    return dict.fromkeys([ABOUT, *(name for name, start in _described_files(about) if _begins(folder / name, start))])


def content_of(folder: Path, about: ReleaseFile) -> tuple[str, list[str]]:
    """Return the SHA-256 over the files of a release, and notes on changed files.

    Fails
        With `InvalidInputError` where a listed file lies outside the folder, or is no regular file.
    """
    listed = about.files if about.files is not None else owned_files(folder)
    names = [name for name in sorted({*listed, ABOUT}) if os.path.lexists(folder / name)]
    actual = {name: digest(file_inside(folder, name)) for name in names}
    altered = [name for name, written in listed.items() if written is not None and actual.get(name) != written]
    notes = [_altered(altered)] if altered else []
    together = "".join(f"{content} {name}\n" for name, content in actual.items())
    return hashlib.sha256(together.encode()).hexdigest(), notes


def _altered(names: Iterable[str]) -> str:
    listed = ", ".join(sorted(names))
    return message("not as it was written, by the hashes in {file}: {names}", file=ABOUT, names=listed)


def _described_files(about: ReleaseFile) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the files that release.json describes, and the words in the first line of each."""
    columns = [column.name for column in about.columns]
    counted = [f"counts-{file_name(name)}.csv" for name in columns]
    yield from (("rows.csv", columns[:1]), ("table.csv", columns[:1]), (README, [FIRST_WORDS]))
    yield from ((name, ["group", "value", "count"]) for name in counted)
    yield from ((column.hierarchy_file, []) for column in about.columns if column.hierarchy_file is not None)
    yield from ((name, ["group"]) for name in (about.people, about.regions) if name is not None)


def _begins(path: Path, words: Sequence[str]) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        first = file.readline(1 << 20)
    return all(word in first for word in words)


def file_name(column: str) -> str:
    """Return a column's name as part of a file name: percent-encoded except letters, digits, `-`, `_`."""
    keep = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return "".join(chr(byte) if byte in keep else f"%{byte:02X}" for byte in column.encode())
