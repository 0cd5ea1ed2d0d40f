"""Measuring privacy models on a release made by anyone, under both readings of what is missing.

A missing or suppressed cell can count as a value of its own, or as matching everything; a missing sensitive value as a
value of its own, or as not known. Which of the two is safer depends on the model, so both are measured and the worse
one decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Bool, Float64, Ragged, distinct_rows
from unmask.errors import InvalidInputError
from unmask.headcount import Headcount, Holders
from unmask.lookalikes import Reading, Units, fitting, matching
from unmask.privacy_model import (
    AnyModel,
    PopulationModel,
    PrivacyModel,
    WholeRelease,
    average_of_people,
    bound,
    holds,
    score_people,
)
from unmask.release import Release
from unmask.schema import Attribute, Categorical, Ordered
from unmask.table import Table

BLOCK = 1 << 16
"""How many counts are made dense at once: 512 KiB stay in a processor's cache while all models look at it."""


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """A model's score of a release."""

    value: float  # of the worst group, or the average over people; NaN: undefined
    people: float  # how many people are in the groups that score worst
    groups: int  # how many groups these are
    beyond: float  # how many people are in groups that break the limit; all of them where an average breaks it
    holds: bool


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A model's score of a release under both readings, for each sensitive attribute and over all of them."""

    model: AnyModel
    readings: Mapping[Reading, Score]
    by_attribute: Mapping[str, Mapping[Reading, Score]]  # empty where sizes decide

    @property
    def strict(self) -> Score:
        """The score under the reading that is less safe, which decides."""
        return self.readings[self._worse()]

    @property
    def lenient(self) -> Score:
        """The score under the other reading."""
        return self.readings[Reading.WILDCARD if self._worse() is Reading.OWN else Reading.OWN]

    @property
    def differs(self) -> bool:
        """Say whether the two readings give different values."""
        strict, lenient = self.strict.value, self.lenient.value
        return not (strict == lenient or (np.isnan(strict) and np.isnan(lenient)))

    @property
    def value(self) -> float:
        """The value under the strict reading."""
        return self.strict.value

    @property
    def people(self) -> float:
        """How many people are in the worst groups under the strict reading."""
        return self.strict.people

    @property
    def holds(self) -> bool:
        """Say whether the model holds under the strict reading."""
        return self.strict.holds

    def _worse(self) -> Reading:
        own, wildcard = self.readings[Reading.OWN], self.readings[Reading.WILDCARD]
        if own.holds is not wildcard.holds:
            return Reading.WILDCARD if own.holds else Reading.OWN
        worse = _worst(np.array([own.value, wildcard.value]), higher_is_safer=self.model.higher_is_safer)
        return Reading.OWN if worse[0] else Reading.WILDCARD


def measure_release(release: Release, model: AnyModel, *, population: Table | None = None) -> Measured:
    """Measure one model on a release."""
    return measure_all(release, (model,), population=population)[0]


def measure_all(
    release: Release, models: Sequence[AnyModel], *, population: Table | None = None
) -> tuple[Measured, ...]:
    """Measure models on a release, in the given order.

    Groups are the published ones. Where rows are published exactly, what hides a person is not the group but the rows
    of the group that show the same, so sizes are counted by these. Suppressed people are in no group; the release
    counts them apart, and so are rows counted that are published with `*` in every column, unless all are: as a
    value of their own they are no group, as a wildcard they are company for everybody. Where the release says how
    many people its rows are, people are counted, not rows.

    Assumes
        That the whole table is what is published: suppressed people are not part of the distribution of a value.
    Fails
        With `InvalidInputError` where a model needs a population and none is given, or needs a sensitive attribute, an
        order or a hierarchy that the release does not have.
    """
    apart = release.starred
    if apart.any():
        shown = measure_all(release.without(apart), models, population=population)
        return tuple(map(_own_and_wildcard, shown, _measured(release, models, population)))
    return _measured(release, models, population)


def _own_and_wildcard(own: Measured, wildcard: Measured) -> Measured:
    """Take the first reading from one, the second from the other."""

    def both(first: Mapping[Reading, Score], second: Mapping[Reading, Score]) -> Mapping[Reading, Score]:
        return {Reading.OWN: first[Reading.OWN], Reading.WILDCARD: second[Reading.WILDCARD]}

    each = {name: both(own.by_attribute[name], wildcard.by_attribute[name]) for name in own.by_attribute}
    return Measured(own.model, both(own.readings, wildcard.readings), each)


