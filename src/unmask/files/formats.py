"""Detection of file formats other than text, by first bytes, so that errors can name them."""

from __future__ import annotations

import re
from typing import NamedTuple

from unmask.errors import InvalidInputError

HEAD = 512
"""Number of bytes at the beginning of a file that identify its format."""

_SAVE = "Save it as CSV, Parquet or Arrow"
_UNPACK = "Unpack it"


class Format(NamedTuple):
    """A format that is not read as text."""

    name: str
    way_out: str = _SAVE


_PARQUET = Format("Parquet", "Give it as a file of its own, not compressed")
_ARROW = Format("Arrow", _PARQUET.way_out)
_STARTS = (
    (b"PAR1", _PARQUET),
    (b"ARROW1", _ARROW),
    (b"<stata_dta>", Format("a Stata file (.dta)")),
    (b"$FL2", Format("an SPSS file (.sav)")),
    (b"$FL3", Format("an SPSS file (.zsav)")),
    (b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\0\x09\xc7\x31\x8c", Format("a SAS file (.sas7bdat)")),
    (b"HEADER RECORD*******LIB", Format("a SAS transport file (.xpt)")),
    (b"\xd0\xcf\x11\xe0", Format("an old Office file, like .xls")),
    (b"%PDF", Format("a PDF")),
    (b"SQLite format 3\0", Format("an SQLite database", "Name a table in it: sqlite:///FILE#TABLE")),
    (b"RDX2\n", Format("an R workspace (.RData)")),
    (b"RDX3\n", Format("an R workspace (.RData)")),
    (b"X\n\0\0\0", Format("an R object (.rds)")),
    (b"\x89HDF", Format("an HDF5 file")),
    (b"Obj\x01", Format("an Avro file")),
    (b"\x28\xb5\x2f\xfd", Format("compressed by zstd", _UNPACK)),
    (b"\xfd7zXZ\0", Format("compressed by xz", _UNPACK)),
    (b"7z\xbc\xaf", Format("a 7z archive", _UNPACK)),
    (b"{\\rtf", Format("an RTF document")),
)
_IN_ZIP = (
    (b"xl/", Format("an Excel workbook (.xlsx)")),
    (b"opendocument.spreadsheet", Format("an OpenDocument spreadsheet (.ods)")),
    (b"[Content_Types].xml", Format("an Office file, like .xlsx")),
)
_ZIP = Format("a spreadsheet or another zip archive")
_LIKE_TEXT = (
    (re.compile(rb"BZh[1-9]1AY&SY"), Format("compressed by bzip2", _UNPACK)),
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
        return Format("a Stata file (.dta)")
    if head[8:12] == b"DUCK":
        return Format("a DuckDB database", "Name a table in it: duckdb:///FILE#TABLE")
    if b"SPSSPORT" in head.replace(b"\r", b"").replace(b"\n", b""):
        return Format("an SPSS file (.por)")
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return next((form for pattern, form in _LIKE_TEXT if pattern.match(text)), None)


def require_text(head: bytes, name: str) -> None:
    """Fail where the first bytes of a file belong to a format other than text, and name it."""
    form = format_of(head)
    if form is not None:
        msg = f"{name!r} must be CSV, Parquet or Arrow; it is {form.name}. {form.way_out}"
        raise InvalidInputError(msg)


def looks_like_utf16(head: bytes) -> str | None:
    """Return the likely UTF-16 variant of text without a byte order mark; None: no text of Latin letters."""
    zeros = [sum(byte == 0 for byte in head[first::2]) for first in (0, 1)]
    half = len(head) // 2
    if max(zeros) < 0.5 * half or min(zeros) > 0.05 * half:
        return None
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
