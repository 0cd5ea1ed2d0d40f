"""A PostgreSQL reader: one read-only transaction, rows by COPY as CSV, parsed by Arrow."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import csv

from unmask.errors import DatabaseError, InvalidInputError, UnmaskError
from unmask.files.databases.cells import Sort, table_of, unreadable
from unmask.files.databases.dsn import MALFORMED, Dsn
from unmask.files.databases.failures import failed, not_understood
from unmask.files.databases.selection import TableName, statement
from unmask.runtime.extras import require_installed
from unmask.wording import message

if TYPE_CHECKING:
    import psycopg

PATIENCE = "10"
"""The default connection timeout in seconds; the DSN or PGCONNECT_TIMEOUT overrides it."""

_BLOCK = 1 << 23  # bytes that Arrow takes at once; no row may be longer
_SETTINGS = """
    set local datestyle = 'ISO'; set local intervalstyle = 'iso_8601'; set local timezone = 'UTC';
    set local extra_float_digits = 3
"""
_TABLES = """
    select n.nspname, c.relname, pg_table_is_visible(c.oid)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'v', 'm', 'p', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') order by 3 desc, 1, 2
"""
_KINDS = "select oid, typname, typcategory from pg_type where oid = any(%s)"
_BOOLEAN = 16  # type OID; as text true and false, in COPY t and f
_NUMBERS = {"float4", "float8", "numeric"}
_MOMENTS = {"date", "timestamp", "timestamptz"}
_MACHINE = (  # SQLSTATE, or its class: connection, resources, cancellation, timeout
    *("08", "40", "53", "57", "58", "XX"),
    *("25P03", "25P04", "55P03"),
)
_NESTED = {"bytea", "bit", "varbit", "record"}


def read_postgresql(dsn: Dsn) -> pa.Table:
    """Read a table or a query of a PostgreSQL database as an Arrow table of text.

    User and password come from the DSN, PGPASSWORD or ~/.pgpass, as in every PostgreSQL client.

    Fails
        With `InvalidInputError` where psycopg is not installed, the server cannot be reached, or for an invalid table
        or query; with `DatabaseError` where reading breaks off.
    """
    with connected(dsn) as connection:
        query, names, kinds = selected(connection, dsn)
        sorts = _sorts(connection, names, kinds)
        aliases = [f"c{i}" for i in range(len(names))]
        cells = [f"{alias}::text" if kind == _BOOLEAN else alias for alias, kind in zip(aliases, kinds, strict=True)]
        rows = f"select {', '.join(cells)} from ({query}\n) as q({', '.join(aliases)})"  # noqa: S608 - understood alone
        return table_of(names, _copied(connection, dsn, rows, len(names)), sorts)


def selected(connection: psycopg.Connection[Any], dsn: Dsn) -> tuple[str, list[str], list[int]]:
    """Return the statement that reads the wanted table or query, its columns and the OIDs of their types.

    Fails
        With `InvalidInputError` for an invalid table or query.
    """
    connection.execute(_SETTINGS)
    query = statement(dsn, _known(connection))
    return query, *_understood(connection, dsn, query)


@contextmanager
def connected(dsn: Dsn) -> Iterator[psycopg.Connection[Any]]:
    """Return a connection that is read-only from the first statement on.

    Writes that functions can still do (large objects, before version 16) are rolled back: nothing is ever committed.
    """
    require_installed("psycopg", message("a DSN of PostgreSQL"))
    import psycopg  # noqa: PLC0415 - an extra
    from psycopg.conninfo import conninfo_to_dict, make_conninfo  # noqa: PLC0415

    try:
        given = conninfo_to_dict(dsn.url)
    except psycopg.Error:  # its message may quote the password
        raise InvalidInputError(MALFORMED) from None
    ours = {"application_name": "unmask", "client_encoding": "UTF8"}
    if "connect_timeout" not in given:
        ours["connect_timeout"] = os.environ.get("PGCONNECT_TIMEOUT", PATIENCE)
    try:
        connection = psycopg.connect(make_conninfo(dsn.url, **ours))
    except psycopg.Error as error:
        reason = _reason(str(error), given.get("password"))
        msg = message(
            "{display} must be a database that accepts the connection; {reason}",
            display=repr(dsn.display),
            reason=reason,
        )
        raise InvalidInputError(msg) from None
    try:
        connection.read_only = True
        yield connection
    except psycopg.Error as error:
        raise broken_off(dsn, error) from None
    finally:
        connection.close()


def broken_off(dsn: Dsn, error: psycopg.Error) -> UnmaskError:
    """Return the error of a query that ran: of the system, or of the query."""
    state = f", SQLSTATE {error.sqlstate}" if error.sqlstate else ""
    return failed(dsn, f"{type(error).__name__}{state}", machine=_broke_off(error))


def _broke_off(error: psycopg.Error) -> bool:
    """Whether the system failed, not the query; without a SQLSTATE the connection is lost."""
    return error.sqlstate is None or error.sqlstate.startswith(_MACHINE)


def _reason(message: str, password: object) -> str:
    """Return the first reason in libpq's message; the password, which it should not contain, is removed."""
    match = re.search(r".*failed: (?:FATAL: +)?(.+)", message)
    reason = match[1] if match else message.strip().partition("\n")[0]
    return reason.replace(str(password), "***") if password else reason


