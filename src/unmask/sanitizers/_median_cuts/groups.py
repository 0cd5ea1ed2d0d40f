"""Strict multidimensional Mondrian: cut groups near the median until no cut leaves k rows and a safe group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, frozen
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.sanitizers._median_cuts import rule

Accept: TypeAlias = Callable[[Int64, tuple[Int64, ...]], Bool]
"""From sizes (nodes,) and, per sensitive attribute, counts (nodes, values): which nodes may stand as groups."""

_LEAST_CELLS = 1 << 20  # counts of up to this many cells (8 MiB) are made at once even for small tables


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Which row went to which group, and the two boxes of each group, as codes, both ends included.

    Summaries are the extremes of the members: disjoint, but a newcomer may lie in none.
    Regions are what the cuts left: a newcomer between the table's extremes lies in exactly one. A gap between two
    sides belongs to the upper one.
    """

    group_of: Int32  # (rows,) numbered from the low to the high side of every cut
    n_groups: int
    low: Int32  # (groups, attributes)
    high: Int32  # (groups, attributes)
    region_low: Int32  # (groups, attributes)
    region_high: Int32  # (groups, attributes)


def partition(
    codes: Int32,  # (rows, attributes)
    k: int,
    *,
    width: Float64,  # (attributes,) spans to normalize by: maximum - minimum of the whole table
    accept: Accept | None = None,
    values: Int32 | None = None,  # (rows, sensitive attributes)
    n_values: tuple[int, ...] = (),  # one per sensitive attribute
) -> Cuts:
    """Cut a table into groups of at least k rows, by the strict Mondrian rule.

    A node with fewer than 2k rows is a group. Otherwise its attributes are tried from the widest span in units of
    `width` to the narrowest (ties: lowest index). The cut is the boundary between two codes that lies nearest to half
    of the rows and leaves k rows on both sides (ties: the lower). Where `accept` refuses a side of that one cut, the
    next attribute is tried; where none is left, the node is a group. The order of rows changes nothing.

    Assumes
        That the whole table is acceptable: only sides of cuts are shown to `accept`, several nodes in one call, and it
        judges each node by itself. Values run from 0 to `n_values` - 1.
    Fails
        With `InvalidInputError` for arrays that do not fit together, with `InfeasibleError` for fewer than k rows.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006, section 4.
    """
    given = values if values is not None else np.zeros((codes.shape[0], 0), np.int32)
    _check(codes, k, width, given, n_values)
    n_rows, n_attributes = codes.shape
    rows = np.empty((n_rows, n_attributes + given.shape[1] + 1), np.int32)
    rows[:, :n_attributes] = codes
    rows[:, n_attributes:-1] = given
    rows[:, -1] = np.arange(n_rows)
    low, high = codes.min(axis=0), codes.max(axis=0)
    root = np.stack([low, high, low, high])
    spans = np.array(width, np.float64)
    if accept is None:
        start, box = _cut_by_k(rows, spans, k, root)
    else:
        start, box = _cut_by_level(rows, spans, k, root, accept, n_values)
    order = np.argsort(start)
    start, box = start[order], box[order]
    group_of = np.empty(n_rows, np.int32)
    group_of[rows[:, -1]] = np.repeat(np.arange(start.size, dtype=np.int32), np.diff(start, append=n_rows))
    parts = (frozen(box[:, part], np.int32) for part in (rule.LOW, rule.HIGH, rule.REGION_LOW, rule.REGION_HIGH))
    return Cuts(frozen(group_of), start.size, *parts)


