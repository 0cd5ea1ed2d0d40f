"""States of a group on the way to its counts, and the weight of the worlds through each.

A state has the counts so far of the values that can still prevent the group from closing. Any other value is dropped:
its remaining people become filler, and only their mean share of the filler is kept. This makes groups of a hundred
people and a dozen values small. Values with equal counts are exchangeable, so their counts are kept sorted.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.compiled_code import njit

FILLER = -1
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class ValueGroup(NamedTuple):
    """The counts of a group's tracked values, and the rule."""

    n: int
    counts: Int64  # (tracked,) falling
    until: Int64  # (tracked,) the number of people from which a value cannot prevent closing
    l: int
    minimum: int
    p: float
    segments: bool  # a coin by group: a state also has the counts and the size of the open group
    merged: bool  # its end may be a tail that was merged back
    alike: bool  # values with equal counts are exchangeable


class Edges(NamedTuple):
    """Edges between the states of two layers."""

    source: Int64  # (edges,)
    weight: Float64  # (edges,)
    kind: Int64  # (edges,) the added value, or `tracked` for filler
    rows: Int32  # (edges, digits) the next state


@njit(cache=True, nogil=True)
def distinct(rows: Int32, codes: np.ndarray) -> tuple[Int64, Int64]:
    """Return the number of each distinct row, and the first row of each number; rows are compared by a 64-bit hash."""
    size = 16
    while size < 2 * rows.shape[0]:
        size *= 2
    slot = np.full(size, -1, np.int64)
    keys = np.empty(rows.shape[0], np.uint64)
    number, first = np.empty(rows.shape[0], np.int64), np.empty(rows.shape[0], np.int64)
    found = 0
    for i in range(rows.shape[0]):
        key = np.uint64(0)
        for j in range(rows.shape[1]):
            key += np.uint64(rows[i, j] + 2) * codes[j]
        key = (key ^ (key >> np.uint64(31))) * _GOLDEN
        place = np.int64(key >> np.uint64(24)) & (size - 1)
        while slot[place] >= 0 and keys[slot[place]] != key:
            place = (place + 1) & (size - 1)
        if slot[place] < 0:
            slot[place], keys[found], first[found] = found, key, i
            found += 1
        number[i] = slot[place]
    return number, first[:found]


@njit(cache=True, nogil=True)
def _sort(row: Int32, counts: Int64) -> None:
    """Sort the counts of values with equal totals, falling."""
    for v in range(1, counts.size):
        here = v
        while here > 0 and counts[here - 1] == counts[here] and row[here - 1] < row[here]:
            row[here - 1], row[here] = row[here], row[here - 1]
            here -= 1


@njit(cache=True, nogil=True)
def _filler(row: Int32, counts: Int64, left: int) -> int:
    """Return how many of the remaining people are filler."""
    for v in range(counts.size):
        if row[v] != FILLER:
            left -= counts[v] - row[v]
    return left


@njit(cache=True, nogil=True)
def come_in(group: ValueGroup, t: int, rows: Int32) -> tuple[Int64, Float64, Int64, Int32]:
    """Return the edges that add person t (0 …) with each value."""
    counts, k = group.counts, group.counts.size
    most = rows.shape[0] * (k + 1)
    out = np.empty((most, rows.shape[1]), np.int32)
    source, kind, weight = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most)
    edge = 0
    for i in range(rows.shape[0]):
        for v in range(k + 1):
            left = _filler(rows[i], counts, group.n - t) if v == k else counts[v] - rows[i, v]
            if left <= 0 or (v < k and rows[i, v] == FILLER):
                continue
            chance = left / (group.n - t)
            out[edge] = rows[i]
            if v < k:
                out[edge, v] += 1
            if group.segments and rows[i, k] == 0:
                out[edge, 2 * k + 1] += 1
                if v < k:
                    out[edge, k + 1 + v] += 1
            elif group.alike and v < k:
                _sort(out[edge], counts)
            source[edge], kind[edge], weight[edge] = i, v, chance
            edge += 1
    return source[:edge], weight[:edge], kind[:edge], out[:edge]


@njit(cache=True, nogil=True)
def _rest_is_safe(group: ValueGroup, t: int, row: Int32) -> bool:
    """Whether the people after the first t could be a group."""
    left = group.n - t
    if left < group.minimum:
        return False
    for v in range(group.counts.size):  # noqa: SIM110  # numba compiles no generators
        if (group.counts[v] - row[v]) * group.l > left:
            return False
    return True


