"""DuckDB: what is read, what cannot happen, and what is said where it goes wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.files.databases.said import error
from unmask.errors import DatabaseError
from unmask.files.reading import read

SMALL, LESS = "select n from people where n < 3 -- the first", "with x as (from people) select n from x;"
ROWS = [("a", "01234", 1), ("b", None, 2), ("CANARY", "5", 3)]


@pytest.fixture
def people(written_duckdb) -> str:
    """A small file with a second schema, as a DSN."""
    dsn: str = written_duckdb("id text, zip text, n int", ROWS)
    with duckdb.connect(dsn.removeprefix("duckdb:///")) as connection:
        connection.execute("create schema audit; create view audit.few as select * from people limit 1")
    return dsn


def test_tables_views_and_queries_are_read(people):
    """A schema goes before a dot; of the schema `main` it may be left out."""
    assert [3, 3, 1, 1] == [
        read(f"{people}#{name}").n_rows for name in ("people", "main.people", "audit.few", '"audit"."few"')
    ]
    assert ["n"] == list(read(f"{people}#{SMALL}").columns)
    assert ["n"] == list(read(f"{people}#{LESS}").columns)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("", "it has people, audit.few. Write #NAME"),
        ("#poeple", "must be one of people, audit.few; got 'poeple'. Did you mean 'people'?"),
        ("#few", "must be one of people, audit.few; got 'few'. Did you mean 'audit.few'?"),
        ("#select nope from people", 'Referenced column "nope" not found'),
        ("#select 1; drop table people", "that is something else"),
        ("#select n from people; -- all", "nothing may follow the semicolon, not even a remark"),
        ("#with x as (select 1) insert into people select 'x', 'y', 1", "that is something else"),
        ("#select * from read_csv('secret.csv')", "file system operations are disabled"),
        ("#select * from 'secret.csv'", "the database reports"),
        ("#select id::int as x from people", "fit all of its rows; it does not (ConversionException)"),
        ("#select 1) to 'x.csv' --", "the database reports: Parser Error"),
        ("#select [1] as x", "column 'x' must hold numbers, text or dates; got integer[]"),
        ("#select 'x'::blob as x", "got blob"),
        ("#select * from people where n > 9", "must have at least one row; it has none"),
        ("#select n as a, n as a from people", "must be distinct; 'a' stands there twice"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_the_way_out(people, wanted, message, monkeypatch):
    """And nothing is written anywhere."""
    path = Path(people.removeprefix("duckdb:///"))
    monkeypatch.chdir(path.parent)
    Path("secret.csv").write_text("a,b\nCANARY,1\n")
    before = path.read_bytes()
    assert message in error(people + wanted)
    assert path.read_bytes() == before
    assert {path.name, "secret.csv"} == {file.name for file in path.parent.iterdir()}


def test_a_file_that_is_none_of_duckdb_is_refused(tmp_path):
    """Missing, or of another kind."""
    (tmp_path / "people.duckdb").write_text("id,zip\n" * 1000)
    assert "must be a DuckDB database; it is none" in error(f"duckdb:///{tmp_path}/people.duckdb#people")
    assert "there is no such file" in error(f"duckdb:///{tmp_path}/poeple.duckdb#people")


def test_a_file_open_for_writing_is_an_error_of_the_machine(people):
    """DuckDB permits no other reader meanwhile; here another process, and this one."""
    path = people.removeprefix("duckdb:///")
    code = f"import duckdb; held = duckdb.connect({path!r}); print('held', flush=True); input()"
    with subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        assert "reading broke off (another process writes to it)" in error(f"{people}#people", DatabaseError)
        other.communicate("\n")
    with duckdb.connect(path):
        assert "must not be open in this process" in error(f"{people}#people")
    assert read(f"{people}#people").n_rows == 3
