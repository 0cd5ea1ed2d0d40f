"""What is read of a database: one of its tables, looked up among those that there are, or one query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from unmask.errors import MOST_LISTED, InvalidInputError
from unmask.files.databases.dsn import Dsn
from unmask.files.databases.names import is_query, parts, quoted

TableName: TypeAlias = tuple[str, ...]
"""Where a table is: its schema and its name, as the database writes them."""


def statement(dsn: Dsn, known: Mapping[str, TableName]) -> str:
    """Return the one statement that reads what is wanted.

    A table is never put into it as it was written: it is looked up among the tables that the database has, and what
    stands in the statement is their own name, quoted. A query stands there as it is; that it only reads is seen to by
    the connection. A table that is called as a query begins is the table.

    `known` are the tables, by what they are called: the name alone where that is enough, else with the schema.

    Fails
        With `InvalidInputError` where nothing was named, or no such table is there; the message lists those that are.
    """
    if dsn.wanted is None:
        msg = (
            f"{dsn.display!r} must come with a table, or a query that begins with select; it has {_listed(known)}. "
            f"Write #NAME at the end of the DSN; for the data, --table NAME does the same"
        )
        raise InvalidInputError(msg)
    table = known.get(dsn.wanted.strip()) or _by_parts(parts(dsn.wanted), known)
    if table is not None:
        return f"select * from {quoted(*table)}"  # noqa: S608 - the database's own name, quoted
    if is_query(dsn.wanted):
        return dsn.wanted.strip().rstrip("; \t\r\n")
    raise InvalidInputError.unknown_name(f"table of {dsn.display!r}", dsn.wanted, known)


def _by_parts(name: TableName, known: Mapping[str, TableName]) -> TableName | None:
    if len(name) == 1:
        return known.get(name[0])
    return next((place for place in known.values() if name and place[-len(name) :] == name), None)


def _listed(known: Mapping[str, TableName]) -> str:
    more = f" and {len(known) - MOST_LISTED} others" if len(known) > MOST_LISTED else ""
    return f"{', '.join(list(known)[:MOST_LISTED])}{more}" if known else "no table"
