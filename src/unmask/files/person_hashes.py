"""Keyed hashes of person keys: count the people common to two releases without storing who they are.

A plain hash of a person key is reversed by hashing every possible key. HMAC is not, without its secret key; so that key
must be long, and stored elsewhere.
"""

from __future__ import annotations

import hmac
import io
import re
import unicodedata
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Bool
from unmask.errors import InvalidInputError
from unmask.files.existence import require_file
from unmask.files.raw import RawColumn
from unmask.files.regular import require_regular
from unmask.files.writing import write_file
from unmask.number_format import numeral
from unmask.wording import message

SHORTEST = 32
"""Bytes of a key file; 64 hexadecimal digits have twice as many."""

CONTENT_NAME = re.compile(r"[0-9a-f]{32}")
"""The form of a name that tells the content of its file; files of earlier versions have other names."""

_LARGEST = 1 << 20
_PERSON, _KEY = b"unmask person\0", b"unmask key\0"

Hashes = NDArray[np.uint64]
"""The first 64 bits of each hash. n people and m others match falsely with probability at most n·m / 2^64."""


@dataclass(frozen=True, slots=True, eq=False)
class HashedPeople:
    """The people of a release as keyed hashes, and what they were hashed from."""

    hashes: Hashes  # (people,) sorted
    nameless: int  # rows without a person key
    column: str  # name of the person key
    key: str  # identifier of the hash key


@dataclass(frozen=True, slots=True)
class Overlap:
    """The number of people in two releases; None: unknown, and why."""

    n: int | None
    why: str = ""

    @property
    def possible(self) -> bool:
        """Whether someone may be in both releases."""
        return self.n != 0


def read_key(path: str | Path) -> bytes:
    """Read the secret key; white space at its ends does not count.

    Fails
        With `InvalidInputError` where the key is too short, or the file does not exist.
    """
    path = Path(path)
    require_file(path)
    try:
        with path.open("rb") as file:
            key = file.read(_LARGEST + 1).strip()
    except OSError as error:
        raise InvalidInputError.unreadable(message("key {path}", path=repr(path.name)), error) from error
    if not SHORTEST <= len(key) <= _LARGEST:
        size = message("{n} bytes", n=len(key)) if len(key) <= _LARGEST else message("more than a million")
        msg = message(
            "key {path} must hold at least {shortest} random bytes; got {size}. Make one: openssl rand -hex "
            "32 > {file}",
            path=repr(path.name),
            shortest=SHORTEST,
            size=size,
            file=path.name,
        )
        raise InvalidInputError(msg)
    return key


def mark_of_key(key: bytes) -> str:
    """Return an identifier of a key that reveals nothing else about it."""
    return hmac.digest(key, _KEY, "sha256")[:8].hex()


def hashed(column: RawColumn, key: bytes) -> Hashes:
    """Hash each distinct person key of a column, (distinct,): stripped text, or the number.

    `A-17` and ` A-17` are one person, and so are 17 and 17.0 in a column of numbers; `017` and `17` are not.
    """
    short = (hmac.digest(key, _PERSON + normal_form(text), "sha256")[:8] for text in column.values)
    return np.frombuffer(b"".join(short), "<u8").astype(np.uint64)


def normal_form(person: str) -> bytes:
    """Return a person key in the form that is hashed, so that two spellings of it are one person."""
    return unicodedata.normalize("NFC", person.strip()).encode()


def people_of(column: RawColumn, key: bytes, rows: Bool | None = None) -> tuple[Hashes, int]:
    """Return the sorted distinct hashes of a column's person keys, and the number of rows without a key.

    `rows`, (rows,), selects rows.
    """
    codes = column.codes if rows is None else column.codes[rows]
    return np.unique(hashed(column, key)[np.unique(codes[codes >= 0])]), int((codes < 0).sum())


def are_among(column: RawColumn, each: Hashes, others: Hashes) -> Bool:
    """Whether each row's person is among others, (rows,); True for rows without a person key.

    `each` (distinct,) are the hashed keys of the column.
    """
    return np.append(np.isin(each, others), True)[column.codes]


def overlap(ours: HashedPeople | None, theirs: HashedPeople | None) -> Overlap:
    """Return the number of people in two releases; zero is reported only if their person keys are comparable."""
    if ours is None or theirs is None:
        return Overlap(None, message("who is in them is not known"))
    if ours.key != theirs.key:
        return Overlap(None, message("their people are hashed under different keys"))
    n = int(np.intersect1d(ours.hashes, theirs.hashes, assume_unique=True).size)
    if not n and ours.column != theirs.column:
        return Overlap(
            None,
            message("their people are named differently: {ours}, {theirs}", ours=ours.column, theirs=theirs.column),
        )
    why = message("some rows have no person key") if ours.nameless or theirs.nameless else ""
    return Overlap(n or None if why else n, why)


def write_hashes(folder: Path, hashes: Hashes) -> Path:
    """Write hashes into a folder, readable by the owner only, named by their content; return the file."""
    array = io.BytesIO()
    np.save(array, hashes.astype("<u8"), allow_pickle=False)
    content = array.getvalue()
    path = folder / f"{content_name(content)}.npy"
    if not path.is_file() or path.read_bytes() != content:
        path.unlink(missing_ok=True)  # damaged: the content does not match the name
        write_file(path, content)
    return path


def content_name(content: bytes) -> str:
    """Return the name of content: the first 128 bits of its SHA-256, in hexadecimal digits."""
    return sha256(content).hexdigest()[:32]


def read_hashes(path: Path, n: int, release: str = "") -> Hashes:
    """Read hashes from a file of `write_hashes`; `release` is named in the error.

    Fails
        With `InvalidInputError` where the file is missing or was changed.
    """
    try:
        require_regular(path)
        content = path.read_bytes()
        altered = CONTENT_NAME.fullmatch(path.stem) is not None and content_name(content) != path.stem
        hashes = np.load(io.BytesIO(content), allow_pickle=False)
    except (OSError, ValueError, EOFError, SyntaxError):
        altered, hashes = True, np.zeros(0)
    if altered or hashes.dtype != np.uint64 or hashes.shape != (n,) or (hashes[1:] <= hashes[:-1]).any():
        msg = message(
            "{path} must hold the {n} people that the ledger wrote; it is gone or damaged. Add release "
            "{release} again, with --force",
            path=repr(path.name),
            n=numeral(n),
            release=repr(release),
        )
        raise InvalidInputError(msg)
    return np.asarray(hashes, np.uint64)
