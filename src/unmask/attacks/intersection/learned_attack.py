"""Learned intersection: the deFinetti attack on several releases, with combined posteriors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64, Int32, Ragged
from unmask.attacks.definetti.attack import QUICK, DeFinetti, Temper, Tier
from unmask.attacks.shared.duplicate_releases import each_once, of_every_release
from unmask.attacks.shared.pooling import believed, error_between
from unmask.beliefs import Beliefs
from unmask.outcome import Outcome
from unmask.parameters import check_parameters
from unmask.view import Requirements, View, Worlds

NO_GROUP = -1
"""The own group if none is left out: the control then is the posterior from attributes alone."""

_SAME = 1e-12  # difference from the prior up to which a release counts as uninformative


@dataclass(frozen=True)
class LearnedIntersection:
    """Run the deFinetti attack on each release, and multiply the posteriors.

    Intersection weighs the values of a person's groups by frequency. In each release some of them are more likely
    given the person's attributes, and all its groups together show which. Two releases hide the person among different
    people, so their combined posterior is far more certain than either.

    Assumes
        The other members of a person's groups are drawn afresh in each release, given the person's value and
        attributes; in each release the assumptions of `definetti`. Releases with equal content count once.
    Infers
        `P(v) ∝ Π_r B_r(v) / A(v)^(R−1)`: `B_r` is the posterior of `definetti` from release r, and `A` the posterior
        from attributes alone, which each B contains once. `A` is the geometric mean over releases of the prediction for
        a person with these attributes in none of their groups. An uninformative release adds no factor. Enumerated,
        sampled or at a fixed point, as `definetti` by its tier and `assignments`, and tempered as it is.
    Fails
        With `NotApplicableError` for fewer than two releases, and where `definetti` does not apply to one of them; with
        `NotConvergedError` where it has not converged. People whose releases contradict each other keep the prior, and
        are counted.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008. Kifer.
    Attacks on privacy and deFinetti's theorem. SIGMOD 2009.
    """

    name: ClassVar[str] = "learned-intersection"
    worlds: ClassVar[Worlds | None] = None
    requirements: ClassVar[Requirements] = Requirements(
        least_releases=2, most_releases=None, complete_list="used", quick=QUICK
    )
    alpha: float = 1.0
    chains: int = 4
    limit: int = 4000
    assignments: int = 100_000
    tier: Tier = "auto"
    temper: Temper = "on"

    def __post_init__(self) -> None:
        check_parameters(self)
        _ = self.learner  # checks its parameters

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the beliefs, those of each chain, and the control that leaves the own group out of every release."""
        view.require(self.requirements)
        seen, kept, copies = each_once(view)
        people = seen.knowledge.people.n_rows
        each = [self.learner.infer(seen.only(r), own) for r, own in enumerate(rng.spawn(len(seen.releases)))]
        alone = [_left_out(one, np.full(people, NO_GROUP, np.int32)) for one in each]
        prior = seen.knowledge.prior
        beliefs, contradicted = _together(prior, each, alone)
        replicates = _replicated(prior, each, alone)
        parts = {f"chain {r + 1}": replace(beliefs, rows=rows) for r, rows in enumerate(replicates)}

        def control(own: Sequence[Int32]) -> Beliefs:
            without = [_left_out(one, own[r]) for one, r in zip(each, kept, strict=True)]
            return replace(_together(prior, [], without)[0], replicates=_replicated(prior, [], without))

        return replace(
            beliefs,
            error=error_between(beliefs, replicates),
            replicates=replicates,
            parts=parts,
            outcome=Outcome(
                contradicted,
                repeated=copies,
                is_approximate=any(one.outcome.is_approximate for one in each),
                fallback=next((one.outcome.fallback for one in each if one.outcome.fallback), ""),
            ),
            left_out=control,
            unplaced=of_every_release(view, kept, [one.unplaced[0] for one in each]),
        )

    @property
    def learner(self) -> DeFinetti:
        """The attack that learns from each release."""
        return DeFinetti(self.alpha, self.chains, self.limit, self.temper, self.assignments, self.tier)


def _left_out(beliefs: Beliefs, own: Int32) -> Beliefs:
    if beliefs.left_out is None:
        raise AssertionError("deFinetti has a left-out control")
    return beliefs.left_out([own])


def _replicated(prior: Beliefs, each: Sequence[Beliefs], alone: Sequence[Beliefs]) -> tuple[Ragged, ...]:
    """Return the combined posterior of one chain of each release at a time, for sampled releases."""
    n = max(len(one.replicates) for one in (*each, *alone))
    return tuple(
        _together(prior, [one.replicate(r) for one in each], [one.replicate(r) for one in alone])[0].rows
        for r in range(n)
    )


def _together(prior: Beliefs, each: Sequence[Beliefs], alone: Sequence[Beliefs]) -> tuple[Beliefs, int]:
    """Return the product of posteriors over that from attributes; without posteriors, the latter alone.

    Return also the number of people whose posteriors contradict each other.
    """
    n = len(each)

    def formula(before: Float64, rows: list[Int32]) -> Float64:
        def dense(one: Beliefs, row: Int32) -> Float64:
            return np.where((row >= 0)[:, None], one.rows.dense(np.maximum(row, 0)), before)

        known = np.ones_like(before)
        for one, row in zip(alone, rows[n:], strict=True):
            known *= dense(one, row) ** (1 / len(alone))
        if not each:
            return known
        result, n_informative = np.ones_like(before), np.zeros((before.shape[0], 1))
        for one, row in zip(each, rows[:n], strict=True):
            here = dense(one, row)
            is_informative = (np.abs(here - before) > _SAME).any(axis=1, keepdims=True)
            result *= np.where(is_informative, here, 1.0)
            n_informative += is_informative
        shared = np.where(known > 0, known, 1.0) ** np.maximum(n_informative - 1, 0)
        return np.where(n_informative > 0, result * (known > 0) / shared, before)

    return believed(prior, [one.row_of for one in (*each, *alone)], formula)


EXAMPLES = (LearnedIntersection(),)
