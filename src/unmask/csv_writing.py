"""Separated values as text: every CSV file that unmask writes is written here, so that none of them can be executed.

A spreadsheet takes a cell that begins with one of `=`, `+`, `-`, `@`, their full-width forms, or a control character
before them, for a formula. Such text gets an apostrophe, which spreadsheets hide and `unharmed` takes away.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

START = r"[=+\-@\t\r\n＝＋－＠]"
"""What a formula may begin with, as a pattern."""

_FORMULA = re.compile(f"'*{START}")
_HARMED = re.compile(f"^'('*{START})")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")

read_rows = csv.reader
"""Python's reader: this module is the only one that imports `csv`."""

BrokenRowsError = csv.Error
"""What the reader raises."""


def harmless(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would execute; a number is none.

    >>> harmless("=1+1"), harmless("-5"), harmless("flu")
    ("'=1+1", '-5', 'flu')
    """
    return "'" + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unharmed(text: str) -> str:
    """Take away the apostrophe that `harmless` has put there."""
    return _HARMED.sub(r"\1", text)


def field(text: str, delimiter: str = ",") -> str:
    """Quote a text where it must be; Python's own writer leaves a lone carriage return open."""
    quoted = set(text) & {delimiter, '"', "\r", "\n"} or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if quoted else text


def line(cells: Iterable[object], delimiter: str = ",") -> str:
    r"""Return cells as a line: text harmless and quoted, numbers as they stand.

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
        """Add a row; nothing stands where a cell is None."""
        self._lines.append(line(row))

    def extend(self, rows: Iterable[Iterable[object]]) -> None:
        """Add rows."""
        self._lines += map(line, rows)

    @property
    def text(self) -> str:
        """The whole file."""
        return "".join(self._lines)
