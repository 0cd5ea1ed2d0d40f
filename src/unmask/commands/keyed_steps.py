"""Steps before a sanitizer that use a secret key: person numbers become pseudonyms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Settings
from unmask.errors import InvalidInputError
from unmask.files.pseudonyms import Pseudonyms
from unmask.files.raw import Raw
from unmask.release import Release
from unmask.schema import Role
from unmask.table import Table

PSEUDONYM = "pseudonym"
"""The setting of `sanitize` that names the column of person numbers to be published as pseudonyms."""


@dataclass(frozen=True, slots=True)
class KeyedSteps:
    """The steps under a secret key that a table goes through before its sanitizer."""

    pseudonym: str | None = None  # the column of person numbers

    @classmethod
    def of(cls, settings: Settings | None) -> tuple[KeyedSteps, Mapping[str, Any]]:
        """Return the steps among the settings of a sanitizer, and the sanitizer's own settings."""
        own = dict(settings or {})
        name = own.pop(PSEUDONYM, None)
        return cls(None if name is None else str(name)), own

    def __bool__(self) -> bool:
        return self.pseudonym is not None

    def require_key(self, *, given: bool) -> None:
        """Fail where a step lacks the key, or a key has no step."""
        if self and not given:
            msg = (
                "pseudonyms must have a secret key; got none. Make one (openssl rand -hex 32 > FILE): write --key FILE"
            )
            raise InvalidInputError(msg)
        if given and not self:
            msg = "--key must come with a step that uses it; got none. Write --set pseudonym=COLUMN"
            raise InvalidInputError(msg)

    def reader(self, reader: Reader) -> Reader:
        """Return the reader that takes the column of a pseudonym for the person key.

        Fails
            With `InvalidInputError` where the column has another role, or another column is the person key.
        """
        name, roles = self.pseudonym, reader.roles
        if name is None:
            return reader
        role = roles.of_column(name).role
        if role not in {None, Role.PERSON_KEY, Role.IDENTIFIER, Role.DROP}:
            msg = (
                f"the column of a pseudonym must hold person numbers; {name!r} is declared {role}. Leave that role out"
            )
            raise InvalidInputError(msg)
        others = [other for other in roles.having(Role.PERSON_KEY) if other != name]
        if others:
            msg = (
                f"the pseudonym must be of the person key; got {name!r} beside {others[0]!r}. Name one column for both"
            )
            raise InvalidInputError(msg)
        return reader.declaring(name, Role.PERSON_KEY)

    def applied(self, reader: Reader, raw: Raw, table: Table, key: bytes, rng: np.random.Generator) -> Table:
        """Return the table after the steps; notes say how people without a number are treated."""
        if self.pseudonym is None:
            return table
        made = Pseudonyms.of(self.pseudonym, raw[self.pseudonym], key, rng)
        if made.n_nameless:
            rows = f"{made.n_nameless:,} row{'s'[: made.n_nameless != 1]}"
            reader.notes.add(
                f"{rows} without a {made.name}: each has a pseudonym of its own, drawn for this release only"
            )
        return made.published_with(table, tuple(raw.columns))

    def require_published(self, release: Release) -> None:
        """Fail where the release has no rows that pseudonyms could stand on."""
        if self.pseudonym is not None and release.person_key is None:
            by = release.provenance.sanitizer or "this sanitizer"
            msg = (
                f"pseudonyms must stand on published rows of people; {by} publishes none. Use mondrian, full-domain or "
                f"another sanitizer that publishes rows, or leave out pseudonym"
            )
            raise InvalidInputError(msg)
