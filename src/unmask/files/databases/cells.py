"""Database cells as text, as in a CSV file; types are decided later, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import InvalidInputError
from unmask.wording import message


class Sort(StrEnum):
    """The database type of a column, as far as its text must be converted."""

    TEXT = "text"
    NUMBER = "number"  # NaN and infinities are missing
    MOMENT = "moment"  # a day, if the whole column is midnight; infinities are missing


def table_of(names: Sequence[str], columns: Sequence[pa.ChunkedArray], sorts: Sequence[Sort]) -> pa.Table:
    """Return columns of text as a table, each as in a CSV or Parquet file.

    `NaN` is missing, as in a Parquet file, and so are infinite numbers and times. Timestamps become days if the whole
    column is midnight. Timestamps with a time zone must be in UTC.
    """
    changed = [_as_read(column, sort) for column, sort in zip(columns, sorts, strict=True)]
    return pa.table(changed, names=list(names))


def unreadable(column: str, what: str) -> InvalidInputError:
    """Return the error of a column whose cells are not text, numbers or dates."""
    msg = message(
        "column {column} must hold numbers, text or dates; got {what}. Name the columns to be read in a "
        "query, without it or with a cast to text",
        column=repr(column),
        what=what,
    )
    return InvalidInputError(msg)


def _as_read(column: pa.ChunkedArray, sort: Sort) -> pa.ChunkedArray:
    if sort is Sort.TEXT:
        return column
    encoded = column.combine_chunks().dictionary_encode()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    texts = encoded.dictionary  # each distinct value is converted once
    none = pc.match_substring_regex(texts, r"(?i)^[+-]?(?:nan|inf|infinity)$")
    texts = pc.if_else(none, pa.scalar(None, pa.string()), texts)
    if sort is Sort.MOMENT:
        utc = pc.replace_substring_regex(texts, r"\+00(?::00)?$", "")
        days = pc.replace_substring_regex(utc, r" 00:00:00$", "")
        texts = days if not pc.any(pc.equal(days, utc)).as_py() else utc
    return pa.chunked_array([texts.take(encoded.indices)], pa.string())
