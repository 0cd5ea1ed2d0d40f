"""Matching of groups with missing or suppressed cells, which match everything: joins by pattern of such cells.

Groups with the same wild cells form a set; each two sets are joined on the cells that are wild in neither. So the cost
grows with groups × patterns, not with pairs of groups.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from unmask.errors import ResourceError
from unmask.warehouse.cells import EngineCells
from unmask.warehouse.expressions import (
    all_of,
    both,
    column,
    columns,
    equal,
    flag,
    grouped,
    inner,
    named,
    select,
    table,
    total,
)  # fmt: skip
from unmask.wording import message

MOST_PATTERNS = 16
"""The largest number of patterns of wild cells: each two are a join."""

Pattern = tuple[bool, ...]
"""Which cells are wild, one for each quasi-identifier."""


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
    cells: EngineCells, groups: str, content: str, patterns: Sequence[Pattern], *, by: Sequence[str] = ()
) -> exp.Select:
    """Return for each group the summed `n` of all matching groups of another relation, by value if `by` names it.

    `groups` has the keys of groups, `content` the keys, the columns `by`, and `n`.
    """
    pairs = [_pair(cells, groups, content, ours, theirs, by) for ours in patterns for theirs in patterns]
    names = columns((*cells.keys, *by))
    summed = select(*(one.copy() for one in names), named(total(column("n")), "n"))
    return grouped(summed.from_(inner(all_of(pairs), "m"), copy=False), names)


def _pair(
    cells: EngineCells, groups: str, content: str, ours: Pattern, theirs: Pattern, by: Sequence[str]
) -> exp.Select:
    shared = [q for q, mine, other in zip(cells.cells, ours, theirs, strict=True) if not (mine or other)]
    there = grouped(
        select(*columns((*shared, *by)), named(total(column("n")), "n"))
        .from_(table(content), copy=False)
        .where(_of_pattern(cells, theirs), copy=False),
        columns((*shared, *by)),
    )
    here = select(*columns(cells.keys)).from_(table(groups), copy=False).where(_of_pattern(cells, ours), copy=False)
    joined = select(*columns(cells.keys, "a"), *columns(by, "b"), column("n", "b")).from_(inner(here, "a"), copy=False)
    if not shared:
        return joined.join(inner(there, "b"), join_type="cross", copy=False)
    return joined.join(inner(there, "b"), on=both(*(equal(column(q, "a"), column(q, "b")) for q in shared)), copy=False)


def _of_pattern(cells: EngineCells, pattern: Pattern) -> exp.Expression:
    each = [(cells.is_wild(i), wild) for i, wild in enumerate(pattern)]
    return both(*(one if wild else exp.Not(this=exp.paren(one)) for one, wild in each))
