"""Lower bound of the risk of all rules that disclose as much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unmask.arrays import Float64
from unmask.decision_risk.disclosure_risk import Risk

NEGLIGIBLE = 1e-6
"""Relative gap below which a bound counts as reached: programs are solved no closer."""


@dataclass(frozen=True, slots=True, eq=False)
class LowerBound:
    """A lower bound of the rule's objective over all rules that disclose as much."""

    of: Literal["risk", "average", "worst"]  # against one dictionary, over all by prior, against the worst
    dictionary: str | None  # where it is against one
    value: float  # what was reached
    bound: float

    @classmethod
    def of_records(cls, risk: Risk, gap: Float64) -> LowerBound:
        """Derive it from the largest possible excess of each record's loss, (records,); infinite: unknown."""
        finite = np.isfinite(gap)
        least = np.where(finite, risk.loss - np.where(finite, gap, 0.0), 0.0)
        return cls("risk", risk.dictionary, risk.value, float(least.mean()) if least.size else 0.0)

    @property
    def gap(self) -> float:
        """The difference between risk and bound; at least 0."""
        return self.value - self.bound if self.value > self.bound else 0.0

    @property
    def is_reached(self) -> bool:
        """Whether the risk reaches the bound."""
        return self.gap <= NEGLIGIBLE * abs(self.value) if np.isfinite(self.value) else self.gap == 0
