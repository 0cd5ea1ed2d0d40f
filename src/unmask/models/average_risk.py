"""Average re-identification risk: the expected share of people whose record is matched correctly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.parameters import check_parameters
from unmask.wording import message


@dataclass(frozen=True)
class AverageRisk:
    """Require that random guesses within groups match at most a stated share of the people correctly.

    An average hides the people at highest risk: require `k` or `max-risk` as well.

    Measures
        Over people, not over groups: `Σ size · (1 / size) / Σ size`, which is groups per person. Groups of 4 and 2
        people have 2/6. Suppressed people are not counted.
    Fails
        With `InvalidInputError` where the limit is not above 0 and at most 1.

    References
    ----------
    Dankar, El Emam. A method for evaluating marketer re-identification risk. PAIS 2010.
    """

    name: ClassVar[str] = "average-risk"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False
    limit: float = 0.05

    def __post_init__(self) -> None:
        check_parameters(self)
        if not 0 < self.limit <= 1:
            msg = message("average-risk must be above 0 and at most 1; got {limit}", limit=self.limit)
            raise InvalidInputError(msg)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the risk of each member of a group, (groups,)."""
        del counts, overall
        return np.asarray(np.divide(1.0, size, out=np.full(size.shape, np.nan), where=size > 0))

    def average(self, score: Float64, size: Float64) -> float:
        """Return the mean over people."""
        return float(score @ size / size.sum()) if size.sum() > 0 else float("nan")


EXAMPLES = (AverageRisk(),)
