"""Baseline: the prior as the posterior, without use of the release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from unmask.beliefs import Beliefs
from unmask.view import Requirements, View, Worlds


@dataclass(frozen=True)
class Baseline:
    """Return the prior of each person: the best guess without the release.

    The result of an attack means something only in comparison with this.

    Assumes
        Nothing: the release is not used.
    Infers
        `P(v)` = the prior. Exact: draws nothing.
    Fails
        Never.

    References
    ----------
    Machanavajjhala et al. l-diversity. ICDE 2006, section 3 (prior and posterior belief).
    """

    name: ClassVar[str] = "baseline"
    worlds: ClassVar[Worlds | None] = None  # ignores the evidence, so no worlds make it exact
    requirements: ClassVar[Requirements] = Requirements(question=None, most_releases=None, counts=None)

    def infer(self, view: View, rng: np.random.Generator) -> Beliefs:
        """Return the prior."""
        del rng
        prior = replace(view.knowledge.prior, parts={}, notes={})
        return replace(prior, left_out=lambda _own: prior)


EXAMPLES = (Baseline(),)
