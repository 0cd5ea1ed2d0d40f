"""Maximum re-identification risk: the largest probability of a correct match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.errors import InvalidInputError
from unmask.models.privacy_model import risk_meant
from unmask.numerics.rounding import at_most
from unmask.parameters import check_parameters
from unmask.wording import message


@dataclass(frozen=True)
class MaxRisk:
    """Require that each person known to be in the release is matched with at most a stated probability.

    This is the reciprocal of k-anonymity. Regulators round: 0.09 stands for groups of 11, whose risk is 0.0909. So a
    group as large as the whole k nearest to the limit satisfies it.

    Measures
        One over the size of each group.
    Fails
        With `InvalidInputError` where the limit is not above 0 and at most 1.

    References
    ----------
    European Medicines Agency. External guidance on the implementation of Policy 0070. 2018.
    """

    name: ClassVar[str] = "max-risk"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False
    limit: float = 0.09

    def __post_init__(self) -> None:
        check_parameters(self)
        if not 0 < self.limit <= 1:
            msg = message("max-risk must be above 0 and at most 1; got {limit}", limit=self.limit)
            raise InvalidInputError(msg)

    def holds(self, score: Float64) -> Bool:
        """Return whether each risk is within the limit, or within the 1/k that the limit rounds."""
        return at_most(score, risk_meant(self.limit))

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return one over the sizes, (groups,)."""
        del counts, overall
        return np.asarray(np.divide(1.0, size, out=np.full(size.shape, np.nan), where=size > 0))


EXAMPLES = (MaxRisk(),)
