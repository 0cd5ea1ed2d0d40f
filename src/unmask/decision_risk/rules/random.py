"""Random: k attributes of each record, any; what other rules are held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.decision_risk.consistency import Consistency
from unmask.decision_risk.rule import DisclosureRule, must, shortness, smallest


@dataclass(frozen=True)
class Random:
    """Disclose of each record k of its values, each set of them alike.

    It shows what choosing is worth. Whoever compares dictionaries should draw once and judge the same disclosure
    against each: else the draw is seen, not the dictionary.

    Promises
        Nothing.
    Fails
        Where fewer than k values are there, all are disclosed. With `InvalidInputError` for k above the number of
        attributes.
    """

    name: ClassVar[str] = "random"
    k: int = 1
    always: tuple[str, ...] = ()  # attributes that are disclosed in any case, among the k

    def choose(self, consistency: Consistency, rng: np.random.Generator) -> DisclosureRule:
        """Draw k attributes of each record."""
        wanted, available = must(self.always, self.k, consistency), consistency.available
        return DisclosureRule(
            smallest(rng.random(available.shape) - wanted, available, self.k), None, shortness(available, self.k)
        )
