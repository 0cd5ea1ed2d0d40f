"""Errors of database readers: only the kind of error, since messages of engines may quote a cell."""

from __future__ import annotations

from unmask.errors import DatabaseError, InvalidInputError, UnmaskError
from unmask.files.databases.dsn import Dsn


def failed(dsn: Dsn, kind: str, *, machine: bool) -> UnmaskError:
    """Return the error of rows that could not be read: `DatabaseError` for the system, else `InvalidInputError`.

    `kind` is the engine's name of the error.
    """
    if machine:
        return DatabaseError(f"{dsn.display!r} must be readable to the end; reading broke off ({kind})")
    msg = f"what is asked of {dsn.display!r} must be allowed, and fit all of its rows; it does not ({kind})"
    return InvalidInputError(msg)


def not_understood(dsn: Dsn, message: str) -> InvalidInputError:
    """Return the error of a query that did not start; the engine's message is about the query alone."""
    return InvalidInputError(
        f"query must be one select that {dsn.display!r} understands; the database reports: {message}"
    )
