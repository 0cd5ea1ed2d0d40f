"""Statements of a database, as the relation that queries select from."""

from __future__ import annotations

from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from unmask.errors import InvalidInputError, quoted
from unmask.files.databases.dsn import Dsn
from unmask.files.databases.names import parts
from unmask.warehouse.expressions import name
from unmask.wording import message


def relation(statement: str, dialect: str, dsn: Dsn) -> exp.Expression:
    """Return a select, which the database has understood, as a relation.

    Fails
        With `InvalidInputError` where it is written in a way that SQLGlot cannot read.
    """
    try:
        parsed = sqlglot.parse_one(statement, read=dialect)
    except SqlglotError:
        parsed = None
    if not isinstance(parsed, exp.Query):
        msg = message(
            "query must be one select that can be written into others; that of {display} cannot. Make it a "
            "view of the database, and name the view",
            display=repr(dsn.display),
        )
        raise InvalidInputError(msg)
    return exp.Subquery(this=parsed, alias=exp.TableAlias(this=exp.to_identifier("source", quoted=True)))


def table_named(text: str) -> exp.Table:
    """Return a table by its name, with schema and catalog before dots.

    Fails
        With `InvalidInputError` where the name is none.
    """
    names = parts(text)
    if not 1 <= len(names) <= 3:
        msg = message(
            "a table must be named like clinic.people, or be files of Parquet or CSV; got {text}", text=quoted(text)
        )
        raise InvalidInputError(msg)
    places: dict[str, Any] = dict(zip(("this", "db", "catalog"), map(name, reversed(names)), strict=False))
    return exp.Table(**places)


def require_distinct(names: list[str], dsn: Dsn) -> None:
    """Fail where two columns of a query have one name."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        msg = message(
            "columns of {display} must have distinct names; {twice} is there twice. Rename one in the query",
            display=repr(dsn.display),
            twice=repr(twice),
        )
        raise InvalidInputError(msg)
