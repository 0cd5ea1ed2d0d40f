"""Discernibility: the size of each person's equivalence class, summed over people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.estimate import Estimate
from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.wording import message


@dataclass(frozen=True)
class Discernibility:
    """Charge each person the size of the equivalence class, and each suppressed person the number of all people.

    It depends on group sizes only: two releases with the same groups cost the same, however wide their ranges.

    Measures
        `Σ size² + n · suppressed` over sets of people with equal cells in one group. Rows of nothing but `*` in
        several columns count as suppressed. `share` is the same divided by n²: 1 if all people are in one group, or
        all are suppressed.
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
            return Quality.undefined(message("the table has no people"))
        size = case.class_sizes()
        total = float(size @ size + case.n * case.n_suppressed)
        return Quality(Estimate.exact(total, case.n), {"share": Estimate.exact(total / case.n**2, case.n)})


EXAMPLES = (Discernibility(),)
