"""How far the release moves what is believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.estimate import Estimate, Tally


@dataclass(frozen=True)
class BeliefChange:
    """How far beliefs move from the prior, on average.

    Measures
        The mean total variation `½ Σ_v |P(v) − prior(v)|`: the largest difference that the release makes to the
        probability of any statement about the person. 0: nothing was learned; 1: what was ruled out is now certain.
    """

    name: ClassVar[str] = "belief-change"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the mean distance, between 0 and 1."""
        if "prior" not in tally.against:
            return Estimate.undefined("there is no prior to compare with", tally.n)
        moved = np.zeros(tally.answer.size)
        for block in tally.blocks():
            moved[block] = 0.5 * np.abs(tally.believed(block) - tally.believed(block, "prior")).sum(axis=1)
        return tally.mean(moved)


EXAMPLES = (BeliefChange(),)
