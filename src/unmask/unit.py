"""Units of protection: people, where a person key is declared; else rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from unmask.arrays import Int32
from unmask.number_format import numeral
from unmask.people_counts import people_in
from unmask.wording import Message, counted, marked, message


class Unit(StrEnum):
    """The unit of a count. Without a person key, the number of people behind the rows is unknown."""

    PEOPLE = marked("people")
    ROWS = marked("rows")

    @classmethod
    def of(cls, person_of: Int32 | None) -> Unit:
        """Return the unit in which rows can be counted, with or without known people."""
        return cls.ROWS if person_of is None else cls.PEOPLE

    @property
    def one(self) -> str:
        """The singular noun."""
        return marked("person") if self is Unit.PEOPLE else marked("row")

    def counted(self, n: float) -> Message:
        """Write a number with the noun.

        >>> Unit.PEOPLE.counted(1), Unit.PEOPLE.counted(1200), Unit.ROWS.counted(3)
        ('1 person', '1,200 people', '3 rows')
        """
        if self is Unit.PEOPLE:
            return counted("{n} person", "{n} people", n, n=numeral(n, ",.0f"))
        return counted("{n} row", "{n} rows", n, n=numeral(n, ",.0f"))


def common(units: Iterable[Unit]) -> Unit:
    """Return the common unit of several counts: rows, if any of them counts rows."""
    return Unit.ROWS if Unit.ROWS in set(units) else Unit.PEOPLE


@dataclass(frozen=True, slots=True)
class Count:
    """A number of people, and of their rows; of rows only, where people are not known."""

    n: float
    rows: float
    unit: Unit = Unit.PEOPLE

    @classmethod
    def of(cls, person_of: Int32 | None, n_rows: int) -> Count:
        """Count rows, with or without known people."""
        return cls(people_in(person_of, n_rows), n_rows, Unit.of(person_of))

    def __str__(self) -> str:
        """Write both numbers where they differ.

        >>> str(Count(8, 10)), str(Count(8, 8)), str(Count(10, 10, Unit.ROWS))
        ('8 people (10 rows)', '8 people', '10 rows')
        """
        of_unit = self.unit.counted(self.n)
        if self.rows == self.n:
            return of_unit
        return message("{people} ({rows})", people=of_unit, rows=Unit.ROWS.counted(self.rows))
