"""Strict multidimensional Mondrian: median cuts until no cut leaves k rows and safe groups on both sides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, frozen
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.sanitizers._median_cuts import people as of_people
from unmask.sanitizers._median_cuts import rule
from unmask.sanitizers._median_cuts.judging import Accept, AcceptPeople, refuse_people, refuse_rows
from unmask.sanitizers._median_cuts.variants import STRICT, Variant, cut_by_sides
from unmask.wording import message

_Propose: TypeAlias = Callable[[Int64, Int64, Int32, Int64, Int64], None]
_Refuse: TypeAlias = Callable[[Int64, Int64, Int64, Int64], Bool]

_LEAST_CELLS = 1 << 20  # cells of counts (8 MiB) that are computed at once even for small tables


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """The group of each row, and the two boxes of each group, as codes, both ends included.

    Summaries are the extremes of the members: disjoint, but a new record may lie in none. Regions are bounded by the
    cuts: a new record between the table's extremes lies in exactly one. A gap between two sides belongs to the upper
    one.
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
    weight: Int64 | None = None,  # (rows,) people with these codes; one each where `accept` or a variant is given
    accept: Accept | None = None,
    values: Int32 | None = None,  # (rows, sensitive attributes)
    n_values: tuple[int, ...] = (),  # one per sensitive attribute
    variant: Variant = STRICT,
) -> Cuts:
    """Cut a table into groups of at least k rows, by the strict Mondrian rule or a variant of it.

    A node with fewer than 2k rows is a group. Otherwise its attributes are tried from the widest span in units of
    `width` to the narrowest (ties: lowest index). The cut is the boundary between two codes that lies nearest to half
    of the rows and leaves k rows on both sides (ties: the lower). Where `accept` refuses a side of that one cut, the
    next attribute is tried; where none is left, the node is a group. The order of rows has no effect.

    Assumes
        The whole table is acceptable: `accept` judges only sides of cuts, several nodes in one call, each independently
        of the others. Values run from 0 to `n_values` - 1.
    Fails
        With `InvalidInputError` for arrays that do not fit together, with `InfeasibleError` for fewer than k rows.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006, section 4.
    """
    given = values if values is not None else np.zeros((codes.shape[0], 0), np.int32)
    n_people = codes.shape[0] if weight is None else int(weight.sum())
    _check(codes, n_people, k, width, given, n_values)
    n_rows, n_attributes = codes.shape
    more = given if weight is None else weight[:, None]
    rows = np.empty((n_rows, n_attributes + more.shape[1] + 1), np.int32)
    rows[:, :n_attributes] = codes
    rows[:, n_attributes:-1] = more
    rows[:, -1] = np.arange(n_rows)
    low, high = codes.min(axis=0), codes.max(axis=0)
    root = np.stack([low, high, low, high])
    spans = np.array(width, np.float64)
    if not variant.is_strict:
        refuse = None if accept is None else refuse_rows(rows, n_attributes, accept, n_values)
        start, box = cut_by_sides(rows, spans, k, root, variant, 0, refuse, _most_sides(n_rows, n_values))
    elif accept is None:
        start, box = _cut_by_k(rows, rule.ONE_EACH if weight is None else n_attributes, n_people, spans, k, root)
    else:
        start, box = _cut_by_level(rows, spans, k, root, accept, n_values)
    return _numbered(rows, start, box)


