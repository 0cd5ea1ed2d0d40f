"""Greedy k-member clustering: a group grows by the row that widens it least; the next begins with the farthest row.

References
----------
Byun, Kamra, Bertino, Li. Efficient k-anonymization using clustering techniques. DASFAA 2007, figure 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unmask.arrays import Float64, Int32, Int64, distinct_rows, starts
from unmask.compiled_code import njit
from unmask.runtime import work
from unmask.wording import message

_ROUND = 1 << 22  # about how many values are compared per round; rounds can be interrupted


@dataclass(frozen=True, slots=True, eq=False)
class ColumnAxis:
    """One column: the places of its values, and the part of the column between any two places.

    With a width, places are numbers, and the extent of two is their difference divided by the width, at most 1.
    Without, they are the leaves of a tree in its order, and `at` is for each the height of the lowest label that it
    shares with the next, divided by the height of the tree: the extent of two leaves is the maximum between them.
    """

    place: Int32  # (rows,)
    at: Float64  # (places,)
    width: float = 0.0


class _AxisArrays(NamedTuple):
    """The concatenated columns, as the kernels read them."""

    at: Float64  # (places of all columns,)
    start: Int64  # (columns + 1,)
    width: Float64  # (columns,)


class _GroupExtent(NamedTuple):
    """The extent of the group under construction."""

    apart: Float64  # (places of all columns,) the extent of each together with the first member's
    least: Float64  # (columns,) of numbers
    greatest: Float64  # (columns,)
    height: Float64  # (columns,) of trees


class _FinishedExtents(NamedTuple):
    """The extents of finished groups, (groups, columns)."""

    first: Int32  # the place of the first member
    least: Float64
    greatest: Float64
    height: Float64


def partition(axes: Sequence[ColumnAxis], k: int) -> tuple[Int32, int]:
    """Put rows into groups of k or a few more; return the groups, (rows,), and their number. At least k rows.

    The loss of a group is its size times its extent in each column, added up. The row farthest from the first row
    begins; the row that adds least to the loss joins, until there are k. The next group begins with the row farthest
    from the last one that joined; when fewer than k are left, each joins the group whose loss grows least.

    Equal rows are treated at the place of their first; ties go to the lowest row in this order, and to the first group.
    """
    code = np.stack([axis.place for axis in axes], axis=1)
    number, example = distinct_rows(code)
    first = np.full(example.size, number.size)
    np.minimum.at(first, number, np.arange(number.size))
    rank = np.empty(example.size, np.int64)
    rank[np.argsort(first)] = np.arange(example.size)
    kind = rank[number]  # (rows,) distinct rows in the order of their first
    start = starts(np.array([axis.at.size for axis in axes]))
    columns = _AxisArrays(np.concatenate([axis.at for axis in axes]), start, np.array([axis.width for axis in axes]))
    joined, group, n_groups = _clustered(
        code[np.sort(first)] + start[:-1].astype(np.int32), np.bincount(kind), columns, k
    )
    group_of = np.empty(kind.size, np.int32)
    group_of[np.argsort(kind, kind="stable")] = group[np.argsort(joined, kind="stable")]
    return group_of, n_groups


def _clustered(code: Int32, count: Int64, axes: _AxisArrays, k: int) -> tuple[Int64, Int32, int]:
    """Return distinct rows in the order of joining, (rows,), their groups, (rows,), and the number of groups.

    `code` (distinct rows, columns) holds places among those of all columns; `count` (distinct rows,) their rows.
    """
    n, n_columns = int(count.sum()), code.shape[1]
    n_groups = max(n // k, 1)
    joined, group = np.empty(n, np.int64), np.empty(n, np.int32)
    extents = _FinishedExtents(
        np.empty((n_groups, n_columns), np.int32),
        *(np.empty((n_groups, n_columns)) for _ in range(3)),
    )
    kind, left, last = np.arange(count.size), count.astype(np.int64), code[0].copy()
    done = made = 0
    with work.step(message("grouping people"), n) as step:
        while made < n_groups:
            before = done
            made = _groups(code, kind, left, axes, k, last, extents, made, joined, group)
            done = made * k
            there = left > 0
            code, kind, left = np.ascontiguousarray(code[there]), kind[there], left[there]
            step.advance(done - before)
        rest = np.repeat(np.arange(left.size), left)
        joined[done:] = kind[rest]
        _join(code[rest], axes, extents, k, group[done:])
    return joined, group, n_groups


@njit(cache=True, nogil=True)
def _groups(
    code: Int32, kind: Int64, left: Int64, axes: _AxisArrays, k: int, last: Int32, extents: _FinishedExtents, made: int,
    joined: Int64, group: Int32,
) -> int:  # fmt: skip
    """Form groups until all are formed, a quarter of the distinct rows are used up, or a round is over."""
    n, n_columns = code.shape
    new = _GroupExtent(np.empty(axes.at.size), np.empty(n_columns), np.empty(n_columns), np.empty(n_columns))
    bound = np.empty(n)
    gone = steps = 0
    while made < extents.first.shape[0] and steps < _ROUND and 4 * gone <= n:
        _spread(axes, last, new.apart)
        _distances(code, new.apart, bound)
        one = _farthest(bound, left)
        begins = code[one].copy()
        _spread(axes, begins, new.apart)
        _distances(code, new.apart, bound)
        for j in range(n_columns):
            new.least[j] = new.greatest[j] = axes.at[begins[j]]
            new.height[j] = 0.0
        for i in range(n):
            if left[i] == 0:
                bound[i] = np.inf
        loss = 0.0
        for member in range(k):
            if member > 0:
                one, loss = _best(code, axes, new, bound, loss)
                _widen(axes, new, code[one])
            left[one] -= 1
            if left[one] == 0:
                gone += 1
                bound[one] = np.inf
            joined[made * k + member] = kind[one]
            group[made * k + member] = made
        last[:] = code[one]
        extents.first[made], extents.height[made] = begins, new.height
        extents.least[made], extents.greatest[made] = new.least, new.greatest
        made += 1
        steps += 2 * n * n_columns + (k - 1) * n
    return made


@njit(cache=True, nogil=True)
def _spread(axes: _AxisArrays, place: Int32, apart: Float64) -> None:
    """Write for each place of all columns its extent together with this row's place."""
    for j in range(place.size):
        first, end, own = axes.start[j], axes.start[j + 1], place[j]
        if axes.width[j] > 0.0:
            for v in range(first, end):
                apart[v] = min(abs(axes.at[v] - axes.at[own]) / axes.width[j], 1.0)
            continue
        apart[own] = 0.0
        for v in range(own + 1, end):
            apart[v] = max(apart[v - 1], axes.at[v - 1])
        for v in range(own - 1, first - 1, -1):
            apart[v] = max(apart[v + 1], axes.at[v])


