"""The groups of a table in an engine: the relations that all scores begin with, and facts about all groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from unmask.errors import InvalidInputError
from unmask.warehouse.cells import EngineCells
from unmask.warehouse.expressions import (
    case,
    column,
    equal,
    flag,
    is_null,
    least,
    most,
    named,
    number,
    rows,
    select,
    table,
    times,
    total,
)
from unmask.warehouse.queries import Queries
from unmask.warehouse.wildcards import Pattern, patterns_query
from unmask.wording import message

LADDER = (1, 2, 3, 5, 10, 20, 50, 100)
"""The sizes up to which the people of small groups are counted."""


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """The groups of a table, without suppressed records."""

    n_groups: int
    n_rows: float
    smallest: float
    squares: float  # the sum of squared sizes
    suppressed: float  # rows of suppressed records
    ladder: Mapping[int, float]  # size → rows in groups of at most this size


@dataclass(frozen=True, slots=True)
class Base:
    """The relations that all scores begin with."""

    cells: EngineCells
    counted: str  # the step of rows by combination of cells and values
    groups: str  # the step of groups
    facts: GroupFacts
    apart: bool  # some groups are suppressed records, set apart in the first reading
    patterns: tuple[Pattern, ...]
    gaps: frozenset[str]  # columns with missing values

    @property
    def is_wild(self) -> bool:
        """Whether a cell matches everything in the second reading."""
        return any(any(one) for one in self.patterns)


def base_of(queries: Queries, cells: EngineCells, prefix: str = "") -> Base:
    """Count a table's rows by combination of cells, and describe its groups."""
    counted = queries.keep(f"{prefix}counted", cells.counted())
    groups = queries.keep(f"{prefix}groups", cells.groups(counted))
    found = queries.row(message("groups, people and suppressed records"), _facts(groups))
    if not found["groups"]:
        msg = message("{source} must have at least one row; it has none", source=repr(cells.source.name))
        raise InvalidInputError(msg)
    apart = bool(found["starred"]) and found["groups"] > found["starred_groups"]
    gone = (found["starred_groups"], found["starred"]) if apart else (0.0, 0.0)
    smallest, squares = (
        (found["smallest_shown"], found["squares_shown"]) if apart else (found["smallest"], found["squares"])
    )
    facts = GroupFacts(
        int(found["groups"] - gone[0]), found["people"] - gone[1], smallest or 0.0, squares or 0.0, gone[1],
        {size: found[f"{'shown' if apart else 'all'}{size}"] for size in LADDER},
    )  # fmt: skip
    wild = queries.rows(message("patterns of missing and suppressed cells"), patterns_query(cells, groups))
    patterns = tuple(sorted(tuple(bool(one[f"w{i}"]) for i in range(len(cells.known))) for one in wild))
    lacking = {s: cells.value(i, missing=exp.Null()) for i, s in enumerate(cells.attributes)}
    lacking |= {q: column(q) for q in cells.cells}
    row = queries.row(
        message("which columns have missing values"),
        select(*(named(most(flag(is_null(value))), key) for key, value in lacking.items())).from_(
            table(counted), copy=False
        ),
    )
    names = zip(
        (*cells.attributes, *cells.cells), (*cells.sensitive, *(one.column for one in cells.known)), strict=True
    )
    return Base(cells, counted, groups, facts, apart, patterns, frozenset(name for key, name in names if row[key]))


def _facts(groups: str) -> exp.Select:
    size, starred = column("size"), column("starred")
    not_starred = case(equal(starred, number(0)), size, exp.Null())
    values = {
        "groups": rows(),
        "people": total(size),
        "smallest": least(size),
        "squares": total(times(size, size.copy())),
        "starred_groups": total(starred),
        "starred": total(times(size, starred)),
        "smallest_shown": least(not_starred),
        "squares_shown": total(times(not_starred, not_starred.copy())),
    }
    for most_people in LADDER:
        small = exp.LTE(this=size.copy(), expression=number(most_people))
        values[f"all{most_people}"] = total(case(small, size.copy(), number(0)))
        values[f"shown{most_people}"] = total(case(small.copy(), not_starred.copy(), number(0)))
    return select(*(named(value, key) for key, value in values.items())).from_(table(groups), copy=False)
