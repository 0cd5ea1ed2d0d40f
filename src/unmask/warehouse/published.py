"""The audit of published columns in an engine: unique combinations, and columns that single people out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from unmask.auditing.direct_identifiers import direct_identifier
from unmask.auditing.published_columns import Classes, ColumnFinding, Fault
from unmask.number_format import numeral
from unmask.schema import Role
from unmask.warehouse.cells import EngineCells
from unmask.warehouse.expressions import column, equal, flag, inner, least, named, number, select, total
from unmask.warehouse.queries import Queries
from unmask.wording import message


def all_columns(queries: Queries, cells: EngineCells, unprotected: tuple[str, ...]) -> Classes:
    """Return the classes of rows that are equal in all published columns."""
    row = queries.row(message("classes by all published columns"), _unique(cells.combinations(unprotected)))
    names = (*(one.column for one in cells.known), *cells.sensitive, *unprotected)
    return Classes(names, int(row["rows"]), int(row["unique"]), int(row["smallest"] or 0))


def column_findings(
    queries: Queries, cells: EngineCells, roles: Mapping[str, Role | None], n: int
) -> Iterator[ColumnFinding]:
    """Yield the faults of unprotected columns of `n` rows, in their order.

    Direct identifiers are recognized by a column's name or role alone, since its content stays in the engine.
    """
    for name, role in roles.items():
        row = queries.row(message("unique values of a column: {name}", name=name), _unique(cells.values(name)))
        known, alone = int(row["rows"]), int(row["unique"])
        if alone:
            detail = message("singles out {alone} of {n}", alone=numeral(alone), n=numeral(n))
            yield ColumnFinding(name, role, Fault.SINGLES_OUT, detail, alone, n, "rows")
        identifier = direct_identifier(name, (), n)
        if role is Role.IDENTIFIER:
            yield ColumnFinding(name, role, Fault.IDENTIFIES, message("is declared an identifier"), known, n)
        elif identifier is not None:
            detail = message("holds {kind} (by its {part})", kind=message(identifier.kind), part=message(identifier.by))
            yield ColumnFinding(name, role, Fault.IDENTIFIES, detail, known, n, identifier=identifier.kind)


def _unique(sizes: exp.Select) -> exp.Select:
    """Return how many rows classes of some sizes have, how many are alone, and the smallest."""
    n = column("n")
    alone = total(flag(equal(n.copy(), number(1))))
    return select(named(total(n), "rows"), named(alone, "unique"), named(least(n.copy()), "smallest")).from_(
        inner(sizes, "c"), copy=False
    )