def _check(codes: Int32, k: int, width: Float64, values: Int32, n_values: tuple[int, ...]) -> None:
    n_rows, n_attributes = codes.shape
    if k < 1:
        msg = f"k must be at least 1; got {k}"
        raise InvalidInputError(msg)
    if n_rows < k:
        msg = f"the table must have at least k = {k} rows; got {n_rows}"
        raise InfeasibleError(msg)
    if width.shape != (n_attributes,) or not (np.isfinite(width) & (width >= 0)).all():
        msg = f"width must be one finite span for each of {n_attributes} attributes; got shape {width.shape}"
        raise InvalidInputError(msg)
    unmeasured = np.flatnonzero((codes.min(axis=0) < codes.max(axis=0)) & (width == 0))
    if unmeasured.size:
        msg = f"width must be positive where codes differ; got 0 for attribute {unmeasured[0]}"
        raise InvalidInputError(msg)
    if values.shape != (n_rows, len(n_values)):
        msg = f"values must have shape {(n_rows, len(n_values))}; got {values.shape}"
        raise InvalidInputError(msg)
    if ((values < 0) | (values >= np.array(n_values, np.int64))).any():
        msg = f"values must lie between 0 and n_values - 1; n_values is {n_values}"
        raise InvalidInputError(msg)


def _cut_by_k(rows: Int32, width: Float64, k: int, root: Int32) -> tuple[Int64, Int32]:
    """Return starts and boxes of the groups where k is the only demand."""
    scratch, spare = rule.scratch_for(rows)
    most = rows.shape[0] // k
    start, box = np.empty(most, np.int64), np.empty((most, *root.shape), np.int32)
    n_groups = rule.cut_all(rows, spare, scratch, width, k, root, start, box)
    return start[:n_groups], box[:n_groups]


def _cut_by_level(
    rows: Int32, width: Float64, k: int, root: Int32, accept: Accept, n_values: tuple[int, ...]
) -> tuple[Int64, Int32]:
    """Return the same under a model; all nodes of one depth are judged together, one attribute of each a round."""
    scratch, spare = rule.scratch_for(rows)
    start, stop, box = np.zeros(1, np.int64), np.full(1, rows.shape[0], np.int64), root[np.newaxis]
    done_start, done_box = [], []
    while start.size:
        proposal = np.full((3, start.size), rule.NO_ATTRIBUTE, np.int64)
        attribute, _, n_left = proposal
        undecided = np.arange(start.size)
        while undecided.size:
            rule.propose(rows, start, stop, box, width, k, undecided, proposal, scratch)
            undecided = undecided[attribute[undecided] != rule.NO_ATTRIBUTE]
            refused = np.zeros(undecided.size, np.bool_)
            for part in _parts(undecided.size, rows.shape[0], n_values):
                nodes = undecided[part]
                size = np.concatenate([n_left[nodes], (stop - start - n_left)[nodes]])
                counts = []
                for column, n in enumerate(n_values, start=width.size):
                    sides = np.zeros((2, nodes.size, n), np.int64)
                    rule.count(rows, start, stop, nodes, proposal, column, sides)
                    counts.append(sides.reshape(-1, n))
                refused[part] = ~accept(size, tuple(counts)).reshape(2, -1).all(axis=0)
            undecided = undecided[refused]
        leaf = attribute == rule.NO_ATTRIBUTE
        done_start.append(start[leaf])
        done_box.append(box[leaf])
        inner = np.flatnonzero(~leaf)
        children = np.empty((2 * inner.size, *root.shape), np.int32)
        rule.split_many(rows, spare, start, stop, box, inner, proposal, children)
        ends = np.stack([start[inner], start[inner] + n_left[inner], stop[inner]], axis=1)
        start, stop, box = ends[:, :2].reshape(-1), ends[:, 1:].reshape(-1), children
    return np.concatenate(done_start), np.concatenate(done_box)


def _parts(n_nodes: int, n_rows: int, n_values: tuple[int, ...]) -> Iterator[slice]:
    """Yield runs of nodes whose counts have no more cells than the table has rows."""
    step = max(1, max(_LEAST_CELLS, n_rows) // (2 * max(1, sum(n_values))))
    for first in range(0, n_nodes, step):
        yield slice(first, first + step)
