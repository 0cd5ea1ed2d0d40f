"""Row numbers that R or pandas wrote into a table as a column: they describe the file, and nothing about people."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from unmask.files.raw import Kind, RawColumn

_INDEX = re.compile(r"__index_level_\d+__")
_NAMES = re.compile(
    r"unnamed: 0(?:\.\d+)?|x|index|level_0|row_?names?|row\.names|row_?(?:id|number|nr)|\.\.\.1|_n|v1|obs"
)
"""Names that R, pandas and their users give such a column, in lower case."""


def row_index(columns: Mapping[str, RawColumn]) -> tuple[str, ...]:
    """Return the columns that are an index: by a name that pandas gives, and the first one if it numbers the rows.

    Row numbers are 0, 1, 2 or 1, 2, 3, in the order of the rows.
    """
    found = [name for name in columns if _INDEX.fullmatch(name)]
    first, column = next(iter(columns.items()))
    if len(columns) > 1 and _NAMES.fullmatch(first.lower()) and _numbers_rows(column):
        found.append(first)
    return tuple(found)


def _numbers_rows(column: RawColumn) -> bool:
    if column.kind is not Kind.INTEGER or column.numbers is None or column.n != column.codes.size or column.has_missing:
        return False
    numbers = column.numbers[column.codes]
    return numbers[0] in {0.0, 1.0} and bool((np.diff(numbers) == 1).all())
