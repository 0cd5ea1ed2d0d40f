"""Detection of file formats other than text, by first bytes: which are read, and how errors name the others."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from unmask.errors import InvalidInputError
from unmask.wording import message

HEAD = 512
"""Number of bytes at the beginning of a file that identify its format."""

_SAVE = message("Save it as CSV, Parquet or Arrow")
_UNPACK = message("Unpack it")


class FileKind(StrEnum):
    """How a file that is not text is read."""

    PARQUET = "Parquet"
    ARROW = "Arrow"
    WORKBOOK = "workbook"
    SAV = "sav"
    POR = "por"
    DTA = "dta"
    SAS7BDAT = "sas7bdat"
    XPT = "xpt"


class Format(NamedTuple):
    """A format that is not read as text."""

    name: str
    kind: FileKind | None = None
    way_out: str = _SAVE


PARQUET = Format("Parquet", FileKind.PARQUET)
ARROW = Format("Arrow", FileKind.ARROW)
_STATA = Format(message("a Stata file (.dta)"), FileKind.DTA)
_STARTS = (
    (b"PAR1", PARQUET),
    (b"ARROW1", ARROW),
    (b"\xff\xff\xff\xff", Format(message("an Arrow stream"), FileKind.ARROW)),
    (b"FEA1", Format(message("an old Feather file"), way_out=message("Write it again with a newer pyarrow or arrow"))),
    (b"<stata_dta>", _STATA),
    (b"$FL2", Format(message("an SPSS file (.sav)"), FileKind.SAV)),
    (b"$FL3", Format(message("an SPSS file (.zsav)"), FileKind.SAV)),
    (
        b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0\x09\xc7\x31\x8c",
        Format(message("a SAS file (.sas7bdat)"), FileKind.SAS7BDAT),
    ),
    (b"HEADER RECORD*******LIB", Format(message("a SAS transport file (.xpt)"), FileKind.XPT)),
    (b"\xd0\xcf\x11\xe0", Format(message("an old Office file, like .xls"), FileKind.WORKBOOK)),
    (b"%PDF", Format(message("a PDF"))),
    (
        b"SQLite format 3\0",
        Format(message("an SQLite database"), way_out=message("Name a table in it: sqlite:///FILE#TABLE")),
    ),
    (b"RDX2\n", Format(message("an R workspace (.RData)"))),
    (b"RDX3\n", Format(message("an R workspace (.RData)"))),
    (b"X\n\0\0\0", Format(message("an R object (.rds)"))),
    (b"\x89HDF", Format(message("an HDF5 file"))),
    (b"Obj\x01", Format(message("an Avro file"))),
    (b"\xfd7zXZ\0", Format(message("compressed by xz"), way_out=_UNPACK)),
    (b"7z\xbc\xaf", Format(message("a 7z archive"), way_out=_UNPACK)),
    (b"{\\rtf", Format(message("an RTF document"))),
)
_IN_ZIP = (
    (b"xl/", Format(message("an Excel workbook (.xlsx)"), FileKind.WORKBOOK)),
    (b"opendocument.spreadsheet", Format(message("an OpenDocument spreadsheet (.ods)"), FileKind.WORKBOOK)),
    (b"[Content_Types].xml", Format(message("an Office file, like .xlsx"), FileKind.WORKBOOK)),
)
_ZIP = Format(message("a spreadsheet or another zip archive"), FileKind.WORKBOOK)
_LIKE_TEXT = (
    (re.compile(rb"BZh[1-9]1AY&SY"), Format(message("compressed by bzip2"), way_out=_UNPACK)),
    (re.compile(rb"<!doctype html|<html", re.IGNORECASE), Format("HTML")),
    (re.compile(rb"<\?xml"), Format("XML")),
    (re.compile(rb"(?:\[\s*)?\{\s*\""), Format("JSON")),
)
_STATA_RELEASES = range(0x68, 0x74)  # of the files before release 13: 104 to 115


def format_of(head: bytes) -> Format | None:
    """Return the format of a file by its first bytes; None: it may be text."""
    for start, form in _STARTS:
        if head.startswith(start):
            return form
    if head.startswith(b"PK\x03\x04"):
        return next((form for part, form in _IN_ZIP if part in head), _ZIP)
    if len(head) > 3 and head[0] in _STATA_RELEASES and head[1] in {1, 2} and head[2:4] == b"\x01\0":
        return _STATA
    if head[8:12] == b"DUCK":
        return Format(message("a DuckDB database"), way_out=message("Name a table in it: duckdb:///FILE#TABLE"))
    if b"SPSSPORT" in head.replace(b"\r", b"").replace(b"\n", b""):
        return Format(message("an SPSS file (.por)"), FileKind.POR)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((form for pattern, form in _LIKE_TEXT if pattern.match(text)), None)


def require_text(head: bytes, name: str) -> None:
    """Fail where the first bytes of a file belong to a format other than text, and name it."""
    form = format_of(head)
    if form is not None:
        needed = message("a table in a format that unmask reads") if form.kind is None else message("text")
        msg = message(
            "{name} must be {needed}; it is {form}. {way_out}",
            name=repr(name),
            needed=needed,
            form=form.name,
            way_out=form.way_out,
        )
        raise InvalidInputError(msg)


def looks_like_utf16(head: bytes) -> str | None:
    """Return the likely UTF-16 variant of text without a byte order mark; None: no text of Latin letters."""
    zeros = [sum(byte == 0 for byte in head[first::2]) for first in (0, 1)]
    half = len(head) // 2
    if max(zeros) < 0.5 * half or min(zeros) > 0.05 * half:
        return None
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
