"""Array layout of group types for the sampler: slots, lists of distinct values, and the summation method of each.

Identical groups are laid out once, `times` is their number; below and in the kernels, a *group* is such a type. A
group whose list has too many states to be summed over is a type of its own, and is sampled by blocks of people.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, expand, frozen, starts
from unmask.attacks.shared.group_types import identical_groups, sorted_in_groups
from unmask.attacks.shared.permanents import EXACT_STATES, LANES, Unsigned, shape_of
from unmask.compiled_code import njit
from unmask.errors import NotApplicableError
from unmask.wording import message

CELLS_AN_ENTRY = 4
"""Cells of a table by profile and value that cost as much as one entry without it: rows of products need no exp."""

CELLS_A_ROW = 2
"""Cells of a tally by profile and value that cost as much as one row added to the counts of all its levels."""

STATES_A_PERSON = 128
"""Groups with more states for each of their people (11 distinct values: 186) are not summed over: blocks cost less."""

BLOCK = 6
"""The people whose values are drawn together in a group too large to be summed over; the last shape is theirs."""


class Layout(NamedTuple):
    """Rows sorted by group and profile. A slot is a profile in a group, an entry a slot and a distinct value."""

    profile: Int32  # (rows,)
    start: Int64  # (groups + 1,) rows of a group
    times: Int64  # (groups,) number of identical groups
    pairs: Int64  # groups of two people and two values
    exact: Int64  # groups with a shape, sorted by it
    shape: Int32  # (exact,)
    large: Int64  # groups too large to be exact; in all others all arrangements are equivalent
    support_start: Int64  # (groups + 1,) distinct values of a group
    support: Int32  # (supports,) those with more copies first
    copies: Int64  # (supports,)
    slot_start: Int64  # (groups + 1,) slots of a group
    slot_size: Int64  # (slots,) people
    entry_start: Int64  # (groups + 1,) entries of a group, slot by slot
    codes: Int32  # (profiles, attributes) levels, -1 where missing
    level: Int32  # (profiles, attributes) numbers among all levels, as `levels_of` orders them
    offset: Int64  # (attributes + 1,) the first level of each attribute among all levels
    n_values: int


class Shapes(NamedTuple):
    """Several shapes, concatenated."""

    out_start: Int64  # (shapes + 1,)
    edge_start: Int64  # (shapes + 1,)
    out: Unsigned
    cell: Unsigned
    to: Unsigned


class GroupedLayout(NamedTuple):
    """The layout of given groups, and the place of each group and row in it."""

    layout: Layout
    shapes: Shapes
    type_of_group: Int32  # (groups given,)
    slot_of_row: Int32  # (rows given,)


def lay_out(  # the order of `value` within a group does not matter, nor that of `profile_of`
    profile_of: Int32,
    start: Int64,
    value: Int32,
    codes: Int32,
    levels: Int32,
    n_values: int,
    times: Int64 | None = None,
) -> GroupedLayout:
    """Return the layout with each type of group once; `times` (groups,) is the number that each group stands for.

    Fails
        With `NotApplicableError` where a group too large to be summed over stands for several: each has its own state.
    """
    start = frozen(start, np.int64)  # always: a kernel is compiled for arrays that can be written to, and once more
    level = levels_of(codes, levels)
    number, example = distinct_rows(level)  # in order, neighbors share their first attributes
    profile_of, codes, level = number[profile_of], np.ascontiguousarray(codes[example], np.int32), level[example]
    people, listed = sorted_in_groups(start, profile_of), sorted_in_groups(start, np.ascontiguousarray(value, np.int32))
    types = identical_groups(start, people, listed, _many_states(start, listed, EXACT_STATES, STATES_A_PERSON))
    rows, group = expand(start, types.example)
    profile, listed = people[rows], listed[rows]
    size = np.diff(start)[types.example]
    n_groups = types.n

    new_slot = _changes(group, profile)
    slot_start = starts(np.bincount(group[new_slot], minlength=n_groups))

    first = np.flatnonzero(_changes(group, listed))
    copies = np.diff(np.append(first, rows.size))
    order = np.lexsort((listed[first], -copies, group[first]))  # equal multisets of copies become equal lists
    support, copies, owner = listed[first][order], copies[order], group[first][order]
    support_start = starts(np.bincount(owner, minlength=n_groups))

    pairs, exact, shape, large, shapes = _kinds(size, np.diff(slot_start), support_start, copies)
    identical = types.times
    if times is not None:
        identical = np.zeros(n_groups, np.int64)
        np.add.at(identical, types.of_group, times)
        identical = frozen(identical)  # as those of the types: for others, kernels would be compiled once more
    if (identical[large] > 1).any():
        raise NotApplicableError(
            message("needs groups small enough to be summed over; {size} are not", size=large.size)
        )
    layout = Layout(
        profile=profile,
        start=starts(size),
        times=identical,
        pairs=pairs,
        exact=exact,
        shape=shape,
        large=large,
        support_start=support_start,
        support=support,
        copies=copies,
        slot_start=slot_start,
        slot_size=np.bincount(np.cumsum(new_slot) - 1, minlength=0).astype(np.int64),
        entry_start=starts(np.diff(slot_start) * np.diff(support_start)),
        codes=codes,
        level=level,
        offset=starts(levels),
        n_values=n_values,
    )
    slot_of_row = _slot_of_row(start, profile_of, types.of_group, slot_start, profile[new_slot])
    return GroupedLayout(layout, shapes, types.of_group, slot_of_row)


def levels_of(codes: Int32, levels: Int32) -> Int32:
    """Return the numbers among all levels, (profiles, attributes), -1 where missing; attributes of few levels first."""
    order = np.argsort(levels, kind="stable")
    numbers = np.where(codes >= 0, codes + starts(levels)[:-1], -1)
    return np.ascontiguousarray(numbers[:, order], np.int32)


@njit(cache=True, nogil=True)
def _many_states(start: Int64, listed: Int32, limit: int, each: int) -> Bool:
    """Whether each group, with sorted values, has too many states to be summed over."""
    result = np.zeros(start.size - 1, np.bool_)
    for group in range(result.size):
        states, copies = 1.0, 0
        for row in range(start[group], start[group + 1]):
            copies += 1
            if row + 1 == start[group + 1] or listed[row + 1] != listed[row]:
                states *= copies + 1
                copies = 0
        result[group] = states > min(limit, each * (start[group + 1] - start[group]))
    return result


@njit(cache=True, nogil=True)
def _slot_of_row(
    start: Int64, profile_of: Int32, type_of_group: Int32, slot_start: Int64, profile_of_slot: Int32
) -> Int32:
    """Return the slot of each row of its group's type; `profile_of_slot` (slots,) rises within a type."""
    result = np.empty(profile_of.size, np.int32)
    for group in range(start.size - 1):
        first, end = slot_start[type_of_group[group]], slot_start[type_of_group[group] + 1]
        for row in range(start[group], start[group + 1]):
            low, high = first, end - 1
            while low < high:
                middle = (low + high) // 2
                if profile_of_slot[middle] < profile_of[row]:
                    low = middle + 1
                else:
                    high = middle
            result[row] = low
    return result


