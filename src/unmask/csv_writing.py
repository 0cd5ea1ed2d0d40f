"""The writer of all CSV files of unmask, with protection against formula injection.

A spreadsheet evaluates a cell that begins with `=`, `+`, `-`, `@`, their full-width forms, or a control character
before them, as a formula. Such text gets an apostrophe, which spreadsheets hide and `unharmed` removes.

All other characters stay as they are, controls included: keys of people and values must join with their source. The
command line shows controls of text, but a CSV file is data.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""The first characters of a formula."""

START = r"[=+\-@\t\r\n＝＋－＠]"
"""A pattern of the beginning of a formula."""

_FORMULA = re.compile(f"'*{START}")
_HARMED = re.compile(f"^'('*{START})")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")

csv.field_size_limit(2**31 - 1)  # else a long name or cell makes a file unreadable, or hides its delimiter

read_rows = csv.reader
"""Python's CSV reader; only this module imports `csv`."""

BrokenRowsError = csv.Error
"""The exception of the reader."""


def harmless(text: str) -> str:
    """Return text with an apostrophe if a spreadsheet would evaluate it; numbers are unchanged.

    >>> harmless("=1+1"), harmless("-5"), harmless("flu")
    ("'=1+1", '-5', 'flu')
    """
    return "'" + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unharmed(text: str) -> str:
    """Remove the apostrophe that `harmless` has added."""
    return _HARMED.sub(r"\1", text)


def field(text: str, delimiter: str = ",") -> str:
    """Return a text quoted if necessary; Python's own writer does not quote a lone carriage return."""
    quoted = set(text) & {delimiter, '"', "\r", "\n"} or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if quoted else text


def line(cells: Iterable[object], delimiter: str = ",") -> str:
    r"""Return cells as a line: text made harmless and quoted, numbers unchanged.

    >>> line(["=1+1", 2.5, "a,b"])
    '\'=1+1,2.5,"a,b"\n'
    """
    texts = (harmless(cell) if isinstance(cell, str) else "" if cell is None else str(cell) for cell in cells)
    return delimiter.join(field(text, delimiter) for text in texts) + "\n"


class Rows:
    """The text of a CSV file, row by row."""

    def __init__(self, header: Iterable[str]) -> None:
        self._lines = [line(header)]

    def add(self, row: Iterable[object]) -> None:
        """Add a row; None becomes an empty cell."""
        self._lines.append(line(row))

    def extend(self, rows: Iterable[Iterable[object]]) -> None:
        """Add rows."""
        self._lines += map(line, rows)

    @property
    def text(self) -> str:
        """The whole file."""
        return "".join(self._lines)
