"""A writer of CSV files by column: the distinct fields of a column, and which of them each row has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unmask.arrays import Bool, Int32, Int64
from unmask.csv_writing import field, harmless

ROWS = 1 << 18
"""The number of rows whose text is in memory at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Fields:
    """The fields of one column, as they stand in the file."""

    texts: pa.StringArray  # (distinct,)
    codes: Int32 | Int64  # (rows,) index into the texts; -1 is the last
    plain: pa.StringArray | None = None  # (distinct,) without quotes and apostrophes; None: the same

    @classmethod
    def of(cls, texts: Sequence[str], codes: Int32 | Int64) -> Fields:
        """Return the fields of texts that are made harmless, and quoted where necessary."""
        fields = pa.array([field(harmless(text)) for text in texts], pa.string())
        return cls(fields, codes, pa.array(texts, pa.string()))

    @classmethod
    def numbered(cls, codes: Int32 | Int64) -> Fields:
        """Return the fields of numbers from 0."""
        numbers = np.arange(int(codes.max(initial=-1)) + 1)
        return cls(pc.cast(pa.array(numbers), pa.string()), codes)

    @classmethod
    def listed(cls, texts: Sequence[str], codes: Int32 | Int64 | None = None) -> Fields:
        """Return the fields of texts that need no quotes: each is of one row, or of the rows with its code."""
        return cls(pa.array(texts, pa.string()), np.arange(len(texts)) if codes is None else codes)

    def part(self, rows: Int64) -> pa.StringArray:
        """Return the fields of some rows."""
        return self.texts.take(self._places(self.codes[rows]))

    def values(self) -> pa.StringArray:
        """Return the text of each row, (rows,)."""
        return (self.texts if self.plain is None else self.plain).take(self._places(self.codes))

    def _places(self, codes: Int32 | Int64) -> pa.Array:
        return pa.array(np.where(codes < 0, codes + len(self.texts), codes))


def write_columns(path: Path, names: Sequence[str], columns: Sequence[Fields]) -> None:
    """Write a CSV file with a header."""
    n_rows = columns[0].codes.size if columns else 0
    with path.open("wb") as file:
        file.write((",".join(field(harmless(name)) for name in names) + "\n").encode())
        for first in range(0, n_rows, ROWS):
            rows = np.arange(first, min(first + ROWS, n_rows))
            run = np.flatnonzero(_begins(columns, rows))  # equal rows are often neighbors: their text is made once
            parts = [column.part(rows[run]) for column in columns]
            lines = pc.binary_join_element_wise(pc.binary_join_element_wise(*parts, ","), "", "\n")
            if run.size < rows.size:
                lines = lines.take(pa.array(np.repeat(np.arange(run.size), np.diff(run, append=rows.size))))
            file.write(memoryview(lines.buffers()[2])[: _length(lines)])


def _begins(columns: Sequence[Fields], rows: Int64) -> Bool:
    """Whether each of some neighboring rows differs from the row before it, (rows,)."""
    begins = np.ones(rows.size, bool)
    begins[1:] = False
    for column in columns:
        codes = column.codes[rows[0] : rows[-1] + 1]
        begins[1:] |= codes[1:] != codes[:-1]
    return begins


def _length(lines: pa.StringArray) -> int:
    """Return the number of bytes of texts that begin with their buffer."""
    return int(np.frombuffer(lines.buffers()[1], np.int32)[len(lines)])
