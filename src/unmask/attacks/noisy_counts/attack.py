"""Noisy counts attack: the posterior from counts with noise, by the likelihood of the noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from unmask.arrays import Float64, Int32, Ragged, distinct_rows
from unmask.attacks.noisy_counts.denoising import lifts
from unmask.attacks.shared.duplicate_releases import each_once, of_every_release
from unmask.attacks.shared.expected_counts import expected_sizes
from unmask.attacks.shared.pooling import believed, in_terms_of, over_pooled, pooled
from unmask.beliefs import NOT_ATTACKED, Beliefs
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.links import Linking
from unmask.outcome import Outcome
from unmask.parameters import check_parameters
from unmask.release import Release
from unmask.view import NOT_IN_IT, Requirements, View, Worlds
from unmask.wording import message

_SEVERAL = -2
"""In place of a cell: the person matches several."""


@dataclass(frozen=True)
class NoisyCounts:
    """Give each value a posterior proportional to the expected number of people in the cell who have it.

    A noisy count of 3 may stand for 0 people or for 9. The probability of each true count follows from the noise and
    from the distribution in the population; so a large count is informative, and a small or negative one hardly. Where
    several releases count the same person, the person's value contributes to a count of each.

    Assumes
        Noise as declared, independent for each count. With members `afresh` the others counted in a cell are drawn anew
        for each release; with `shared`, releases count the same people in the same cells, with independent noise.
        The distribution in a cell is Dirichlet around that of all releases together, worth `local_weight` people.
    Infers
        `P(v) ∝ prior(v) · P(counts | one of them has v) / P(counts)`, where the others with v in the cell of release r
        are Poisson with mean `n_r λ_v`, n_r the expected number of people there, and `λ_v` Gamma with mean
        `pooled(v)`. For one release these are expected counts, `E[count(v) | noisy]`; without noise, shares.
        Exact: draws nothing.
    Fails
        With `NotApplicableError` where no release has noise on its counts, or where members are shared and releases
        have different cells. A release gives no evidence on people who match none or several of its cells: they are
        counted.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008, section 4.
    """

    name: ClassVar[str] = "noisy-counts"
    worlds: ClassVar[Worlds | None] = None  # tested against sums over all counts: infinitely many worlds
    requirements: ClassVar[Requirements] = Requirements(most_releases=None, counts="noisy")
    members: Literal["afresh", "shared"] = "afresh"
    local_weight: float = 20.0  # people; inf: every cell has the distribution of the population

    def __post_init__(self) -> None:
        check_parameters(self)
        if not self.local_weight > 0:
            msg = message("local-weight must be greater than 0; got {local_weight}", local_weight=self.local_weight)
            raise InvalidInputError(msg)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the beliefs, with the control that leaves the own cell out of every release."""
        del rng
        view.require(self.requirements)
        given = view
        view, kept, copies = each_once(given)
        if self.members == "shared":
            _require_same_cells(view.releases)
        counts = [_Counts.of(release, view) for release in view.releases]
        found = [_cell_of(view, r, one) for r, one in enumerate(counts)]
        beliefs = self._posterior(view, counts, found)
        outcome = replace(
            beliefs.outcome,
            ambiguous={
                release.name: int((cell == _SEVERAL).sum()) for release, cell in zip(view.releases, found, strict=True)
            },
            repeated=copies,
        )

        def control(own: Sequence[Int32]) -> Beliefs:
            return self._nearby(view, counts, [own[r] for r in kept])

        unplaced = of_every_release(given, kept, [cell == NOT_ATTACKED for cell in found])
        return replace(beliefs, outcome=outcome, left_out=control, unplaced=unplaced)

    def _posterior(self, view: View, counts: Sequence[_Counts], found: Sequence[Int32]) -> Beliefs:
        prior = view.knowledge.prior
        everywhere = pooled(view.releases, prior.about.name, prior.values)

        def formula(before: Float64, cells: list[Int32]) -> Float64:
            places = np.stack(cells, axis=1)
            number, example = distinct_rows(places)
            lift = np.ones((example.size, before.shape[1]))
            for i, where in enumerate(places[example]):
                if (where >= 0).any():
                    lift[i] = self._lift(everywhere, counts, where, mine=True)
            return before * lift[number]

        beliefs, contradicted = believed(prior, list(found), formula)
        return replace(beliefs, outcome=Outcome(contradictions=contradicted))

    def _lift(self, everywhere: Float64, counts: Sequence[_Counts], where: Int32, *, mine: bool) -> Float64:
        """Return the lift of each value for a person in these cells, (values,), at most one cell a release."""
        observations = [(one, int(cell)) for one, cell in zip(counts, where, strict=True) if cell >= 0]
        size = np.array([one.size[cell] for one, cell in observations])
        noisy = np.stack([one.noisy.dense(np.array([cell]))[0] for one, cell in observations], axis=1)[:, :, None]
        scale = np.array([[one.scale] for one, _ in observations])
        if self.members == "shared":
            size, noisy, scale = size.mean(keepdims=True), noisy.transpose(0, 2, 1), scale.T
        noisy, scale = np.ascontiguousarray(noisy), np.ascontiguousarray(scale)
        return np.asarray(lifts(everywhere, self.local_weight, size, noisy, scale, mine))

    def _nearby(self, view: View, counts: Sequence[_Counts], own: Sequence[Int32]) -> Beliefs:
        """Return the control without the own cell: the mean distribution of the nearest cells."""
        prior = view.knowledge.prior
        everywhere = pooled(view.releases, prior.about.name, prior.values)
        profile, profiles = view.knowledge.people.profiles()
        shares, rows = [], []
        for r, release in enumerate(view.releases):
            pair, example = distinct_rows(np.stack([profile, own[r]], axis=1))
            near = release.masked.nearest(profiles.take(profile[example]), own[r][example])
            alone = np.full(len(counts), -1, np.int32)
            used = np.unique(near.column)
            usual = np.zeros((release.n_groups, len(prior.values)))
            for cell in used.tolist():
                alone[r] = cell
                lift = everywhere * self._lift(everywhere, counts, alone, mine=False)
                usual[cell] = lift / max(float(lift.sum()), 1e-300)
            share = np.zeros((near.n_rows, usual.shape[1]))
            np.add.at(share, near.row, near.data[:, None] * usual[near.column])
            shares.append(share)
            informative = (near.sums() > 0)[pair] & (view.located(r) != NOT_IN_IT)
            rows.append(np.where(informative, pair, -1).astype(np.int32))

        def formula(before: Float64, row: list[Int32]) -> Float64:
            total, releases = np.zeros_like(before), np.zeros((before.shape[0], 1))
            for share, here in zip(shares, row, strict=True):
                total[here >= 0] += share[here[here >= 0]]
                releases[here >= 0] += 1
            return np.where(releases > 0, over_pooled(before, everywhere) * total, before)

        return believed(prior, rows, formula)[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """The counts of one release in terms of the prior's values, and the expected size of each cell."""

    noisy: Ragged  # (cells, values)
    scale: float  # of the noise; 0: the counts are true
    size: Float64  # (cells,)

    @classmethod
    def of(cls, release: Release, view: View) -> _Counts:
        name = view.about.name
        noise = release.noise.get(name)
        counts = release.counts_of(name)
        deviation = 0.0 if noise is None else (noise.variance * counts.n_columns) ** 0.5
        noisy = in_terms_of(view.knowledge.prior.values, release, name, counts)
        return cls(noisy, 0.0 if noise is None else noise.scale, expected_sizes(counts.sums(), deviation))


def _cell_of(view: View, r: int, counts: _Counts) -> Int32:
    """Return the only cell that each target matches, (targets,); `_SEVERAL`, or negative for none."""
    located = view.located(r)
    profile, profiles = view.knowledge.people.profiles()
    blocks = list(view.releases[r].masked.links(profiles, counts.size, Linking()))
    linked = Ragged.stacked([block.weight for block in blocks])
    fitting = np.diff(linked.start)
    first = np.append(linked.column, np.int32(NOT_ATTACKED))[linked.start[:-1]]
    cell = np.where(fitting == 1, first, np.where(fitting == 0, NOT_ATTACKED, _SEVERAL))[profile]
    return np.where(located >= 0, located, np.where(located == NOT_IN_IT, NOT_ATTACKED, cell)).astype(np.int32)


def _require_same_cells(releases: Sequence[Release]) -> None:
    for release in releases[1:]:
        if not release.masked.shows_same(releases[0].masked):
            msg = message(
                "members can be shared only by releases with the same cells; those of {release} differ",
                release=repr(release.name),
            )
            raise NotApplicableError(msg)


EXAMPLES = (NoisyCounts(), NoisyCounts(members="shared"))