def _measured(release: Release, models: Sequence[AnyModel], population: Table | None) -> tuple[Measured, ...]:
    units = Units.of(release)
    everybody = None if release.headcount is None else release.n_people
    counted = {a.name: _counted(release, units, a) for a in release.schema.sensitive if a.name in release.counts}
    people: Mapping[Reading, tuple[Float64, float]] = {}
    result: dict[int, Measured] = {}
    of_values = {
        i: model for i, model in enumerate(models) if not isinstance(model, PopulationModel) and model.needs_values
    }
    if of_values and not counted:
        name = next(iter(of_values.values())).name
        msg = f"{name} must have a sensitive attribute to measure; got none. Name one with -s"
        raise InvalidInputError(msg)
    result |= zip(of_values, _by_attribute(list(of_values.values()), release.people, counted, everybody), strict=True)
    for i, model in enumerate(models):
        if isinstance(model, PopulationModel):
            if population is None:
                msg = f"{model.name} must have a table of the population; got none. Give one with --population"
                raise InvalidInputError(msg)
            people = people or fitting(units, population)
            among = {reading: _among(model, units, *people[reading], everybody) for reading in Reading}
            result[i] = Measured(model, among, {})
        elif not model.needs_values:
            nothing = np.zeros((units.size.size, 0)), np.zeros(0)
            both = {r: _summed(model, [model.score(units.seen[r], *nothing)], units.size, everybody) for r in Reading}
            result[i] = Measured(model, both, {})
    return tuple(result[i] for i in range(len(models)))


def _by_attribute(
    models: Sequence[PrivacyModel],
    size: Float64,
    counted: Mapping[str, Mapping[Reading, _Counted]],
    everybody: float | None,
) -> list[Measured]:
    scores: dict[Reading, list[list[Float64]]] = {reading: [] for reading in Reading}  # attributes × models
    for readings in counted.values():
        own, wildcard = readings[Reading.OWN], readings[Reading.WILDCARD]
        scores[Reading.OWN].append(own.scores(models))
        scores[Reading.WILDCARD].append(scores[Reading.OWN][-1] if wildcard is own else wildcard.scores(models))
    result = []
    for m, model in enumerate(models):
        each = {
            name: {reading: _summed(model, [scores[reading][i][m]], size, everybody) for reading in Reading}
            for i, name in enumerate(counted)
        }
        total = {reading: _summed(model, [one[m] for one in scores[reading]], size, everybody) for reading in Reading}
        result.append(Measured(model, total, each))
    return result


def _among(model: PopulationModel, units: Units, fits: Float64, none: float, everybody: float | None) -> Score:
    """Score the groups, (groups,), that these people of the population fit, and those people who fit none."""
    outside = np.full(int(none > 0), none)
    alike, _ = distinct_rows(units.cell)  # units of several groups that show the same are one to whoever looks
    members = np.bincount(alike, units.size)[alike]
    score = model.score_among(np.append(members, 0.0 * outside), np.append(fits, outside))
    total = None if everybody is None else everybody + float(outside.sum())
    return _summed(model, [score], np.append(units.size, outside), total)


def _summed(model: AnyModel, scores: Sequence[Float64], size: Float64, total: float | None = None) -> Score:
    """Sum up the scores of groups, (groups,) for each attribute: the worst one counts.

    `total` is the number of people where somebody may be in several groups: each of them counts, but no more than all.
    """
    if isinstance(model, WholeRelease):
        value = average_of_people(model, scores[0], size, total)
        fine = bool(holds(model, np.array([value]))[0])
        worst = [_worst(scores[0], higher_is_safer=False)]
    else:
        every = np.concatenate(scores)
        fine = bool(holds(model, every).all())
        worst = np.split(_worst(every, higher_is_safer=model.higher_is_safer), len(scores))
        value = float(every[np.concatenate(worst)][0]) if every.size else float("nan")
    among = np.logical_or.reduce(worst)
    broken = np.full(size.shape, not fine)
    if not isinstance(model, WholeRelease):
        broken = ~np.logical_and.reduce([holds(model, score) for score in scores])
    most = float(size.sum()) if total is None else total
    people, beyond = (min(float(size[groups].sum()), most) for groups in (among, broken))
    return Score(value + 0.0, people, int(among.sum()), beyond, fine)  # + 0: no measure is minus nothing


