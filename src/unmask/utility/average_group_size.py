"""Average group size, relative to the required k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.parameters import check_parameters
from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.wording import message


@dataclass(frozen=True)
class AverageGroupSize:
    """Compute the average equivalence class size, relative to the required k.

    Measures
        `n / (groups · k)`, where a group is the set of people with equal cells in one published group. Suppressed
        people, and rows of nothing but `*` in several columns, form one group together. With the required k, 1 is the
        optimum; k = 1 gives the plain average.
    Fails
        With `InvalidInputError` where k is below 1. Undefined without people.

    References
    ----------
    LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. ICDE 2006, section 5 (C_AVG).
    """

    name: ClassVar[str] = "average-group-size"
    higher_is_better: ClassVar[bool] = False
    k: float = 1.0

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.k < 1:
            msg = message("k must be at least 1; got {k}", k=self.k)
            raise InvalidInputError(msg)

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the average."""
        del rng
        groups = case.class_sizes().size + (case.n_suppressed > 0)
        if case.n <= 0 or groups == 0:
            return Quality.undefined(message("the table has no people"))
        return Quality(Estimate.exact(case.n / (groups * self.k), case.n))


EXAMPLES = (AverageGroupSize(),)
