"""Sets of up to three columns that single people out, and the columns that contribute most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from unmask.arrays import Bool, Int32, Int64, distinct_tuples
from unmask.files.raw import Raw

MOST_COLUMNS = 12
"""The largest number of columns that are combined in a large table."""

MOST_OF_SMALL = 20
"""The largest number of columns that are combined in a small table."""

SMALL = 20_000
"""The largest number of rows of a small table."""

COARSENED = 10
"""The number of columns that are named to be coarsened first."""

_ODD = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: its products fill the high bits evenly
_DENSE = 8  # a table of so many cells a row is indexed directly


@dataclass(frozen=True, slots=True)
class UniqueSet:
    """A set of columns, and the people whom it singles out while no smaller set of its columns does."""

    columns: tuple[str, ...]
    people: int


@dataclass(frozen=True, slots=True)
class ColumnContribution:
    """The part of a column in singling people out."""

    column: str
    share: float  # of SUDA scores by sets of up to three columns
    spared: int  # people who would not be singled out without the column


@dataclass(frozen=True, slots=True)
class UniqueSets:
    """The minimal unique sets of up to three columns, the most people first within a size."""

    columns: tuple[str, ...]  # that were combined
    left_out: tuple[str, ...]  # for want of time: those with the fewest values
    people: int
    singled_out: tuple[int, ...]  # people singled out by at most 1, 2, 3 columns
    sets: tuple[UniqueSet, ...]
    contributions: tuple[ColumnContribution, ...]

    def of_size(self, size: int) -> tuple[UniqueSet, ...]:
        """Return the sets of so many columns."""
        return tuple(one for one in self.sets if len(one.columns) == size)


def unique_sets(raw: Raw, columns: Sequence[str], person: Int32) -> UniqueSets:
    """Return the sets of up to three columns by which a person differs from all others.

    `person` (rows,) numbers the person of each row from 0. A set singles a person out where all rows with the values of
    one of the person's rows are the person's own.

    Assumes
        A missing value is one more value.

    References
    ----------
    Manning, Haglin, Keane. A recursive search algorithm for statistical disclosure assessment. Data Mining and
    Knowledge Discovery 2008: minimal sample uniques, and the scores (M − size)! that contributions sum.
    """
    most = MOST_OF_SMALL if raw.n_rows <= SMALL else MOST_COLUMNS
    kept = sorted(columns, key=lambda name: -raw[name].n)[:most]
    used = tuple(name for name in columns if name in kept)
    n_people = int(person.max()) + 1
    coded = [raw[name] for name in used]
    search = _Search([one.codes.astype(np.int32) + 1 for one in coded], [one.n + 1 for one in coded], person)
    found: dict[tuple[int, ...], int] = {}
    common = np.full(raw.n_rows, -1, np.int64)  # the columns that are in all unique sets of a row, as bits
    singled, so_far = np.zeros(raw.n_rows, bool), []
    for size in (1, 2, 3):
        for members, rows in search.minimal(size):
            found[members] = _count(person[rows], n_people)
            common[rows] &= sum(1 << i for i in members)
            singled[rows] = True
        so_far.append(_count(person[np.flatnonzero(singled)], n_people))
    sets = [UniqueSet(tuple(used[i] for i in members), n) for members, n in found.items() if n]
    spared = [_spared(singled, common, i, person, n_people) for i in range(len(used))]
    return UniqueSets(
        used,
        tuple(name for name in columns if name not in kept),
        n_people,
        tuple(so_far),
        tuple(sorted(sets, key=lambda one: (len(one.columns), -one.people))),
        _contributions(used, sets, spared),
    )


def added_people(raw: Raw, columns: Sequence[str], others: Sequence[str], person: Int32) -> dict[str, int]:
    """Return how many more people are singled out by all `columns` and one of the `others`, for each of these."""
    together, _ = distinct_tuples((raw[name].codes for name in columns), raw.n_rows)
    width = int(together.max()) + 1
    n_people = int(person.max()) + 1
    before = _lone(together.astype(np.int64), width, person)
    certain = np.bincount(person[before], minlength=n_people) > 0
    rest = np.flatnonzero(~before)
    result = {}
    for name in others:
        code = together[rest].astype(np.int64) * (raw[name].n + 1) + raw[name].codes[rest] + 1
        more = person[rest][_lone(code, width * (raw[name].n + 1), person[rest])]
        result[name] = _count(more[~certain[more]], n_people)
    return result


@dataclass(frozen=True, eq=False)
class _Search:
    """The columns of a search, and the rows that each set singles out, so far."""

    codes: Sequence[Int32]
    widths: Sequence[int]
    person: Int32
    unique: dict[tuple[int, ...], Bool] = field(default_factory=dict)  # by set of up to two columns: (rows,)

    def minimal(self, size: int) -> Iterator[tuple[tuple[int, ...], Int64]]:
        """Yield each set of so many columns with the rows that it singles out, and no smaller set does."""
        unique = self.unique
        unique[()] = np.zeros(self.person.size, bool)
        for members in combinations(range(len(self.codes)), size):
            before = unique[members[1:]].copy()  # a larger set singles out all the more
            for i in range(1, size):
                before |= unique[members[:i] + members[i + 1 :]]
            rest = np.flatnonzero(~before)  # rows that are unique by a part share the values of no other person
            rows = rest[_lone(*self._numbered(members, rest), self.person[rest])]
            if size < 3:
                unique[members] = before
                unique[members][rows] = True
            if rows.size:
                yield members, rows

    def _numbered(self, members: tuple[int, ...], rows: Int64) -> tuple[Int64, int]:
        """Return a number for the values of each row, and one more than the largest possible."""
        code, width = self.codes[members[0]][rows].astype(np.int64), self.widths[members[0]]
        for i in members[1:]:
            code, width = code * self.widths[i] + self.codes[i][rows], width * self.widths[i]
        return code, width


def _lone(code: Int64, width: int, person: Int32) -> Bool:
    """Whether all rows with the number of a row, which is below `width`, are of its person, (rows,).

    Many numbers share the slots of a small table. The last one written to a slot has it to itself: its rows are done.
    The others get another table.
    """
    if width <= _DENSE * max(code.size, 1):
        return _lone_in_slots(code, width, person)
    result = np.zeros(code.size, bool)
    rest, multiplier = np.arange(code.size), _ODD
    while rest.size:
        bits = int(rest.size - 1).bit_length() + 2
        with np.errstate(over="ignore"):
            slot = ((code[rest].astype(np.uint64) * multiplier) >> np.uint64(64 - bits)).astype(np.int64)
            multiplier = multiplier * _ODD
        table = np.zeros(1 << bits, np.int64)
        table[slot] = code[rest]
        alone = table[slot] == code[rest]
        own = rest[alone]
        result[own] = _lone_in_slots(slot[alone], 1 << bits, person[own])
        rest = rest[~alone]
    return result


def _lone_in_slots(slot: Int64, n_slots: int, person: Int32) -> Bool:
    """Whether all rows in the slot of a row are of its person, (rows,)."""
    last = np.zeros(n_slots, np.int32)
    last[slot] = person
    shared = np.zeros(n_slots, bool)
    shared[slot[last[slot] != person]] = True
    return ~shared[slot]


def _count(people: Int32, n_people: int) -> int:
    return int((np.bincount(people, minlength=n_people) > 0).sum())


def _spared(singled: Bool, common: Int64, column: int, person: Int32, n_people: int) -> int:
    """Return the number of people whose every unique set has the column."""
    depends = (common >> column) & 1 == 1
    others = np.bincount(person[singled & ~depends], minlength=n_people) > 0
    only = person[singled & depends]
    return _count(only[~others[only]], n_people)


def _contributions(
    names: Sequence[str], sets: Sequence[UniqueSet], spared: Sequence[int]
) -> tuple[ColumnContribution, ...]:
    m = len(names)
    weight = {1: 1.0, 2: 1 / max(m - 1, 1), 3: 1 / max((m - 1) * (m - 2), 1)}  # (M - size)! over (M - 1)!
    total = sum(one.people * weight[len(one.columns)] for one in sets)
    shares = {
        name: sum(one.people * weight[len(one.columns)] for one in sets if name in one.columns) / max(total, 1e-300)
        for name in names
    }
    found = [ColumnContribution(name, shares[name], n) for name, n in zip(names, spared, strict=True) if shares[name]]
    return tuple(sorted(found, key=lambda one: (-one.spared, -one.share))[:COARSENED])