def _check(codes: Int32, n_people: int, k: int, width: Float64, values: Int32, n_values: tuple[int, ...]) -> None:
    n_rows, n_attributes = codes.shape
    if k < 1:
        msg = message("k must be at least 1; got {k}", k=k)
        raise InvalidInputError(msg)
    if n_people < k:
        msg = message("the table must have at least k = {k} rows; got {n_people}", k=k, n_people=n_people)
        raise InfeasibleError(msg)
    if width.shape != (n_attributes,) or not (np.isfinite(width) & (width >= 0)).all():
        msg = message(
            "width must be one finite span for each of {n_attributes} attributes; got shape {shape}",
            n_attributes=n_attributes,
            shape=width.shape,
        )
        raise InvalidInputError(msg)
    unmeasured = np.flatnonzero((codes.min(axis=0) < codes.max(axis=0)) & (width == 0))
    if unmeasured.size:
        msg = message(
            "width must be positive where codes differ; got 0 for attribute {unmeasured}", unmeasured=unmeasured[0]
        )
        raise InvalidInputError(msg)
    if values.shape != (n_rows, len(n_values)):
        msg = message("values must have shape {value}; got {shape}", value=(n_rows, len(n_values)), shape=values.shape)
        raise InvalidInputError(msg)
    if ((values < 0) | (values >= np.array(n_values, np.int64))).any():
        msg = message("values must lie between 0 and n_values - 1; n_values is {n_values}", n_values=n_values)
        raise InvalidInputError(msg)


