"""An index of R or pandas: recognized, noted, and not published unless it has a role."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unmask.files.reading import read
from unmask.files.roles import Roles
from unmask.files.tables import to_table


@pytest.mark.parametrize(
    ("name", "values", "is_index"),
    [
        ("Unnamed: 0", [0, 1, 2], True),
        ("X", [1, 2, 3], True),
        ("rownames", [1, 2, 3], True),
        ("index", [2, 3, 4], False),
        ("index", [1, 3, 2], False),
        ("x", [1.0, 2.0, None], False),
        ("age", [1, 2, 3], False),
    ],
)
def test_the_first_column_that_numbers_the_rows(name, values, is_index):
    """By its name and its cells."""
    raw = read({name: values, "sex": ["f", "m", "f"], "ill": ["flu", "cold", "flu"]})
    assert raw.index == ((name,) if is_index else ())
    assert any("row numbers" in note for note in raw.notes) is is_index
    roles = Roles().with_options(quasi=["sex"], sensitive=["ill"], rest="insensitive")
    assert (name in to_table(raw, roles).schema.names) is not is_index
    named = Roles().with_options(quasi=["sex"], sensitive=["ill"], insensitive=[name])
    assert name in to_table(raw, named).schema.names


def test_an_index_in_parquet(tmp_path):
    """By the name that pandas gives it, whatever it holds."""
    pq.write_table(pa.table({"sex": ["f", "m"], "__index_level_0__": [701, 704]}), tmp_path / "people.parquet")
    assert read(tmp_path / "people.parquet").index == ("__index_level_0__",)
