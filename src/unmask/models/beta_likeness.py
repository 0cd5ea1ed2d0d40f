"""β-likeness: no value is much more frequent in a group than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.models.privacy_model import distribution, shares
from unmask.numerics.rounding import above
from unmask.parameters import check_parameters
from unmask.wording import message


def _check(limit: float) -> None:
    if not limit > 0:
        msg = message("beta must be above 0; got {limit}", limit=limit)
        raise InvalidInputError(msg)


def _gains(share: Float64, everywhere: Float64) -> Float64:
    """Return (p − q) / q of each value, (groups, values): p its share in the group, q in the whole table."""
    absent = np.where(share > 0, np.inf, 0.0 * share)  # values absent from the table; NaN where no value is known
    return np.asarray(np.divide(share, everywhere, out=absent + 1, where=everywhere > 0) - 1)


@dataclass(frozen=True)
class BetaLikeness:
    """Require that no value's probability in a group exceeds (1 + β) times its overall probability.

    t-closeness sums differences, so a rare value can become certain; here each value is limited separately.
    Values that become less likely do not count.

    Measures
        The largest `(p − q) / q` over the values of each group, where p is the share of a value in the group and q its
        share in the whole table; at least 0.
    Fails
        With `InvalidInputError` where β is not above 0.

    References
    ----------
    Cao, Karras. Publishing microdata with a robust privacy guarantee. VLDB 2012.
    """

    name: ClassVar[str] = "beta"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    limit: float = 1.0

    def __post_init__(self) -> None:
        check_parameters(self)
        _check(self.limit)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the largest relative growth of each group, (groups,); NaN where no value is known."""
        del size
        return np.where(counts.sum(axis=1) > 0, self.score_shares(shares(counts), distribution(overall)), np.nan)

    def score_shares(self, share: Float64, everywhere: Float64) -> Float64:
        """Return the score of each group from the shares of people with each value."""
        return np.asarray(_gains(share, everywhere).max(axis=1, initial=0))


@dataclass(frozen=True)
class EnhancedBetaLikeness:
    """Require β-likeness, and that a frequent value gains at most −ln of its overall share.

    The probability of a value that half the people have can at most double, and is then certain: the basic model
    allows this for every β ≥ 1. The second limit, −ln q, excludes it.

    Measures
        The least β for which `(p − q) / q ≤ min(β, −ln q)` for every value of a group; infinite where some value
        gains more than −ln q, which no β permits.
    Fails
        With `InvalidInputError` where β is not above 0.

    References
    ----------
    Cao, Karras. Publishing microdata with a robust privacy guarantee. VLDB 2012.
    """

    name: ClassVar[str] = "enhanced-beta"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    limit: float = 1.0

    def __post_init__(self) -> None:
        check_parameters(self)
        _check(self.limit)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the least β of each group, (groups,); NaN where no value is known."""
        del size
        return np.where(counts.sum(axis=1) > 0, self.score_shares(shares(counts), distribution(overall)), np.nan)

    def score_shares(self, share: Float64, everywhere: Float64) -> Float64:
        """Return the score of each group from the shares of people with each value."""
        gain = _gains(share, everywhere)
        most = -np.log(np.where(everywhere > 0, everywhere, 1.0))
        beyond = above(gain, most).any(axis=1)
        return np.where(beyond, np.inf, gain.max(axis=1, initial=0))


EXAMPLES = (BetaLikeness(), EnhancedBetaLikeness())
