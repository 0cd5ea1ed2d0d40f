"""Exact search for the cells to suppress: for small tables, and small parts of large ones."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.compiled_code import njit

MOST_PROFILES = 12
"""The maximum number of distinct rows for trying all divisions into groups: 3^12 / 2 steps."""

MOST_ATTRIBUTES = 8
"""The maximum number of attributes for trying all sets under wildcards."""

MOST_STEPS = 2_000_000
"""The maximum number of steps of the search under wildcards."""

_NEVER = np.iinfo(np.int64).max // 4


@njit(cache=True, nogil=True)
def divided(codes: Int32, people: Int64, k: int, cost: Int64) -> Int64:
    """Return the attributes to hide of each profile, (profiles,), so that k people have equal cells at the least cost.

    `codes` (profiles, attributes), of at most `MOST_PROFILES` profiles and at least k people; `cost` (attributes,) of
    hiding a cell. Every division into groups of k people is tried; each group hides the attributes in which it differs.
    """
    n = people.size
    hides, price, lowest = _groups(codes, people, k, cost)
    least, first_part = np.full(1 << n, _NEVER), np.zeros(1 << n, np.int64)
    least[0] = 0
    for whole in range(1, 1 << n):
        rest = whole ^ (1 << lowest[whole])
        part = rest
        while part >= 0:  # every part of the rest joins the first profile
            group = part | (1 << lowest[whole])
            if price[group] < _NEVER and least[whole ^ group] + price[group] < least[whole]:
                least[whole], first_part[whole] = least[whole ^ group] + price[group], group
            part = (part - 1) & rest if part else -1
    hidden, left = np.zeros(n, np.int64), (1 << n) - 1
    while left:
        group = first_part[left]
        for i in range(n):
            if group >> i & 1:
                hidden[i] = hides[group]
        left ^= group
    return hidden


@njit(cache=True, nogil=True)
def _groups(codes: Int32, people: Int64, k: int, cost: Int64) -> tuple[Int64, Int64, Int64]:
    """Return the attributes that each set of profiles hides as a group, their cost, and its first profile, (sets,)."""
    sets = 1 << people.size
    hides, members, lowest = np.zeros(sets, np.int64), np.zeros(sets, np.int64), np.zeros(sets, np.int64)
    price = np.full(sets, _NEVER)
    last = 0
    for group in range(1, sets):
        if group >> (last + 1):
            last += 1
        rest = group ^ (1 << last)
        lowest[group] = lowest[rest] if rest else last
        members[group] = members[rest] + people[last]
        hides[group] = hides[rest] | differing(codes, last, lowest[group])
        if members[group] >= k:
            price[group] = price_of(hides[group], cost) * members[group]
    return hides, price, lowest


@njit(cache=True, nogil=True)
def matched(codes: Int32, people: Int64, k: int, cost: Int64, known: Int64) -> Int64:
    """Return the attributes to hide of each profile, (profiles,), so that k people match it at the least cost.

    Stars match anything, and every profile of fewer than k people hides a cell. `known` (profiles,) is a feasible
    solution; it is returned where the search ends early, after `MOST_STEPS`. Profiles are decided one after the other;
    an undecided one may match everything, so a branch ends where even then a profile has too few matches.
    """
    n_masks, few = 1 << cost.size, np.flatnonzero(people < k)
    price = np.array([price_of(mask, cost) for mask in range(n_masks)])
    order = np.argsort(price, kind="mergesort")
    later = np.zeros(few.size + 1, np.int64)  # the least that profiles from here on cost
    for i in range(few.size - 1, -1, -1):
        later[i] = later[i + 1] + price[order[1]] * people[few[i]]
    best, hidden = known.copy(), np.zeros(people.size, np.int64)
    least = (price[known] * people).sum()
    hidden[few] = n_masks - 1
    at, spent = np.ones(few.size, np.int64), np.zeros(few.size + 1, np.int64)
    depth, steps = 0, 0
    while depth >= 0:
        if depth == few.size:
            best[:], least = hidden, spent[depth]
            depth -= 1
            continue
        own = few[depth]
        if at[depth] == n_masks or spent[depth] + price[order[at[depth]]] * people[own] + later[depth + 1] >= least:
            hidden[own], at[depth] = n_masks - 1, 1
            depth -= 1
            continue
        steps += 1
        if steps > MOST_STEPS:
            return known
        hidden[own] = order[at[depth]]
        at[depth] += 1
        if _have_enough(codes, people, k, hidden, few[: depth + 1]):
            spent[depth + 1] = spent[depth] + price[hidden[own]] * people[own]
            depth += 1
    return best


@njit(cache=True, nogil=True)
def _have_enough(codes: Int32, people: Int64, k: int, hidden: Int64, profiles: Int64) -> bool:
    """Whether k people match each of some profiles."""
    for own in profiles:
        alike = 0
        for other in range(people.size):
            if not differing(codes, own, other) & ~(hidden[own] | hidden[other]):
                alike += people[other]
        if alike < k:
            return False
    return True


@njit(cache=True, nogil=True)
def differing(codes: Int32, own: int, other: int) -> int:
    """Return the set of attributes in which two profiles differ; `codes` (profiles, attributes)."""
    differences = 0
    for j in range(codes.shape[1]):
        if codes[own, j] != codes[other, j]:
            differences |= 1 << j
    return differences


@njit(cache=True, nogil=True)
def price_of(mask: int, cost: Int64) -> int:
    """Return the cost of hiding a set of attributes."""
    total = 0
    for j in range(cost.size):
        if mask >> j & 1:
            total += cost[j]
    return total
