"""Units of protection: people, where a person key was declared; else rows, whoever they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from unmask.arrays import Int32
from unmask.people_counts import people_in


class Unit(StrEnum):
    """What numbers count. Without a person key nobody knows how many people the rows of a table are."""

    PEOPLE = "people"
    ROWS = "rows"

    @classmethod
    def of(cls, person_of: Int32 | None) -> Unit:
        """Return what can be counted of rows whose people are known, or not."""
        return cls.ROWS if person_of is None else cls.PEOPLE

    @property
    def one(self) -> str:
        """The noun for one of them."""
        return "person" if self is Unit.PEOPLE else "row"

    def counted(self, n: float) -> str:
        """Write a number with the noun.

        >>> Unit.PEOPLE.counted(1), Unit.PEOPLE.counted(1200), Unit.ROWS.counted(3)
        ('1 person', '1,200 people', '3 rows')
        """
        return f"{n:,.0f} {self.one if n == 1 else self}"


def common(units: Iterable[Unit]) -> Unit:
    """Return what can be said of several counts together: rows, if any of them counts rows."""
    return Unit.ROWS if Unit.ROWS in set(units) else Unit.PEOPLE


@dataclass(frozen=True, slots=True)
class Count:
    """How many people some rows are; where people were not counted, how many rows."""

    n: float
    rows: float
    unit: Unit = Unit.PEOPLE

    @classmethod
    def of(cls, person_of: Int32 | None, n_rows: int) -> Count:
        """Count rows whose people are known, or not."""
        return cls(people_in(person_of, n_rows), n_rows, Unit.of(person_of))

    def __str__(self) -> str:
        """Write both numbers where they differ.

        >>> str(Count(8, 10)), str(Count(8, 8)), str(Count(10, 10, Unit.ROWS))
        ('8 people (10 rows)', '8 people', '10 rows')
        """
        more = "" if self.rows == self.n else f" ({Unit.ROWS.counted(self.rows)})"
        return self.unit.counted(self.n) + more
