"""A table of a database is the table that a CSV file of the same cells is."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.files.databases.conftest import Rows
from unmask.files.raw import Kind, Raw
from unmask.files.reading import read
from unmask.files.roles import ColumnRole, Roles
from unmask.files.tables import to_table
from unmask.schema import Role
from unmask.table import Table

NAMES = ("id", "zip", "age", "income", "share", "born", "note", "ill")
ROWS = (
    ("p1", "01234", 34, Decimal("1200.50"), 0.1, dt.date(1986, 2, 28), "he said “no”,\nand left", "flu"),
    ("p2", "01234", None, None, 2.5, dt.date(1990, 12, 31), "", "HIV"),
    ("p3", "00501", 71, Decimal("-3.00"), None, None, None, "?"),
    ("p4", None, 0, Decimal("0.07"), -1.25, dt.date(1999, 1, 1), "NA", "flu"),
    ("p5", "99999", 34, Decimal("1200.50"), 0.1, dt.date(1986, 2, 28), ' "quoted" ', "gout"),
)
PLAIN = "id text, zip text, age int, income numeric(9, 2), share double precision, born date, note text, ill text"
CODES = Roles(
    columns={name: ColumnRole(role=Role.QUASI_IDENTIFIER) for name in ("zip", "age", "income", "share", "born")}
    | {"id": ColumnRole(role=Role.PERSON_KEY), "ill": ColumnRole(role=Role.SENSITIVE)}
    | {"note": ColumnRole(role=Role.INSENSITIVE)}
)


def assert_same(found: Raw, expected: Raw) -> None:
    """Check that two raw tables become one table, with the same cells missing, said in the same words."""
    assert found.notes == expected.notes
    assert {name: column.kind for name, column in found.columns.items()} == {
        name: column.kind for name, column in expected.columns.items()
    }
    one, other = tables(found), tables(expected)
    assert one.schema == other.schema
    for name, column in one.columns.items():
        np.testing.assert_array_equal(column, other.columns[name])
    np.testing.assert_array_equal(one.person_of, other.person_of)


def tables(raw: Raw) -> Table:
    """Return the table that a raw one becomes."""
    return to_table(raw, CODES)


@pytest.fixture
def expected(written_csv) -> Raw:
    """The rows as a CSV file."""
    return read(written_csv(NAMES, ROWS))


def test_a_csv_file_says_what_the_columns_are(expected):
    """What the others are held against: codes keep their zeros, dates are dates, marks and empty cells are missing."""
    kinds = [Kind.TEXT, Kind.TEXT, Kind.INTEGER, Kind.NUMBER, Kind.NUMBER, Kind.DATE, Kind.TEXT, Kind.TEXT]
    assert kinds == [expected[name].kind for name in NAMES]
    assert expected["zip"].labels == ("00501", "01234", "99999")
    assert expected.notes == ("cells that count as missing: 7 empty, 1 ?, 1 NA; --missing changes that",)


def test_sqlite_is_as_csv(written_sqlite, expected):
    """SQLite has neither decimals nor dates: they are what was written."""
    rows = [[str(cell) if isinstance(cell, (Decimal, dt.date)) else cell for cell in row] for row in ROWS]
    assert_same(read(f"{written_sqlite('id, zip, age, income, share, born, note, ill', rows)}#people"), expected)
    assert_same(read(f"{written_sqlite(PLAIN, rows)}#people"), expected)


def test_duckdb_is_as_csv(written_duckdb, expected):
    """Its own types, each as text."""
    assert_same(read(f"{written_duckdb(PLAIN, ROWS)}#people"), expected)


def test_postgresql_is_as_csv(postgres, expected):
    """Its own types, through COPY."""
    postgres.empty()
    postgres.run(f"create table people ({PLAIN})")
    postgres.copy("copy people from stdin", ROWS)
    assert_same(read(postgres.dsn("people")), expected)


CELL = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).map(str.strip),
    st.sampled_from(["01", "1.50", "NA", "?", "", "1e5", "a\nb", '"', "1,5", "2020-02-30", "2020-02-29", "1.2.2020"]),
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6).map(lambda rows: [("p", *row) for row in rows]))
def test_whatever_the_cells_are_files_of_databases_are_as_csv(written_csv, written_sqlite, written_duckdb, rows):
    """Codes, numbers of any length, dates that are none, marks, line breaks and quotes, mixed within a column."""
    expected = read(written_csv(("id", "a", "b"), rows), delimiter=",", encoding="utf-8", decimal=".")
    texts = [[None if cell is None else str(cell) for cell in row] for row in rows]
    for found in (
        read(f"{written_sqlite('id, a, b', rows)}#people", decimal="."),
        read(f"{written_duckdb('id text, a text, b text', texts)}#people", decimal="."),
    ):
        assert found.notes == expected.notes
        for name, column in expected.columns.items():
            assert found[name].kind is column.kind
            assert found[name].labels == column.labels
            np.testing.assert_array_equal(found[name].codes, column.codes)


TEXT = st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@pytest.mark.parametrize("engine", ["sqlite", "duckdb", "postgresql"])
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXT, TEXT | st.sampled_from(["\\.", "\\N", '"', ",", "\r\n"])), min_size=1, max_size=5))
def test_every_text_arrives_as_it_is(request, written_sqlite, written_duckdb, engine, rows):
    """Quotes, line breaks, tabs, backslashes, control characters: what a data frame of them would be."""
    if engine == "postgresql":
        postgres = request.getfixturevalue("postgres")
        postgres.empty()
        postgres.run("create table people (a text, b text)")
        postgres.copy("copy people from stdin", rows)
        found = read(postgres.dsn("people"), decimal=".")
    else:
        write = written_sqlite if engine == "sqlite" else written_duckdb
        found = read(f"{write('a text, b text', rows)}#people", decimal=".")
    a, b = zip(*rows, strict=True)
    expected = read({"a": a, "b": b}, decimal=".")
    for name, column in expected.columns.items():
        assert found[name].labels == column.labels
        np.testing.assert_array_equal(found[name].codes, column.codes)


@pytest.fixture(params=["duckdb", "postgresql"])
def typed(request, written_duckdb):
    """Return a function that puts rows into a database whose columns have types, and reads them."""
    postgres = request.getfixturevalue("postgres") if request.param == "postgresql" else None

    def reading(columns: str, rows: Rows) -> Raw:
        if postgres is None:
            return read(f"{written_duckdb(columns, rows)}#people")
        postgres.empty()
        postgres.run(f"create table typed ({columns})")
        postgres.copy("copy typed from stdin", rows)
        return read(postgres.dsn("typed"))

    return reading


def test_moments_at_midnight_are_days_and_numbers_that_are_none_are_missing(typed):
    """As in a Parquet file, which has such columns, too."""
    day, noon = dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 12)  # noqa: DTZ001 - of no zone
    raw = typed(
        "day timestamp, moment timestamp, x double precision, known boolean",
        [(day, noon, float("nan"), True), (None, day, 1.5, False), (day, None, float("-inf"), None)],
    )
    assert (raw["day"].kind, raw["day"].labels) == (Kind.DATE, ("2020-01-01",))
    assert raw["moment"].labels == ("2020-01-01T00:00:00", "2020-01-01T12:00:00")
    assert raw["x"].codes.tolist() == [-1, 0, -1]
    assert raw["known"].labels == ("false", "true")


def test_what_is_at_no_time_is_missing(typed):
    """Days and moments may be infinite in databases, which some write where they know no end."""
    raw = typed(
        "until date, moment timestamp, zoned timestamptz",
        [("2020-01-01", "-infinity", "infinity"), ("infinity", "2020-01-01 12:00:00", "2020-01-01 00:00:00+00")],
    )
    assert (raw["until"].kind, raw["until"].labels, raw["until"].codes.tolist()) == (
        Kind.DATE,
        ("2020-01-01",),
        [0, -1],
    )
    assert (raw["moment"].labels, raw["moment"].codes.tolist()) == (("2020-01-01T12:00:00",), [-1, 0])
    assert (raw["zoned"].kind, raw["zoned"].codes.tolist()) == (Kind.DATE, [-1, 0])


def test_moments_of_a_time_zone_are_read_in_utc(typed):
    """Whatever the zone of the server, the session or this machine."""
    zone = dt.timezone(dt.timedelta(hours=2))
    assert typed("seen timestamptz", [(dt.datetime(2020, 1, 1, 2, tzinfo=zone),)])["seen"].labels == ("2020-01-01",)


def test_identifiers_of_the_database_are_text(typed):
    """UUIDs and times of day, as they are written."""
    number = "40e923e5-938a-4402-88db-108a782f255e"
    raw = typed("key uuid, hour time", [(number, dt.time(7, 30))])
    assert (raw["key"].labels, raw["hour"].labels) == ((number,), ("07:30:00",))