def _cut_by_k(rows: Int32, weight: int, n_people: int, width: Float64, k: int, root: Int32) -> tuple[Int64, Int32]:
    """Return starts and boxes of the groups where k is the only requirement."""
    scratch, spare = rule.scratch_for(rows)
    most = min(n_people // k, rows.shape[0])
    start, box = np.empty(most, np.int64), np.empty((most, *root.shape), np.int32)
    n_groups = rule.cut_all(rows, weight, n_people, spare, scratch, width, k, root, start, box)
    return start[:n_groups], box[:n_groups]


def _cut_by_level(
    rows: Int32, width: Float64, k: int, root: Int32, accept: Accept, n_values: tuple[int, ...]
) -> tuple[Int64, Int32]:
    """Return the same under a model; all nodes of one depth are judged together, one attribute of each per round."""
    scratch, spare = rule.scratch_for(rows)

    def propose(start: Int64, stop: Int64, box: Int32, undecided: Int64, proposal: Int64) -> None:
        rule.propose(rows, start, stop, box, width, k, undecided, proposal, scratch)

    def refuse(start: Int64, stop: Int64, nodes: Int64, proposal: Int64) -> Bool:
        n_left = proposal[2, nodes]
        size = np.concatenate([n_left, (stop - start)[nodes] - n_left])
        counts = []
        for column, n in enumerate(n_values, start=width.size):
            sides = np.zeros((2, nodes.size, n), np.int64)
            rule.count(rows, start, stop, nodes, proposal, column, sides)
            counts.append(sides.reshape(-1, n))
        return np.asarray(~accept(size, tuple(counts)).reshape(2, -1).all(axis=0))

    return by_level(rows, spare, root, n_values, propose, refuse)


def partition_people(
    codes: Int32,  # (rows, attributes)
    person_of: Int32,  # (rows,)
    k: int,
    *,
    width: Float64,
    accept: AcceptPeople | None = None,
    values: Int32 | None = None,  # (rows, sensitive attributes) negative where unknown
    n_values: tuple[int, ...] = (),
    variant: Variant = STRICT,
) -> Cuts:
    """Cut a table into groups of at least k different people, by the same rule, where people have several rows.

    Fails
        With `InfeasibleError` for fewer than k people.
    """
    person, _ = distinct_rows(person_of[:, None])
    n_rows, n_attributes = codes.shape
    n_people = int(person.max(initial=-1)) + 1
    if n_people < k:
        msg = message("the table must have at least k = {k} people; got {n_people}", k=k, n_people=n_people)
        raise InfeasibleError(msg)
    given = np.zeros((n_rows, 0), np.int32) if values is None else values
    rows = np.empty((n_rows, n_attributes + given.shape[1] + 2), np.int32)
    rows[:, :n_attributes] = codes
    value_of = []
    for column in range(given.shape[1]):
        pair, example = distinct_rows(np.stack([person, given[:, column]], axis=1))
        rows[:, n_attributes + column] = pair
        value_of.append(np.ascontiguousarray(given[example, column], np.int32))
    rows[:, -2], rows[:, -1] = person, np.arange(n_rows)
    low, high = codes.min(axis=0), codes.max(axis=0)
    root, spans = np.stack([low, high, low, high]), np.array(width, np.float64)
    if not variant.is_strict:
        judge = None if accept is None else refuse_people(rows, n_attributes, accept, value_of, n_values)
        most = _most_sides(n_rows, n_values)
        return _numbered(rows, *cut_by_sides(rows, spans, k, root, variant, n_people, judge, most))
    room, seen = np.full(n_people, -1, np.int32), np.full(n_people, -1, np.int64)

    def propose(start: Int64, stop: Int64, box: Int32, undecided: Int64, proposal: Int64) -> None:
        of_people.propose(rows, start, stop, box, spans, k, undecided, proposal, room)

    def refuse(start: Int64, stop: Int64, nodes: Int64, proposal: Int64) -> Bool:
        if accept is None:
            return np.zeros(nodes.size, np.bool_)
        no_pairs, nothing = np.zeros(0, np.int32), np.zeros((2, nodes.size, 0), np.int64)
        size = np.zeros((2, nodes.size), np.int64)
        unused = np.zeros(0, np.int64)
        of_people.count(rows, start, stop, nodes, proposal, -1, no_pairs, size, nothing, seen, unused)
        known, counts = [], []
        for column, (n, own) in enumerate(zip(n_values, value_of, strict=True), start=n_attributes):
            people, sides = np.zeros((2, nodes.size), np.int64), np.zeros((2, nodes.size, n), np.int64)
            last = np.full(own.size, -1, np.int64)
            of_people.count(rows, start, stop, nodes, proposal, column, own, people, sides, seen, last)
            known.append(people.ravel())
            counts.append(sides.reshape(-1, n))
        fine = accept(size.ravel(), tuple(known), tuple(counts))
        return np.asarray(~fine.reshape(2, -1).all(axis=0))

    return _numbered(rows, *by_level(rows, np.empty_like(rows), root, n_values, propose, refuse))


def by_level(
    rows: Int32, spare: Int32, root: Int32, n_values: tuple[int, ...], propose: _Propose, refuse: _Refuse
) -> tuple[Int64, Int32]:
    """Cut all nodes of one depth together, until no proposal is left that is not refused."""
    start, stop, box = np.zeros(1, np.int64), np.full(1, rows.shape[0], np.int64), root[np.newaxis]
    done_start, done_box = [], []
    while start.size:
        proposal = np.full((3, start.size), rule.NO_ATTRIBUTE, np.int64)
        attribute, _, n_left = proposal
        undecided = np.arange(start.size)
        while undecided.size:
            propose(start, stop, box, undecided, proposal)
            undecided = undecided[attribute[undecided] != rule.NO_ATTRIBUTE]
            refused = np.zeros(undecided.size, np.bool_)
            for part in _parts(undecided.size, rows.shape[0], n_values):
                refused[part] = refuse(start, stop, undecided[part], proposal)
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


def _numbered(rows: Int32, start: Int64, box: Int32) -> Cuts:
    """Number groups from the low to the high side of every cut."""
    order = np.argsort(start)
    start, box = start[order], box[order]
    n_rows = rows.shape[0]
    group_of = np.empty(n_rows, np.int32)
    group_of[rows[:, -1]] = np.repeat(np.arange(start.size, dtype=np.int32), np.diff(start, append=n_rows))
    parts = (frozen(box[:, part], np.int32) for part in (rule.LOW, rule.HIGH, rule.REGION_LOW, rule.REGION_HIGH))
    return Cuts(frozen(group_of), start.size, *parts)


def _most_sides(n_rows: int, n_values: tuple[int, ...]) -> int:
    """Return the number of sides whose counts have no more cells than the table has rows."""
    return max(_LEAST_CELLS, n_rows) // max(1, sum(n_values))


def _parts(n_nodes: int, n_rows: int, n_values: tuple[int, ...]) -> Iterator[slice]:
    """Yield runs of nodes whose counts have no more cells than the table has rows."""
    step = max(1, _most_sides(n_rows, n_values) // 2)
    for first in range(0, n_nodes, step):
        yield slice(first, first + step)
