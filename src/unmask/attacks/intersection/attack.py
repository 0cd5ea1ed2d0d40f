"""Intersection (composition) attack: the combined evidence of several releases about the same people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from unmask.arrays import Float64, Int32, Ragged
from unmask.attacks.intersection.candidate_sets import intersected
from unmask.attacks.shared.duplicate_releases import each_once, of_every_release
from unmask.attacks.shared.location import Neighborhood, left_out, neighborhood
from unmask.attacks.shared.pooling import believed, in_terms_of, over_pooled, pooled
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.links import BANDWIDTH, Linking
from unmask.outcome import Outcome
from unmask.parameters import check_parameters
from unmask.view import Requirements, View, Worlds
from unmask.wording import message

Formula: TypeAlias = Callable[[Float64, list[Int32]], Float64]


@dataclass(frozen=True)
class Intersection:
    """Multiply the evidence of releases that share people.

    Each release alone may leave many values possible. Two releases about the same person leave only the values that
    both allow, and a value that is frequent in both gains twice.

    Assumes
        The other members of a person's groups are drawn afresh in each release. Releases with equal content count as
        one; a note reports them.
    Infers
        Rule `set` is the paper's: uniform on the values that are possible in every release. Rule `product`:
        `P(v) ∝ Π_r share_r(v)`. Rule `bayes` divides by the local distribution for every release after the first,
        since the groups share the neighborhood, which must not count twice:
        `P(v) ∝ prior(v)/pooled(v) · Π_r share_r(v) / local(v)^(R−1)` with
        `local(v) = (Σ_r count_r(v) + w · pooled(v)) / (Σ_r n_r + w)` and w the local weight; with w infinite the
        formula is exact in the declared worlds. A prior of zero stays zero under every rule. Where several groups
        match, shares and counts are means by linking weight; of centroids, which match all people, the `nearest` count,
        with weights that fall with distance by `bandwidth`. With rule `set` use `nearest` 1, as the paper does: a group
        with a small weight still leaves all its values possible. Exact: draws nothing.
    Fails
        With `NotApplicableError` for fewer than two releases, for releases whose values have no label in common, and
        where neither a quasi-identifier of a release nor their groups are known of people. People whose releases
        contradict each other keep the prior, and are counted.

    References
    ----------
    Ganta, Kasiviswanathan, Smith. Composition attacks and auxiliary information in data privacy. KDD 2008,
    Algorithm 1.
    """

    name: ClassVar[str] = "intersection"
    worlds: ClassVar[Worlds | None] = Worlds(values="prior", members="afresh")  # at local_weight = inf, rule bayes
    requirements: ClassVar[Requirements] = Requirements(least_releases=2, most_releases=None)
    rule: Literal["set", "product", "bayes"] = "bayes"
    local_weight: float = 20.0  # people; inf: the pooled distribution alone
    bandwidth: float = BANDWIDTH  # of centroids' weights, in typical distances; 0: the nearest alone
    nearest: int = 10  # candidate centroids of a person

    def __post_init__(self) -> None:
        check_parameters(self)
        if not self.local_weight > 0:
            msg = message("local-weight must be greater than 0; got {local_weight}", local_weight=self.local_weight)
            raise InvalidInputError(msg)
        if not self.bandwidth >= 0:
            msg = message("bandwidth must be at least 0; got {bandwidth}", bandwidth=self.bandwidth)
            raise InvalidInputError(msg)
        if self.nearest < 1:
            msg = message("nearest must be a whole number of at least 1; got {nearest}", nearest=self.nearest)
            raise InvalidInputError(msg)

    @property
    def of_counts(self) -> Intersection:
        """The form with rule `set`, which reads nothing but which values each group has."""
        return self if self.rule == "set" else replace(self, rule="set")

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the beliefs, with the control that leaves the own group out of every release."""
        del rng
        view.require(self.requirements)
        _require_comparable(view)
        seen, kept, copies = each_once(view)
        name = seen.about.name
        strict = self.rule == "set" or self.bandwidth == 0
        how = Linking(bandwidth=self.bandwidth, nearest=self.nearest, strict=strict)
        releases = range(len(seen.releases))
        beliefs = self.combined(seen, [neighborhood(seen, r, name, how) for r in releases])

        def control(own: Sequence[Int32]) -> Beliefs:
            return self.combined(seen, [left_out(seen, r, name, own[kept[r]], how) for r in releases])

        unplaced = of_every_release(view, kept, beliefs.unplaced)
        return replace(beliefs, left_out=control, outcome=replace(beliefs.outcome, repeated=copies), unplaced=unplaced)

    def combined(self, view: View, found: Sequence[Neighborhood]) -> Beliefs:
        """Return the posterior from each release's neighborhood of each target, by the rule."""
        prior, name = view.knowledge.prior, view.about.name
        shares = [
            in_terms_of(prior.values, release, name, around.share)
            for release, around in zip(view.releases, found, strict=True)
        ]
        rows_of = [around.row_of for around in found]
        if self.rule == "set":
            beliefs, contradicted = intersected(prior, rows_of, shares)
        else:
            beliefs, contradicted = believed(prior, rows_of, self._formula(view, found, shares))
        unplaced = tuple(around.nowhere for around in found)
        return replace(beliefs, outcome=Outcome(contradictions=contradicted), unplaced=unplaced)

    def _formula(self, view: View, found: Sequence[Neighborhood], shares: Sequence[Ragged]) -> Formula:
        """Return the function that combines a block of priors and evidence rows, for rules `product` and `bayes`."""
        prior, name = view.knowledge.prior, view.about.name
        everywhere = pooled(view.releases, name, prior.values)
        counts = [
            in_terms_of(prior.values, release, name, around.count)
            for release, around in zip(view.releases, found, strict=True)
        ]

        def formula(before: Float64, rows: list[Int32]) -> Float64:
            product, total = np.ones_like(before), np.zeros_like(before)
            releases = np.zeros((before.shape[0], 1))
            for row, share, count in zip(rows, shares, counts, strict=True):
                seen = row >= 0
                product[seen] *= share.dense(row[seen])
                if self.rule == "bayes":
                    total[seen] += count.dense(row[seen])
                releases[seen] += 1
            possible = before > 0
            if self.rule == "product":
                return np.where(releases > 0, product * possible, before)
            if np.isinf(self.local_weight):
                local = np.broadcast_to(everywhere, before.shape)
            else:
                people = total.sum(axis=1, keepdims=True)
                local = (total + self.local_weight * everywhere) / (people + self.local_weight)
            safe = np.where(possible & (product > 0), local, 1.0)
            result = over_pooled(before, everywhere) * product / safe ** np.maximum(releases - 1, 0)
            return np.where(releases > 0, result, before)

        return formula


def _require_comparable(view: View) -> None:
    """Raise an error if releases have no value in common, or people cannot be matched in one of them."""
    name = view.about.name
    known = [set(release.schema[name].values) for release in view.releases]
    for r, release in enumerate(view.releases):
        for other, values in zip(view.releases[:r], known[:r], strict=True):
            if not values & known[r]:
                msg = message(
                    "needs values of {name} that the releases have in common; {other} and {release} have none. Give "
                    "both the same labels",
                    name=repr(name),
                    other=repr(other.name),
                    release=repr(release.name),
                )
                raise NotApplicableError(msg)
        published = {attribute.name for attribute in release.masked.attributes}
        if published and published.isdisjoint(view.knowledge.people.schema.names) and not (view.located(r) >= 0).any():
            msg = message(
                "needs a quasi-identifier of release {release} to be known of people; none is. Give people one of its "
                "columns, or their groups",
                release=repr(release.name),
            )
            raise NotApplicableError(msg)


EXAMPLES = (Intersection(), Intersection(rule="product"), Intersection(rule="set"))
