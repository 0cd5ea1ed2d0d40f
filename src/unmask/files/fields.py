"""The fields of CSV files that we write: quoted where they must be, and harmless to spreadsheets."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")


def harmless(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would execute; `unharmed` takes it away again."""
    return "'" + text if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unharmed(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Take away the apostrophes that `harmless` has put there."""
    return pc.replace_substring_regex(array, r"^'('*[=+\-@\t\r])", r"\1")


def field(text: str) -> str:
    """Quote a text where it must be; Python's own writer leaves a lone carriage return open."""
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"\r\n') or text != text.strip() else text
