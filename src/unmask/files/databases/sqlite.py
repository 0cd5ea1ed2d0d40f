"""A SQLite reader, by Python's own module: opened read-only, with an authorizer that permits only reading."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import DatabaseError, InvalidInputError
from unmask.files.databases.cells import Sort, table_of, unreadable
from unmask.files.databases.dsn import Dsn
from unmask.files.databases.failures import failed, not_understood
from unmask.files.databases.selection import TableName, statement
from unmask.wording import message

_BLOCK = 50_000  # rows at a time: bounds the memory for Python values
_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_INFINITIES = {math.inf, -math.inf}
_MACHINE = ("SQLITE_BUSY", "SQLITE_CORRUPT", "SQLITE_FULL", "SQLITE_INTERRUPT", "SQLITE_IOERR", "SQLITE_NOMEM")
_UNSETTLED = ("SQLITE_READONLY", "SQLITE_CANTOPEN")  # would have to be written to before reading
_VIRTUAL = ("vtable constructor failed", "not authorized")
_TABLES = "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'"


def read_sqlite(dsn: Dsn, path: Path) -> pa.Table:
    """Read a table or a query of a SQLite file as an Arrow table of text.

    In SQLite each cell has its own type, so the type of a column follows from its cells.

    Fails
        With `InvalidInputError` where the file is no database, for an invalid table or query, and for cells of bytes;
        with `DatabaseError` where reading breaks off.
    """
    with closing(_opened(dsn, path)) as connection:
        known = _known(connection, dsn)
        query = statement(dsn, known)
        connection.set_authorizer(_only_reads)
        _require_sound(connection, dsn, query)
        try:
            return _read(connection.execute(query))
        except sqlite3.Error as error:
            raise failed(dsn, _kind(error), machine=_kind(error).startswith(_MACHINE)) from None


def _opened(dsn: Dsn, path: Path) -> sqlite3.Connection:
    try:
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise _no_database(dsn, error) from None


def _known(connection: sqlite3.Connection, dsn: Dsn) -> dict[str, TableName]:
    try:
        return {name: ("main", name) for (name,) in connection.execute(f"{_TABLES} order by name")}
    except sqlite3.Error as error:
        kind = _kind(error)
        if kind.startswith(_MACHINE):
            raise failed(dsn, kind, machine=True) from None
        if kind.startswith(_UNSETTLED):
            msg = message(
                "{display} must be settled; it was left in the middle of a change, or its journal cannot be "
                "opened ({kind}). Let its own program open it once, or copy it, and what lies beside it, to your "
                "folder",
                display=repr(dsn.display),
                kind=kind,
            )
            raise DatabaseError(msg) from None
        raise _no_database(dsn, error) from None


def _only_reads(action: int, *_: str | None) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _require_sound(connection: sqlite3.Connection, dsn: Dsn, query: str) -> None:
    """Prepare the query without running it, so that errors are about the query and quote no cell."""
    try:
        connection.execute(f"explain {query}").close()
    except (sqlite3.Error, sqlite3.Warning) as error:
        if _kind(error).startswith(_MACHINE):
            raise failed(dsn, _kind(error), machine=True) from None
        if str(error).startswith(_VIRTUAL) and (name := _virtual(connection, query)) is not None:
            msg = message(
                "{name} must be an ordinary table; it is a virtual one. Let its own program copy it into a table",
                name=repr(name),
            )
            raise InvalidInputError(msg) from None
        raise not_understood(dsn, str(error)) from None


def _virtual(connection: sqlite3.Connection, query: str) -> str | None:
    """Return the virtual table in a query, if any: its module could do more than read."""
    tables = connection.execute("select name from sqlite_master where sql like 'create virtual %'")
    return next((name for (name,) in tables if re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", query)), None)


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


def _kind(error: Exception) -> str:
    return getattr(error, "sqlite_errorname", message("text that is no UTF-8"))


def _no_database(dsn: Dsn, error: sqlite3.Error) -> InvalidInputError:
    return InvalidInputError(
        message(
            "{display} must be a SQLite database; the database reports: {error}",
            display=repr(dsn.display),
            error=str(error),
        )
    )
