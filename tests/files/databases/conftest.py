"""The same rows as CSV and in every engine."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.postgres import Server, server

Rows = Sequence[Sequence[Any]]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Run one server for all tests of a worker."""
    with server() as found:
        yield found


@pytest.fixture
def written_sqlite(tmp_path: Path) -> Callable[[str, Rows], str]:
    """Return a function that makes a SQLite file of columns, as in `id text, n int`, and rows; it returns the DSN."""

    def write(columns: str, rows: Rows) -> str:
        path = tmp_path / "people.db"
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"create table people ({columns})")
            connection.executemany(f"insert into people values ({marks(rows)})", rows)  # noqa: S608 - no user's
        return f"sqlite:///{path}"

    return write


@pytest.fixture
def written_duckdb(tmp_path: Path) -> Callable[[str, Rows], str]:
    """Return a function that makes a DuckDB file of columns and rows; it returns the DSN."""

    def write(columns: str, rows: Rows) -> str:
        path = tmp_path / "people.duckdb"
        path.unlink(missing_ok=True)
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"create table people ({columns})")
            connection.executemany(f"insert into people values ({marks(rows)})", rows)  # noqa: S608 - no user's
        return f"duckdb:///{path}"

    return write


@pytest.fixture
def written_csv(tmp_path: Path) -> Callable[[Sequence[str], Rows], Path]:
    """Return a function that writes a CSV file; None is an empty cell."""

    def write(names: Sequence[str], rows: Rows) -> Path:
        path = tmp_path / "people.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(names)
            out.writerows([["" if cell is None else cell for cell in row] for row in rows])
        return path

    return write


def marks(rows: Rows) -> str:
    """Return a question mark for each column."""
    return ", ".join("?" * len(rows[0]))
