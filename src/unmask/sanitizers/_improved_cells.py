"""Stepwise improvement of suppressed cells; the requirement holds after every step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows
from unmask.compiled_code import njit
from unmask.sanitizers._exact_cells import MOST_PROFILES, differing, divided

MOST_PARTS = 1_000
"""The maximum number of parts of a table that are divided again."""

NEAREST = 40
"""The number of groups considered for a division with one group."""

MOST_LOOKS, OVERHEAD = 100_000_000, 2_000
"""The maximum number of compared pairs of profiles, and the pairs that a change counts for: seconds, for any table."""

DEPTHS = (0, 1, 3)
"""The number of other profiles that may change for one that hides less: cheap steps are tried everywhere first."""

WIDTH, MOST_WAYS = 6, 384
"""The number of repairs of a profile that are followed, and listed."""

MOST_MASKS = 128
"""The number of cheapest sets of attributes that are tried for a profile."""


def regrouped(codes: Int32, people: Int64, k: int, cost: Int64, hidden: Int64) -> Int64:
    """Return sets of attributes that cost no more, (profiles,), with k people of equal cells, stars included.

    A group that hides cells and the groups that join it at the least cost, `MOST_PROFILES` profiles in all, are divided
    again at the least cost; the most expensive groups come first, repeatedly until no division gains.
    """
    bits, hidden, parts = np.int64(1) << np.arange(cost.size), hidden.copy(), 0
    gained = True
    while gained and parts < MOST_PARTS:
        gained = False
        published = np.where((hidden[:, None] & bits) > 0, -1, codes.T)
        group, example = distinct_rows(np.column_stack([hidden, published]).astype(np.int32))
        size, members = np.bincount(group), np.bincount(group, people).astype(np.int64)
        each = _price(hidden[example], cost)
        stale = np.zeros(size.size, bool)
        for dearest in np.argsort(-each * members, kind="stable"):
            if not each[dearest] or parts >= MOST_PARTS:
                break
            if stale[dearest]:
                continue
            differs = (codes[:, example] != codes[:, [example[dearest]]]).T @ bits
            joint = _price(differs | hidden[example] | hidden[example[dearest]], cost)
            more = (joint - each[dearest]) * members[dearest] + (joint - each) * members
            more[stale] = more.max() + 1
            chosen = _fitting(dearest, np.argsort(more, kind="stable")[:NEAREST], np.where(stale, np.inf, size))
            rows = np.flatnonzero(np.isin(group, chosen))
            if len(chosen) < 2:
                continue
            parts += 1
            division = divided(np.ascontiguousarray(codes.T[rows]), people[rows], k, cost)
            if (_price(division, cost) * people[rows]).sum() < (each[group[rows]] * people[rows]).sum():
                hidden[rows], gained = division, True
                stale[chosen] = True
    return hidden


def _fitting(first: int, others: Int64, size: Float64) -> list[int]:
    """Return the first group and as many others, in their order, as fit into `MOST_PROFILES`."""
    chosen, total = [first], size[first]
    for other in others.tolist():
        if other != first and total + size[other] <= MOST_PROFILES:
            chosen.append(other)
            total += size[other]
    return chosen


def rematched(codes: Int32, people: Int64, k: int, cost: Int64, masks: Int64, hidden: Int64, count: Int64) -> Int64:
    """Return sets of attributes of fewer cells in all, (profiles,), with k matches for each, stars matching all.

    A profile hides less; profiles with too few matches then hide other cells, or others come to match them, as long as
    cells are saved in all. `cost` (attributes,) counts cells, `masks` are the allowed sets, by cost, and `count`
    (profiles,) is the initial number of people who match each profile.
    """
    search = _Matches(np.ascontiguousarray(codes.T), people, k, cost, masks[:MOST_MASKS], hidden.copy(), count.copy())
    for depth in DEPTHS:
        gained = True
        while gained:
            gained = False
            for own in np.argsort(-search.price_of(search.hidden), kind="stable").tolist():
                gained |= search.hides_less(own, depth)
    return search.hidden


@dataclass
class _Matches:
    """The number of people who match each profile, as cells are hidden and published."""

    codes: Int32  # (profiles, attributes)
    people: Int64
    k: int
    cost: Int64
    masks: Int64
    hidden: Int64
    count: Int64  # (profiles,) people who match each
    few: Bool = field(init=False)
    looks: int = 0

    def __post_init__(self) -> None:
        self.few = self.people < self.k

    def price_of(self, masks: Int64) -> Int64:
        """Return the cost of hiding sets of attributes, (sets,)."""
        return _price(masks, self.cost)

    def hides_less(self, own: int, depth: int) -> bool:
        """Let one profile hide less, and up to `depth` others another set; return whether that was possible."""
        before = int(self.price_of(self.hidden[[own]])[0])
        prices = self.price_of(self.masks)
        for mask, price in zip(self.masks.tolist(), prices.tolist(), strict=True):
            if price >= before or self.looks > MOST_LOOKS:
                return False
            if self._moves(own, mask, before - price, (own,), depth):
                return True
        return False

    def _moves(self, own: int, mask: int, spare: int, moved: tuple[int, ...], depth: int) -> bool:
        """Hide a set of one profile, and repair others for less than the saved cost; undo it where that fails."""
        was = int(self.hidden[own])
        self._set(own, mask)
        lacking = np.flatnonzero(self.few & (self.count < self.k))
        if not lacking.size:
            return True
        if depth and self.looks < MOST_LOOKS:
            for _, other, instead, more in self._ways(int(lacking[0]), spare, moved):
                if self._moves(other, instead, spare - more, (*moved, other), depth - 1):
                    return True
        self._set(own, was)
        return False

    def _ways(self, own: int, spare: int, moved: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
        """Return the best repairs of a profile's matches: the remaining deficit, profile, new set, and cost of each."""
        free = self.few.copy()
        free[list(moved)] = False
        prices, now = self.price_of(self.masks), self.price_of(self.hidden)
        ways = _mending(self.codes, self.hidden, now, own, free, self.masks, prices, spare)
        best_ways = []
        for other, mask, more in ways.tolist():
            was = int(self.hidden[other])
            self._set(other, mask)
            lacking = int(np.maximum(self.k - self.count, 0)[self.few].sum())
            self._set(other, was)
            best_ways.append((lacking + more, other, mask, more))
        return sorted(best_ways)[:WIDTH]

    def _set(self, own: int, mask: int) -> None:
        self.looks += self.people.size + OVERHEAD
        _hide(self.codes, self.people, self.hidden, self.count, own, mask)


