"""Exact in-group posteriors by enumeration of all assignments of values to people, for small releases.

The model is that of `sampler`. With its parameters integrated out, an assignment has probability proportional to
`∏ Γ(n + α) / Γ(n_all + L α)`, over its counts of people by level and value and attributes of L levels. People of one
profile in one group are interchangeable: what is enumerated are the contingency tables of each group's profiles and
values, weighted by their numbers of assignments. Groups in which all assignments are equivalent, of one value or of
people of one profile, are not enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import NamedTuple

import numpy as np
import scipy

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.shared.contingency_tables import listed
from unmask.attacks.shared.grouped_people import GroupedPeople, Slots, slots_of

MOST_CELLS = 4_000_000
"""The maximum number of counts in memory."""

MOST_LISTED = 16_000_000
"""The maximum number of cells of all tables of one group."""

MOST_PREDICTIONS = 10_000_000
"""The maximum of combinations of tables times slots: beyond, leaving out each group takes longer than sampling."""


@dataclass(frozen=True, slots=True, eq=False)
class EnumeratedFit:
    """Exact probabilities by slot, over the values of its group, and the weighted tables behind them."""

    slots: Slots = field(repr=False)
    mean: Float64  # (entries,)
    log_weight: Float64 = field(repr=False)  # (combinations,) up to a constant
    cases: _Cases = field(repr=False)

    @property
    def replicates(self) -> tuple[EnumeratedFit, ...]:
        """Empty: the result is exact."""
        return ()

    def left_out(self, own: Int32, profile: Int32, codes: Int32) -> tuple[Int32, Float64]:
        """Return the number of each target's row, and the rows: P(profile | value) without the own group, scaled.

        `own` (targets,) is the group that is left out, negative for none; `profile` (targets,) a line of `codes`
        (profiles, attributes), -1 where unknown.
        """
        kind = np.append(self.slots.type_of_group, np.int32(-1))[own]
        pairs, row_of = np.unique(np.stack([kind, profile]), axis=1, return_inverse=True)
        rows = np.empty((pairs.shape[1], self.cases.groups.n_values))
        for one in np.unique(pairs[0]):
            group = int(np.flatnonzero(self.slots.type_of_group == one)[0]) if one >= 0 else -1
            asked = np.flatnonzero(pairs[0] == one)
            rows[asked] = self._without(group, codes[pairs[1, asked]])
        return row_of.ravel().astype(np.int32), rows

    def _without(self, group: int, codes: Int32) -> Float64:
        """Return predictions of profiles, (profiles, values), from all groups but one."""
        cases = self.cases
        asked = cells_of(codes, cases.offset)
        left = cases.tables_of(group) if group >= 0 else None
        own = np.unique(cases.cell[left.profiles]) if left else np.zeros(0, np.int64)
        cells = np.unique(np.concatenate([asked.ravel(), own]))
        cells = cells[cells >= 0]
        changed = np.flatnonzero(np.isin(cells, own))

        def counted(numbers: dict[int, Int64], values: Int64) -> tuple[Int32, Int32]:
            before = cases.counts(numbers, cells, values)
            after = before.copy()
            if left:
                cases.add(after, cells, values, left, numbers.get(group, np.zeros(before.shape[2], np.int64)), -1)
            return before, after

        first, every = {one.group: np.zeros(1, np.int64) for one in cases.free}, np.arange(cases.base.shape[1])
        after = counted(first, every)[1]  # predictions of values that no combination moves do not depend on it
        found = np.stack([cases.predicted(after, cells, line)[:, 0] for line in asked])
        sums, total, highest = np.zeros((codes.shape[0], cases.moved.size)), 0.0, -np.inf
        for block, numbers in cases.blocks(cells):
            before, after = counted(numbers, cases.moved)
            terms = [cases.log_terms(counts[changed], cells[changed]) for counts in (after, before)]
            log = self.log_weight[block] + terms[0] - terms[1]
            so_far, highest = highest, max(highest, float(log.max()))
            weight, kept = np.exp(log - highest), np.exp(so_far - highest)
            total = total * kept + weight.sum()
            sums *= kept
            for i, line in enumerate(asked):
                sums[i] += cases.predicted(after, cells, line) @ weight
        found[:, cases.moved] = sums / total
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def enumerate_assignments(groups: GroupedPeople, alpha: float, most: int) -> EnumeratedFit | None:
    """Sum over all assignments, as combinations of the groups' tables.

    None if there are more than `most` combinations, or too many to leave out every group.
    """
    differ = _differing(groups)
    if differ.size > np.log2(max(most, 1)):  # each has at least two tables
        return None
    slots = slots_of(groups)
    most = min(most, MOST_PREDICTIONS // max(slots.n, 1))
    cases = _Cases.of(groups, differ, alpha, most) if most else None
    if cases is None:
        return None
    cells = cases.touched
    log_weight = np.empty(cases.n)
    for block, numbers in cases.blocks(cells):
        log_weight[block] = cases.log_terms(cases.counts(numbers, cells, cases.moved), cells)
        log_weight[block] += sum(one.log_share[numbers[one.group]] for one in cases.free)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    sums, people = np.zeros(slots.start[-1]), np.zeros(slots.n)
    for one, expected in zip(cases.free, cases.expected(weight), strict=True):
        for slot, n, row in zip(slots.of_row[one.rows], one.people, expected, strict=True):
            people[slot] += n
            sums[slots.start[slot] : slots.start[slot + 1]] += row
    of_entry = np.repeat(people, np.diff(slots.start))
    mean = np.divide(sums, of_entry, out=slots.equal[slots.order], where=of_entry > 0)
    return EnumeratedFit(slots, mean, log_weight, cases)


def cells_of(codes: Int32, offset: Int64) -> Int64:
    """Return the count cells of each profile, (profiles, 2 · attributes): levels, then attributes; -1: missing."""
    known = codes >= 0
    levels = np.where(known, codes + offset[:-1], -1)
    return np.concatenate([levels, np.where(known, offset[-1] + np.arange(codes.shape[1]), -1)], axis=1)


class _Tables(NamedTuple):
    """All tables of a group's profiles and values."""

    group: int
    rows: Int64  # (profiles,) one of each profile
    profiles: Int32  # (profiles,)
    people: Int64  # (profiles,)
    values: Int32  # (values of the group,)
    tables: Int32  # (profiles, values of the group, tables)
    log_share: Float64  # (tables,) log of the share of the group's assignments


