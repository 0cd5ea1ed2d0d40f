"""Cells of CSV files that unmask wrote, read back."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from unmask.csv_writing import START


def unharmed(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Remove the apostrophes that `csv_writing.harmless` has added."""
    return pc.replace_substring_regex(array, f"(?s)^'('*{START})", r"\1")