@njit(cache=True, nogil=True)
def _distances(code: Int32, apart: Float64, result: Float64) -> None:
    """Write the extent of each row together with the one of `apart`."""
    for i in range(code.shape[0]):
        total = 0.0
        for j in range(code.shape[1]):
            total += apart[code[i, j]]
        result[i] = total


@njit(cache=True, nogil=True)
def _farthest(distance: Float64, left: Int64) -> int:
    most, one = -1.0, -1
    for i in range(distance.size):
        if distance[i] > most and left[i] > 0:
            most, one = distance[i], i
    return one


@njit(cache=True, nogil=True)
def _best(code: Int32, axes: _AxisArrays, new: _GroupExtent, bound: Float64, loss: float) -> tuple[int, float]:
    """Return the row that widens a group of extent `loss` least, and the extent then.

    Groups only grow, so an earlier extent of a group with a row is a lower bound on the later one.
    """
    least, one = np.inf, -1
    for i in range(bound.size):
        if bound[i] < least:
            bound[i] = _taken_up(code[i], axes, new, least)
            if bound[i] < least:
                least, one = bound[i], i
                if least <= loss:
                    break
    return one, least


@njit(cache=True, nogil=True)
def _taken_up(place: Int32, axes: _AxisArrays, new: _GroupExtent, enough: float) -> float:
    """Return the extent of a group with one more row; or a partial sum that reaches `enough`."""
    total = 0.0
    for j in range(place.size):
        v = place[j]
        if axes.width[j] > 0.0:
            total += min((max(new.greatest[j], axes.at[v]) - min(new.least[j], axes.at[v])) / axes.width[j], 1.0)
        else:
            total += max(new.height[j], new.apart[v])
        if total >= enough:
            break
    return total


@njit(cache=True, nogil=True)
def _widen(axes: _AxisArrays, new: _GroupExtent, place: Int32) -> None:
    for j in range(place.size):
        v = place[j]
        new.least[j] = min(new.least[j], axes.at[v])
        new.greatest[j] = max(new.greatest[j], axes.at[v])
        new.height[j] = max(new.height[j], new.apart[v])


@njit(cache=True, nogil=True)
def _join(code: Int32, axes: _AxisArrays, extents: _FinishedExtents, k: int, group: Int32) -> None:
    """Let each row, one after another, join the group whose loss grows least; write it to `group` (rows,)."""
    n_groups, n_columns = extents.first.shape
    size, loss = np.full(n_groups, k), np.empty(n_groups)
    apart = np.zeros(axes.at.size)
    for g in range(n_groups):
        loss[g] = _with(axes, extents, g, extents.first[g], apart)
    for i in range(code.shape[0]):
        _spread(axes, code[i], apart)
        least, chosen, then = np.inf, 0, 0.0
        for g in range(n_groups):
            total = _with(axes, extents, g, code[i], apart)
            grows = (size[g] + 1) * total - size[g] * loss[g]
            if grows < least:
                least, chosen, then = grows, g, total
        group[i] = chosen
        size[chosen] += 1
        loss[chosen] = then
        for j in range(n_columns):
            x = axes.at[code[i, j]]
            extents.least[chosen, j] = min(extents.least[chosen, j], x)
            extents.greatest[chosen, j] = max(extents.greatest[chosen, j], x)
            extents.height[chosen, j] = max(extents.height[chosen, j], apart[extents.first[chosen, j]])


@njit(cache=True, nogil=True)
def _with(axes: _AxisArrays, extents: _FinishedExtents, g: int, place: Int32, apart: Float64) -> float:
    """Return the extent of a finished group with the row of `apart`."""
    total = 0.0
    for j in range(place.size):
        if axes.width[j] > 0.0:
            x = axes.at[place[j]]
            total += min((max(extents.greatest[g, j], x) - min(extents.least[g, j], x)) / axes.width[j], 1.0)
        else:
            total += max(extents.height[g, j], apart[extents.first[g, j]])
    return total
