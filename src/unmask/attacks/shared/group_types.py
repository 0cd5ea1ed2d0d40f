"""Types of identical groups, each counted once.

Two groups with the same profiles and the same list of values have the same
posterior. The number of distinct *types* is bounded, however many rows there
are: an algorithm that handles each type once does work that stops growing with
the table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Int32, Int64, frozen
from unmask.attacks.shared.counter_random import stream_of
from unmask.compiled_code import njit

_SHORT = 32  # lists up to this length are sorted by insertion
_LEAST = 1 << 12  # initial size of the hash table of types: small enough for the cache


@dataclass(frozen=True, slots=True, eq=False)
class Types:
    """A partition of groups into types of identical ones."""

    of_group: Int32  # (groups,) the type, numbered as types first occur
    example: Int64  # (types,) the first group of each
    times: Int64  # (types,) number of its groups

    def __post_init__(self) -> None:
        object.__setattr__(self, "of_group", frozen(self.of_group, np.int32))
        object.__setattr__(self, "example", frozen(self.example, np.int64))
        object.__setattr__(self, "times", frozen(self.times, np.int64))

    @property
    def n(self) -> int:
        """The number of types."""
        return self.times.size


def identical_groups(start: Int64, people: Int32, values: Int32, alone: Bool | None = None) -> Types:
    """Return the types of groups with the same profiles and the same values, with multiplicities.

    `start` (groups + 1,) is the first row of each group in `people` and `values`, both (rows,) and sorted within groups
    (`sorted_in_groups`), since order is irrelevant. Groups marked in `alone` (groups,) have a type each.
    """
    apart = np.zeros(start.size - 1, np.bool_) if alone is None else alone
    of_group, example = _matched(start, people, values, apart)
    return Types(of_group, example, np.bincount(of_group, minlength=example.size))


def sorted_in_groups(start: Int64, items: Int32) -> Int32:
    """Return the items, sorted within each group."""
    result = items.copy()
    _sort_short(start, result)
    for group in np.flatnonzero(np.diff(start) > _SHORT):
        result[start[group] : start[group + 1]].sort()
    return result


@njit(cache=True, nogil=True)
def _sort_short(start: Int64, result: Int32) -> None:
    """Sort the items of short groups in place. Arrays' own sort takes a second to compile."""
    for group in range(start.size - 1):
        first, end = start[group], start[group + 1]
        if end - first > _SHORT:
            continue
        for place in range(first + 1, end):
            item, hole = result[place], place
            while hole > first and result[hole - 1] > item:
                result[hole] = result[hole - 1]
                hole -= 1
            result[hole] = item


@njit(cache=True, nogil=True)
def _matched(start: Int64, people: Int32, values: Int32, alone: Bool) -> tuple[Int32, Int64]:
    """Return the type of each group and the first group of each type, by a hash table with full comparison."""
    n = start.size - 1
    of_group, example = np.empty(n, np.int32), np.empty(max(n, 1), np.int64)
    place, key = np.full(_LEAST, -1, np.int32), np.zeros(_LEAST, np.uint64)
    found, listed = 0, 0
    for group in range(n):
        if alone[group]:
            of_group[group], example[found] = found, group
            found += 1
            continue
        if 2 * listed >= place.size:
            place, key = _roomier(place, key)
        first, size = start[group], start[group + 1] - start[group]
        mixed = np.uint64(size)
        for row in range(first, first + size):
            mixed = stream_of(mixed, (np.int64(people[row]) << 32) ^ values[row])
        mask = np.uint64(place.size - 1)
        at = np.int64(mixed & mask)
        while place[at] >= 0 and not (
            key[at] == mixed and _same(start, people, values, example[place[at]], group, size)
        ):
            at = (at + 1) & np.int64(mask)
        if place[at] < 0:
            place[at], key[at] = found, mixed
            example[found] = group
            found += 1
            listed += 1
        of_group[group] = place[at]
    return of_group, example[:found].copy()


@njit(cache=True, nogil=True)
def _same(start: Int64, people: Int32, values: Int32, one: int, other: int, size: int) -> bool:
    if start[one + 1] - start[one] != size:
        return False
    for nth in range(size):
        if people[start[one] + nth] != people[start[other] + nth]:
            return False
        if values[start[one] + nth] != values[start[other] + nth]:
            return False
    return True


@njit(cache=True, nogil=True)
def _roomier(place: Int32, key: np.ndarray) -> tuple[Int32, np.ndarray]:
    larger, keys = np.full(4 * place.size, -1, np.int32), np.zeros(4 * place.size, np.uint64)
    mask = np.int64(larger.size - 1)
    for old in range(place.size):
        if place[old] >= 0:
            at = np.int64(key[old] & np.uint64(mask))
            while larger[at] >= 0:
                at = (at + 1) & mask
            larger[at], keys[at] = place[old], key[old]
    return larger, keys
