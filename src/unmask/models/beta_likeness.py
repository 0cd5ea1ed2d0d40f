"""β-likeness: in no group is a value much more frequent than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.models.privacy_model import distribution, shares
from unmask.numerics.rounding import above
from unmask.parameters import check_parameters


def _check(limit: float) -> None:
    if not limit > 0:
        msg = f"beta must be above 0; got {limit}"
        raise InvalidInputError(msg)


def _gains(share: Float64, everywhere: Float64) -> Float64:
    """Return (p − q) / q of each value, (groups, values): p its share in the group, q in the whole table."""
    absent = np.where(share > 0, np.inf, 0.0 * share)  # what the whole table lacks; NaN where nothing is known
    return np.asarray(np.divide(share, everywhere, out=absent + 1, where=everywhere > 0) - 1)


@dataclass(frozen=True)
class BetaLikeness:
    """Ask that belief in no value grows by more than β times what it was.

    t-closeness adds differences up, and so lets a rare value become certain; here each value counts by itself.
    What becomes less likely does not count.

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
        """Return the same from the shares of people who have each value."""
        return np.asarray(_gains(share, everywhere).max(axis=1, initial=0))


@dataclass(frozen=True)
class EnhancedBetaLikeness:
    """Ask the same of rare values, and of a frequent value that it grows by at most −ln of its share.

    A value of half the people may at most double whatever β says, and then be certain: the plain model would allow
    that for every β ≥ 1. The second limit, −ln q, forbids it.

    Measures
        The least β for which `(p − q) / q ≤ min(β, −ln q)` for every value of a group; infinite where some value
        grows by more than −ln q, since no β helps then.
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
        """Return the same from the shares of people who have each value."""
        gain = _gains(share, everywhere)
        most = -np.log(np.where(everywhere > 0, everywhere, 1.0))
        beyond = above(gain, most).any(axis=1)
        return np.where(beyond, np.inf, gain.max(axis=1, initial=0))


EXAMPLES = (BetaLikeness(), EnhancedBetaLikeness())