def _changes(group: Int64, item: Int32) -> Bool:
    new = np.ones(group.size, bool)
    new[1:] = (group[1:] != group[:-1]) | (item[1:] != item[:-1])
    return new


def _kinds(size: Int64, slots: Int64, support_start: Int64, copies: Int64) -> tuple[Int64, Int64, Int32, Int64, Shapes]:
    """Choose the summation method of each group; groups with equal multiplicities share a shape."""
    distinct = np.diff(support_start)
    log_states = np.bincount(np.repeat(np.arange(size.size), distinct), weights=np.log1p(copies), minlength=size.size)
    exact = log_states <= np.log(np.minimum(EXACT_STATES, STATES_A_PERSON * np.maximum(size, 1))) + 1e-9
    undecided = (slots > 1) & (distinct > 1)
    pair = undecided & (size == 2)
    shaped = np.flatnonzero(undecided & exact & ~pair)

    entries, position = expand(support_start, shaped)
    lists = np.zeros((shaped.size, int(distinct[shaped].max(initial=0))), np.int16)
    lists[position, entries - support_start[shaped][position]] = copies[entries]
    shape, example = distinct_rows(lists)
    found = [shape_of(row[row > 0]) for row in lists[example]]
    blocks = np.flatnonzero(undecided & ~pair & ~exact)
    if blocks.size:
        found.append(shape_of(np.ones(BLOCK, np.int64)))
    order = np.argsort(shape, kind="stable")
    shapes = Shapes(
        starts(np.array([s.out.size for s in found], np.int64)),
        starts(np.array([s.to.size for s in found], np.int64)),
        *(np.concatenate([np.empty(0, np.uint64), *(s[part] for s in found)]) for part in range(3)),
    )
    return np.flatnonzero(pair), shaped[order], shape[order], blocks, shapes


