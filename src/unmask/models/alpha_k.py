"""(α, k)-anonymity: no sensitive value has more than a share α of a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.parameters import check_parameters
from unmask.wording import message


@dataclass(frozen=True)
class AlphaK:
    """Require that no value has more than a share α of any group.

    An attacker who takes the members of a group for equally likely then has no posterior above α. The k of the name is
    a separate model: require `k` as well.

    Measures
        The largest share of a value among the known values of each group, over all values (the general model of the
        paper; its simple model looks at one value only). It is one over the `max-share-l` of the group.
    Fails
        With `InvalidInputError` where α is not above 0 and at most 1.

    References
    ----------
    Wong, Li, Fu, Wang. (α, k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing.
    KDD 2006.
    """

    name: ClassVar[str] = "alpha"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    limit: float = 0.5

    def __post_init__(self) -> None:
        check_parameters(self)
        if not 0 < self.limit <= 1:
            msg = message("alpha must be above 0 and at most 1; got {limit}", limit=self.limit)
            raise InvalidInputError(msg)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the largest share of each group, (groups,); NaN where no value is known."""
        del size, overall
        total, most = counts.sum(axis=1), counts.max(axis=1, initial=0)
        return np.asarray(np.divide(most, total, out=np.full(total.shape, np.nan), where=total > 0))


EXAMPLES = (AlphaK(),)
