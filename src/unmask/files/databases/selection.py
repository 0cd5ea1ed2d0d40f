"""The SQL statement of a source: a known table, or one query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from unmask.errors import MOST_LISTED, InvalidInputError
from unmask.files.databases.dsn import Dsn
from unmask.files.databases.names import is_query, parts, quoted
from unmask.wording import message

TableName: TypeAlias = tuple[str, ...]
"""The schema and the name of a table, as stored in the database."""


def statement(dsn: Dsn, known: Mapping[str, TableName]) -> str:
    """Return the statement that reads the wanted table or query.

    A table is looked up among the tables of the database, and its stored name is quoted into the statement, never the
    user's text. A query is used unchanged; the connection ensures that it only reads. A table whose name looks like a
    query takes precedence.

    `known` are the tables by name: without the schema if that is unique, else with it.

    Fails
        With `InvalidInputError` where none was given, or the table does not exist; the message lists the existing ones.
    """
    if dsn.wanted is None:
        msg = message(
            "{display} must come with a table, or a query that begins with select; it has {listed}. Write "
            "#NAME at the end of the DSN; for the data, --table NAME does the same",
            display=repr(dsn.display),
            listed=_listed(known),
        )
        raise InvalidInputError(msg)
    table = known.get(dsn.wanted.strip()) or _by_parts(parts(dsn.wanted), known)
    if table is not None:
        return f"select * from {quoted(*table)}"  # noqa: S608 - the database's own name, quoted
    if is_query(dsn.wanted):
        return dsn.wanted.strip().rstrip("; \t\r\n")
    raise InvalidInputError.unknown_name(message("table of {database}", database=repr(dsn.display)), dsn.wanted, known)


def _by_parts(name: TableName, known: Mapping[str, TableName]) -> TableName | None:
    if len(name) == 1:
        return known.get(name[0])
    return next((place for place in known.values() if name and place[-len(name) :] == name), None)


def _listed(known: Mapping[str, TableName]) -> str:
    listed = ", ".join(list(known)[:MOST_LISTED]) or message("no table")
    if len(known) > MOST_LISTED:
        return message("{names} and {n} others", names=listed, n=len(known) - MOST_LISTED)
    return listed
