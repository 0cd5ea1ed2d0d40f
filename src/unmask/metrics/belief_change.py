"""Distance between prior and posterior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import distinct_rows, expand
from unmask.estimate import Estimate, Tally
from unmask.wording import message


@dataclass(frozen=True)
class BeliefChange:
    """The mean distance between the posterior and the prior.

    Measures
        The mean total variation `½ Σ_v |P(v) − prior(v)|`: the largest difference that the release makes to the
        probability of any statement about the person. 0: no change; 1: a value with prior 0 is now certain. Since both
        sum to 1, it equals the sum of the gains, `Σ_v max(P(v) − prior(v), 0)`: only positive posteriors count.
    """

    name: ClassVar[str] = "belief-change"
    higher_is_worse: ClassVar[bool] = True
    threshold: ClassVar[float | None] = None

    def measure(self, tally: Tally) -> Estimate:
        """Return the mean distance, between 0 and 1."""
        if "prior" not in tally.against:
            return Estimate.undefined(message("there is no prior to compare with"), tally.n)
        pairs = np.stack([tally.row[""], tally.row["prior"]], axis=1)
        number, example = distinct_rows(pairs)
        before = tally.against["prior"].rows
        rows = tally.beliefs.rows
        entry, pair = expand(rows.start, pairs[example, 0])
        gained = rows.data[entry] - before.at(pairs[example, 1][pair], rows.column[entry])
        moved = np.bincount(pair, weights=np.maximum(gained, 0.0), minlength=example.size).astype(np.float64)[number]
        return tally.mean(moved)


EXAMPLES = (BeliefChange(),)
