"""Person and household keys: columns that identify the person or household of each row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unmask.arrays import Int32
from unmask.files.raw import RawColumn
from unmask.number_format import numeral
from unmask.schema import UNKNOWN, Role
from unmask.wording import counted, message


def numbered(column: RawColumn) -> Int32:
    """Number the people or households of a key, by row; a row without a key is one of its own."""
    codes = column.codes.astype(np.int32)
    alone = np.flatnonzero(codes == UNKNOWN)
    codes[alone] = column.n + np.arange(alone.size, dtype=np.int32)
    return codes


def nameless(name: str, column: RawColumn, role: Role) -> Iterator[str]:
    """Return a note on the number of rows without a key: each counts as a separate person."""
    n = int((column.codes == UNKNOWN).sum())
    if n:
        what = message("household" if role is Role.HOUSEHOLD else "person")
        rows = counted("{n} row", "{n} rows", n, n=numeral(n))
        yield message("{rows} without a {name}: each counts as a separate {what}", rows=rows, name=name, what=what)
