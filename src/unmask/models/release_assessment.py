"""Measurement of privacy models on any release, under both readings of missing values.

A missing or suppressed cell can count as a separate value, or as matching everything; a missing sensitive value as a
separate value, or as not known. Which reading is safer depends on the model, so both are measured and the worse
decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, distinct_rows
from unmask.errors import InvalidInputError
from unmask.models.equivalence_classes import MissingAs, Units, fitting
from unmask.models.known_values import KnownValues
from unmask.models.privacy_model import AnyModel, PopulationModel, PrivacyModel, WholeRelease, average_of_people, holds
from unmask.models.value_counts import counted_values
from unmask.number_format import numeral
from unmask.numerics.rounding import tied
from unmask.release import SYNTHETIC, Release
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """A model's score of a release."""

    value: float  # of the worst group, or the average over people; NaN: undefined
    people: float  # how many people are in the groups that score worst
    groups: int  # how many groups these are
    beyond: float  # how many people are in groups that violate the limit; all where an average violates it
    holds: bool


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A model's score of a release under both readings, for each sensitive attribute and over all of them."""

    model: AnyModel
    readings: Mapping[MissingAs, Score]
    by_attribute: Mapping[str, Mapping[MissingAs, Score]]  # empty for models of sizes
    why: str = ""  # why it is undefined

    @property
    def strict(self) -> Score:
        """The score under the reading that is less safe, which decides."""
        return self.readings[self._worse()]

    @property
    def lenient(self) -> Score:
        """The score under the other reading."""
        return self.readings[MissingAs.WILDCARD if self._worse() is MissingAs.OWN else MissingAs.OWN]

    @property
    def differs(self) -> bool:
        """Whether the two readings give different values."""
        strict, lenient = self.strict.value, self.lenient.value
        return not (tied(strict, lenient) or (np.isnan(strict) and np.isnan(lenient)))

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
        """Whether the model holds under the strict reading."""
        return self.strict.holds

    def _worse(self) -> MissingAs:
        own, wildcard = self.readings[MissingAs.OWN], self.readings[MissingAs.WILDCARD]
        if own.holds is not wildcard.holds:
            return MissingAs.WILDCARD if own.holds else MissingAs.OWN
        worse = _worst(np.array([own.value, wildcard.value]), higher_is_safer=self.model.higher_is_safer)
        return MissingAs.OWN if worse[0] else MissingAs.WILDCARD


def is_of_identity(model: AnyModel) -> bool:
    """Whether a model limits linkage to a person's row, not inference of a sensitive value."""
    return not model.needs_values


def measure_release(release: Release, model: AnyModel, *, population: Table | None = None) -> Measured:
    """Measure one model on a release."""
    return measure_all(release, (model,), population=population)[0]


def measure_all(
    release: Release, models: Sequence[AnyModel], *, population: Table | None = None
) -> tuple[Measured, ...]:
    """Measure models on a release, in the given order.

    Groups are the published ones. Where rows are published exactly, sizes count the rows of a group with equal cells,
    not the whole group. Suppressed people are in no group; the release counts them separately. The same holds for rows
    published with `*` in every column, unless all are: as a separate value they form no group, as a wildcard they match
    all rows. Where the release states the number of people behind its rows, people are counted, not rows. Where rows
    are declared synthetic, models of identity are undefined and meet no limit.

    Assumes
        That the published rows are the whole table: suppressed people do not count in the distribution of a value.
    Fails
        With `InvalidInputError` where a model needs a population and none is given, or needs a sensitive attribute, an
        order or a hierarchy that the release does not have.
    """
    if release.noise:
        promised = release.provenance.epsilon
        msg = message(
            "groups must be counted without noise to be measured; those of release {release} are noisy",
            release=repr(release.name),
        )
        if promised is not None:
            msg = message("{reason}. What it promises is epsilon {epsilon}", reason=msg, epsilon=numeral(promised, "g"))
        raise InvalidInputError(msg)
    if release.is_synthetic and any(map(is_of_identity, models)):
        rest = iter(measure_all(release, [model for model in models if not is_of_identity(model)]))
        return tuple(_undefined(model) if is_of_identity(model) else next(rest) for model in models)
    apart = release.starred
    if apart.any():
        without_starred = measure_all(release.without(apart), models, population=population)
        return tuple(map(_own_and_wildcard, without_starred, _measured(release, models, population)))
    return _measured(release, models, population)


def _undefined(model: AnyModel) -> Measured:
    """Return an undefined score: synthetic rows belong to no person."""
    nothing = Score(float("nan"), 0.0, 0, 0.0, holds=False)
    return Measured(model, dict.fromkeys(MissingAs, nothing), {}, SYNTHETIC)


