"""Search for minimal sample uniques: sets of attributes that single out a person, of which no subset does."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Bool, Int32, Int64
from unmask.compiled_code import njit


@njit(cache=True, nogil=True, steps=lambda codes, *_: codes.shape[1] << codes.shape[0])
def minimal_uniques(codes: Int32, width: Int64, single: Bool) -> tuple[Int32, Int64]:
    """Return each minimal sample unique: the profile, and its attributes as bits of a number.

    `codes` (attributes, profiles) are of distinct profiles, from 0 to `width` (attributes,) - 1; `single` (profiles,)
    marks profiles of one person.

    Sets of attributes are visited in the order of their numbers, so a set comes after all of its subsets. The groups
    of the parent set (the set without its lowest bit) are split by one attribute. Profiles that are then alone are
    unique by this set and dropped, since no larger set can be minimal; so are groups without a profile that could
    become unique. The work shrinks with every level, and pairs of people are never compared.
    """
    n_attributes, n = codes.shape
    rows = np.empty((n_attributes + 1, n), np.int32)  # a level each: profiles by group
    first = np.empty((n_attributes + 1, n // 2 + 2), np.int64)  # where each group begins
    groups = np.zeros(n_attributes + 1, np.int64)
    for row in range(n):  # assigning a slice would take numba seconds to compile
        rows[0, row] = row
    first[0, 0], first[0, 1], groups[0] = 0, n, int(n > 0)
    chosen = np.zeros(n_attributes + 1, np.int64)  # the set of each level
    tried = np.zeros(n_attributes + 1, np.int64)  # the attribute to add next
    limit = np.full(n_attributes + 1, n_attributes, np.int64)  # the lowest attribute that is in
    scratch = np.zeros((3, width.max() if n_attributes else 0), np.int64)
    alone = np.empty(n, np.int32)
    last = np.full(n, -1, np.int64)  # the last set found for a profile
    found, bits, before = np.empty(n + 16, np.int32), np.empty(n + 16, np.int64), np.empty(n + 16, np.int64)
    n_found, level = 0, 0
    while level >= 0:
        added, below = tried[level], level + 1
        if added == limit[level] or groups[level] == 0:
            level -= 1
            continue
        tried[level] += 1
        mask = chosen[level] | (np.int64(1) << added)
        groups[below], n_alone = _split(
            codes[added],
            single,
            rows[level],
            first[level, : groups[level] + 1],
            scratch,
            rows[below],
            first[below],
            alone,
        )
        if n_found + n_alone > found.size:
            found, bits, before = _longer(found), _longer(bits), _longer(before)
        for row in alone[:n_alone]:
            if _is_minimal(bits, before, last[row], mask):
                found[n_found], bits[n_found], before[n_found] = row, mask, last[row]
                last[row] = n_found
                n_found += 1
        chosen[below], tried[below], limit[below] = mask, 0, added
        level = below
    return found[:n_found], bits[:n_found]


@njit(cache=True, nogil=True)
def _split(
    code: Int32,
    single: Bool,
    rows: Int32,
    first: Int64,
    scratch: Int64,
    new_rows: Int32,
    new_first: Int64,
    alone: Int32,
) -> tuple[int, int]:
    """Split groups by one attribute; return the number of remaining groups and of profiles that are now alone.

    A group remains if it has two profiles or more, and one that could become unique.
    """
    tally, able, place = scratch
    end, n_groups, n_alone = 0, 0, 0
    for group in range(first.size - 1):
        members = rows[first[group] : first[group + 1]]
        for row in members:
            value = code[row]
            tally[value] += 1
            able[value] += single[row]
            place[value] = -1
        for row in members:
            value = code[row]
            if able[value] == 0:
                continue
            if tally[value] == 1:
                alone[n_alone] = row
                n_alone += 1
                continue
            if place[value] < 0:
                place[value] = end
                new_first[n_groups] = end
                n_groups += 1
                end += tally[value]
            new_rows[place[value]] = row
            place[value] += 1
        for row in members:
            tally[code[row]] = 0
            able[code[row]] = 0
    new_first[n_groups] = end
    return n_groups, n_alone


@njit(cache=True, nogil=True)
def _is_minimal(bits: Int64, before: Int64, entry: int, mask: int) -> bool:
    """Whether none of the sets found for a profile, from the last one back, is a subset of another set."""
    while entry >= 0:
        if bits[entry] & mask == bits[entry]:
            return False
        entry = before[entry]
    return True


@njit(cache=True, nogil=True)
def _longer(array: Int64) -> Int64:
    result = np.empty(2 * array.size, array.dtype)
    for i in range(array.size):
        result[i] = array[i]
    return result