def _price(masks: Int64, cost: Int64) -> Int64:
    """Return the cost of hiding sets of attributes, (sets,)."""
    return np.asarray(((masks[:, None] >> np.arange(cost.size)) & 1) @ cost)


@njit(cache=True, nogil=True)
def _hide(codes: Int32, people: Int64, hidden: Int64, count: Int64, own: int, mask: int) -> None:
    """Replace the hidden set of a profile, and update the counts of matches."""
    was = hidden[own]
    for other in range(people.size):
        differs = differing(codes, own, other)
        before, after = not differs & ~(was | hidden[other]), not differs & ~(mask | hidden[other])
        if other != own and before != after:
            sign = 1 if after else -1
            count[other] += sign * people[own]
            count[own] += sign * people[other]
    hidden[own] = mask


@njit(cache=True, nogil=True)
def _mending(
    codes: Int32, hidden: Int64, price_of: Int64, own: int, free: Bool, masks: Int64, price: Int64, spare: int
) -> Int64:
    """Return the sets that other profiles could hide to give a profile one more match, (ways, 3): profile, set, cost.

    Sets must cost less than `spare` more than those that they replace; at most `MOST_WAYS` are returned.
    """
    ways, n = np.empty((MOST_WAYS, 3), np.int64), 0
    for other in range(hidden.size):
        if not free[other]:
            continue
        lacks = differing(codes, own, other) & ~hidden[own] if other != own else 0
        if other != own and not lacks & ~hidden[other]:
            continue  # it matches already
        for i in range(masks.size):
            more = price[i] - price_of[other]
            if more >= spare or n == MOST_WAYS:
                break
            if masks[i] != hidden[other] and masks[i] & lacks == lacks:
                ways[n, 0], ways[n, 1], ways[n, 2] = other, masks[i], more
                n += 1
    return ways[:n]
