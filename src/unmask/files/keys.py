"""Keys: whose rows are whose, as a column says it of people or of households."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unmask.arrays import Int32
from unmask.files.raw import RawColumn
from unmask.schema import UNKNOWN, Role


def numbered(column: RawColumn) -> Int32:
    """Number the people or households that a key names; a row without one stands alone."""
    codes = column.codes.copy()
    alone = np.flatnonzero(codes == UNKNOWN)
    codes[alone] = len(column.labels) + np.arange(alone.size, dtype=np.int32)
    return codes


def nameless(name: str, column: RawColumn, role: Role) -> Iterator[str]:
    """Say how many rows a key does not name: each may be somebody who has other rows, too."""
    n = int((column.codes == UNKNOWN).sum())
    if n:
        what = "household" if role is Role.HOUSEHOLD else "person"
        rows = f"{n:,} row{'s'[: n != 1]}"
        yield f"{rows} without a {name}: each is taken for a {what} of its own, whoever else it may belong to"
