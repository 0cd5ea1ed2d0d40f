"""Cells of our own CSV files as they are read again."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from unmask.csv_writing import START


def unharmed(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Take away the apostrophes that `separated.harmless` has put there."""
    return pc.replace_substring_regex(array, f"(?s)^'('*{START})", r"\1")
