"""Conversion of text files to UTF-8, by Python's own codecs, before any other reader."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

import pyarrow as pa

from unmask.errors import InvalidInputError, quoted
from unmask.files.formats import HEAD, looks_like_utf16, require_text
from unmask.files.scratch import Scratch, require_room, scratch
from unmask.wording import message

_BLOCK = 1 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like the byte order mark of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}

_NO_ENCODINGS = {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
"""Python's codecs of text that are no encodings of files: escapes, host names, the encoding of the machine."""


@dataclass(frozen=True, slots=True)
class Utf8:
    """A file in UTF-8, and its original encoding."""

    path: Path
    encoding: str
    guessed: bool  # neither declared by the user nor by a byte order mark


@contextmanager
def as_utf8(source: Path | BinaryIO, name: str, encoding: str | None = None, *, guess: bool = True) -> Iterator[Utf8]:
    """Yield a file in UTF-8: the file itself where possible, else a scratch copy.

    A pipe or a stream is read once, and copied.

    Assumes
        Without a declared encoding: that of a byte order mark, else UTF-8 if all bytes are valid, else Windows-1252;
        without `guess`, only UTF-8.
    Fails
        With `InvalidInputError` where the bytes are not text in that encoding, or are of another format; with
        `ResourceError` where there is no space for a copy.
    """
    with scratch() as room:
        path = as_file(source, name, room)
        path = unpacked(path, name, room)
        with path.open("rb") as file:
            require_text(file.read(HEAD), name)
        chosen = _known(encoding, name) if encoding is not None else _declared_by_file(path, name)
        by_mark = chosen is not None
        if not guess:
            chosen = chosen or "utf-8"
        if chosen in {None, "utf-8", "utf-8-sig"}:
            is_valid, has_zero = _examined(path)
            if chosen is not None and not is_valid:
                raise InvalidInputError(
                    _undecodable(name, encoding or (message("utf-8, by its byte order mark") if by_mark else "utf-8"))
                )
            if is_valid and has_zero:
                raise InvalidInputError(_zero(name))
            chosen = chosen or ("utf-8" if is_valid else "cp1252")
        if chosen not in {"utf-8", "utf-8-sig"}:
            path = _transcoded(path, chosen, name, room)
        yield Utf8(room.plain(path), chosen, guessed=encoding is None and chosen == "cp1252")


def as_file(source: Path | BinaryIO, name: str, room: Scratch) -> Path:
    """Return a source as a file that can be read repeatedly; a pipe or a stream is copied."""
    if not isinstance(source, Path):
        return room.copy(source, name)
    if source.is_file():
        return source
    try:
        with source.open("rb") as stream:
            return room.copy(stream, name)
    except OSError as error:
        raise InvalidInputError.unreadable(repr(name), error) from error


def unpacked(path: Path, name: str, room: Scratch) -> Path:
    """Return a file without its compression by gzip or zstd, a scratch copy; the file itself where it has none."""
    with path.open("rb") as file:
        head = file.read(4)
    form = next((form for start, form in _PACKED.items() if head.startswith(start)), None)
    if form is None:
        return path
    copy = room.file()
    try:
        with _stream(path, form) as stream, copy.open("wb") as out:
            while block := stream.read(_BLOCK):
                out.write(block)
    except OSError as error:
        require_room(error, name)
        if error.errno is None:  # of the data, not of the system
            raise InvalidInputError(_cut_off(name, form)) from error
        raise
    except (EOFError, zlib.error) as error:
        raise InvalidInputError(_cut_off(name, form)) from error
    return copy


def _stream(path: Path, form: str) -> IO[bytes]:
    if form == "gzip":
        return cast("IO[bytes]", gzip.open(path))
    return cast("IO[bytes]", pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))


def _cut_off(name: str, form: str) -> str:
    return message("{name} must be a complete {form} file; it seems cut off or damaged", name=repr(name), form=form)


def _known(encoding: str, name: str) -> str:
    """Return the name of an encoding of text; Python's other codecs transform text, or refuse all bytes."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)  # refuses codecs that are not of text, such as zlib
        known = codecs.lookup(encoding).name
        if known not in _NO_ENCODINGS:
            return known
    except (LookupError, ValueError):
        pass
    msg = message(
        "encoding of {name} must be one of text that Python knows, like utf-8 or cp1252; got {encoding}",
        name=repr(name),
        encoding=quoted(encoding),
    )
    raise InvalidInputError(msg)


def _declared_by_file(path: Path, name: str) -> str | None:
    """Return the encoding that a byte order mark declares; None where there is none."""
    with path.open("rb") as file:
        head = file.read(_BLOCK)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    if b"\0" in head:  # later in a file, a character that no text contains
        wide = looks_like_utf16(head)
        way_out = (
            message("If it is UTF-16 give --encoding {wide}", wide=wide)
            if wide
            else message("Save it as CSV, Parquet or Arrow")
        )
        msg = message("{name} must be text; it holds zero bytes. {way_out}", name=repr(name), way_out=way_out)
        raise InvalidInputError(msg)
    return None


def _examined(path: Path) -> tuple[bool, bool]:
    """Return whether a file is UTF-8 throughout, and whether its UTF-8 part has zero bytes, in one pass."""
    decoder, has_zero = codecs.getincrementaldecoder("utf-8")(), False
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                decoder.decode(block)
                has_zero = has_zero or b"\0" in block
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False, has_zero
    return True, has_zero


def _transcoded(path: Path, encoding: str, name: str, room: Scratch) -> Path:
    target = room.file()
    try:
        with path.open(encoding=encoding, newline="") as file, target.open("w", encoding="utf-8", newline="") as out:
            while block := file.read(_BLOCK):
                if "\0" in block:
                    raise InvalidInputError(_zero(name))
                out.write(block)
    except UnicodeError as error:
        raise InvalidInputError(_undecodable(name, encoding)) from error
    except OSError as error:
        require_room(error, name)
        raise
    return target


def _zero(name: str) -> str:
    return message(
        "{name} must be text; it holds a zero character. Remove it, or give the right --encoding", name=repr(name)
    )


def _undecodable(name: str, encoding: str) -> str:
    return message(
        "{name} must be text in {encoding}; some bytes are not. Give the right --encoding, like latin-1",
        name=repr(name),
        encoding=encoding,
    )
