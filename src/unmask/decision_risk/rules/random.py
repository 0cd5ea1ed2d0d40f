"""Random rule: k random attributes of each record, a baseline for other rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.rule import DisclosureRule, must, shortness, smallest


@dataclass(frozen=True)
class Random:
    """Disclose k random values of each record, all sets with equal probability.

    A baseline for other rules. To compare dictionaries, draw once and judge the same disclosure against each.

    Promises
        Nothing.
    Fails
        A record with fewer than k values discloses all of them. With `InvalidInputError` for k above the number of
        attributes.
    """

    name: ClassVar[str] = "random"
    k: int = 1
    always: tuple[str, ...] = ()  # always disclosed attributes, among the k

    def choose(self, consistency: Consistency, rng: np.random.Generator) -> DisclosureRule:
        """Draw k attributes of each record."""
        wanted, available = must(self.always, self.k, consistency), consistency.available
        return DisclosureRule(
            smallest(rng.random(available.shape) - wanted, available, self.k), None, shortness(available, self.k)
        )
