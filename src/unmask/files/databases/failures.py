"""Errors of database readers: only the kind of error, since messages of engines may quote a cell."""

from __future__ import annotations

from unmask.errors import DatabaseError, InvalidInputError, UnmaskError
from unmask.files.databases.dsn import Dsn
from unmask.wording import message


def failed(dsn: Dsn, kind: str, *, machine: bool) -> UnmaskError:
    """Return the error of rows that could not be read: `DatabaseError` for the system, else `InvalidInputError`.

    `kind` is the engine's name of the error.
    """
    if machine:
        return DatabaseError(
            message(
                "{display} must be readable to the end; reading broke off ({kind})",
                display=repr(dsn.display),
                kind=kind,
            )
        )
    msg = message(
        "what is asked of {display} must be allowed, and fit all of its rows; it does not ({kind})",
        display=repr(dsn.display),
        kind=kind,
    )
    return InvalidInputError(msg)


def not_understood(dsn: Dsn, reported: str) -> InvalidInputError:
    """Return the error of a query that did not start; the engine's message is about the query alone."""
    return InvalidInputError(
        message(
            "query must be one select that {display} understands; the database reports: {reported}",
            display=repr(dsn.display),
            reported=reported,
        )
    )
