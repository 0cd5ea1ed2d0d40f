"""δ-disclosure privacy: no value is much more or much less frequent in a group than in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.errors import InvalidInputError
from unmask.models.privacy_model import distribution, shares
from unmask.number_format import numeral
from unmask.numerics.rounding import below
from unmask.parameters import check_parameters
from unmask.wording import message


@dataclass(frozen=True)
class DeltaDisclosure:
    """Require that the probability of every value in a group and in the table differ by a factor below 2^δ.

    Ruling out a value is a disclosure too: a group without some value of the table violates every finite δ.

    Measures
        The largest `|log2(p / q)|` over all values of the whole table, where p is the share of a value in the group
        and q in the whole table: in bits, and infinite where a value is absent. δ must exceed it (the inequality is
        strict). Tools that consider only the values present report a finite δ where none exists.
    Fails
        With `InvalidInputError` where δ is not above 0.

    References
    ----------
    Brickell, Shmatikov. The cost of privacy: destruction of data-mining utility in anonymized data publishing.
    KDD 2008.
    """

    name: ClassVar[str] = "delta-disclosure"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    limit: float = 1.0

    def __post_init__(self) -> None:
        check_parameters(self)
        if not self.limit > 0:
            msg = message("delta must be above 0; got {limit}", limit=self.limit)
            raise InvalidInputError(msg)

    @property
    def limit_text(self) -> str:
        """The limit and its direction in words."""
        return message("below {limit}", limit=numeral(self.limit, "g"))

    def holds(self, score: Float64) -> Bool:
        """Return whether δ exceeds each score."""
        return below(score, self.limit)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the largest change of each group in bits, (groups,); NaN where no value is known."""
        del size
        return np.where(counts.sum(axis=1) > 0, self.score_shares(shares(counts), distribution(overall)), np.nan)

    def score_shares(self, share: Float64, everywhere: Float64) -> Float64:
        """Return the score of each group from the shares of people with each value."""
        absent = np.where(share > 0, np.inf, 1.0)  # also for a value absent from the whole table
        ratio = np.divide(share, everywhere, out=absent, where=everywhere > 0)
        most, least = ratio.max(axis=1, initial=1.0), ratio.min(axis=1, initial=1.0)
        with np.errstate(divide="ignore"):
            return np.asarray(np.maximum(np.log2(most), -np.log2(least)))


EXAMPLES = (DeltaDisclosure(),)
