"""Dictionary: a list of identities with attributes, in which an attacker searches for records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unmask.arrays import Float64, Int32, distinct_rows, frozen
from unmask.decision_risk.comparison import MISSING, DistinctValues
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True, eq=False)
class Dictionary:
    """Identities and their attributes, as in a telephone book or a register of voters.

    Assumes
        An attacker with several matching entries selects one of them, uniformly or in proportion to its selection
        probability (say, the entries of a neighborhood before those of another town). A person with several entries,
        such as visits to a hospital, matches if any of them does, and counts once.
    Fails
        With `InvalidInputError` for an empty dictionary, a missing identity, selection probabilities that are not
        above 0, or an identity that occurs twice beside them.
    """

    name: str
    attributes: Table  # (entries,) their attributes; a missing value matches everything
    identities: tuple[str, ...] | None = None  # (entries,) None: each entry is a separate individual
    probability: Float64 | None = None  # (entries,) selection weights; None: uniform

    def __post_init__(self) -> None:
        n = self.attributes.n_rows
        if n == 0:
            msg = message("dictionary {name} must have at least one entry; it has none", name=repr(self.name))
            raise InvalidInputError(msg)
        if self.identities is not None and len(self.identities) != n:
            msg = message(
                "dictionary {name} must name each of its {n} entries; it names {given}",
                name=repr(self.name),
                n=numeral(n),
                given=numeral(len(self.identities)),
            )
            raise InvalidInputError(msg)
        if self.repeats and self.probability is not None:
            msg = message(
                "dictionary {name} must name each person once to have selection probabilities; some have several "
                "entries. Keep one entry for each person, or leave out the probabilities",
                name=repr(self.name),
            )
            raise InvalidInputError(msg)
        if self.probability is not None:
            chance = frozen(self.probability, np.float64)
            wrong = int((~(chance > 0) | np.isinf(chance)).sum())
            if chance.shape != (n,) or wrong:
                msg = message(
                    "selection probabilities of dictionary {name} must be numbers above 0, one for each entry; "
                    "{wrong} are not. Leave out entries that are never selected",
                    name=repr(self.name),
                    wrong=numeral(wrong),
                )
                raise InvalidInputError(msg)
            object.__setattr__(self, "probability", chance)

    @classmethod
    def of(
        cls, table: Table, identity: str | None = None, *, name: str = "dictionary", probability: str | None = None
    ) -> Dictionary:
        """Make a dictionary of a table; one column may hold identities, and one selection probabilities.

        Fails
            With `InvalidInputError` also for a column that is not there, or a row without an identity.
        """
        attributes = [one for one in table.schema.names if one not in {identity, probability}]
        names = None if identity is None else named(table, identity, name)
        chance = None
        if probability is not None:
            values, number = DistinctValues.of(table, probability)
            chance = np.append(values.numbers, np.nan)[np.where(number >= 0, number, MISSING)]
        return cls(name, table.only(attributes), names, chance)

    @cached_property
    def repeats(self) -> bool:
        """Whether some person has several entries."""
        return self.identities is not None and len(set(self.identities)) < len(self.identities)

    def without_repeats(self) -> Dictionary:
        """Return the dictionary without equal entries of one person."""
        if self.identities is None or not self.repeats or self.probability is not None:
            return self
        place = {one: i for i, one in enumerate(dict.fromkeys(self.identities))}
        who = np.array([place[one] for one in self.identities], np.int32)
        codes = [DistinctValues.of(self.attributes, name)[1] for name in self.attributes.schema.names]
        kept = np.sort(distinct_rows(np.stack([who, *codes], axis=1))[1])
        return Dictionary(self.name, self.attributes.take(kept), tuple(self.identities[i] for i in kept.tolist()))

    @property
    def n(self) -> int:
        """How many entries it has."""
        return self.attributes.n_rows


def named(table: Table, column: str, what: str) -> tuple[str, ...]:
    """Return the identity of each row.

    Fails
        With `InvalidInputError` where a row has none.
    """
    values, number = DistinctValues.of(table, column)
    lacking = int((number < 0).sum())
    if lacking:
        msg = message(
            "column {column} of {what} must name a person in each row; {lacking} rows have no value. Fill them",
            column=repr(column),
            what=repr(what),
            lacking=numeral(lacking),
        )
        raise InvalidInputError(msg)
    labels = values.labels
    return tuple(labels[i] for i in number.tolist())


def require_one_each(identities: tuple[str, ...] | None, n: int) -> None:
    """Raise an error if identities are given, but not one for each record."""
    if identities is not None and len(identities) != n:
        msg = message(
            "identities must be one for each of {n} records; got {given}", n=numeral(n), given=numeral(len(identities))
        )
        raise InvalidInputError(msg)


def entries_of(identities: tuple[str, ...], among: tuple[str, ...]) -> Int32:
    """Return the entry of each identity among others, (identities,); -1 where it has none."""
    place = {identity: i for i, identity in enumerate(among)}
    return np.array([place.get(identity, -1) for identity in identities], np.int32)
