"""What is said where reading a database fails: by kind alone, since what engines say may quote a cell."""

from __future__ import annotations

from unmask.errors import DatabaseError, InvalidInputError, UnmaskError
from unmask.files.databases.dsn import Dsn


def failed(dsn: Dsn, kind: str, *, machine: bool) -> UnmaskError:
    """Return the error of rows that could not be read: the machine's fault, or that of what was asked.

    `kind` is what the engine calls such errors.
    """
    if machine:
        return DatabaseError(f"{dsn.display!r} must let itself be read to the end; it broke off ({kind})")
    msg = f"what is asked of {dsn.display!r} must be allowed, and fit all of its rows; it does not ({kind})"
    return InvalidInputError(msg)


def not_understood(dsn: Dsn, message: str) -> InvalidInputError:
    """Return the error of a query that was not even begun: what the engine says then is of the query alone."""
    return InvalidInputError(f"query must be one select that {dsn.display!r} understands; the database says: {message}")
