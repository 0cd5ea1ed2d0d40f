"""A table whose rows repeat is the table of its rows, in everything that can be asked of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stories import repeating
from tests.strategies import tables
from unmask.errors import InvalidInputError
from unmask.repeated_columns import RepeatedColumns
from unmask.schema import Missing, Role
from unmask.table import Table

WARD = Table.of({"age": [30, 40, 30, 30], "ill": ["flu", "flu", "flu", "cold"]}, quasi=["age"], sensitive=["ill"])


def same(one: Table, other: Table) -> bool:
    """Whether two tables have the same rows in the same schema."""
    columns = ((one[name], other[name]) for name in one.schema.names)
    return one.schema == other.schema and all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in columns)


@given(tables(missing=True), st.data())
def test_a_table_of_kinds_is_the_table_of_its_rows(table, data):
    """Selected, reordered, aligned or made distinct, by row or by kind."""
    repeated = repeating(table)
    rows = np.array(data.draw(st.lists(st.integers(0, table.n_rows - 1), max_size=20)), np.int64)
    assert same(repeated, table)
    assert same(repeated.take(rows), table.take(rows))
    assert same(repeated.visible(None), table.visible(None))
    assert same(repeated.aligned(table.schema.only(["age"])), table.aligned(table.schema.only(["age"])))
    for name in table.schema.names:
        assert np.array_equal(repeated.missing(name), table.missing(name))
        for ours, theirs in zip(repeated.ranks(name), table.ranks(name), strict=True):
            assert np.array_equal(ours, theirs)
    for one, other in ((repeated, table), (repeated.take(rows), table.take(rows))):
        assert np.array_equal(one.profiles()[0], other.profiles()[0])
        assert same(one.profiles()[1], other.profiles()[1])


def test_rows_with_a_missing_value_are_left_out_by_kind():
    """The policy of a column holds for its kinds of rows."""
    table = Table.of({"age": [30, None, None]}, quasi=["age"], missing=Missing.EXCLUDED)
    assert repeating(table).excluded().tolist() == [False, True, True]


def test_every_row_has_a_kind():
    """Fewer or more kinds of rows than rows are refused."""
    columns = RepeatedColumns({"age": np.array([30.0])}, 1, np.zeros(2, np.int32))
    with pytest.raises(InvalidInputError, match="the kinds of 3 rows must be given"):
        Table(WARD.schema.only(["age"]), columns, 3)


def test_roles_of_kinds_are_those_of_the_table():
    """A kind has the columns of the table, and nothing of people."""
    kinds, kind = repeating(WARD).kinds or pytest.fail("rows repeat")
    assert kinds.n_rows == 3
    assert kinds.schema.having(Role.SENSITIVE) == WARD.schema.sensitive
    assert np.array_equal(kinds.take(kind)["age"], WARD["age"])
