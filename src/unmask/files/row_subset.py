"""Some rows of a raw table, without values that only other rows have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from unmask.arrays import Bool
from unmask.files.raw import Raw, RawColumn
from unmask.schema import UNKNOWN


def rows_of(raw: Raw, rows: Bool) -> Raw:
    """Return the selected rows, (rows,); nothing of the others is left, not even a value that no row has any more."""
    columns = {name: _trimmed(column.take(rows)) for name, column in raw.columns.items()}
    return replace(raw, columns=columns, n_rows=int(rows.sum()))


def _trimmed(column: RawColumn) -> RawColumn:
    used = np.unique(column.codes[column.codes >= 0])
    place = np.full(column.n + 1, UNKNOWN, np.int64)  # the last one is of missing values
    place[used] = np.arange(used.size)
    return replace(
        column,
        codes=place[column.codes].astype(np.int32),
        texts=None if column.texts is None else column.texts.take(pa.array(used)),
        numbers=None if column.numbers is None else column.numbers[used],
    )
