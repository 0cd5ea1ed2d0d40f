"""Positions of rows in the order in which greedy grouping read them, as far as they are published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Int64, distinct_rows
from unmask.errors import ContradictionError, NotApplicableError
from unmask.release import Release
from unmask.schema import Schema
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class PositionRanges:
    """The range of possible positions of each row in its group: rows that tie in the order share theirs.

    `last` are the groups that may be the table's last: one, or several whose people all tie.
    """

    tie_of_row: Int64  # (rows,) the tie of each row; a single row is a tie, too
    group: Int64  # (ties,)
    begin: Int64  # (ties,) the first position of the tie in its group, from 0
    end: Int64  # (ties,) one past the last
    last: Int64  # (candidates,)


def position_ranges(release: Release, order: Sequence[str], asked: str) -> PositionRanges:
    """Return the positions of the rows of each group, sorted by the published columns of the order.

    Assumes
        Exact rows, a line for each. People tie from the first column that is not published.
    Fails
        With `NotApplicableError` where the first column is not published, or is the attribute in question; with
        `ContradictionError`, with the number of a group, where groups are not intervals of the order.
    """
    if asked in order:
        msg = message("needs an order without {asked}, whose values are hidden in groups", asked=repr(asked))
        raise NotApplicableError(msg)
    rank = _ranks(release, order)
    start = np.asarray(release.start)
    group_of_row = release.group_of_row
    sorted_rows = np.lexsort((rank, group_of_row))
    ranked = rank[sorted_rows]
    new = np.ones(ranked.size, bool)
    new[1:] = (ranked[1:] != ranked[:-1]) | (group_of_row[1:] != group_of_row[:-1])
    first = np.flatnonzero(new)
    group = group_of_row[first].astype(np.int64)
    tie_of_row = np.empty(ranked.size, np.int64)
    tie_of_row[sorted_rows] = np.cumsum(new) - 1
    end = np.append(first[1:], ranked.size)
    last = _last(ranked[start[:-1]], ranked[start[1:] - 1])
    return PositionRanges(tie_of_row, group, first - start[group], end - start[group], last)


def _ranks(release: Release, order: Sequence[str]) -> Int64:
    """Return the rank of each row in the order, (rows,)."""
    cells = release.masked.exact_table()
    attached = tuple(a for a in release.schema if a.name in release.columns)
    seen = Table(
        Schema((*cells.schema, *attached)), {**cells.columns, **{a.name: release.columns[a.name] for a in attached}},
        release.n_rows,
    )  # fmt: skip
    known: list[str] = []
    for name in order:
        if name not in seen.schema:
            break
        known.append(name)
    if not known:
        msg = message("needs column {order}, by which people were sorted first, to be published", order=repr(order[0]))
        raise NotApplicableError(msg)
    return distinct_rows(np.stack([seen.ranks(name)[0] for name in known], axis=1))[0].astype(np.int64)


def _last(lowest: Int64, highest: Int64) -> Int64:
    """Return the groups that may be the last; raise an error if two overlap."""
    sorted_groups = np.lexsort((highest, lowest))
    torn = np.flatnonzero(highest[sorted_groups[:-1]] > lowest[sorted_groups[1:]])
    if torn.size:
        one = int(sorted_groups[torn[0]])
        msg = message(
            "group {one} must end in the published order before the next one begins; greedy grouping cuts a line",
            one=one,
        )
        raise ContradictionError(msg)
    end = highest.max()
    tied = np.flatnonzero(lowest == end)
    return tied if tied.size else np.flatnonzero(highest == end)
