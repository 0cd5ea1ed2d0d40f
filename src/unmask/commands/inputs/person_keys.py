"""Person keys of a table: the column that holds them, and their keyed hashes."""

from __future__ import annotations

from unmask.arrays import Bool
from unmask.errors import InvalidInputError
from unmask.files.person_hashes import HashedPeople, mark_of_key, people_of
from unmask.files.raw import Raw
from unmask.files.roles import Roles
from unmask.schema import Role
from unmask.wording import message


def hashed_people(raw: Raw, roles: Roles, key: bytes, rows: Bool | None = None) -> HashedPeople:
    """Hash the person keys of a table.

    Fails
        With `InvalidInputError` where no column of it is declared to hold them.
    """
    column = key_column(raw, roles)
    if column is None:
        msg = message(
            "{raw} must have a person-key column, to be hashed. Name it by --person-key COLUMN", raw=repr(raw.name)
        )
        raise InvalidInputError(msg)
    hashes, nameless = people_of(raw[column], key, rows)
    return HashedPeople(hashes, nameless, column, mark_of_key(key))


def key_column(raw: Raw, roles: Roles) -> str | None:
    """Return the person-key column of a table."""
    return next((name for name in roles.having(Role.PERSON_KEY) if name in raw.columns), None)
