"""l-diversity: every group has at least l well-represented sensitive values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.parameters import check_parameters
from unmask.wording import message


def _check(limit: float) -> None:
    if not limit >= 1:
        msg = message("l must be at least 1; got {limit}", limit=limit)
        raise InvalidInputError(msg)


@dataclass(frozen=True)
class DistinctL:
    """Require that every group has at least l different values.

    Measures
        The number of values that occur. It bounds no posterior: nine of ten may share one value.

    References
    ----------
    Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam. l-diversity: privacy beyond k-anonymity. ICDE 2006.
    """

    name: ClassVar[str] = "distinct-l"
    higher_is_safer: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    limit: float = 3

    def __post_init__(self) -> None:
        check_parameters(self)
        _check(self.limit)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the number of values of each group, (groups,); NaN where none is known."""
        del size, overall
        distinct = (counts > 0).sum(axis=1).astype(float)
        return np.where(distinct > 0, distinct, np.nan)


@dataclass(frozen=True)
class EntropyL:
    """Require that the values of every group have at least the entropy of l equally frequent values.

    Measures
        `exp(H)` with `H = −Σ p ln p`: a real number, equal to n for n equally frequent values, and never rounded.

    References
    ----------
    Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam. l-diversity: privacy beyond k-anonymity. ICDE 2006,
    definition 4.1.
    """

    name: ClassVar[str] = "entropy-l"
    higher_is_safer: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    limit: float = 3

    def __post_init__(self) -> None:
        check_parameters(self)
        _check(self.limit)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return exp(entropy) of each group, (groups,); NaN where no value is known."""
        del size, overall
        total = counts.sum(axis=1, keepdims=True)
        share = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
        entropy = -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=1)
        return np.where(total[:, 0] > 0, np.exp(entropy), np.nan)


@dataclass(frozen=True)
class MaxShareL:
    """Require that no value has more than a share 1/l of any group.

    Measures
        One over the largest share. This form bounds the posterior: random worlds never exceeds 1/l.

    References
    ----------
    Xiao, Tao. Anatomy: simple and effective privacy preservation. VLDB 2006, definition 2.
    """

    name: ClassVar[str] = "max-share-l"
    higher_is_safer: ClassVar[bool] = True
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    limit: float = 3

    def __post_init__(self) -> None:
        check_parameters(self)
        _check(self.limit)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return one over the largest share of each group, (groups,); NaN where no value is known."""
        del size, overall
        total, most = counts.sum(axis=1), counts.max(axis=1, initial=0)
        return np.asarray(np.divide(total, most, out=np.full(total.shape, np.nan), where=most > 0))


EXAMPLES = (DistinctL(), EntropyL(), MaxShareL())
