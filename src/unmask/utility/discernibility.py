"""Discernibility: how many people each person can no longer be told from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.estimate import Estimate
from unmask.utility.utility_measure import PublishedTable, Quality


@dataclass(frozen=True)
class Discernibility:
    """Charge each person by the number of people who look the same, and who was left out by the number of all.

    It likes small groups, whatever is shown of them: two releases with the same groups cost the same, however wide
    their ranges.

    Measures
        `Σ size² + n · suppressed` over sets of people with the same cells in the same group. Rows of nothing
        but `*` in several columns count as suppressed. Beside it, as `share`, the same over n²: 1 where all are one
        group or all are left out.
    Fails
        Undefined without people.

    References
    ----------
    Bayardo, Agrawal. Data privacy through optimal k-anonymization. ICDE 2005, section 3.
    """

    name: ClassVar[str] = "discernibility"
    higher_is_better: ClassVar[bool] = False

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the sum, and its share of the worst possible."""
        del rng
        if case.n <= 0:
            return Quality.undefined("there is nobody")
        size = case.class_sizes()
        total = float(size @ size + case.n * case.n_suppressed)
        return Quality(Estimate.exact(total, case.n), {"share": Estimate.exact(total / case.n**2, case.n)})


EXAMPLES = (Discernibility(),)
