"""Sample uniqueness: the share of people who are alone in their equivalence class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.parameters import check_parameters
from unmask.wording import message


@dataclass(frozen=True)
class SampleUniqueness:
    """Require that at most a stated share of the people is alone in their group.

    A sample unique need not be unique in the population that the sample was drawn from; a population unique is also
    a sample unique.

    Measures
        The share of people in groups of one, over all people of the release. Suppressed people are not counted.
    Fails
        With `InvalidInputError` where the limit is not between 0 and 1.

    References
    ----------
    Skinner, Elliot. A measure of disclosure risk for microdata. Journal of the Royal Statistical Society B 64, 2002.
    """

    name: ClassVar[str] = "uniqueness"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False
    limit: float = 0.05

    def __post_init__(self) -> None:
        check_parameters(self)
        if not 0 <= self.limit <= 1:
            msg = message("uniqueness must lie between 0 and 1; got {limit}", limit=self.limit)
            raise InvalidInputError(msg)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return 1 for groups of one and 0 for others, (groups,)."""
        del counts, overall
        return np.asarray(size == 1, np.float64)

    def average(self, score: Float64, size: Float64) -> float:
        """Return the share of people who are alone."""
        return float(score @ size / size.sum()) if size.sum() > 0 else float("nan")


EXAMPLES = (SampleUniqueness(),)
