"""A depth-first walk through sets of attributes that joins records and entries with equal values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, expand, sorted_rows
from unmask.compiled_code import njit
from unmask.decision_risk.comparison import MISSING, MatchingValues
from unmask.decision_risk.consistency import Consistency
from unmask.runtime import work
from unmask.wording import message


class Side(NamedTuple):
    """Records or entries still in the walk, with a number for their values of the attributes so far."""

    rows: Int32  # (rows,)
    shows: Int32  # (rows,)


class Met(NamedTuple):
    """The number of entries that match some records in a set of attributes; entries with gaps may be yielded apart."""

    which: int  # the place of the set
    rows: Int32  # (rows,) records with values of all of them
    fits: Int64  # (rows,)
    mass: Float64  # (rows,) sums of selection probabilities; empty without them


def walked(consistency: Consistency, sets: Bool, ours: Int32, wanted: Int32 | None) -> Iterator[Met]:
    """Walk through sets of attributes in lexicographic order, so that sets with a common prefix share the work.

    Each step adds an attribute: records and entries with equal values so far keep a common number; those without a
    match are dropped. Entries that lack the attribute match anyway, and are carried on apart. A record whose value
    matches several (compared without a key, therefore last) is carried on once for each. `wanted` is the only set to
    count for each record.
    """
    kinds, counts, masses = consistency.kinds
    last = np.argsort([pairs is not None for pairs in consistency.alike], kind="stable")
    ours, kinds = ours[:, last], kinds[:, last]
    members, order = in_order(sets[:, last])
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    mine, yours = np.asfortranarray(ours), np.asfortranarray(kinds)
    walk = _Walk(
        members,
        order,
        None if wanted is None else place[wanted],
        mine,
        yours,
        (mine == MISSING).any(axis=0),
        (yours == MISSING).any(axis=0),
        tuple(consistency.alike[j] for j in last),
        counts,
        masses,
    )
    with work.step(message("counting who fits"), sets.shape[0]) as step:
        yield from walk.along(0, sets.shape[0], 0, _all(ours.shape[0]), _all(kinds.shape[0]), step)


def in_order(sets: Bool) -> tuple[Int64, Int64]:
    """Return each set's attributes in lexicographic order, (sets, attributes), -1 beyond the last; and the order."""
    members = np.where(sets, np.arange(sets.shape[1]), sets.shape[1])
    members.sort(axis=1)
    members[members == sets.shape[1]] = -1
    order = sorted_rows(members)
    return members[order], order


def _all(n: int) -> Side:
    return Side(np.arange(n, dtype=np.int32), np.zeros(n, np.int32))


class _Walk(NamedTuple):
    """The constants of a walk."""

    members: Int64  # (sets, attributes) in lexicographic order, -1 beyond the last
    order: Int64  # (sets,) their places
    asked: Int64 | None  # (records,) the set that is wanted, in that order
    ours: Int32  # (records, attributes)
    theirs: Int32  # (kinds, attributes)
    ours_lack: Bool  # (attributes,) some do
    theirs_lack: Bool
    alike: tuple[MatchingValues | None, ...]  # (attributes,) None: values match if their numbers are equal
    counts: Float64  # (kinds,) entries
    masses: Float64 | None

    def along(self, begin: int, end: int, depth: int, ours: Side, theirs: Side, step: work.Step) -> Iterator[Met]:
        """Walk through the sets from `begin` to `end`, which have `depth` attributes in common."""
        if not ours.rows.size or not theirs.rows.size:
            return
        width = self.members.shape[1]
        while begin < end and (depth == width or self.members[begin, depth] < 0):
            yield self._met(begin, ours, theirs)
            step.advance()
            begin += 1
        while begin < end:
            j = int(self.members[begin, depth])
            last = begin + int(np.searchsorted(self.members[begin:end, depth], j, "right"))
            yield from self._with(j, begin, last, depth + 1, ours, theirs, step)
            begin = last

    def _with(
        self, j: int, begin: int, end: int, depth: int, ours: Side, theirs: Side, step: work.Step
    ) -> Iterator[Met]:
        mine, yours = self.ours[:, j], self.theirs[:, j]
        if self.asked is not None:
            asked = self.asked[ours.rows]
            ours = _those(ours, (asked >= begin) & (asked < end))
        elif self.ours_lack[j]:
            ours = _those(ours, mine[ours.rows] != MISSING)
        if self.theirs_lack[j]:
            lacking = _those(theirs, yours[theirs.rows] == MISSING)
            yield from self.along(begin, end, depth, ours, lacking, step)
        yield from self.along(begin, end, depth, *self._meeting(j, ours, theirs), step)

    def _meeting(self, j: int, ours: Side, theirs: Side) -> tuple[Side, Side]:
        mine, yours, pairs = self.ours[:, j], self.theirs[:, j], self.alike[j]
        if pairs is None:
            return _meeting(ours, theirs, mine, yours)
        ours = _those(ours, mine[ours.rows] >= 0)
        fitting, at = expand(pairs.start, mine[ours.rows])
        once = Side(np.arange(at.size, dtype=np.int32), ours.shows[at])
        met, theirs = _meeting(once, theirs, pairs.column[fitting], yours)
        return Side(ours.rows[at[met.rows]], met.shows), theirs

    def _met(self, s: int, ours: Side, theirs: Side) -> Met:
        if self.asked is not None:
            ours = _those(ours, self.asked[ours.rows] == s)
        n = int(max(ours.shows.max(initial=0), theirs.shows.max())) + 1
        fits = np.bincount(theirs.shows, self.counts[theirs.rows], n)[ours.shows].astype(np.int64)
        mass = np.zeros(0)
        if self.masses is not None:
            mass = np.bincount(theirs.shows, self.masses[theirs.rows], n)[ours.shows].astype(np.float64)
        rows: Int32 = ours.rows
        if any(pairs is not None for pairs in self.alike):  # a record occurs once for each matching value
            every = np.bincount(rows, fits, self.ours.shape[0])
            rows = np.flatnonzero(every).astype(np.int32)
            if self.masses is not None:
                mass = np.bincount(ours.rows, mass, every.size)[rows].astype(np.float64)
            fits = every[rows].astype(np.int64)
        return Met(int(self.order[s]), rows, fits, mass)


