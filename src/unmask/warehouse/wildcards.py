"""Matching of groups with missing or suppressed cells, which match everything: joins by pattern of such cells.

Groups with the same wild cells form a set; each two sets are joined on the cells that are wild in neither. So the cost
grows with groups × patterns, not with pairs of groups.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence

from sqlglot import exp

from unmask.errors import ResourceError
from unmask.warehouse.cells import EngineCells
from unmask.warehouse.expressions import (
    all_of,
    both,
    case,
    column,
    columns,
    equal,
    flag,
    grouped,
    inner,
    listed,
    named,
    number,
    select,
    table,
    total,
)  # fmt: skip
from unmask.warehouse.queries import Queries
from unmask.wording import message

MOST_PATTERNS = 16
"""The largest number of patterns of wild cells: each two are a join."""

Pattern = tuple[bool, ...]
"""Which cells are wild, one for each quasi-identifier."""

_PATTERN = "pattern"


def patterns_query(cells: EngineCells, groups: str) -> exp.Select:
    """Return the patterns of wild cells that occur, one a row."""
    wild = [named(flag(cells.is_wild(i)), f"w{i}") for i in range(len(cells.known))]
    read = select(*wild).from_(table(groups), copy=False)
    names = columns(f"w{i}" for i in range(len(wild)))
    return grouped(select(*names).from_(inner(read, "p"), copy=False), names)


def require_few(patterns: Sequence[Pattern]) -> None:
    """Fail where there are too many patterns to be joined.

    Fails
        With `ResourceError`, before any join runs.
    """
    if len(patterns) > MOST_PATTERNS:
        msg = message(
            "an engine must have at most {most_patterns} patterns of missing cells to match them with "
            "everything; got {n}. Leave out --engine, or columns with missing cells",
            most_patterns=MOST_PATTERNS,
            n=len(patterns),
        )
        raise ResourceError(msg)


def matched(
    queries: Queries,
    cells: EngineCells,
    groups: str,
    content: str,
    patterns: Sequence[Pattern],
    step: str,
    *,
    by: Sequence[str] = (),
) -> exp.Select:
    """Return for each group the summed `n` of all matching groups of another relation, by value if `by` names it.

    `groups` has the keys of groups, `content` the keys, the columns `by`, and `n`. The pattern of each of their rows is
    looked up once.
    """
    ours = queries.keep(f"{step}_patterns", _with_pattern(cells, groups, patterns))
    theirs = queries.keep(f"{step}_content_patterns", _with_pattern(cells, content, patterns, (*by, "n")))
    alike: dict[Pattern, list[tuple[int, int]]] = {}  # pairs of patterns, by the cells that are wild in one of both
    for (i, mine), (j, other) in itertools.product(enumerate(patterns), repeat=2):
        either = tuple(map(operator.or_, mine, other))
        alike.setdefault(either, []).append((i, j))
    joined = [_joined(cells, ours, theirs, either, pairs, by) for either, pairs in alike.items()]
    names = columns((*cells.keys, *by))
    merged = select(*(one.copy() for one in names), named(total(column("n")), "n"))
    return grouped(merged.from_(inner(all_of(joined), "m"), copy=False), names)


def _joined(
    cells: EngineCells,
    ours: str,
    theirs: str,
    either: Pattern,
    pairs: Sequence[tuple[int, int]],
    by: Sequence[str],
) -> exp.Select:
    """Return the groups that match, of all pairs of patterns with the same cells that are wild in neither."""
    shared = [q for q, wild in zip(cells.cells, either, strict=True) if not wild]
    kept = (*shared, *by, _PATTERN)
    there = grouped(
        select(*columns(kept), named(total(column("n")), "n")).from_(table(theirs), copy=False), columns(kept)
    )
    alike = both(
        equal(column("theirs", "w"), column(_PATTERN, "b")), *(equal(column(q, "a"), column(q, "b")) for q in shared)
    )
    return (
        select(*columns(cells.keys, "a"), *columns(by, "b"), column("n", "b"))
        .from_(table(ours, "a"), copy=False)
        .join(
            inner(listed(pairs, "w", ("ours", "theirs")), "w"),
            on=equal(column(_PATTERN, "a"), column("ours", "w")),
            copy=False,
        )
        .join(inner(there, "b"), on=alike, copy=False)
    )


def _with_pattern(
    cells: EngineCells, relation: str, patterns: Sequence[Pattern], more: Sequence[str] = ()
) -> exp.Select:
    """Return the keys of a relation and more of its columns, with the place of each row's pattern of wild cells."""
    place: exp.Expression = number(-1)
    for i, pattern in enumerate(patterns):
        each = [(cells.is_wild(q), wild) for q, wild in enumerate(pattern)]
        place = case(both(*(one if wild else exp.Not(this=exp.paren(one)) for one, wild in each)), number(i), place)
    return select(*columns((*cells.keys, *more)), named(place, _PATTERN)).from_(table(relation), copy=False)
