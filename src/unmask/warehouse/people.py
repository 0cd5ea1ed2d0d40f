"""The people of an audit in an engine: combinations of values, counted, and numbered by quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from unmask.warehouse.cells import EngineCells
from unmask.warehouse.expressions import column, columns, grouped, named, numbered, select, table, text, total
from unmask.warehouse.queries import Queries
from unmask.wording import message


@dataclass(frozen=True, slots=True)
class EnginePeople:
    """People by profile `p`, a number for each combination of quasi-identifiers, and by sensitive values."""

    cells: EngineCells
    counted: str  # the step of people by profile and sensitive values: p, q0, …, a0, …, n
    profiles: str  # the step of profiles: p, q0, …, n
    n: float  # rows

    @classmethod
    def of(cls, queries: Queries, cells: EngineCells, prefix: str = "people") -> EnginePeople:
        """Count people, and number their profiles."""
        rows_of = queries.define(f"{prefix}_counted", cells.counted())
        values = [named(cells.value(i, missing=missing(cells)), f"a{i}") for i in range(len(cells.sensitive))]
        read = select(named(numbered(columns(cells.cells)), "p"), *columns(cells.cells), *values, column("n")).from_(
            table(rows_of), copy=False
        )
        counted = queries.keep(prefix, read)
        by = columns(("p", *cells.cells))
        profiles = queries.keep(
            f"{prefix}_profiles",
            grouped(select(*by, named(total(column("n")), "n")).from_(table(counted), copy=False), by),
        )
        n = queries.row(
            message("rows of people"), select(named(total(column("n")), "n")).from_(table(counted), copy=False)
        )["n"]
        return cls(cells, counted, profiles, float(n))


def missing(cells: EngineCells) -> exp.Expression:
    """Return the text of a missing sensitive value: one more value, or NULL where it matches everything."""
    return exp.Null() if cells.missing_matches else text("")
