"""The deFinetti attack on centroids: how a person differs from the middle of their group tells members apart.

A microaggregated release has the middle of each group and the values of its members. Over all groups, middles are
associated with values; a linear discriminant learns this, and says for a person and a group which values go with the
difference between the two. People far beyond all middles are no harder than others, since it is linear.

References
----------
Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, sections 4 and 7. Fisher. The use of multiple
measurements in taxonomic problems. Annals of Eugenics 1936.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from unmask.arrays import DENSE_CELLS, Float64, Int32, Ragged
from unmask.attacks.definetti.candidate_groups import CandidateGroups, likely
from unmask.attacks.shared.location import shares
from unmask.attacks.shared.pooling import believed, in_terms_of, reweighted
from unmask.beliefs import NOT_ATTACKED, Beliefs, unique_pairs
from unmask.errors import NotApplicableError
from unmask.number_format import numeral
from unmask.outcome import Outcome
from unmask.schema import Attribute
from unmask.view import View
from unmask.wording import message

FOLDS = 5
"""The parts of the groups: a group's members are told apart by a discriminant of the other parts."""

LEAST_PEOPLE = 500
"""The minimum number of people to learn from."""

LEAST_GROUPS = 5
"""The number of groups with a listed value below which the value is not distinguished from others that are rare."""

SHRINKAGE = 0.01
"""The share of the mean variance that is added to that of each direction: rare values of columns are seldom seen."""

