"""Exact in-group posteriors by enumeration of all assignments of values to people, for small releases.

The model is that of `sampler`. With its parameters integrated out, an assignment has probability proportional to
`∏ Γ(n + α) / Γ(n_all + L α)`, over its counts of people by level and value and attributes of L levels. Groups in which
all assignments are equivalent, of one value or of people of one profile, are not enumerated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import factorial, prod
from typing import NamedTuple

import numpy as np
import scipy

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.attacks.shared.grouped_people import GroupedPeople, Slots, slots_of

MOST_CELLS = 4_000_000
"""The maximum number of counts in memory."""

MOST_PREDICTIONS = 10_000_000
"""The maximum of assignments times slots: beyond, leaving out each group takes longer than sampling."""


@dataclass(frozen=True, slots=True, eq=False)
class EnumeratedFit:
    """Exact probabilities by slot, over the values of its group, and the weighted assignments behind them."""

    slots: Slots = field(repr=False)
    mean: Float64  # (entries,)
    log_weight: Float64 = field(repr=False)  # (assignments,) up to a constant
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
        own = np.unique(cases.cell[cases.members(group)])
        cells = np.unique(np.concatenate([asked.ravel(), own]))
        cells = cells[cells >= 0]
        changed = np.flatnonzero(np.isin(cells, own))
        parts, logs = [], []
        for block, values in cases.blocks():
            before = cases.counts(values, cells)
            after = before - cases.counts(values, cells, group)
            terms = [cases.log_terms(counts[:, changed], cells[changed]) for counts in (after, before)]
            logs.append(self.log_weight[block] + terms[0] - terms[1])
            parts.append([cases.predicted(after, cells, line) for line in asked])
        log = np.concatenate(logs)
        weight = np.exp(log - log.max())
        found = np.stack([weight @ np.concatenate([part[i] for part in parts]) for i in range(codes.shape[0])])
        return np.asarray(found / found.sum(axis=1, keepdims=True))


def enumerate_assignments(groups: GroupedPeople, alpha: float, most: int) -> EnumeratedFit | None:
    """Sum over all assignments; None if they are more than `most`, or too many to leave out every group."""
    differ = _differing(groups)
    if differ.size > np.log2(max(most, 1)):  # each has at least two assignments
        return None
    slots = slots_of(groups)
    cases = _Cases.of(groups, differ, alpha, min(most, MOST_PREDICTIONS // max(slots.n, 1)))
    if cases is None:
        return None
    cells = cases.touched
    log_weight = np.concatenate([cases.log_terms(cases.counts(values, cells), cells) for _, values in cases.blocks()])
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    free = np.flatnonzero(~cases.fixed)
    slot = slots.of_row[free]
    entry = np.full((free.size, groups.n_values), -1)
    for i, s in enumerate(slot):
        own = np.arange(slots.start[s], slots.start[s + 1])
        entry[i, slots.column[own]] = own
    mean = slots.equal[slots.order]
    people = np.bincount(slot, minlength=slots.n)
    mean[np.repeat(people > 0, np.diff(slots.start))] = 0.0
    for block, values in cases.blocks():
        at = entry[np.arange(free.size), values]
        mean += np.bincount(at.ravel(), np.repeat(weight[block], free.size), minlength=mean.size)
    return EnumeratedFit(slots, mean / np.repeat(np.maximum(people, 1), np.diff(slots.start)), log_weight, cases)


def cells_of(codes: Int32, offset: Int64) -> Int64:
    """Return the count cells of each profile, (profiles, 2 · attributes): levels, then attributes; -1: missing."""
    known = codes >= 0
    levels = np.where(known, codes + offset[:-1], -1)
    return np.concatenate([levels, np.where(known, offset[-1] + np.arange(codes.shape[1]), -1)], axis=1)


class _Free(NamedTuple):
    """A group whose assignments differ."""

    group: int
    first: int  # row
    values: Int32  # (assignments, people)


@dataclass(frozen=True, slots=True, eq=False)
class _Cases:
    """All assignments of values to people, as combinations of each group's assignments."""

    groups: GroupedPeople
    alpha: float
    offset: Int64  # (attributes + 1,) the first level of each attribute
    cell: Int64  # (rows, 2 · attributes)
    free: tuple[_Free, ...]
    fixed: Bool  # (rows,) whose value is the same in all assignments, or irrelevant
    base: Int32  # (cells, values) people of all other groups
    touched: Int64  # cells whose counts differ between assignments

    @classmethod
    def of(cls, groups: GroupedPeople, differ: Int64, alpha: float, most: int) -> _Cases | None:
        """Enumerate the assignments of the groups `differ`; None if their combinations are more than `most`."""
        offset = np.concatenate([np.zeros(1, np.int64), np.cumsum(groups.levels)])
        cell = cells_of(groups.codes, offset)[groups.profile_of]
        n = 1
        for g in differ:
            n *= _arrangements(groups.value[groups.start[g] : groups.start[g + 1]])
            if n > most:
                break
        if n > most:
            return None
        free = tuple(
            _Free(g, int(groups.start[g]), _listed(groups.value[groups.start[g] : groups.start[g + 1]])) for g in differ
        )
        fixed = np.ones(groups.value.size, bool)
        for one in free:
            fixed[one.first : one.first + one.values.shape[1]] = False
        base = np.zeros((int(offset[-1]) + groups.levels.size, groups.n_values), np.int32)
        np.add.at(base, (cell[fixed], groups.value[fixed, None]), cell[fixed] >= 0)
        touched = np.unique(cell[~fixed])
        return cls(groups, alpha, offset, cell, free, fixed, base, touched[touched >= 0])

    @property
    def n(self) -> int:
        """The number of assignments."""
        return prod(one.values.shape[0] for one in self.free)

    def members(self, group: int) -> slice:
        """Return the rows of a group; empty for a negative one."""
        return slice(int(self.groups.start[group]), int(self.groups.start[group + 1])) if group >= 0 else slice(0)

    def blocks(self) -> Iterator[tuple[slice, Int32]]:
        """Yield blocks of assignments: the values of all people of free groups, (assignments, people)."""
        step = max(1, MOST_CELLS // max((self.touched.size + 2 * self.groups.levels.size) * self.groups.n_values, 1))
        for first in range(0, self.n, step):
            number = np.arange(first, min(first + step, self.n))
            columns = []
            for one in self.free:
                columns.append(one.values[number % one.values.shape[0]])
                number = number // one.values.shape[0]
            block = slice(first, first + number.size)
            yield block, np.concatenate([np.zeros((number.size, 0), np.int32), *columns], axis=1)

    def counts(self, values: Int32, cells: Int64, group: int | None = None) -> Int32:
        """Count people by cell and value in each assignment, (assignments, cells, values); of one group if given."""
        n, v = values.shape[0], self.groups.n_values
        place = np.full(self.base.shape[0] + 1, -1)
        place[cells] = np.arange(cells.size)
        found = np.zeros((n, cells.size, v), np.int32)
        if group is None:
            found += self.base[cells]
        column = 0
        for one in self.free:
            people = one.values.shape[1]
            if group is None or one.group == group:
                self._add(found, place, one.first, values[:, column : column + people])
            column += people
        if group is not None and group >= 0 and all(one.group != group for one in self.free):
            rows = self.members(group)
            self._add(found, place, rows.start, np.broadcast_to(self.groups.value[rows], (n, rows.stop - rows.start)))
        return found

    def _add(self, found: Int32, place: Int64, first: int, values: Int32) -> None:
        at = place[self.cell[first : first + values.shape[1]]]
        person, attribute = np.nonzero(at >= 0)
        for p, i in zip(person, at[person, attribute], strict=True):
            found[np.arange(values.shape[0]), i, values[:, p]] += 1

    def log_terms(self, counts: Int32, cells: Int64) -> Float64:
        """Return the log-likelihood's terms of some cells, summed, (assignments,)."""
        n_levels = int(self.offset[-1])
        beside = np.append(np.full(n_levels, self.alpha), self.alpha * self.groups.levels)[cells]
        total = np.zeros(counts.shape[0])
        for i, cell in enumerate(cells):
            term = scipy.special.gammaln(np.arange(self.groups.value.size + 1) + beside[i])
            total += (1.0 if cell < n_levels else -1.0) * term[counts[:, i]].sum(axis=1)
        return total

    def predicted(self, counts: Int32, cells: Int64, line: Int64) -> Float64:
        """Return P(profile | value), (assignments, values), from counts; `line` holds the profile's cells."""
        found, width = np.ones((counts.shape[0], counts.shape[2])), self.groups.levels.size
        for j in np.flatnonzero(line[:width] >= 0):
            level, whole = (counts[:, np.searchsorted(cells, line[at])] for at in (j, width + j))
            found *= (level + self.alpha) / (whole + self.alpha * self.groups.levels[j])
        return found


def _differing(groups: GroupedPeople) -> Int64:
    """Return the groups that have several values and people of several profiles."""
    some = np.flatnonzero(np.diff(groups.start) > 0)
    first, several = groups.start[some], np.ones(some.size, bool)
    for numbers in (groups.value, groups.profile_of) if some.size else ():
        several &= np.minimum.reduceat(numbers, first) != np.maximum.reduceat(numbers, first)
    return some[several]


def _arrangements(values: Int32) -> int:
    """Return the number of assignments of a group's values to its people."""
    return factorial(values.size) // prod(factorial(int(n)) for n in np.bincount(values))


def _listed(values: Int32) -> Int32:
    """Return all assignments of a group's values to its people, (assignments, people)."""
    kinds, left = np.unique(values, return_counts=True)
    left, found = left[None, :], np.zeros((1, 0), np.int32)
    for _ in range(values.size):
        before, kind = np.nonzero(left > 0)
        left = left[before]
        left[np.arange(before.size), kind] -= 1
        found = np.concatenate([found[before], kinds[kind, None].astype(np.int32)], axis=1)
    return found