def _known(connection: psycopg.Connection[Any]) -> dict[str, TableName]:
    rows = connection.execute(_TABLES).fetchall()
    return {name if visible else f"{schema}.{name}": (schema, name) for schema, name, visible in rows}


def _understood(connection: psycopg.Connection[Any], dsn: Dsn, query: str) -> tuple[list[str], list[int]]:
    """Prepare the query without running it; return its columns and their types.

    Only a complete statement can be prepared, so the query cannot close the parentheses that COPY puts around it.
    """
    from psycopg.errors import error_from_result  # noqa: PLC0415 - an extra

    server = connection.pgconn
    for result in (server.prepare(b"", query.encode()), server.describe_prepared(b"")):
        message = result.error_message.decode(errors="replace")
        if message:
            if _broke_off(error := error_from_result(result)):
                raise error
            first = message.strip().partition("\n")[0].removeprefix("ERROR:").strip()
            raise not_understood(dsn, first)
    columns = range(result.nfields)
    return [(result.fname(i) or b"").decode() for i in columns], [result.ftype(i) for i in columns]


def categories(connection: psycopg.Connection[Any], names: list[str], kinds: list[int]) -> list[tuple[str, Sort]]:
    """Return the category of each column's type, as `pg_type` has it, and how its cells become text.

    Fails
        With `InvalidInputError` for nested cells and bytes.
    """
    known = {oid: category for oid, _, category in connection.execute(_KINDS, [kinds]).fetchall()}
    return [(known[kind], sort) for kind, sort in zip(kinds, _sorts(connection, names, kinds), strict=True)]


def _sorts(connection: psycopg.Connection[Any], names: list[str], kinds: list[int]) -> list[Sort]:
    known = {oid: (name, category) for oid, name, category in connection.execute(_KINDS, [kinds]).fetchall()}
    sorts = []
    for name, kind in zip(names, kinds, strict=True):
        word, category = known[kind]
        if category in {"A", "C"} or word in _NESTED:
            raise unreadable(name, word)
        sorts.append(Sort.NUMBER if word in _NUMBERS else Sort.MOMENT if word in _MOMENTS else Sort.TEXT)
    return sorts


def _copied(connection: psycopg.Connection[Any], dsn: Dsn, rows: str, n: int) -> list[pa.ChunkedArray]:
    """Return the columns of the query's rows."""
    names = [f"c{i}" for i in range(n)]
    with connection.cursor() as cursor, cursor.copy(f"copy ({rows}) to stdout (format csv)".encode()) as copy:
        stream = _Stream(iter(copy))
        if not stream.fill():
            return [pa.chunked_array([], pa.string()) for _ in names]
        try:
            columns: list[pa.ChunkedArray] = csv.read_csv(
                stream,
                csv.ReadOptions(column_names=names, block_size=_BLOCK),
                csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
                csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, null_values=[""]
                ),
            ).columns
        except pa.ArrowException:  # its message may quote a row
            msg = message(
                "{display} must have rows of UTF-8, each of less than {block} MB; it has others",
                display=repr(dsn.display),
                block=_BLOCK >> 20,
            )
            raise DatabaseError(msg) from None
        return columns


class _Stream:
    """The output of COPY, as a file object for Arrow."""

    closed = False

    def __init__(self, blocks: Iterator[bytes | bytearray | memoryview]) -> None:
        self._blocks, self._held = blocks, bytearray()

    def fill(self, size: int = 1) -> bool:
        """Fetch blocks until that many bytes are buffered; return whether there are any."""
        while len(self._held) < size and (block := next(self._blocks, None)) is not None:
            self._held += block
        return bool(self._held)

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes; empty at the end."""
        self.fill(size if size >= 0 else 1 << 62)
        given = bytes(self._held[:size] if size >= 0 else self._held)
        del self._held[: len(given)]
        return given

    def close(self) -> None:
        """Do nothing: the connection is closed elsewhere."""