def _own_and_wildcard(own: Measured, wildcard: Measured) -> Measured:
    """Return the first reading of one measurement and the second of the other."""

    def both(first: Mapping[MissingAs, Score], second: Mapping[MissingAs, Score]) -> Mapping[MissingAs, Score]:
        return {MissingAs.OWN: first[MissingAs.OWN], MissingAs.WILDCARD: second[MissingAs.WILDCARD]}

    each = {name: both(own.by_attribute[name], wildcard.by_attribute[name]) for name in own.by_attribute}
    return Measured(own.model, both(own.readings, wildcard.readings), each)


def no_sensitive(model: AnyModel) -> InvalidInputError:
    """Return the error of a model of values that has none to measure."""
    return InvalidInputError(
        message("{model} must have a sensitive attribute to measure; got none. Name one with -s", model=model.name)
    )


def _measured(release: Release, models: Sequence[AnyModel], population: Table | None) -> tuple[Measured, ...]:
    units = Units.of(release)
    n_people = None if release.headcount is None else release.n_people
    counted = {a.name: counted_values(release, units, a) for a in release.schema.sensitive if a.name in release.counts}
    people: Mapping[MissingAs, tuple[Float64, float]] = {}
    result: dict[int, Measured] = {}
    of_values = {
        i: model for i, model in enumerate(models) if not isinstance(model, PopulationModel) and model.needs_values
    }
    if of_values and not counted:
        raise no_sensitive(next(iter(of_values.values())))
    result |= zip(of_values, _by_attribute(list(of_values.values()), release.people, counted, n_people), strict=True)
    for i, model in enumerate(models):
        if isinstance(model, PopulationModel):
            if population is None:
                msg = message(
                    "{model} must have a table of the population; got none. Give one with --population",
                    model=model.name,
                )
                raise InvalidInputError(msg)
            people = people or fitting(units, population)
            among = {reading: _among(model, units, *people[reading], n_people) for reading in MissingAs}
            result[i] = Measured(model, among, {})
        elif not model.needs_values:
            nothing = np.zeros((units.size.size, 0)), np.zeros(0)
            both = {r: _summed(model, [model.score(units.seen[r], *nothing)], units.size, n_people) for r in MissingAs}
            result[i] = Measured(model, both, {})
    return tuple(result[i] for i in range(len(models)))


def _by_attribute(
    models: Sequence[PrivacyModel],
    size: Float64,
    counted: Mapping[str, Mapping[MissingAs, KnownValues]],
    n_people: float | None,
) -> list[Measured]:
    scores: dict[MissingAs, list[list[Float64]]] = {reading: [] for reading in MissingAs}  # attributes × models
    for readings in counted.values():
        own, wildcard = readings[MissingAs.OWN], readings[MissingAs.WILDCARD]
        scores[MissingAs.OWN].append(own.scores(models))
        scores[MissingAs.WILDCARD].append(scores[MissingAs.OWN][-1] if wildcard is own else wildcard.scores(models))
    result = []
    for m, model in enumerate(models):
        each = {
            name: {reading: _summed(model, [scores[reading][i][m]], size, n_people) for reading in MissingAs}
            for i, name in enumerate(counted)
        }
        total = {reading: _summed(model, [one[m] for one in scores[reading]], size, n_people) for reading in MissingAs}
        result.append(Measured(model, total, each))
    return result


def _among(model: PopulationModel, units: Units, fits: Float64, none: float, n_people: float | None) -> Score:
    """Return the score over the groups, (groups,), that the population fits, and over people who fit none."""
    outside = np.full(int(none > 0), none)
    alike, _ = distinct_rows(units.cell)  # units of several groups with equal cells are indistinguishable
    members = np.bincount(alike, units.size)[alike]
    score = model.score_among(np.append(members, 0.0 * outside), np.append(fits, outside))
    total = None if n_people is None else n_people + float(outside.sum())
    return _summed(model, [score], np.append(units.size, outside), total)


def _summed(model: AnyModel, scores: Sequence[Float64], size: Float64, total: float | None = None) -> Score:
    """Return the worst score of the groups, (groups,) for each attribute.

    `total` is the number of people where people may be in several groups: each group counts, but at most all people.
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
    return Score(value + 0.0, people, int(among.sum()), beyond, fine)  # + 0: never −0


def _worst(score: Float64, *, higher_is_safer: bool) -> Bool:
    """Return where scores are worst, ties by rounding included; an undefined one is worse than all others."""
    undefined = np.isnan(score)
    if undefined.any() or not score.size:
        return undefined
    return tied(score, score.min() if higher_is_safer else score.max())
