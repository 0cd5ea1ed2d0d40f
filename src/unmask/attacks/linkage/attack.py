"""Linkage: the probability that each published group, and a row in it, is the person's. Identity disclosure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from unmask.arrays import Ragged, expand
from unmask.attacks.linkage.approximate_matching import matching_rows
from unmask.attacks.shared.false_matches import false_matches
from unmask.attacks.shared.location import Link, places
from unmask.beliefs import Beliefs, Question
from unmask.decision_risk.comparison_syntax import Comparisons
from unmask.errors import NotApplicableError
from unmask.links import Linking
from unmask.parameters import check_parameters
from unmask.release import SYNTHETIC
from unmask.view import Requirements, View, Worlds
from unmask.wording import message


@dataclass(frozen=True)
class Linkage:
    """Match the known attributes of a person with published rows, and return the posterior over groups.

    A group hides a person only among matching members: with five matching rows, each is right with probability 1/5; a
    single matching row is the person's, whatever the size of its group.

    Assumes
        The person is in the release. The published marginals are those of the population.
    Infers
        `P(group) ∝ prior(group) / size · weight(group)`, the linking weight being the expected number of matching
        members; the default prior is the group's share of the people. `ways` is the number of matching members, or of
        matching people where the release publishes how many people its rows are. Exact: draws nothing. With `compare`
        values need not be equal: `surname=jaro:0.9, zip=prefix:3` matches misspelled records. All matching rows are
        then equally likely, and a missing value matches all.
    Fails
        With `NotApplicableError` where people's groups are given, so that identity is assumed; where only noisy counts
        are published; with `compare`, where rows are generalized. With `InvalidInputError` for a comparison that is
        invalid, or about an attribute that is not known of people.

    References
    ----------
    Sweeney. k-anonymity: a model for protecting privacy. International Journal of Uncertainty, Fuzziness and
    Knowledge-Based Systems 2002.
    """

    name: ClassVar[str] = "linkage"
    worlds: ClassVar[Worlds | None] = None  # about a place: tested by its formula
    requirements: ClassVar[Requirements] = Requirements(question=Question.PLACE, counts=None)
    background: Literal["pooled", "uniform"] = "pooled"  # what the attacker takes for the population
    compare: Comparisons = field(default_factory=dict)  # by attribute; others must be equal

    def __post_init__(self) -> None:
        check_parameters(self)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return each person's posterior over groups."""
        del rng
        view.require(self.requirements)
        if (view.located(0) >= 0).any():
            msg = message(
                "needs an attacker who does not know people's rows; this one has them as background knowledge"
            )
            raise NotApplicableError(msg)
        prior, release = view.knowledge.prior, view.release
        if release.is_synthetic:
            raise NotApplicableError(SYNTHETIC)
        if release.noise:
            msg = message(
                "needs published rows; release {release} publishes only counts with noise", release=repr(release.name)
            )
            raise NotApplicableError(msg)
        if prior.rows.n_rows != 1:
            msg = message("needs one prior over places for all people; this view has several")
            raise NotApplicableError(msg)
        found = places(view, 0, Linking(self.background), self._link)
        lift = prior.rows.dense()[0] / (release.size / release.size.sum())
        possible = lift[found.weight.column] > 0
        rows = found.weight.columns_scaled(lift).normalized()
        ways = np.concatenate([found.fits[possible], release.people[prior.rows.column]])
        nothing_left = np.append(np.diff(rows.start) == 0, True)  # the last: fits nowhere at all
        row_of = np.where(nothing_left[found.row_of], rows.n_rows, found.row_of).astype(np.int32)
        filled = Ragged.stacked([rows, prior.rows])
        used, number = np.unique(row_of, return_inverse=True)
        entries, _ = expand(filled.start, used)
        beliefs = Beliefs(
            prior.about,
            prior.values,
            number.astype(np.int32),
            filled.take(used),
            ways=ways[entries],
            unplaced=(found.nowhere,),
        )
        how = Linking(self.background)
        return replace(beliefs, left_out=lambda own: false_matches(view, own[0], how, self._link))

    @property
    def of_counts(self) -> Linkage | None:
        """The attack itself where values must be equal: then it reads nothing but counts."""
        return None if self.compare or self.background != "pooled" else self

    @property
    def _link(self) -> Link | None:
        """The function that matches rows where values need not be equal; None for exact matching."""
        return partial(matching_rows, comparisons=self.compare) if self.compare else None


EXAMPLES = (Linkage(),)
