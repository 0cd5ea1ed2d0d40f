"""The groups of a release in an engine: rows by group, with parsed cells, and the patterns of cells that fit all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from unmask.warehouse.cells import EngineCells
from unmask.warehouse.expressions import (
    INFINITE,
    any_of,
    case,
    column,
    columns,
    equal,
    flag,
    grouped,
    is_null,
    listed,
    most,
    named,
    number,
    numbered,
    select,
    table,
    text,
    total,
)  # fmt: skip
from unmask.warehouse.meanings import Meaning, meaning_of
from unmask.warehouse.people import EnginePeople, missing
from unmask.warehouse.queries import Queries
from unmask.warehouse.release_source import CellParser
from unmask.warehouse.wildcards import Pattern, require_few
from unmask.wording import message

_PARSED = ("t", "c", "w", "x", "low", "high")


@dataclass(frozen=True, slots=True)
class PublishedGroups:
    """Rows and groups of a release.

    `g` is the number of a group, `c0`, … are its cells, `w0`, … whether they fit all values, `x0`, … whether they are
    `*`, `low0`, `high0`, … the ends of numbers, and `v0`, … sensitive values.
    """

    name: str
    cells: EngineCells
    meanings: tuple[Meaning, ...]
    rows: str  # the step of rows by group and sensitive values
    groups: str  # the step of groups: g, cells, size
    n_groups: int
    n_rows: float
    patterns: tuple[Pattern, ...]
    prefix: str

    @classmethod
    def of(
        cls, queries: Queries, cells: EngineCells, counted: str, people: EnginePeople, parse: CellParser, prefix: str
    ) -> PublishedGroups:
        """Parse the published cells, and count the rows of groups; `counted` is the step of rows by cells and values.

        Fails
            With `InvalidInputError` where a cell does not fit its column, with `ResourceError` where cells that fit all
            have too many patterns.
        """
        columns_of = people.cells.source.columns
        meanings = tuple(
            meaning_of(queries, counted, i, one.column, columns_of[one.column], cells, parse)
            for i, one in enumerate(cells.known)
        )
        parsed = queries.define(f"{prefix}_parsed", _parsed(queries, cells, meanings, counted, prefix))
        names = [f"{part}{i}" for i in range(len(meanings)) for part in ("c", "w", "x", "low", "high")]
        key = [*(["g"] if cells.group is not None else []), *(f"c{i}" for i in range(len(meanings)))]
        values = columns(f"v{i}" for i in range(len(cells.sensitive)))
        in_groups = select(named(numbered(columns(key)), "g"), *columns(names), *values, column("n")).from_(
            table(parsed), copy=False
        )
        rows_of = queries.keep(f"{prefix}_rows", in_groups)
        each = [named(most(column(one)), one) for one in names]
        groups = queries.keep(
            f"{prefix}_groups",
            grouped(
                select(column("g"), *each, named(total(column("n")), "size")).from_(table(rows_of), copy=False),
                [column("g")],
            ),
        )
        found = queries.row(
            message("groups and rows of the release"),
            select(named(total(number(1)), "groups"), named(total(column("size")), "n")).from_(
                table(groups), copy=False
            ),
        )
        wild = columns(f"w{i}" for i in range(len(meanings)))
        seen = queries.rows(
            message("patterns of published cells that fit all values"),
            grouped(select(*wild).from_(table(groups), copy=False), wild),
        )
        patterns = tuple(sorted(tuple(bool(one[f"w{i}"]) for i in range(len(meanings))) for one in seen))
        require_few(patterns)
        name = cells.source.name
        return cls(name, cells, meanings, rows_of, groups, int(found["groups"]), float(found["n"]), patterns, prefix)


def _parsed(queries: Queries, cells: EngineCells, meanings: Sequence[Meaning], counted: str, prefix: str) -> exp.Select:
    """Return rows with each cell as its number or its text, what it fits, and the ends of its numbers."""
    given: list[exp.Expression] = []
    read = select().from_(table(counted, "r"), copy=False)
    for one in meanings:
        kind, q = cells.source.columns[cells.known[one.i].column], column(f"q{one.i}", "r")
        parsed = one.parsed()
        if parsed:
            step = queries.define(f"{prefix}_texts{one.i}", listed(parsed, "k", _PARSED))
            alias = f"t{one.i}"
            read = read.join(table(step, alias), on=equal(one.key(q, kind), column("t", alias)), copy=False)
            given += [named(column(part, alias), f"{part if part != 'c' else 'c'}{one.i}") for part in _PARSED[1:]]
        else:
            given += _plain(cells, one, q)
    group = [column("g", "r")] if cells.group is not None else []
    values = [named(cells.value(i, missing=missing(cells)), f"v{i}") for i in range(len(cells.sensitive))]
    return read.select(*group, *given, *values, column("n", "r"), append=False, copy=False)


def _plain(cells: EngineCells, meaning: Meaning, q: exp.Expression) -> Iterator[exp.Expression]:
    """Yield the columns of a cell that is one value, as it is written."""
    i, kind = meaning.i, meaning.released
    star = equal(q.copy(), text("*")) if kind.is_text else any_of()
    lacks = is_null(q.copy()) if cells.missing_matches else any_of()
    wild = any_of(star, lacks)
    place = meaning.place(q.copy(), kind)
    yield named(meaning.key(q, kind), f"c{i}")
    yield named(flag(wild), f"w{i}")
    yield named(flag(wild.copy()), f"x{i}")
    yield named(case(wild.copy(), number(-INFINITE), place), f"low{i}")
    yield named(case(wild.copy(), number(INFINITE), place.copy()), f"high{i}")