_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class CentroidAxes:
    """Coordinates of middles and people: numbers in standard deviations, listed values one by one."""

    names: tuple[str, ...]  # of the columns
    listed: tuple[Float64 | None, ...]  # the codes of a column that have a coordinate each; None for a number
    center: tuple[Float64, ...]  # the mean of each coordinate of a column over people
    scale: tuple[float, ...]  # of a number

    @classmethod
    def of(cls, attributes: Sequence[Attribute], point: Float64, people: Float64) -> CentroidAxes:
        """Return the axes for the middles of groups, (groups, columns), of so many people each."""
        listed: list[Float64 | None] = []
        center, scale = [], []
        share = people / people.sum()
        for i, attribute in enumerate(attributes):
            at = point[:, i]
            if attribute.is_numeric:
                mean = float(share @ at)
                listed.append(None)
                center.append(np.array([mean]))
                scale.append(float(np.sqrt(share @ (at - mean) ** 2)) or 1.0)
                continue
            codes, number = np.unique(at, return_counts=True)
            codes = codes[number >= LEAST_GROUPS]
            listed.append(codes)
            center.append(share @ (at[:, None] == codes))
            scale.append(1.0)
        return cls(tuple(one.name for one in attributes), tuple(listed), tuple(center), tuple(scale))

    def columns(self) -> Iterator[tuple[str, slice]]:
        """Yield each column's name, and its coordinates."""
        ends = np.cumsum([0, *(one.size for one in self.center)])
        for name, first, last in zip(self.names, ends[:-1], ends[1:], strict=True):
            yield name, slice(int(first), int(last))

    def place(self, point: Float64) -> Float64:
        """Return the coordinates of points, (points, coordinates); NaN for what is not known."""
        parts = [np.zeros((point.shape[0], 0))]
        for i, (codes, center, scale) in enumerate(zip(self.listed, self.center, self.scale, strict=True)):
            at = point[:, i : i + 1]
            there = (at == codes).astype(np.float64) if codes is not None else at
            parts.append(np.where(np.isfinite(at), (there - center) / scale, np.nan))
        return np.concatenate(parts, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Discriminant:
    """A linear discriminant of values: P(value | place) ∝ share(value) · exp(place · slope + height)."""

    slope: Float64  # (coordinates, values)
    height: Float64  # (values,)

    @classmethod
    def of(cls, place: Float64, people: Float64) -> Discriminant:
        """Fit to the middles of groups, (groups, coordinates), and people with each value, (groups, values)."""
        of_value = people.sum(axis=0)
        mean = people.T @ place / np.maximum(of_value, 1e-12)[:, None]
        weight = people.sum(axis=1)
        within = (place * weight[:, None]).T @ place - (mean * of_value[:, None]).T @ mean
        within /= max(of_value.sum(), 1e-12)
        n = within.shape[0]
        within += np.eye(n) * (SHRINKAGE * max(float(np.trace(within)) / max(n, 1), 1e-9))
        slope = scipy.linalg.solve(within, mean.T, assume_a="pos")
        return cls(slope, -0.5 * np.einsum("vc,cv->v", mean, slope))


@dataclass(frozen=True, slots=True, eq=False)
class CentroidModel:
    """What a release of centroids teaches: a discriminant for each fold of groups, from the others, and its power."""

    axes: CentroidAxes
    place: Float64  # (groups, coordinates) of the middles
    people: Float64  # (groups, values); people without a published value have the pooled distribution
    fold: Int32  # (groups,)
    others: tuple[Discriminant, ...]  # by fold
    power: float  # at most 1: it predicts the values of other groups best

    @property
    def pooled(self) -> Float64:
        """The share of each value, (values,)."""
        total = self.people.sum(axis=0)
        return np.asarray(total / total.sum())


def learn(view: View) -> CentroidModel:
    """Learn from a release of centroids.

    Fails
        With `NotApplicableError` where a group has several centroids, counts are noisy, or people are too few.
    """
    release, name = view.release, view.about.name
    masked = release.masked
    lines = masked.lines
    if not np.array_equal(np.sort(lines.group_of_line), np.arange(lines.n_groups)):
        raise NotApplicableError(message("needs one centroid for each group"))
    if (release.counts_of(name).data < 0).any() or (release.size % 1).any():
        msg = message("needs values of {about} that are counted; these counts are noisy", about=repr(name))
        raise NotApplicableError(msg)
    people = shares(view, 0, name).dense() * release.size[:, None]
    n = int(people.sum())
    if n < LEAST_PEOPLE or release.n_groups < 2 * FOLDS:
        msg = message(
            "centroids must be of at least {least} people to learn from; got {people}. Use random-worlds",
            least=numeral(LEAST_PEOPLE), people=numeral(n),
        )  # fmt: skip
        raise NotApplicableError(msg)
    point = np.empty((release.n_groups, len(lines.cells)))
    for i, cells in enumerate(lines.cells):
        point[lines.group_of_line, i] = cells.extent[0][lines.cell[:, i]]
    axes = CentroidAxes.of(lines.attributes, point, people.sum(axis=1))
    place = np.nan_to_num(axes.place(point))
    fold = (np.arange(release.n_groups) % FOLDS).astype(np.int32)
    others = tuple(Discriminant.of(place[fold != one], people[fold != one]) for one in range(FOLDS))
    found = CentroidModel(axes, place, people, fold, others, 1.0)
    return replace(found, power=_power(found))


def _power(found: CentroidModel) -> float:
    """Return the power of the discriminants under which each predicts the values in the groups of its fold best."""
    lift, pooled = np.empty_like(found.people), found.pooled
    for one, discriminant in enumerate(found.others):
        here = found.fold == one
        lift[here] = found.place[here] @ discriminant.slope + discriminant.height
    log_pooled = np.log(np.maximum(pooled, 1e-300))

    def surprise(power: float) -> float:
        log_chance = log_pooled + power * lift
        log_chance -= scipy.special.logsumexp(log_chance, axis=1, keepdims=True)
        return -float((found.people * log_chance)[:, pooled > 0].sum())

    best = scipy.optimize.minimize_scalar(surprise, bounds=(0.0, 1.0), method="bounded", options={"xatol": _TOLERANCE})
    return float(best.x)


def beliefs_of(view: View, found: CentroidModel) -> Beliefs:
    """Return each target's posterior.

    Infers
        ``P(v) ∝ Σ_g weight(g) · share_g(v) · exp(w · slope_v · (x − centroid_g))``, each group's part adding up to its
        linking weight; w is the power. Where the group is not known, one more person of the pooled distribution counts:
        centroids exclude no one. Multiplied by prior / pooled if the prior differs.
    """
    asked = CandidateGroups.of(view)
    at = found.axes.place(_points(view))
    n_values, pooled = found.people.shape[1], found.pooled
    one_more = 1.0 / (found.people.sum() + 1.0)
    blocks = [np.zeros((0, n_values))]
    for rows in asked.blocks(max(1, DENSE_CELLS // max(1, n_values))):
        entries = slice(int(asked.start[rows.start]), int(asked.start[rows.stop]))
        part = _inside(found, at[asked.profile[entries]], asked.group[entries]) * asked.weight[entries, None]
        total = np.zeros((rows.stop - rows.start, n_values))
        of_row = np.repeat(np.arange(total.shape[0]), np.diff(asked.start[rows.start : rows.stop + 1]))
        np.add.at(total, of_row, part)
        is_open = np.arange(rows.start, rows.stop) >= asked.n_known
        total[is_open] = (1.0 - one_more) * total[is_open] + one_more * pooled
        blocks.append(total)
    evidence = Ragged.of(np.concatenate(blocks))
    beliefs, contradicted = reweighted(view.knowledge.prior, view.release, asked.row_of, evidence)
    nowhere = asked.row_of == NOT_ATTACKED
    return replace(beliefs, outcome=Outcome(contradicted, is_approximate=True), unplaced=(nowhere,))


def left_out_of(view: View, found: CentroidModel, own: Int32) -> Beliefs:
    """Return the left-out control: the belief by the discriminant of other groups alone, whatever the own group is.

    Infers
        ``P(v) ∝ prior(v) · exp(w · (slope_v · x + height_v))``.
    """
    prior, name = view.knowledge.prior, view.about.name
    profile, _ = view.knowledge.people.profiles()
    fold = np.where(own >= 0, found.fold[np.maximum(own, 0)], 0).astype(np.int32)
    pair_of, first, second = unique_pairs(profile, fold)
    at = found.axes.place(_points(view))
    log_lift = np.empty((first.size, found.people.shape[1]))
    for one, discriminant in enumerate(found.others):
        here = second == one
        log_lift[here] = found.power * (np.nan_to_num(at[first[here]]) @ discriminant.slope + discriminant.height)
    rows = in_terms_of(prior.values, view.release, name, Ragged.of(likely(log_lift)))
    return believed(prior, [pair_of], lambda before, row: before * rows.dense(row[0]))[0]


def lifts_of(view: View, found: CentroidModel, person: int, group: int) -> dict[str, Float64]:
    """Return the factor on each value, (values,), of how a target differs from a group's centroid, by attribute."""
    at = np.nan_to_num(found.axes.place(_points(view, person))[0] - found.place[group])
    slope = found.others[found.fold[group]].slope
    known = {a.name for a in view.knowledge.people.schema.attributes}
    return {
        name: likely((found.power * (at[part] @ slope[part]))[None])[0]
        for name, part in found.axes.columns()
        if name in known
    }


def _inside(found: CentroidModel, at: Float64, group: Int32) -> Float64:
    """Return the posterior inside each group for a person at each place, (entries, values)."""
    log_lift = np.empty((group.size, found.people.shape[1]))
    fold = found.fold[group]
    for one, discriminant in enumerate(found.others):
        here = fold == one
        differs = np.nan_to_num(at[here] - found.place[group[here]])  # what is not known says nothing
        log_lift[here] = found.power * (differs @ discriminant.slope)
    log_lift[found.people[group] <= 0] = -np.inf
    part = found.people[group] * likely(log_lift)
    return np.asarray(part / np.maximum(part.sum(axis=1, keepdims=True), 1e-300))


def _points(view: View, person: int | None = None) -> Float64:
    """Return the known values of each profile, or of one target, on the axes of the cells, (profiles, columns)."""
    people = view.knowledge.people
    _, profiles = (people if person is None else people.take(np.array([person]))).profiles()
    return view.release.masked.lines.points(profiles)