@njit(cache=True, nogil=True)
def _publishable(group: ValueGroup, t: int, row: Int32) -> bool:
    """Whether the people of the open group may be a group."""
    k = group.counts.size
    size = row[2 * k + 1] if group.segments else t
    begin = k + 1 if group.segments else 0
    if size < group.minimum:
        return False
    for v in range(begin, begin + k):  # noqa: SIM110
        if row[v] * group.l > size:
            return False
    return True


@njit(cache=True, nogil=True)
def decide(group: ValueGroup, t: int, rows: Int32, collapse: bool) -> tuple[Int64, Float64, Int64, Int32]:  # noqa: C901, FBT001
    """Return the edges of the decision to close after person t (1 …), with values dropped that matter no more.

    If a group was closed and the rest cannot be a group, the rest is merged back (digit `tracked` is 1): all that
    follows is filler, unless the people differ (not `collapse`).
    """
    k = group.counts.size
    most = 2 * rows.shape[0]
    out = np.empty((most, rows.shape[1]), np.int32)
    source, weight = np.empty(most, np.int64), np.empty(most)
    edge = 0
    for i in range(rows.shape[0]):
        stay, free = 1.0, 0.0
        if rows[i, k] == 0 and _publishable(group, t, rows[i]):
            if t < group.n:
                stay = group.p
                if group.merged and not _rest_is_safe(group, t, rows[i]):
                    stay, free = (0.0, 1.0) if group.segments else (group.p, 1.0 - group.p)
        elif rows[i, k] == 0 and group.segments and t == group.n:
            stay = 0.0
        for freed in range(2):
            chance = free if freed else stay
            if chance <= 0.0:
                continue
            out[edge] = rows[i]
            for v in range(k):
                if (freed and collapse) or group.until[v] <= t:
                    out[edge, v] = FILLER
            if freed:
                out[edge, k] = 1
            if group.segments and (freed or (rows[i, k] == 0 and _publishable(group, t, rows[i]))):
                out[edge, k + 1 :] = 0
            source[edge], weight[edge] = i, chance
            edge += 1
    return source[:edge], weight[:edge], np.zeros(edge, np.int64), out[:edge]


@njit(cache=True, nogil=True)
def carry(
    group: ValueGroup,
    left: int,
    edges: Edges,
    target: Int64,
    n_targets: int,
    rows: Int32,
    reached: Float64,
    share: Float64,
) -> tuple[Float64, Float64]:
    """Add weights along edges, with each value's share of the remaining filler (states, tracked + 1).

    `left` is the number of remaining people, for edges that drop values; negative where none does.
    """
    counts, k = group.counts, group.counts.size
    on, share_on = np.zeros(n_targets), np.zeros((n_targets, k + 1))
    for e in range(edges.source.size):
        i, j, w = edges.source[e], target[e], edges.weight[e]
        on[j] += w * reached[i]
        before = after = 0
        if left >= 0:
            before = after = _filler(rows[i], counts, left)
            for v in range(k):
                if rows[i, v] != FILLER and edges.rows[e, v] == FILLER:
                    after += counts[v] - rows[i, v]
        if after == before:
            for v in range(k + 1):
                share_on[j, v] += w * share[i, v]
        else:
            for v in range(k + 1):
                share_on[j, v] += w * share[i, v] * before / after
                if v < k and rows[i, v] != FILLER and edges.rows[e, v] == FILLER:
                    share_on[j, v] += w * reached[i] * (counts[v] - rows[i, v]) / after
    return on, share_on


@njit(cache=True, nogil=True)
def back(
    edges: Int32, weight: Float64, person: int, ahead: Float64, reached: Float64, share: Float64, found: Float64
) -> Float64:
    """Step back along edges, (edges, source target value); return the weight of complete worlds behind each state.

    Where a person is added, add to `found` (n, tracked + 1) the weight of each added value.
    """
    behind = np.zeros(reached.size)
    last = found.shape[1] - 1
    for e in range(weight.size):
        source, target, kind = edges[e, 0], edges[e, 1], edges[e, 2]
        on = weight[e] * ahead[target]
        behind[source] += on
        if person < 0:
            continue
        if kind < last:
            found[person, kind] += reached[source] * on
        else:
            for v in range(last + 1):
                found[person, v] += share[source, v] * on
    return behind


def repeated(counts: Int64) -> list[int]:
    """Return the counts that several values have; `counts` (values,) are falling."""
    return list(dict.fromkeys(counts[1:][counts[1:] == counts[:-1]].tolist()))


@cache
def codes(digits: int) -> np.ndarray:
    """Return the hash multipliers of the digits of a state."""
    return np.random.default_rng(26).integers(1, 1 << 63, digits, dtype=np.uint64) | np.uint64(1)
