"""The people who are to be explained, and the attacker's view of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.errors import InvalidInputError
from unmask.schema import Schema
from unmask.table import Table
from unmask.unit import Unit
from unmask.view import Located, View
from unmask.wording import message


@dataclass(frozen=True, slots=True)
class Chosen:
    """A person to be explained: the key as it was given, and the targets that are records of this person."""

    key: str
    targets: tuple[int, ...]
    rows: tuple[int, ...] = ()  # the same in the order of the file, where another one begins

    @property
    def row(self) -> tuple[int, int] | None:
        """The number of the first target among the person's rows, from 1, and how many they are; None if it is one."""
        return None if len(self.targets) == 1 else (self.number_of(self.targets[0]), len(self.targets))

    def number_of(self, target: int) -> int:
        """Return the number of a target among the person's rows, from 1."""
        return (self.rows or self.targets).index(target) + 1

    def beginning_with(self, target: int) -> Chosen:
        """Return the person with one target before the others."""
        others = tuple(one for one in self.targets if one != target)
        return Chosen(self.key, (target, *others), self.rows or self.targets)


def chosen_people(keys: Sequence[str], names: Sequence[str] | None, n: int) -> list[Chosen]:
    """Return the targets of person keys, or of line numbers from 0 where there is no key.

    Fails
        With `InvalidInputError` for an unknown key, which the message does not repeat: it may be a name.
    """
    result = []
    for i, key in enumerate(dict.fromkeys(keys), 1):
        found = [target for target, name in enumerate(names) if name == key] if names is not None else []
        if names is None and key.isdecimal() and int(key) < n:
            found = [int(key)]
        if not found:
            if names is None:
                msg = message(
                    "--explain must be a line number from 0 to {last}, since no column has keys; the one given as "
                    "number {i} is not. To give keys, name their column: --person-key COL",
                    last=n - 1, i=i,
                )  # fmt: skip
            else:
                msg = message(
                    "--explain must be the key of one of {people} in the table or people file; the one given as "
                    "number {i} is not. Write it as the column of person keys does: zeros, capitals and spaces count",
                    people=Unit.PEOPLE.counted(len(set(names))), i=i,
                )  # fmt: skip
            raise InvalidInputError(msg)
        result.append(Chosen(key, tuple(found)))
    return result


def view_of(view: View, targets: Sequence[int], without: str | None = None) -> View:
    """Return the view of an attacker who looks for some targets only, and perhaps does not know one attribute."""
    known, index = view.knowledge, np.asarray(targets, np.int64)
    people = known.people.take(index)
    if without is not None:
        kept = tuple(one for one in people.schema.attributes if one.name != without)
        columns = {one.name: people[one.name] for one in kept}
        people = Table(Schema(kept), columns, people.n_rows, people.person_of)
    located = known.located
    if located is not None:
        located = tuple(Located(one.group[index], None if one.row is None else one.row[index]) for one in located)
    prior = replace(known.prior, row_of=known.prior.row_of[index], parts={}, unplaced=(), left_out=None)
    return View(view.releases, replace(known, people=people, prior=prior, located=located, complete=False))
