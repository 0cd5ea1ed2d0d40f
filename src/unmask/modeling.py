"""Measuring privacy models on a release made by anyone, under both readings of what is missing.

A missing or suppressed cell can count as a value of its own, or as matching everything; a missing sensitive value as a
value of its own, or as not known. Which of the two is safer depends on the model, so both are measured and the worse
one decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy import sparse

from unmask.arrays import Bool, Float64, Int32, Ragged, distinct_rows
from unmask.errors import InvalidInputError
from unmask.links import Linking
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.privacy_model import AnyModel, PopulationModel, PrivacyModel, WholeRelease, bound, holds
from unmask.release import Masked, Release
from unmask.schema import Attribute, Categorical, Ordered
from unmask.table import Table


class Reading(StrEnum):
    """How what is missing counts: as one more value, or as matching everything (a sensitive value: as not known)."""

    OWN = "own"
    WILDCARD = "wildcard"


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
    counts them apart.

    Assumes
        That the whole table is what is published: suppressed people are not part of the distribution of a value.
    Fails
        With `InvalidInputError` where a model needs a population and none is given, or needs a sensitive attribute, an
        order or a hierarchy that the release does not have.
    """
    units = _Units.of(release)
    counted = {a.name: _counted(release, units, a) for a in release.schema.sensitive if a.name in release.counts}
    people: Mapping[Reading, tuple[Float64, float]] = {}
    result = []
    for model in models:
        if isinstance(model, PopulationModel):
            if population is None:
                msg = f"{model.name} must have a table of the population; got none. Give one with --population"
                raise InvalidInputError(msg)
            people = people or _fitting_each(units, population)
            among = {reading: _among(model, units.size, *people[reading]) for reading in Reading}
            result.append(Measured(model, among, {}))
        elif not model.needs_values:
            nothing = np.zeros((units.size.size, 0)), np.zeros(0)
            both = {r: _summed(model, [model.score(units.seen[r], *nothing)], units.size) for r in Reading}
            result.append(Measured(model, both, {}))
        elif not counted:
            msg = f"{model.name} must have a sensitive attribute to measure; got none. Name one with -s"
            raise InvalidInputError(msg)
        else:
            result.append(_by_attribute(model, release, counted))
    return tuple(result)


def _by_attribute(model: PrivacyModel, release: Release, counted: Mapping[str, Mapping[Reading, _Counted]]) -> Measured:
    scores: dict[Reading, list[Float64]] = {reading: [] for reading in Reading}
    for readings in counted.values():
        own, wildcard = readings[Reading.OWN], readings[Reading.WILDCARD]
        scores[Reading.OWN].append(own.score(model))
        scores[Reading.WILDCARD].append(scores[Reading.OWN][-1] if wildcard is own else wildcard.score(model))
    each = {
        name: {reading: _summed(model, [scores[reading][i]], release.size) for reading in Reading}
        for i, name in enumerate(counted)
    }
    return Measured(model, {reading: _summed(model, scores[reading], release.size) for reading in Reading}, each)


def _among(model: PopulationModel, size: Float64, fits: Float64, none: float) -> Score:
    """Score the groups, (groups,), that these people of the population fit, and those people who fit none."""
    outside = np.full(int(none > 0), none)
    score = model.score_among(np.append(size, 0.0 * outside), np.append(fits, outside))
    return _summed(model, [score], np.append(size, outside))


def _summed(model: AnyModel, scores: Sequence[Float64], size: Float64) -> Score:
    """Sum up the scores of groups, (groups,) for each attribute: the worst one counts."""
    if isinstance(model, WholeRelease):
        value = model.average(scores[0], size)
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
    return Score(value, float(size[among].sum()), int(among.sum()), float(size[broken].sum()), fine)


def _worst(score: Float64, *, higher_is_safer: bool) -> Bool:
    """Mark the worst scores; an undefined one is worse than all others."""
    undefined = np.isnan(score)
    if undefined.any() or not score.size:
        return undefined
    return np.asarray(score == (score.min() if higher_is_safer else score.max()))


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """What hides people: the lines of a group that show the same. For boxes these are the groups."""

    masked: Masked  # a line per unit
    group: Int32  # (units,)
    size: Float64  # (units,) people
    wild: Bool  # (units, attributes) the cell is missing or suppressed
    cell: Int32  # (units, attributes)
    seen: Mapping[Reading, Float64]  # (units,) people who look the same under a reading

    @classmethod
    def of(cls, release: Release) -> _Units:
        masked, group = release.masked, release.masked.group_of_line
        cells = [masked.cell_of(a.name) for a in masked.attributes]
        number, example = distinct_rows(np.stack([group, *cells], axis=1))
        lines = np.bincount(group, minlength=masked.n_groups)
        people = (release.size / np.maximum(lines, 1))[group]
        size = np.bincount(number, people, example.size).astype(np.float64)
        if example.size == masked.n_groups:
            size = release.size[group[example]]  # exactly: nothing was divided
        cell = np.stack([column[example] for column in cells], axis=1) if cells else np.zeros((example.size, 0), int)
        own = masked.regrouped(example, np.arange(example.size, dtype=np.int32), example.size)
        wild = _wild(masked, cell)
        seen = size
        if wild.any():
            seen = np.asarray(_matching(cell, wild, sparse.csr_array(size[:, None])).toarray()[:, 0])
        readings = {Reading.OWN: size, Reading.WILDCARD: seen}
        return cls(own, group[example], size, wild, cell.astype(np.int32), readings)

    def shown(self, reading: Reading) -> Masked:
        """Return the units with every missing cell as it counts under a reading."""
        if reading is Reading.OWN or not isinstance(self.masked, Lines):
            return self.masked
        cells = tuple(replace(one, anything=one.anything | _empty(one)) for one in self.masked.cells)
        return replace(self.masked, cells=cells)