def _those(side: Side, kept: Bool) -> Side:
    return Side(side.rows[kept], side.shows[kept])


def _meeting(ours: Side, theirs: Side, mine: Int32, yours: Int32) -> tuple[Side, Side]:
    """Return the records and entries that match in one more attribute, with the numbers of their values."""
    width = int(max(mine.max(initial=0), yours.max(initial=0))) + 1
    if ours.rows.size <= theirs.rows.size:
        few, many = _meet(*ours, mine, *theirs, yours, width)
        return Side(*few), Side(*many)
    few, many = _meet(*theirs, yours, *ours, mine, width)
    return Side(*many), Side(*few)


@njit(cache=True, nogil=True)
def _place(key: Int64, number: Int32, wanted: int) -> int:
    """Return the slot of a key in a hash table whose length is a power of 2, and of which half at least is free."""
    mask = key.size - 1
    mixed = np.uint64(wanted) * np.uint64(0x9E3779B97F4A7C15)
    at = np.int64(mixed >> np.uint64(32)) & mask
    while number[at] >= 0 and key[at] != wanted:
        at = (at + 1) & mask
    return at  # type: ignore[return-value]


@njit(cache=True, nogil=True)
def _meet(
    few: Int32, few_shows: Int32, few_code: Int32, many: Int32, many_shows: Int32, many_code: Int32, width: int
) -> tuple[tuple[Int32, Int32], tuple[Int32, Int32]]:
    """Hash-join the smaller side with the larger by value; values below 0 match nothing."""
    size = 16
    while size < 2 * few.size:
        size *= 2
    key, number, n = np.empty(size, np.int64), np.full(size, -1, np.int32), 0
    few_number = np.full(few.size, -1, np.int32)
    for i in range(few.size):
        code = few_code[few[i]]
        if code >= 0:
            wanted = np.int64(few_shows[i]) * width + code
            at = _place(key, number, wanted)
            if number[at] < 0:
                number[at], key[at] = n, wanted
                n += 1
            few_number[i] = number[at]
    met, m = np.zeros(n, np.bool_), 0
    many_rows, many_number = np.empty(many.size, np.int32), np.empty(many.size, np.int32)
    last, found = np.int64(-1), np.int32(-1)
    for i in range(many.size):
        code = many_code[many[i]]
        wanted = np.int64(many_shows[i]) * width + code
        if wanted != last and code >= 0:  # entries are sorted: the last key often repeats
            last, found = wanted, number[_place(key, number, wanted)]
        if found >= 0 and code >= 0:
            met[found] = True
            many_rows[m], many_number[m] = many[i], found
            m += 1
    kept = 0
    few_rows = np.empty(few.size, np.int32)
    for i in range(few.size):
        if few_number[i] >= 0 and met[few_number[i]]:
            few_rows[kept], few_number[kept] = few[i], few_number[i]
            kept += 1
    return (few_rows[:kept], few_number[:kept]), (many_rows[:m], many_number[:m])
