"""p-sensitive k-anonymity: every group has at least p different sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.parameters import check_parameters
from unmask.wording import message


@dataclass(frozen=True)
class PSensitive:
    """Require that every group has at least p different values of every sensitive attribute.

    The k of the name is a separate model: require `k` as well. Like distinct l-diversity, which was published at the
    same time and counts the same, it bounds no posterior: nine of ten may share one value.

    Measures
        The number of values that occur in each group.
    Fails
        With `InvalidInputError` where p is below 1.

    References
    ----------
    Truta, Vinay. Privacy protection: p-sensitive k-anonymity property. ICDE Workshops 2006.
    """

    name: ClassVar[str] = "p-sensitive"
    higher_is_safer: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    limit: float = 2

    def __post_init__(self) -> None:
        check_parameters(self)
        if not self.limit >= 1:
            msg = message("p must be at least 1; got {limit}", limit=self.limit)
            raise InvalidInputError(msg)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the number of values of each group, (groups,); NaN where none is known."""
        del size, overall
        distinct = np.count_nonzero(counts > 0, axis=1).astype(float)
        return np.where(distinct > 0, distinct, np.nan)


EXAMPLES = (PSensitive(),)
