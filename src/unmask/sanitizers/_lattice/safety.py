"""Safety of groups, and a lower bound on the unsafe people at all finer nodes.

A sensitive column with missing values is tested twice, once for each reading of missing values: both must be safe.

Convex models never improve by splitting: where a group breaks one, some part breaks it as well. A lower bound on the
people in these parts follows from the group's score alone, and rules out all finer nodes at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.models.l_diversity import DistinctL
from unmask.models.p_sensitive import PSensitive
from unmask.models.privacy_model import (
    ComparesShares,
    PrivacyModel,
    WholeRelease,
    average_of_people,
    holds,
    score_people,
)
from unmask.sanitizers._lattice.groups import LatticeGroups, count_values, profiles_in
from unmask.sanitizers._lattice.persons import Persons
from unmask.sanitizers._lattice.split_bounds import unsafe_share
from unmask.schema import Attribute

_CELLS = 1 << 20  # cells of counts (8 MiB) that are computed at once
_ROUNDING = 1e-7  # of a group's share of unsafe people


class Average(PrivacyModel, WholeRelease, Protocol):
    """A model of the whole release: the average over people of their groups' scores."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """The counts of one sensitive attribute's values by distinct row, under one reading of missing values."""

    attribute: Attribute
    models: tuple[tuple[PrivacyModel, PrivacyModel], ...]  # as demanded, and with the order or hierarchy of the values
    profile: Int32  # (entries,)
    value: Int32  # (entries,)
    times: Int64  # (entries,)
    overall: Float64  # (values,)


@dataclass(frozen=True, slots=True, eq=False)
class NodeSafety:
    """The safe groups of a node, and the people in the others."""

    safe: Bool  # (groups,)
    n_unsafe: int  # people in the others
    min_unsafe: float  # lower bound on the unsafe people at this node and at every finer one


@dataclass(frozen=True, eq=False)
class Demand:
    """The requirements on every group, and on the release as a whole."""

    k: int
    values: tuple[ValueCounts, ...] = ()
    averages: tuple[Average, ...] = ()  # models of the whole release
    limit: int = 0  # people who may be suppressed
    with_bounds: bool = True  # False: no lower bounds for finer nodes
    alone: bool = False  # unsafe people are suppressed: the others must be safe by themselves
    persons: Persons | None = None  # where people have several rows; then `values` are not used
    _worst: dict[tuple[int, int], float] = field(default_factory=dict)

    @property
    def needs_values(self) -> bool:
        """Whether a requirement is about values, not sizes alone."""
        return bool(self.values)

    def judge(self, groups: LatticeGroups) -> NodeSafety:
        """Return the safe groups of a node; once too many people are unsafe, the remaining tests are skipped."""
        if self.persons is not None:
            return self._judge_people(groups, self.persons)
        size = groups.size
        safe = size >= self.k
        n_unsafe = int(size[~safe].sum())
        min_unsafe = float(n_unsafe)
        if n_unsafe > self.limit or not (self.values or self.averages):
            return NodeSafety(safe, n_unsafe, min_unsafe)
        if self.values:
            least = np.where(safe, 0.0, size)
            for values in self.values:
                self._judge_values(groups, values, safe, least)
            min_unsafe = float(least.sum())
        for model in self.averages:
            if min_unsafe <= self.limit:
                min_unsafe = max(min_unsafe, self._drop_smallest(groups, model, safe))
        while self.alone and int(size[~safe].sum()) <= self.limit and self._drop_compared(groups, safe):
            for model in self.averages:
                self._drop_smallest(groups, model, safe)
        return NodeSafety(safe, int(size[~safe].sum()), min_unsafe)

    def _drop_compared(self, groups: LatticeGroups, safe: Bool) -> bool:
        """Suppress groups that are unsafe compared with the published ones alone; return whether there are any.

        Suppressed people are not in the distribution that a reader of the release compares a group with.
        """
        before, published = int(safe.sum()), profiles_in(groups, safe)
        if published.all():
            return False
        for values in self.values:
            models = [fitted for _, fitted in values.models if isinstance(fitted, ComparesShares)]
            if not models:
                continue
            there = published[values.profile]
            overall = np.bincount(values.value[there], values.times[there], values.overall.size).astype(np.float64)
            for part, counts in self.counts(groups, values, np.flatnonzero(safe)):
                size = groups.size[part].astype(np.float64)
                for fitted in models:
                    safe[part[~holds(fitted, fitted.score(size, counts, overall))]] = False
        return int(safe.sum()) < before

    def _judge_people(self, groups: LatticeGroups, persons: Persons) -> NodeSafety:
        """Return the same for people with several rows: a person with a row in an unsafe group is unsafe.

        A finer node has no more people in any group, so people unsafe by k stay unsafe. This is not known for models of
        values where people may have several: only k bounds the suppressed people of finer nodes.
        """
        people = persons.of_groups(groups)
        safe = people >= self.k
        n_unsafe = persons.among(groups, ~safe)
        min_unsafe = float(n_unsafe)
        if n_unsafe > self.limit or not (persons.holders or self.averages):
            return NodeSafety(safe, n_unsafe, min_unsafe)
        for holders in persons.holders:
            for part, known, counts in holders.counts(groups, np.flatnonzero(safe)):
                size = people[part].astype(np.float64)
                for model in holders.models:
                    score = score_people(model, size, known, counts, holders.total_known, holders.overall)
                    safe[part[~holds(model, score)]] = False
        for model in self.averages:
            self._drop_fewest(groups, persons, people, model, safe)
        while (
            self.alone and persons.among(groups, ~safe) <= self.limit and _drop_compared(groups, persons, people, safe)
        ):
            for model in self.averages:
                self._drop_fewest(groups, persons, people, model, safe)
        return NodeSafety(safe, persons.among(groups, ~safe), min_unsafe)

    def _drop_fewest(self, groups: LatticeGroups, persons: Persons, people: Int64, model: Average, safe: Bool) -> None:
        """Suppress the groups with the fewest people until an average over people is within its limit."""
        order = np.flatnonzero(safe)
        order = order[np.lexsort((*groups.codes[:, order][::-1], people[order]))]
        size = people[order].astype(np.float64)
        score = model.score(size, np.zeros((size.size, 0)), np.zeros(0))

        def fine(dropped: int) -> bool:
            kept = safe.copy()
            kept[order[:dropped]] = False
            total = float(persons.among(groups, kept))
            return bool(holds(model, np.array([average_of_people(model, score[dropped:], size[dropped:], total)]))[0])

        if size.size == 0 or fine(0):
            return
        low, high = 0, size.size
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fine(middle) else (middle, high)
        safe[order[:high]] = False

    def _judge_values(self, groups: LatticeGroups, values: ValueCounts, safe: Bool, least: Float64) -> None:
        """Mark groups whose values are unsafe, and raise the lower bound on their people who stay unsafe."""
        candidates = np.flatnonzero(safe)
        for part, counts in self.counts(groups, values, candidates):
            size, known = groups.size[part].astype(np.float64), counts.sum(axis=1)
            for number, (demanded, fitted) in enumerate(values.models):
                score = fitted.score(size, counts, values.overall)
                fine = holds(fitted, score)
                if fine.all():
                    continue
                safe[part[~fine]] = False
                if not self.with_bounds:
                    continue
                bad = ~fine
                share = unsafe_share(
                    demanded, fitted, score[bad], counts[bad], values.overall, self._farthest(values, number)
                )
                stay = np.where(known[bad] > 0, share * known[bad], size[bad])
                if isinstance(demanded, (DistinctL, PSensitive)):
                    stay = size[bad]  # a group with too few values has too few in every part
                least[part[bad]] = np.maximum(least[part[bad]], stay * (1 - _ROUNDING))

    def counts(self, groups: LatticeGroups, values: ValueCounts, chosen: Int64) -> Iterator[tuple[Int64, Float64]]:
        """Yield some of the chosen groups, and the counts of each value in them, (groups, values)."""
        step = max(1, _CELLS // max(1, values.overall.size))
        for first in range(0, chosen.size, step):
            part = chosen[first : first + step]
            place = np.full(groups.size.size, -1, np.int32)
            place[part] = np.arange(part.size, dtype=np.int32)
            counts = np.zeros((part.size, values.overall.size))
            count_values(groups.of_profile, place, values.profile, values.value, values.times, counts)
            yield part, counts

    def _farthest(self, values: ValueCounts, number: int) -> float:
        """Return the worst possible score, that of a group with one value."""
        key = (self.values.index(values), number)
        if key not in self._worst:
            _, fitted = values.models[number]
            alone = np.eye(values.overall.size)[values.overall > 0]
            score = fitted.score(np.ones(alone.shape[0]), alone, values.overall)
            self._worst[key] = float(score.max(initial=0))
        return self._worst[key]

    def _drop_smallest(self, groups: LatticeGroups, model: Average, safe: Bool) -> float:
        """Suppress the smallest groups until an average over people is within its limit.

        Return a lower bound on the suppressed people of any such choice, where a part of a group could be suppressed as
        well: a coarser node then never needs more.
        """
        order = np.flatnonzero(safe)
        order = order[np.lexsort((*groups.codes[:, order][::-1], groups.size[order]))]
        size = groups.size[order].astype(np.float64)
        score = model.score(size, np.zeros((size.size, 0)), np.zeros(0))
        out = float(groups.size.sum() - size.sum())

        def fine(dropped: int) -> bool:
            return bool(holds(model, np.array([model.average(score[dropped:], size[dropped:])]))[0])

        if size.size == 0 or fine(0):
            return out
        low, high = 0, size.size  # too few; enough, if any number is
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fine(middle) else (middle, high)
        safe[order[:high]] = False
        return out + float(size[:low].sum())


def _drop_compared(groups: LatticeGroups, persons: Persons, people: Int64, safe: Bool) -> bool:
    """Suppress groups of people with several rows that are unsafe compared with the published ones alone."""
    before, published = int(safe.sum()), profiles_in(groups, safe)
    if published.all():
        return False
    for holders in persons.holders:
        models = [model for model in holders.models if isinstance(model, ComparesShares)]
        if not models:
            continue
        total_known, overall = holders.whole(published)
        for part, known, counts in holders.counts(groups, np.flatnonzero(safe)):
            size = people[part].astype(np.float64)
            for model in models:
                safe[part[~holds(model, score_people(model, size, known, counts, total_known, overall))]] = False
    return int(safe.sum()) < before
