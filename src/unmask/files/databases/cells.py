"""What a database shows, as a CSV would hold it: every cell as text, and what it means is decided by column later."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import InvalidInputError


class Sort(StrEnum):
    """What a database says that a column holds, as far as its text is to be changed."""

    TEXT = "text"
    NUMBER = "number"  # may be no number, which is a missing one
    MOMENT = "moment"  # a day, where it is midnight throughout; may be at no time, which is a missing one


def table_of(names: Sequence[str], columns: Sequence[pa.ChunkedArray], sorts: Sequence[Sort]) -> pa.Table:
    """Return columns of text as a table, each as CSV and Parquet have it.

    `NaN` is missing, as it is in a Parquet file, and so are infinities, of numbers and of time. Moments of a column
    that is midnight throughout are days, too. Moments with a time zone must come in UTC.
    """
    changed = [_as_read(column, sort) for column, sort in zip(columns, sorts, strict=True)]
    return pa.table(changed, names=list(names))


def unreadable(column: str, what: str) -> InvalidInputError:
    """Say of a column that its cells are no text, numbers or dates."""
    msg = (
        f"column {column!r} must hold numbers, text or dates; got {what}. Name the columns to be read in a query, "
        f"without it or with a cast to text"
    )
    return InvalidInputError(msg)


def _as_read(column: pa.ChunkedArray, sort: Sort) -> pa.ChunkedArray:
    if sort is Sort.TEXT:
        return column
    encoded = column.combine_chunks().dictionary_encode()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    texts = encoded.dictionary  # each distinct value is changed once
    none = pc.match_substring_regex(texts, r"(?i)^[+-]?(?:nan|inf|infinity)$")
    texts = pc.if_else(none, pa.scalar(None, pa.string()), texts)
    if sort is Sort.MOMENT:
        utc = pc.replace_substring_regex(texts, r"\+00(?::00)?$", "")
        days = pc.replace_substring_regex(utc, r" 00:00:00$", "")
        texts = days if not pc.any(pc.equal(days, utc)).as_py() else utc
    return pa.chunked_array([texts.take(encoded.indices)], pa.string())
