"""Protocol Engine: run a query, return Arrow. The database, file reader or cluster that holds a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import pyarrow as pa
from sqlglot import exp


class CellType(StrEnum):
    """The type of a column, as far as its missing values must be recognized."""

    TEXT = "text"  # marks of missing values, and `*` for suppressed cells
    REAL = "real"  # NaN and infinities are missing
    WHOLE = "whole"  # whole numbers and decimals: NULL is missing
    DATE = "date"  # days: NULL is missing
    OTHER = "other"  # booleans, moments: NULL is missing
    UNKNOWN = "unknown"  # compared as text

    @property
    def is_text(self) -> bool:
        """Whether cells are compared as text, so that one may be a mark of a missing or a suppressed value."""
        return self in {CellType.TEXT, CellType.UNKNOWN}

    @property
    def is_number(self) -> bool:
        """Whether cells are numbers."""
        return self in {CellType.REAL, CellType.WHOLE}


@dataclass(frozen=True, slots=True)
class Source:
    """A table in an engine: the relation that a query selects from, and its columns with their types."""

    name: str
    relation: exp.Expression  # a table, or a subquery
    columns: Mapping[str, CellType]


class Engine(Protocol):
    """A place where queries run.

    Queries come as text in the engine's own dialect, every name in them quoted. An engine writes nothing but temporary
    results, which end with `close`.
    """

    @property
    def name(self) -> str:
        """The name, as `--engine` takes it."""
        ...

    @property
    def dialect(self) -> str:
        """The dialect of SQL, by SQLGlot's name."""
        ...

    @property
    def source(self) -> Source:
        """The table that is measured."""
        ...

    def beside(self, source: str, name: str) -> Source:
        """Open another table in the same place: a release, or a population.

        Fails
            With `InvalidInputError` where it cannot be read, or is in another place.
        """
        ...

    def arrow(self, query: str) -> pa.Table:
        """Run a query and return its rows.

        Fails
            With `InvalidInputError` where the query does not fit the table, with `DatabaseError` where it breaks off.
        """
        ...

    def keep(self, name: str, query: str) -> bool:
        """Store the rows of a query as a temporary table of this name; return False where the engine may not.

        Then the query becomes a part of each query that needs it.
        """
        ...

    def close(self) -> None:
        """End the connection, with all temporary results."""
        ...