def _worst(score: Float64, *, higher_is_safer: bool) -> Bool:
    """Mark the worst scores; an undefined one is worse than all others."""
    undefined = np.isnan(score)
    if undefined.any() or not score.size:
        return undefined
    return np.asarray(score == (score.min() if higher_is_safer else score.max()))


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The values of one attribute in each group, under one reading."""

    attribute: Attribute
    size: Float64  # (groups,)
    counts: Ragged  # (groups, values)
    overall: Float64  # (values,)
    known: Float64 | None = None  # (groups,) people of whom a value is known, where somebody may have several
    everybody: float = 0.0  # the same in the whole table

    def scores(self, models: Sequence[PrivacyModel]) -> list[Float64]:
        """Return the score of each group, (groups,), by each model: groups are made dense once, a few at a time."""
        fitted = [bound(model, self.attribute) for model in models]
        result = [np.zeros(self.size.size) for _ in models]
        step = max(1, BLOCK // max(1, self.counts.n_columns))
        for first in range(0, self.size.size, step):
            part = slice(first, min(first + step, self.size.size))
            counts = self.counts.dense(part)
            for model, scores in zip(fitted, result, strict=True):
                if self.known is None:
                    scores[part] = model.score(self.size[part], counts, self.overall)
                    continue
                known = self.known[part]
                held = np.minimum(counts, known[:, None])
                scores[part] = score_people(model, self.size[part], known, held, self.everybody, self.overall)
        return result


def _counted(release: Release, units: Units, attribute: Attribute) -> Mapping[Reading, _Counted]:
    """Count the values of an attribute by group, with what is missing counted as each reading says."""
    if release.headcount is not None:
        return _held(release, release.headcount, units, attribute)
    counts = release.counts_of(attribute.name)
    unknown = release.size - counts.sums()
    unknown = np.where(unknown > 0.5, unknown, 0.0)  # noise and rounding make nobody
    mark = attribute.values.index(attribute.mark) if attribute.mark in attribute.values else None
    merges = bool(units.wild.any()) and units.size.size == release.n_groups
    if not unknown.any() and mark is None and not merges:
        same = _Counted(attribute, release.size, counts, counts.column_sums())
        return dict.fromkeys(Reading, same)
    known = counts
    if mark is not None:
        known = counts.columns_scaled((np.arange(counts.n_columns) != mark).astype(np.float64))
    overall = known.column_sums()
    if merges:
        order = np.argsort(units.group)
        known = matching(units.cell[order], units.wild[order], known)
    own, every = attribute, counts
    if unknown.any():
        own, code = (attribute, mark) if mark is not None else (_with_mark(attribute), counts.n_columns)
        group = np.flatnonzero(unknown)
        row = np.concatenate([counts.row, group])
        column = np.concatenate([counts.column, np.full(group.size, code, np.int32)])
        data = np.concatenate([counts.data, unknown[group]])
        every = Ragged.gather(row, column, data, (counts.n_rows, len(own.values)))
    return {
        Reading.OWN: _Counted(own, release.size, every, every.column_sums()),
        Reading.WILDCARD: _Counted(attribute, release.size, known, overall),
    }


def _held(release: Release, headcount: Headcount, units: Units, attribute: Attribute) -> Mapping[Reading, _Counted]:
    """Count the people who have each value, with what is missing counted as each reading says."""
    holders = headcount.holders.get(attribute.name) or _at_most(release, headcount, attribute)
    people, n = headcount.of_group, len(attribute.values)
    mark = attribute.values.index(attribute.mark) if attribute.mark in attribute.values else n
    known = holders.counts.columns_scaled((~np.isin(np.arange(n + 1), (n, mark))).astype(np.float64))
    overall = np.where(np.arange(n) == mark, 0.0, holders.overall[:n])
    sure, counts = holders.known, Ragged(known.start, known.column, known.data, n)
    if units.wild.any() and units.size.size == release.n_groups:
        order = np.argsort(units.group)
        cell, wild = units.cell[order], units.wild[order]
        counts = matching(cell, wild, counts)
        alike = matching(cell, wild, Ragged.of(sure[:, None])).dense_column(0)
        sure = np.maximum(alike - headcount.repeated, sure)
    wildcard = _Counted(attribute, people, counts, overall, sure, holders.everybody)
    every, own = holders.counts, attribute
    if holders.overall[n]:
        own = _with_mark(attribute)
        return {
            Reading.OWN: _Counted(own, people, every, holders.overall, people, headcount.total),
            Reading.WILDCARD: wildcard,
        }
    every = Ragged(every.start, every.column, every.data, n)
    own_reading = _Counted(own, people, every, holders.overall[:n], people, headcount.total)
    return {Reading.OWN: own_reading, Reading.WILDCARD: wildcard}


def _at_most(release: Release, headcount: Headcount, attribute: Attribute) -> Holders:
    """Take as many people as possible to have each value, where only rows are counted by value."""
    rows = release.counts_of(attribute.name)
    n = len(attribute.values)
    unknown = np.maximum(release.size - rows.sums(), 0.0)
    missing = Ragged.gather(np.arange(unknown.size), np.full(unknown.size, n, np.int32), unknown, (rows.n_rows, n + 1))
    row, column = np.concatenate([rows.row, missing.row]), np.concatenate([rows.column, missing.column])
    data = np.minimum(np.concatenate([rows.data, missing.data]), headcount.of_group[row])
    counts = Ragged.gather(row, column, data, (rows.n_rows, n + 1))
    marked = np.zeros(rows.n_rows)
    if attribute.mark in attribute.values:
        marked = rows.dense_column(attribute.values.index(attribute.mark))
    known = np.minimum(rows.sums() - marked, headcount.of_group)
    everybody = min(float(known.sum()), headcount.total)
    return Holders(known, counts, everybody, np.minimum(counts.column_sums(), headcount.total))


def _with_mark(attribute: Attribute) -> Attribute:
    """Return the attribute with one more value, last, for what is missing."""
    values = (*attribute.values, attribute.mark)
    ordered = isinstance(attribute.domain, Ordered)
    return replace(attribute, domain=Ordered(values) if ordered else Categorical(values))
