"""Neighboring relations of differential privacy: the pairs of tables that ε compares."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from unmask.unit import Unit
from unmask.wording import marked, message

Change = Literal["replace", "add-remove"]


class Relation(StrEnum):
    """The neighboring relation: ε and δ bound the difference of outputs on neighbors, and on no other pairs.

    The number of rows (or people) is public where one is replaced, and hidden where one is added or removed.
    """

    REPLACE_ROW = "replace-one-row"
    REPLACE_PERSON = "replace-one-person"
    ADD_REMOVE_ROW = "add-remove-one-row"
    ADD_REMOVE_PERSON = "add-remove-one-person"

    @classmethod
    def of(cls, change: Change, unit: Unit) -> Relation:
        """Return the relation in which one unit is replaced, or added or removed."""
        return cls(f"{change}-one-{unit.one}")

    @property
    def change(self) -> Change:
        """The kind of change between neighbors."""
        return "add-remove" if self in {Relation.ADD_REMOVE_ROW, Relation.ADD_REMOVE_PERSON} else "replace"

    @property
    def unit(self) -> Unit:
        """The unit that is replaced, added or removed: one row, or all rows of one person."""
        return Unit.PEOPLE if self in {Relation.REPLACE_PERSON, Relation.ADD_REMOVE_PERSON} else Unit.ROWS

    @property
    def words(self) -> str:
        """The difference between neighbors, as a sentence."""
        return message(_WORDS[self])


_WORDS: Mapping[Relation, str] = {
    Relation.REPLACE_ROW: marked("one row is replaced by another"),
    Relation.REPLACE_PERSON: marked("one person (all rows of theirs) is replaced by another"),
    Relation.ADD_REMOVE_ROW: marked("one row is added or removed"),
    Relation.ADD_REMOVE_PERSON: marked("one person (all rows of theirs) is added or removed"),
}
