"""The attack population of a ledger check, and the past releases that contain it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unmask.arrays import Bool
from unmask.commands.inputs.person_keys import hashed_people, key_column
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source
from unmask.errors import InvalidInputError
from unmask.files.person_hashes import HashedPeople, Hashes, are_among, hashed, read_key
from unmask.files.raw import Raw
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class AttackPopulation:
    """The people to attack, the truth about them, and their hashed person keys."""

    table: Raw  # of the people to attack
    truth: Raw | None  # the same table, where it is both
    hashed: HashedPeople | None = None
    column: str = ""
    each: Hashes | None = None  # (distinct,) the hashed keys of that column

    @classmethod
    def of(
        cls, reader: Reader, people: Source | None, truth: Source | None, key: str | Path | None
    ) -> AttackPopulation | None:
        """Read the people and the truth about them, which may be one table; None where no table is given."""
        if people is None and truth is None:
            if key is not None:
                msg = message(
                    "--key must come with the people whose keys it hashes. Write --people FILE, or --truth FILE"
                )
                raise InvalidInputError(msg)
            return None
        true = None if truth is None else reader.raw(truth)
        known = true if true is not None and _is_same(people, truth) else reader.raw(people)
        if key is None:
            return cls(known, true)
        secret = read_key(key)
        column = key_column(known, reader.roles) or ""
        each = hashed(known[column], secret) if column else None
        return cls(known, true, hashed_people(known, reader.roles, secret), column, each)

    @property
    def people(self) -> Raw | None:
        """The table of the people, where it differs from the truth."""
        return None if self.table is self.truth else self.table

    def is_as_large_as(self, other: AttackPopulation) -> bool:
        """Whether both tables of the truth are there and have as many rows."""
        return self.truth is not None and other.truth is not None and self.truth.n_rows == other.truth.n_rows

    def is_in(self, other: HashedPeople) -> Bool:
        """Return for each row, (rows,), whether its person is, or may be, in another release."""
        if self.each is None:
            return np.ones(self.table.n_rows, bool)
        return are_among(self.table[self.column], self.each, other.hashes)

    def among(self, others: Sequence[HashedPeople]) -> AttackPopulation:
        """Return the people who are, or may be, in all of some other releases."""
        if not others:
            return self
        rows = np.logical_and.reduce([self.is_in(other) for other in others])
        table = _only(self.table, rows)
        if self.people is None:
            return replace(self, table=table, truth=table)
        if self.truth is None or self.column in self.truth.columns:  # people are matched by their keys
            return replace(self, table=table)
        return replace(self, table=table, truth=_only(self.truth, rows))

    def shared_sets(self, names: tuple[str, ...], known: Mapping[str, HashedPeople]) -> list[tuple[str, ...]]:
        """Return the sets of at least two releases that contain, or may contain, the same person; small sets first."""
        everywhere = np.ones(self.table.n_rows, bool)
        inside = [self.is_in(known[name]) if name in known else everywhere for name in names]
        kinds = np.unique(np.stack(inside, axis=1), axis=0) if names else np.zeros((0, 0), bool)
        sets = [tuple(name for name, there in zip(names, kind, strict=True) if there) for kind in kinds]
        return sorted((one for one in sets if len(one) > 1), key=lambda one: (len(one), one))


def _is_same(people: Source | None, truth: Source | None) -> bool:
    """Whether one file is both."""
    if isinstance(people, (str, Path)) and isinstance(truth, (str, Path)):
        return Path(people) == Path(truth)
    return people is None or people is truth


def _only(raw: Raw, rows: Bool) -> Raw:
    """Return some rows of a raw table."""
    columns = {name: column.take(rows) for name, column in raw.columns.items()}
    return replace(raw, columns=columns, n_rows=int(rows.sum()))
