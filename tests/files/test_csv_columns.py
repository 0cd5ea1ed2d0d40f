"""CSV files by column: the same bytes as line by line, whatever the texts and however many rows are in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask.csv_writing import field, harmless
from unmask.files import csv_columns
from unmask.files.csv_columns import Fields, write_columns

TEXTS = st.text(st.sampled_from('ab ,"\n\ré🙂'), max_size=4)


@settings(max_examples=50)
@given(
    columns=st.lists(st.lists(TEXTS, min_size=1, max_size=4), min_size=1, max_size=3),
    rows=st.integers(0, 9),
    seed=st.integers(0, 99),
)
def test_columns_are_written_as_lines(columns, rows, seed, tmp_path_factory):
    """A code of -1 is the last text: a missing value is the mark."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(-1, len(texts), rows) for texts in columns]
    names = [f"column {i}" for i in range(len(columns))]
    path: Path = tmp_path_factory.mktemp("written") / "rows.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_columns, "ROWS", 4)
        write_columns(path, names, [Fields.of(texts, code) for texts, code in zip(columns, codes, strict=True)])
    lines = [
        names,
        *([field(harmless(texts[c[row]])) for texts, c in zip(columns, codes, strict=True)] for row in range(rows)),
    ]
    assert path.read_bytes() == "".join(",".join(line) + "\n" for line in lines).encode()


def test_numbers_and_listed_texts_are_fields(tmp_path: Path):
    """Groups are numbered from 0, counts are listed."""
    path = tmp_path / "counts.csv"
    write_columns(path, ["group", "count"], [Fields.numbered(np.array([0, 2, 2])), Fields.listed(["1", "3.5", "2"])])
    assert path.read_text() == "group,count\n0,1\n2,3.5\n2,2\n"
