"""Keyed pseudonyms: each person's number replaced by its HMAC, which cannot be computed without the key."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Int32
from unmask.errors import InvalidInputError
from unmask.files.person_hashes import normal_form
from unmask.files.raw import RawColumn
from unmask.schema import Attribute, Categorical, Role, Schema
from unmask.table import Table
from unmask.wording import message

DIGITS = 20
"""Hexadecimal digits of a pseudonym, 80 bits: two of n people share one with probability at most n² / 2^81."""

_PSEUDONYM = b"unmask pseudonym\0"  # the hashes of a ledger have another beginning


@dataclass(frozen=True, slots=True, eq=False)
class Pseudonyms:
    """The pseudonyms of the people of a column, and the pseudonym of each row."""

    name: str  # of the column
    labels: tuple[str, ...]  # (people,) sorted
    person_of: Int32  # (rows,) index into the labels
    n_nameless: int  # rows without a person number; each has a pseudonym of its own

    @classmethod
    def of(cls, name: str, column: RawColumn, key: bytes, rng: np.random.Generator) -> Pseudonyms:
        """Return the pseudonyms of a column of person numbers: stripped text, or the number, as in a ledger.

        Equal numbers have one pseudonym under one key, in every release. A row without a number has a random one.

        Fails
            With `InvalidInputError` where two people would share a pseudonym.
        """
        normal = [normal_form(text) for text in column.values]
        each = [hmac.digest(key, _PSEUDONYM + text, "sha256").hex()[:DIGITS] for text in normal]
        nameless = np.flatnonzero(column.codes < 0)
        drawn = [rng.bytes(DIGITS // 2).hex() for _ in nameless]
        labels = tuple(sorted({*each, *drawn}))
        if len(labels) < len(set(normal)) + len(drawn):
            msg = message(
                "pseudonyms of {name} must differ between people; two are equal under this key. Use another key",
                name=repr(name),
            )
            raise InvalidInputError(msg)
        place = {label: code for code, label in enumerate(labels)}
        person_of = np.array([*(place[label] for label in each), -1], np.int32)[column.codes]
        person_of[nameless] = [place[label] for label in drawn]
        return cls(name, labels, person_of, nameless.size)

    def published_with(self, table: Table, order: tuple[str, ...]) -> Table:
        """Return the table with the pseudonyms as a published person key, and people counted by it.

        `order` are all columns, in the order in which they are published.
        """
        own = Attribute(self.name, Role.PERSON_KEY, Categorical(self.labels))
        attributes = {attribute.name: attribute for attribute in (*table.schema, own)}
        columns = {name: table.columns[name] for name in table.schema.names}  # rows no longer repeat
        return replace(
            table,
            schema=Schema(tuple(attributes[name] for name in order if name in attributes)),
            columns={**columns, self.name: self.person_of},
            person_of=self.person_of,
        )