class Bench(NamedTuple):
    """Scratch arrays for one group, or for several of one shape side by side."""

    log_weight: Float64  # (people × values,) of the largest group
    weight: Float64  # as many for each lane; so has the next
    marginal: Float64
    flow: Float64  # (edges,) of the largest shape, for each lane; so have the next two
    total: Float64  # (states,)
    reached: Float64  # (states,)
    waiting: Int64  # (states,) copies of a group
    given: Int64  # (people × values,) copies of a group


def _bench(layout: Layout, shapes: Shapes) -> Bench:
    """Allocate scratch arrays for the largest group and the largest shape."""
    cells = np.diff(layout.start) * np.diff(layout.support_start)
    most = max(int(cells[layout.exact].max(initial=0)), 4)
    largest = most * int(LANES)
    edges = int(np.diff(shapes.edge_start).max(initial=0)) * int(LANES)
    states = int(np.diff(shapes.out_start).max(initial=0)) * int(LANES)
    return Bench(
        np.empty(most),
        np.empty(largest),
        np.empty(largest),
        np.empty(edges),
        np.empty(states),
        np.empty(states),
        np.empty(states, np.int64),
        np.empty(most, np.int64),
    )


class Chain(NamedTuple):
    """The state of one chain between sweeps, and its scratch arrays."""

    counts: Int64  # (levels, values) people by level and assigned value
    log_theta: Float64  # (levels, values) logarithm of P(level | value)
    held: Int32  # (rows,) the value assigned, by its number in the group's support; of several groups, in one of them
    sums: Float64  # (entries,) marginals summed over sweeps
    table: Float64  # (profiles, values) P(profile | value), rows scaled to at most 1; empty if entries are far fewer
    tally: Int64  # (profiles, values) people by profile and assigned value, or empty
    certain: Int64  # as `tally`, or as `counts` where that is empty: of groups in which all arrangements are equivalent
    bench: Bench


def chain_for(layout: Layout, shapes: Shapes) -> Chain:
    """Return an unstarted chain: all parameters 1, and values in listed order."""
    shape = (layout.codes.shape[0], layout.n_values)
    entries = int(layout.entry_start[-1])
    tabled, tallied = (
        shape if shape[0] * shape[1] <= most else (0, shape[1])
        for most in (CELLS_AN_ENTRY * entries, CELLS_A_ROW * layout.profile.size)
    )
    cells = (int(layout.offset[-1]), layout.n_values)
    first = np.repeat(layout.support_start[:-1], np.diff(layout.support_start))
    held = np.repeat(np.arange(first.size) - first, layout.copies).astype(np.int32)
    return Chain(
        counts=np.zeros(cells, np.int64),
        log_theta=np.zeros(cells),
        held=held,
        sums=np.zeros(entries),
        table=np.zeros(tabled),
        tally=np.zeros(tallied, np.int64),
        certain=_certain(layout, held, tallied=tallied[0] > 0),
        bench=_bench(layout, shapes),
    )


def _certain(layout: Layout, held: Int32, *, tallied: bool) -> Int64:
    """Count the people of groups in which all arrangements are equivalent, by profile or by level."""
    alike = np.ones(layout.times.size, bool)
    for some in (layout.pairs, layout.exact, layout.large):
        alike[some] = False
    groups = np.flatnonzero(alike)
    rows, nth = expand(layout.start, groups)
    profile, times = layout.profile[rows], layout.times[groups][nth]
    value = layout.support[layout.support_start[groups][nth] + held[rows]]
    if tallied:
        result = np.zeros((layout.codes.shape[0], layout.n_values), np.int64)
        np.add.at(result, (profile, value), times)
        return result
    result = np.zeros((int(layout.offset[-1]), layout.n_values), np.int64)
    for first, level in zip(layout.offset[:-1], layout.codes[profile].T, strict=True):
        known = level >= 0
        np.add.at(result, (first + level[known], value[known]), times[known])
    return result
