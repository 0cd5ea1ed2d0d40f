"""Random worlds: all assignments of a group's values to its members are equally likely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unmask.arrays import Int32
from unmask.attacks.shared.location import Neighborhood, left_out, neighborhood
from unmask.attacks.shared.pooling import reweighted
from unmask.beliefs import Beliefs
from unmask.outcome import Outcome
from unmask.view import LeftOutControl, Requirements, View, Worlds


@dataclass(frozen=True)
class RandomWorlds:
    """Give each value a posterior proportional to its share in the groups that match the person.

    Most privacy models defend against this inference. In a group of four with two cases of flu, flu has probability
    one half. If all members share a value, the group discloses it with certainty: homogeneity.

    Assumes
        Members of a group are exchangeable, and their attributes carry no information beyond the group.
    Infers
        `P(v) ∝ share(v) · prior(v) / pooled(v)`, with `share` the mean over matching groups, by linking weight.
        Under the default prior these are the shares. Exact: draws nothing.
    Fails
        With `NotApplicableError` for several releases, or where the attribute is not counted by group. A person who
        matches no group, or whose prior contradicts the evidence, keeps the prior and is counted.

    References
    ----------
    Bacchus, Grove, Halpern, Koller. From statistical knowledge bases to degrees of belief. Artificial Intelligence
    1996. Machanavajjhala et al. l-diversity. ICDE 2006, section 3.
    """

    name: ClassVar[str] = "random-worlds"
    worlds: ClassVar[Worlds | None] = Worlds(values="prior")
    requirements: ClassVar[Requirements] = Requirements()

    @property
    def of_counts(self) -> RandomWorlds:
        """The attack itself, which reads nothing but counts."""
        return self

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the beliefs, with their left-out control."""
        del rng
        view.require(self.requirements)
        beliefs = group_posterior(view, neighborhood(view, 0, view.about.name))

        def control(view: View, own: Sequence[Int32]) -> Beliefs:
            return group_posterior(view, left_out(view, 0, view.about.name, own[0]))

        return replace(beliefs, left_out=LeftOutControl(view, control))


def group_posterior(view: View, around: Neighborhood) -> Beliefs:
    """Return each target's posterior over the attribute, from the groups that match the target."""
    beliefs, contradicted = reweighted(view.knowledge.prior, view.release, around.row_of, around.share)
    return replace(beliefs, outcome=Outcome(contradictions=contradicted), unplaced=(around.nowhere,))


EXAMPLES = (RandomWorlds(),)
