"""Whom a ledger's check attacks, and which past releases they are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unmask.arrays import Bool
from unmask.commands.inputs.loading import Reading, Source, raw_of
from unmask.commands.inputs.person_keys import hashed_people, key_column
from unmask.errors import InvalidInputError
from unmask.files.person_hashes import HashedPeople, Hashes, are_among, hashed, read_key
from unmask.files.raw import Raw
from unmask.files.roles import Roles


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """Whom the intruder looks for, what is true of them, and who they are."""

    table: Raw  # of those who are looked for
    truth: Raw | None  # the same table, where it tells both
    hashed: HashedPeople | None = None
    column: str = ""
    each: Hashes | None = None  # (distinct,) the hashed keys of that column

    @classmethod
    def of(
        cls, people: Source | None, truth: Source | None, key: str | Path | None, roles: Roles, reading: Reading
    ) -> Crowd | None:
        """Read who is attacked, and what is true of them: one table may tell both. Nobody, where no table is given."""
        if people is None and truth is None:
            if key is not None:
                msg = "--key must come with the people whose keys it hashes. Write --people FILE, or --truth FILE"
                raise InvalidInputError(msg)
            return None
        true = None if truth is None else raw_of(truth, roles, reading)
        known = true if true is not None and _is_same(people, truth) else raw_of(people, roles, reading)
        if key is None:
            return cls(known, true)
        secret = read_key(key)
        column = key_column(known, roles) or ""
        each = hashed(known[column], secret) if column else None
        return cls(known, true, hashed_people(known, roles, secret), column, each)

    @property
    def people(self) -> Raw | None:
        """The table of those who are looked for, where it is another one than that which tells the truth."""
        return None if self.table is self.truth else self.table

    def is_in(self, other: HashedPeople) -> Bool:
        """Say of each row, (rows,), whether its person is, or may be, in another release."""
        if self.each is None:
            return np.ones(self.table.n_rows, bool)
        return are_among(self.table[self.column], self.each, other.hashes)

    def among(self, others: Sequence[HashedPeople]) -> Crowd:
        """Return those who are, or may be, in all of some other releases."""
        if not others:
            return self
        rows = np.logical_and.reduce([self.is_in(other) for other in others])
        table = _only(self.table, rows)
        if self.people is None:
            return replace(self, table=table, truth=table)
        if self.truth is None or self.column in self.truth.columns:  # people are found there by their keys
            return replace(self, table=table)
        return replace(self, table=table, truth=_only(self.truth, rows))

    def several(self, names: tuple[str, ...], known: Mapping[str, HashedPeople]) -> list[tuple[str, ...]]:
        """Return the sets of at least two releases that are all that somebody is, or may be, in; small ones first."""
        everywhere = np.ones(self.table.n_rows, bool)
        inside = [self.is_in(known[name]) if name in known else everywhere for name in names]
        kinds = np.unique(np.stack(inside, axis=1), axis=0) if names else np.zeros((0, 0), bool)
        sets = [tuple(name for name, there in zip(names, kind, strict=True) if there) for kind in kinds]
        return sorted((one for one in sets if len(one) > 1), key=lambda one: (len(one), one))


def _is_same(people: Source | None, truth: Source | None) -> bool:
    """Say whether one file is told to be both."""
    if isinstance(people, (str, Path)) and isinstance(truth, (str, Path)):
        return Path(people) == Path(truth)
    return people is None or people is truth


def _only(raw: Raw, rows: Bool) -> Raw:
    """Return some rows of a raw table."""
    columns = {name: column.take(rows) for name, column in raw.columns.items()}
    return replace(raw, columns=columns, n_rows=int(rows.sum()))
