"""Merging of groups of a release: cells grow until they contain those of every merged group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unmask.arrays import Float64, Int32, Ragged, distinct_tuples, expand, starts
from unmask.changes.release_changes import ChangedRelease
from unmask.errors import InvalidInputError
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.release import Provenance, Release, arranged
from unmask.schema import Categorical
from unmask.wording import message


def can_merge(release: Release) -> bool:
    """Whether groups of a release can be merged: it has rows, one line for each group or exact rows with counts."""
    masked = release.masked
    if release.start is None or release.headcount is not None or masked.is_typical or masked.noise:
        return False
    return _has_own_lines(release) or all(a.name not in release.columns for a in release.schema.sensitive)


def merge(release: Release, union: Int32) -> ChangedRelease:
    """Return the release with groups merged; `union` is the new group of each, (groups,), numbered from 0.

    A merged group has, of numbers and ordered values, the range from the least to the greatest value of its groups; of
    other values, all of theirs. Rows with exact cells keep them, and only their lists of values become one. The result
    declares no method: no algorithm made it as it is. Regions between cuts are not published any more.

    Fails
        With `InvalidInputError` where groups cannot be merged: centroids, noisy numbers, and people with several rows.
    """
    if not can_merge(release):
        why = message(
            "release {release} must publish cells, and each person in one row, for groups to be merged; it "
            "does not. Leave groups out, or sanitize the table again",
            release=repr(release.name),
        )
        raise InvalidInputError(why)
    n, group = int(union.max(initial=-1)) + 1, union[release.group_of_row].astype(np.int32)
    lines = release.masked.lines
    if _has_own_lines(release):
        columns = [_joined(cells, lines.cell[:, i], union, n) for i, cells in enumerate(lines.cells)]
        cell = np.stack([number for _, number in columns], axis=1)
        lines = Lines(tuple(cells for cells, _ in columns), cell, np.arange(n, dtype=np.int32), n)
        line_of_row = group.astype(np.int64)
    else:
        line_of_row = lines.line_of(release.group_of_row)
        lines = Lines(lines.cells, lines.cell, union[lines.group_of_line].astype(np.int32), n)
    counts = {name: one for name, one in release.counts.items() if name not in release.columns}
    made = arranged(
        release.schema,
        lines,
        input_row=None,
        n_input=release.n_rows,
        group_of_row=group,
        line_of_row=line_of_row,
        columns=release.columns,
        counts={
            name: Ragged.gather(union[one.row], one.column, one.data, (n, one.n_columns))
            for name, one in counts.items()
        },
        name=release.name,
    )
    row_of, new = made.row_of, made.release
    if row_of is None:
        msg = "a release with rows must have a place for each of them"
        raise TypeError(msg)
    new = replace(
        release, masked=new.masked, size=new.size, start=new.start, columns=new.columns, counts=new.counts,
        regions=None, provenance=Provenance(),
    )  # fmt: skip
    group_of = np.full(release.n_groups, -1, np.int32)
    group_of[release.group_of_row] = new.group_of_row[row_of]
    return ChangedRelease(new, row_of, group_of)


def _has_own_lines(release: Release) -> bool:
    """Whether each group has one line, and values are on rows."""
    own = np.array_equal(release.masked.group_of_line, np.arange(release.n_groups))
    return own and all(a.name in release.columns for a in release.schema.sensitive)


def _joined(cells: Cells, cell: Int32, union: Int32, n: int) -> tuple[Cells, Int32]:
    """Return the distinct cells of merged groups, and the cell of each, (n,); `cell` (groups,) is that of a group."""
    entry, group = expand(cells.start, cell)
    owner = union[group]
    join = _values if isinstance(cells.attribute.domain, Categorical) else _hulls
    count, low, high, low_open, high_open = join(cells, entry, owner, n)
    least, most = np.full(n, cells.n), np.full(n, -1)
    np.minimum.at(least, union, cell)
    np.maximum.at(most, union, cell)
    label: tuple[str, ...] = ()
    if cells.label:
        label = tuple(cells.label[a] if a == b else "" for a, b in zip(least.tolist(), most.tolist(), strict=True))
    made = Cells(
        cells.attribute,
        starts(count),
        low,
        high,
        low_open > 0,
        high_open > 0,
        np.bincount(union, cells.missing[cell], n) > 0,
        np.bincount(union, cells.anything[cell], n) > 0,
        label,
    )
    return made.ordered()


def _hulls(
    cells: Cells, entry: np.ndarray, owner: Int32, n: int
) -> tuple[np.ndarray, Float64, Float64, Float64, Float64]:
    """Return one piece for each group that has any: number of pieces (n,), ends, and whether ends are open."""
    low, high = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(low, owner, cells.low[entry])
    np.maximum.at(high, owner, cells.high[entry])
    low_open, high_open = np.ones(n), np.ones(n)
    at_low, at_high = cells.low[entry] == low[owner], cells.high[entry] == high[owner]
    np.minimum.at(low_open, owner[at_low], cells.low_open[entry][at_low])
    np.minimum.at(high_open, owner[at_high], cells.high_open[entry][at_high])
    has = np.isfinite(low) | np.isfinite(high)
    return has.astype(np.int64), low[has], high[has], low_open[has], high_open[has]


def _values(
    cells: Cells, entry: np.ndarray, owner: Int32, n: int
) -> tuple[np.ndarray, Float64, Float64, Float64, Float64]:
    """Return the runs of listed values of each group: number of runs (n,), ends, closed."""
    width = (cells.high[entry] - cells.low[entry]).astype(np.int64) + 1
    first = np.repeat(cells.low[entry].astype(np.int64) - (starts(width)[:-1]), width)
    code = np.arange(width.sum()) + first
    _, example = distinct_tuples((np.repeat(owner, width), code), code.size)
    own, value = np.repeat(owner, width)[example].astype(np.int64), code[example]
    order = np.lexsort((value, own))
    own, value = own[order], value[order]
    begins = np.append(True, (np.diff(own) != 0) | (np.diff(value) != 1))[: own.size]
    ends = np.append(begins[1:], True)[: own.size]
    closed = np.zeros(int(begins.sum()))
    return np.bincount(own[begins], minlength=n), value[begins] * 1.0, value[ends] * 1.0, closed, closed


__all__ = ["can_merge", "merge"]