@dataclass(frozen=True, slots=True, eq=False)
class _Cases:
    """All assignments of values to people, as combinations of each group's tables."""

    groups: GroupedPeople
    alpha: float
    offset: Int64  # (attributes + 1,) the first level of each attribute
    cell: Int64  # (all profiles, 2 · attributes)
    free: tuple[_Tables, ...]  # of the groups whose assignments differ
    base: Int32  # (cells, values) people of all other groups
    touched: Int64  # cells whose counts differ between assignments
    moved: Int64  # values whose counts differ

    @classmethod
    def of(cls, groups: GroupedPeople, differ: Int64, alpha: float, most: int) -> _Cases | None:
        """Enumerate the tables of the groups `differ`; None if their combinations are more than `most`."""
        offset = np.concatenate([np.zeros(1, np.int64), np.cumsum(groups.levels)])
        cell = cells_of(groups.codes, offset)
        free: list[_Tables] = []
        fixed = np.ones(groups.value.size, bool)
        for g in differ.tolist():
            one = _tables(groups, g, most)
            if one is None:
                return None
            most //= one.log_share.size
            free.append(one)
            fixed[groups.start[g] : groups.start[g + 1]] = False
        base = np.zeros((int(offset[-1]) + groups.levels.size, groups.n_values), np.int32)
        kinds, people = np.unique(np.stack([groups.profile_of, groups.value])[:, fixed], axis=1, return_counts=True)
        np.add.at(base, (cell[kinds[0]], kinds[1][:, None]), np.where(cell[kinds[0]] >= 0, people[:, None], 0))
        profiles = [one.profiles for one in free]
        touched = np.unique(cell[np.concatenate([*profiles, np.zeros(0, np.int32)])])
        moved = np.unique(np.concatenate([*(one.values for one in free), np.zeros(0, np.int64)]))
        return cls(groups, alpha, offset, cell, tuple(free), base, touched[touched >= 0], moved)

    @property
    def n(self) -> int:
        """The number of combinations."""
        return prod(one.log_share.size for one in self.free)

    def blocks(self, cells: Int64) -> Iterator[tuple[slice, dict[int, Int64]]]:
        """Yield blocks of combinations to count `cells` in: the number of each free group's table, by group."""
        step = max(1, MOST_CELLS // max(cells.size * self.moved.size, 1))
        for first in range(0, self.n, step):
            rest = np.arange(first, min(first + step, self.n))
            block, numbers = slice(first, first + rest.size), {}
            for one in self.free:
                rest, numbers[one.group] = np.divmod(rest, one.log_share.size)
            yield block, numbers

    def expected(self, weight: Float64) -> list[Float64]:
        """Return the mean table of each free group, (profiles, values of the group), under weights that sum to 1."""
        means = [np.zeros(one.tables.shape[:2]) for one in self.free]
        for block, numbers in self.blocks(self.touched):
            for i, one in enumerate(self.free):
                share = np.bincount(numbers[one.group], weight[block], minlength=one.log_share.size)
                means[i] += one.tables @ share
        return means

    def tables_of(self, group: int) -> _Tables | None:
        """Return the tables of a group, of which one that is not enumerated has only one; None for no group."""
        if group < 0:
            return None
        return next((one for one in self.free if one.group == group), None) or _tables(self.groups, group, 1)

    def counts(self, numbers: dict[int, Int64], cells: Int64, values: Int64) -> Int32:
        """Count people by cell and value in each combination, (cells, values, combinations)."""
        n = next((number.size for number in numbers.values()), 1)
        found = np.repeat(self.base[np.ix_(cells, values)][:, :, None], n, axis=2)
        for one in self.free:
            self.add(found, cells, values, one, numbers[one.group])
        return found

    def add(self, found: Int32, cells: Int64, values: Int64, one: _Tables, number: Int64, sign: int = 1) -> None:
        """Add a group's people to counts, (cells, values, combinations), or subtract them."""
        place, column = np.full(self.base.shape[0] + 1, -1), np.full(self.base.shape[1], -1)
        place[cells], column[values] = np.arange(cells.size), np.arange(values.size)
        for profile, at in enumerate(place[self.cell[one.profiles]]):
            for nth, to in enumerate(column[one.values]):
                if to >= 0:
                    people = sign * one.tables[profile, nth, number]
                    for i in at[at >= 0]:
                        found[i, to] += people

    def log_terms(self, counts: Int32, cells: Int64) -> Float64:
        """Return the log-likelihood's terms of some cells, summed, (combinations,)."""
        n_levels = int(self.offset[-1])
        beside = np.append(np.full(n_levels, self.alpha), self.alpha * self.groups.levels)[cells]
        total = np.zeros(counts.shape[2])
        for i, cell in enumerate(cells):
            for people in counts[i]:
                least, most = people.min(), people.max()
                term = scipy.special.gammaln(np.arange(least, most + 1) + beside[i])
                total += (1.0 if cell < n_levels else -1.0) * term[people - least]
        return total

    def predicted(self, counts: Int32, cells: Int64, line: Int64) -> Float64:
        """Return P(profile | value), (values, combinations), from counts; `line` holds the profile's cells."""
        found, width = np.ones(counts.shape[1:]), self.groups.levels.size
        for j in np.flatnonzero(line[:width] >= 0):
            level, whole = (counts[np.searchsorted(cells, line[at])] for at in (j, width + j))
            found *= (level + self.alpha) / (whole + self.alpha * self.groups.levels[j])
        return found


def _differing(groups: GroupedPeople) -> Int64:
    """Return the groups that have several values and people of several profiles."""
    some = np.flatnonzero(np.diff(groups.start) > 0)
    first, several = groups.start[some], np.ones(some.size, bool)
    for numbers in (groups.value, groups.profile_of) if some.size else ():
        several &= np.minimum.reduceat(numbers, first) != np.maximum.reduceat(numbers, first)
    return some[several]


def _tables(groups: GroupedPeople, group: int, most: int) -> _Tables | None:
    """Return all tables of a group; None: more than `most`, or too large for memory."""
    first, end = groups.start[group : group + 2]
    profiles, row, people = np.unique(groups.profile_of[first:end], return_index=True, return_counts=True)
    values, counts = np.unique(groups.value[first:end], return_counts=True)
    most = min(most, MOST_LISTED // (people.size * counts.size))
    found = listed(people, counts, most) if most else None
    if found is None:
        return None
    tables = np.ascontiguousarray(found[0].transpose(1, 2, 0), np.int32)
    return _Tables(group, first + row, profiles, people, values, tables, found[1])
