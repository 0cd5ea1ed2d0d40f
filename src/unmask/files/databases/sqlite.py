"""SQLite, by Python's own module: opened for reading only, and an authorizer lets nothing but reading happen."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import InvalidInputError
from unmask.files.databases.cells import Sort, table_of, unreadable
from unmask.files.databases.dsn import Dsn
from unmask.files.databases.failures import failed, not_understood
from unmask.files.databases.wanted import statement

_BLOCK = 50_000  # rows at a time: the Python values of more would need more memory than the table
_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_INFINITIES = {math.inf, -math.inf}
_MACHINE = ("SQLITE_BUSY", "SQLITE_CORRUPT", "SQLITE_FULL", "SQLITE_INTERRUPT", "SQLITE_IOERR", "SQLITE_NOMEM")
_TABLES = "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'"


def read_sqlite(dsn: Dsn, path: Path) -> pa.Table:
    """Read a table or a query of a SQLite file as an Arrow table of text.

    SQLite lets every cell be of another kind, so a column is nothing but what its cells are.

    Fails
        With `InvalidInputError` where the file is no database or the table or query does not fit it, and for cells of
        bytes; with `DatabaseError` where reading breaks off.
    """
    with closing(_opened(dsn, path)) as connection:
        with _explained(dsn):
            known = {name: ("main", name) for (name,) in connection.execute(f"{_TABLES} order by name")}
        query = statement(dsn, known)
        connection.set_authorizer(_only_reads)
        _require_sound(connection, dsn, query)
        try:
            return _read(connection.execute(query))
        except sqlite3.Error as error:
            raise failed(dsn, _kind(error), machine=_kind(error).startswith(_MACHINE)) from None


def _opened(dsn: Dsn, path: Path) -> sqlite3.Connection:
    with _explained(dsn):
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _only_reads(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _require_sound(connection: sqlite3.Connection, dsn: Dsn, query: str) -> None:
    """Have the query understood without having it run: what is said then is of the query, and quotes no cell."""
    try:
        connection.execute(f"explain {query}").close()
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise not_understood(dsn, str(error)) from None


def _read(cursor: sqlite3.Cursor) -> pa.Table:
    names = [column[0] for column in cursor.description]
    chunks: list[list[pa.Array]] = [[] for _ in names]
    while rows := cursor.fetchmany(_BLOCK):
        for name, column, cells in zip(names, chunks, zip(*rows, strict=True), strict=True):
            column.append(_text(name, cells))
    return table_of(names, [pa.chunked_array(column, pa.string()) for column in chunks], [Sort.TEXT] * len(names))


def _text(name: str, cells: Sequence[object]) -> pa.Array:
    kinds = set(map(type, cells))
    if bytes in kinds:
        raise unreadable(name, "bytes")
    if kinds <= {int, type(None)}:
        return pc.cast(pa.array(cells, pa.int64()), pa.string())
    if kinds <= {str, type(None)}:
        return pa.array(cells, pa.string())
    return pa.array([None if cell is None or cell in _INFINITIES else str(cell) for cell in cells], pa.string())


def _kind(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", "text that is no UTF-8")


@contextmanager
def _explained(dsn: Dsn) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if _kind(error).startswith(_MACHINE):
            raise failed(dsn, _kind(error), machine=True) from None
        msg = f"{dsn.shown!r} must be a SQLite database; the database says: {error}"
        raise InvalidInputError(msg) from None