def _empty(cells: Cells) -> Bool:
    """Say for each distinct cell whether only a missing value fits it, or anything."""
    return np.asarray(cells.anything | (cells.missing & (np.diff(cells.start) == 0)))


def _wild(masked: Masked, cell: Int32) -> Bool:
    """Say for each cell, (units, attributes), whether it is missing or suppressed."""
    wild = np.zeros(cell.shape, bool)
    if isinstance(masked, Lines):
        for i, cells in enumerate(masked.cells):
            wild[:, i] = _empty(cells)[cell[:, i]]
    return wild


def _matching(cell: Int32, wild: Bool, content: sparse.csr_array) -> sparse.csr_array:
    """Add up, for each unit, the content of all units that match it where a wild cell matches everything.

    Units with the same wild attributes are taken together, and each two such sets are joined on the attributes that
    are wild in neither. So the cost grows with units × patterns, never with pairs of units.
    """
    pattern, example = distinct_rows(wild)
    members = [np.flatnonzero(pattern == p) for p in range(example.size)]
    total = sparse.csr_array(content.shape)
    for mine, ours in enumerate(members):
        mixed = sparse.csr_array((ours.size, content.shape[1]))
        for other, theirs in enumerate(members):
            shown = ~(wild[example[mine]] | wild[example[other]])
            key, _ = distinct_rows(np.concatenate([cell[ours][:, shown], cell[theirs][:, shown]]))
            n = int(key.max(initial=-1)) + 1
            ones = np.ones(key.size)
            here = sparse.csr_array((ones[: ours.size], (np.arange(ours.size), key[: ours.size])), (ours.size, n))
            there = sparse.csr_array((ones[ours.size :], (key[ours.size :], np.arange(theirs.size))), (n, theirs.size))
            mixed = mixed + here @ (there @ content[theirs])
        place = sparse.csr_array((np.ones(ours.size), (ours, np.arange(ours.size))), (content.shape[0], ours.size))
        total = total + place @ mixed
    return total


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The values of one attribute in each group, under one reading."""

    attribute: Attribute
    size: Float64  # (groups,)
    counts: Ragged  # (groups, values)
    overall: Float64  # (values,)

    def score(self, model: PrivacyModel) -> Float64:
        """Return the score of each group, (groups,), in blocks that fit into memory."""
        fitted = bound(model, self.attribute)
        parts = [fitted.score(self.size[part], self.counts.dense(part), self.overall) for part in self.counts.blocks()]
        return np.concatenate([np.zeros(0), *parts])


def _counted(release: Release, units: _Units, attribute: Attribute) -> Mapping[Reading, _Counted]:
    """Count the values of an attribute by group, with what is missing counted as each reading says."""
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
        held = sparse.csr_array((known.data, known.column, known.start), (known.n_rows, known.n_columns))
        order = np.argsort(units.group)
        merged = _matching(units.cell[order], units.wild[order], held)
        known = Ragged(merged.indptr, merged.indices, merged.data, known.n_columns)
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


def _with_mark(attribute: Attribute) -> Attribute:
    """Return the attribute with one more value, last, for what is missing."""
    values = (*attribute.values, attribute.mark)
    ordered = isinstance(attribute.domain, Ordered)
    return replace(attribute, domain=Ordered(values) if ordered else Categorical(values))


def _fitting_each(units: _Units, population: Table) -> Mapping[Reading, tuple[Float64, float]]:
    own = _fitting(units.masked, population)
    wildcard = _fitting(units.shown(Reading.WILDCARD), population) if units.wild.any() else own
    return {Reading.OWN: own, Reading.WILDCARD: wildcard}


def _fitting(masked: Masked, population: Table) -> tuple[Float64, float]:
    """Return how many people of the population fit each unit, (units,), and how many fit none."""
    number, profiles = population.only(
        a.name for a in population.schema if any(a.name == shown.name for shown in masked.attributes)
    ).profiles()
    people = np.bincount(number, population.weight, profiles.n_rows).astype(np.float64)
    fits, none = np.zeros(masked.n_groups), 0.0
    for links in masked.links(profiles, np.ones(masked.n_groups), Linking()):
        here = people[links.profiles]
        row = np.repeat(here, np.diff(links.weight.start))
        fits += np.bincount(links.weight.column, row, masked.n_groups)
        none += float(here[links.absent].sum())
    return fits, none
