"""A DuckDB reader: read-only, without access to other files and the network, one select."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa

from unmask.errors import InvalidInputError
from unmask.files.databases.cells import Sort, table_of, unreadable
from unmask.files.databases.dsn import Dsn
from unmask.files.databases.failures import failed, not_understood
from unmask.files.databases.selection import TableName, statement
from unmask.runtime.machine import duckdb_settings
from unmask.wording import message

_ALONE: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",  # neither read_csv nor attach nor copy
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_SETTINGS = "set TimeZone = 'UTC'; set lock_configuration = true"
_TABLES = """
    select * from (
        select schema_name as place, table_name as name from duckdb_tables() where not internal and not temporary
        union all
        select schema_name, view_name from duckdb_views() where not internal and not temporary
    ) order by place <> 'main', place, name
"""
MACHINE = (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.InterruptException, duckdb.InternalException)
_NUMBERS = {"float", "double"}
_NESTED = {"list", "array", "struct", "map", "union", "blob", "bit", "variant", "geometry"}


def read_duckdb(dsn: Dsn, path: Path) -> pa.Table:
    """Read a table or a query of a DuckDB file as an Arrow table of text.

    Fails
        With `InvalidInputError` where the file is no database, for an invalid table or query, and for nested cells and
        bytes; with `DatabaseError` where reading breaks off.
    """
    with closing(opened(dsn, path)) as connection:
        query, kinds = selected(connection, dsn)
        names = [name for name, _ in kinds]
        sorts = [sort_of(name, kind) for name, kind in kinds]
        cells = ", ".join(f"cast(c{i} as varchar)" for i in range(len(names)))
        aliases = ", ".join(f"c{i}" for i in range(len(names)))
        try:  # columns by position: a query may have two of one name
            rows = connection.sql(f"select {cells} from ({query}\n) as q({aliases})").to_arrow_table()  # noqa: S608
        except duckdb.ParserException:
            raise not_understood(dsn, message("nothing may follow the semicolon, not even a remark")) from None
        except duckdb.Error as error:
            raise failed(dsn, type(error).__name__, machine=isinstance(error, MACHINE)) from None
    return table_of(names, [column.cast(pa.string()) for column in rows.columns], sorts)


def opened(dsn: Dsn, path: Path) -> duckdb.DuckDBPyConnection:
    """Open a database read-only, without access to other files.

    Fails
        With `InvalidInputError` where the file is no database, or open here; with `DatabaseError` where it is locked.
    """
    try:
        connection = duckdb.connect(str(path), read_only=True, config=_ALONE | duckdb_settings())
    except duckdb.ConnectionException:
        msg = message(
            "{display} must not be open in this process; it is. Close that connection", display=repr(dsn.display)
        )
        raise InvalidInputError(msg) from None
    except duckdb.Error as error:
        if "set lock" in str(error):
            raise failed(dsn, message("another process writes to it"), machine=True) from None
        msg = message(
            "{display} must be a DuckDB database; it is none, or of a version that is not known here",
            display=repr(dsn.display),
        )
        raise InvalidInputError(msg) from None
    connection.execute(_SETTINGS)
    return connection


def selected(connection: duckdb.DuckDBPyConnection, dsn: Dsn) -> tuple[str, list[tuple[str, str]]]:
    """Return the statement that reads the wanted table or query, and its columns with their types.

    Fails
        With `InvalidInputError` for an invalid table or query.
    """
    known = {_called(place): place for place in connection.execute(_TABLES).fetchall()}
    query = statement(dsn, known)
    return query, _understood(connection, dsn, query)


def _called(place: TableName) -> str:
    schema, name = place
    return name if schema == "main" else f"{schema}.{name}"


def _understood(connection: duckdb.DuckDBPyConnection, dsn: Dsn, query: str) -> list[tuple[str, str]]:
    """Prepare the query without running it; return its columns with their types."""
    try:
        statements = connection.extract_statements(query)
        if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
            raise not_understood(dsn, message("that is something else"))
        described = connection.execute(f"describe {query}").fetchall()
    except duckdb.Error as error:
        raise not_understood(dsn, str(error).partition("LINE ")[0].strip()) from None
    return [(str(row[0]), str(row[1])) for row in described]


def sort_of(name: str, kind: str) -> Sort:
    """Return how the cells of a column of a type become text.

    Fails
        With `InvalidInputError` for nested cells and bytes.
    """
    word = kind.partition("(")[0].casefold()
    if kind.endswith("]") or word in _NESTED:
        raise unreadable(name, kind.casefold())
    if word in _NUMBERS:
        return Sort.NUMBER
    return Sort.MOMENT if word.startswith(("timestamp", "date")) else Sort.TEXT
