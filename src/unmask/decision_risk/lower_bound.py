"""Floor: how low any rule could come that discloses as much, beside what was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unmask.arrays import Float64
from unmask.decision_risk.disclosure_risk import Risk

NEGLIGIBLE = 1e-6
"""A floor that is lower than the risk by no more than this part of it is reached: programs are solved no closer."""


@dataclass(frozen=True, slots=True, eq=False)
class LowerBound:
    """No rule that discloses as much has less than `bound` of what the rule makes least."""

    of: Literal["risk", "average", "worst"]  # against one dictionary, over all by prior, against the worst
    dictionary: str | None  # where it is against one
    value: float  # what was reached
    bound: float

    @classmethod
    def of_records(cls, risk: Risk, gap: Float64) -> LowerBound:
        """Make it of how far each record's loss is above the least at most, (records,); infinite: nothing is known."""
        finite = np.isfinite(gap)
        least = np.where(finite, risk.loss - np.where(finite, gap, 0.0), 0.0)
        return cls("risk", risk.dictionary, risk.value, float(least.mean()) if least.size else 0.0)

    @property
    def gap(self) -> float:
        """How much less it could be, at most; never below 0."""
        return self.value - self.bound if self.value > self.bound else 0.0

    @property
    def is_reached(self) -> bool:
        """Say whether nothing is left to be gained."""
        return self.gap <= NEGLIGIBLE * abs(self.value) if np.isfinite(self.value) else self.gap == 0
