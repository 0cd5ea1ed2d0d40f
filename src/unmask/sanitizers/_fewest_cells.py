"""Search for few cells to suppress so that each person is indistinguishable from k people.

Both searches work on distinct profiles. Small tables are searched exactly. On others they go from cheap sets of hidden
attributes to expensive ones, and improve the result. A set is a bit mask: bit j means that attribute j is hidden.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np

from unmask.arrays import Bool, Int32, Int64, distinct_rows
from unmask.compiled_code import njit
from unmask.errors import InvalidInputError
from unmask.sanitizers import _exact_cells, _improved_cells
from unmask.wording import message

MOST_ATTRIBUTES = 24
UNIT = 1 << 20
"""The cost of hiding a cell; smaller differences only decide between equally many cells."""


def as_values(codes: Int32, people: Int64, k: int, cost: Int64) -> Int64:
    """Return the attributes to hide of each profile, (profiles,), so that k people have equal cells, stars included.

    `codes` (attributes, profiles), `people` (profiles,), `cost` (attributes,) of hiding a cell; at least k people.
    """
    _require_few(cost.size)
    if people.size <= _exact_cells.MOST_PROFILES:
        return _exact_cells.divided(np.ascontiguousarray(codes.T), people, k, cost)
    hidden = np.zeros(people.size, np.int64)
    left = people < k
    for masks in _levels(cost):
        if people[left].sum() < k:
            break  # too few are left to form a group
        profiles = np.flatnonzero(left)
        group = np.empty((masks.size, profiles.size), np.int64)
        first = 0
        for i, mask in enumerate(masks):
            own, example = _alike(codes[:, profiles], int(mask))
            group[i] = own + first
            first += example
        placed = _placed(group, first, people[profiles], k)
        done = placed >= 0
        hidden[profiles[done]] = masks[placed[done]]
        left[profiles[done]] = False
    for profile in np.flatnonzero(left):
        _join(int(profile), codes, people, hidden, left, cost)
    return _improved_cells.regrouped(codes, people, k, cost, hidden)


def as_wildcards(codes: Int32, people: Int64, k: int, cost: Int64) -> Int64:
    """Return the attributes to hide of each profile, (profiles,), so that k people match it, stars matching anything.

    Every profile of fewer than k people hides at least one cell: otherwise a few rows of nothing but stars would count
    as matches for all people, and protect none.
    """
    _require_few(cost.size)
    hidden = np.zeros(people.size, np.int64)
    left = people < k
    for masks in _levels(cost):
        while left.any():
            profiles = np.flatnonzero(left)
            alike = np.minimum(_matching(codes, people, hidden, profiles, masks), k)
            alike[(hidden[profiles, None] & ~masks) > 0] = -1  # a star that others may rely on stays
            best = np.argmax(alike, axis=1)
            most = alike[np.arange(profiles.size), best]
            able = most == k
            chosen = profiles[able] if able.any() else profiles[most >= 0]
            hidden[chosen] = masks[best[able] if able.any() else best[most >= 0]]
            left[profiles[able]] = False
            if not able.any():  # no profile reaches k alone: each takes a step towards the others
                left[chosen] = _own_matches(codes, people, hidden, chosen) < k
                break
    count = _own_matches(codes, people, hidden, np.arange(people.size))
    hidden = _improved_cells.rematched(codes, people, k, cost // UNIT, _by_cost(cost)[0], hidden, count)
    if people.size <= _exact_cells.MOST_PROFILES and cost.size <= _exact_cells.MOST_ATTRIBUTES:
        return _exact_cells.matched(np.ascontiguousarray(codes.T), people, k, cost, hidden)
    return hidden


def _require_few(n: int) -> None:
    """Fail where there are too many attributes to enumerate their sets."""
    if n > MOST_ATTRIBUTES:
        msg = message(
            "quasi-identifiers must be at most {most_attributes} to be hidden cell by cell; got {n}. Leave some out",
            most_attributes=MOST_ATTRIBUTES,
            n=n,
        )
        raise InvalidInputError(msg)


def _own_matches(codes: Int32, people: Int64, hidden: Int64, profiles: Int64) -> Int64:
    """Count the people who match each profile, (profiles,), under the current hidden cells."""
    result = np.zeros(profiles.size, np.int64)
    for mask in np.unique(hidden[profiles]):
        here = hidden[profiles] == mask
        result[here] = _matching(codes, people, hidden, profiles[here], np.array([mask]))[:, 0]
    return result


def _levels(cost: Int64) -> Iterator[Int64]:
    """Yield the sets of attributes of equal cost, cheap ones first; ordered within by the finer cost."""
    order, level = _by_cost(cost)
    yield from np.split(order, np.flatnonzero(np.diff(level)) + 1)


def _by_cost(cost: Int64) -> tuple[Int64, Int64]:
    """Return the non-empty sets of attributes, (sets,), cheap ones first, and the cost of each in cells."""
    total = np.zeros(1, np.int64)
    for each in cost:
        total = np.concatenate([total, total + each])
    order = np.argsort(total[1:], kind="stable") + 1
    return order, total[order] // UNIT


def _alike(codes: Int32, mask: int) -> tuple[Int32, int]:
    """Return the class of each profile with some attributes hidden, (profiles,), and the number of classes."""
    published = [j for j in range(codes.shape[0]) if not mask >> j & 1]
    number, example = distinct_rows(codes[published].T)
    return number, example.size


def _matching(codes: Int32, people: Int64, hidden: Int64, profiles: Int64, masks: Int64) -> Int64:
    """Count the people who would match each profile if it hid each set, (profiles, masks), with the others fixed."""
    result = np.zeros((profiles.size, masks.size), np.int64)
    numbering: dict[int, Int32] = {}
    for pattern in np.unique(hidden):
        others = np.flatnonzero(hidden == pattern)
        for i, mask in enumerate(masks):
            either = int(pattern | mask)
            if either not in numbering:
                if len(numbering) > 128:
                    numbering.clear()
                numbering[either] = _alike(codes, either)[0]
            number = numbering[either]
            count = np.bincount(number[others], people[others], int(number.max()) + 1)
            result[:, i] += count[number[profiles]].astype(np.int64)
    return result


def _join(profile: int, codes: Int32, people: Int64, hidden: Int64, left: Bool, cost: Int64) -> None:
    """Add a profile to the published group with the least additional cost; the group hides the differing attributes."""
    bits = np.int64(1) << np.arange(cost.size)
    settled = np.flatnonzero(~left)
    differs = (((codes[:, settled] != codes[:, [profile]]).T * bits).sum(axis=1)) | hidden[settled]
    published = np.where((hidden[settled, None] & bits) > 0, -1, codes[:, settled].T)
    group, example = distinct_rows(np.column_stack([hidden[settled], published]))
    size = np.bincount(group, people[settled])
    price = np.array([cost[(int(mask) & bits) > 0].sum() for mask in differs[example]])
    before = np.array([cost[(int(mask) & bits) > 0].sum() for mask in hidden[settled[example]]])
    best = int(np.argmin(people[profile] * price + size * (price - before)))
    hidden[settled[group == best]] = differs[example[best]]
    hidden[profile] = differs[example[best]]
    left[profile] = False


@njit(cache=True, nogil=True)
def _placed(group: Int64, n_groups: int, people: Int64, k: int) -> Int64:
    """Choose a set for as many profiles as possible, (profiles,), so that each chosen group has k people; −1: none.

    The largest groups are filled first. Then groups that lack a few people take them from groups of other sets at the
    same cost that have more than they need.
    """
    n_masks, n = group.shape
    waiting, held = np.zeros(n_groups, np.int64), np.zeros(n_groups, np.int64)
    start = np.zeros(n_groups + 1, np.int64)
    for mask in range(n_masks):
        for j in range(n):
            waiting[group[mask, j]] += people[j]
            start[group[mask, j] + 1] += 1
    start = np.cumsum(start)
    member, mask_of, place = np.empty(n_masks * n, np.int64), np.empty(n_groups, np.int64), start[:-1].copy()
    for mask in range(n_masks):
        for j in range(n):
            g = group[mask, j]
            mask_of[g] = mask
            member[place[g]] = j
            place[g] += 1
    placed = np.full(n, -1, np.int64)
    most = waiting.max()
    queue = [(most - waiting[g]) * n_groups + g for g in range(n_groups) if waiting[g] >= k]
    heapq.heapify(queue)
    while queue:
        entry = heapq.heappop(queue)
        g = entry % n_groups
        if waiting[g] < k:
            continue
        if waiting[g] != most - entry // n_groups:  # others took some of its people: queue it again
            heapq.heappush(queue, (most - waiting[g]) * n_groups + g)
            continue
        _fill(g, group, mask_of, member[start[g] : start[g + 1]], people, placed, waiting, held)
    few = np.array([(k - waiting[g]) * n_groups + g for g in range(n_groups) if waiting[g] > 0])
    few.sort()
    for g in few % n_groups:
        members = member[start[g] : start[g + 1]]
        if waiting[g] > 0 and (held[g] >= k or _win(g, group, mask_of, members, people, placed, waiting, held, k)):
            _fill(g, group, mask_of, members, people, placed, waiting, held)
    return placed


@njit(cache=True, nogil=True)
def _fill(
    g: int, group: Int64, mask_of: Int64, members: Int64, people: Int64, placed: Int64, waiting: Int64, held: Int64
) -> None:
    """Place all waiting profiles of a group in it."""
    for j in members:
        if placed[j] < 0:
            placed[j] = mask_of[g]
            held[g] += people[j]
            for mask in range(group.shape[0]):
                waiting[group[mask, j]] -= people[j]


@njit(cache=True, nogil=True)
def _win(
    g: int,
    group: Int64,
    mask_of: Int64,
    members: Int64,
    people: Int64,
    placed: Int64,
    waiting: Int64,
    held: Int64,
    k: int,
) -> bool:
    """Move people into a group from others that can spare them, until it has k; return whether that was possible."""
    lacking = k - waiting[g] - held[g]
    moved = np.empty(members.size, np.int64)
    n_moved = 0
    for j in members:
        if lacking <= 0:
            break
        if placed[j] >= 0 and placed[j] != mask_of[g]:
            other = group[placed[j], j]
            if held[other] - people[j] >= k:
                held[other] -= people[j]
                lacking -= people[j]
                moved[n_moved] = j
                n_moved += 1
    for j in moved[:n_moved]:
        if lacking > 0:
            held[group[placed[j], j]] += people[j]
        else:
            placed[j] = mask_of[g]
            held[g] += people[j]
    return bool(lacking <= 0)
