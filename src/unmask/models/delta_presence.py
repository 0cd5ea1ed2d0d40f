"""δ-presence: bounds on the probability that a person of the population is in the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.numerics.rounding import at_least, at_most
from unmask.parameters import check_parameters
from unmask.wording import message


@dataclass(frozen=True)
class DeltaPresence:
    """Require that each person of the population is in the release with a probability between two limits.

    Membership in a register of patients is a disclosure, and non-membership can be one. A person who fits a group is in
    the release with probability members / people who fit; a person who fits no group is certainly not.

    Assumes
        A table of the population that includes the people of the release.
    Measures
        The members of each group, and of all groups with equal published cells, over the people of the population
        who fit it; 0 for people who fit no group, which violates every lower limit above 0. A group that fits no
        person of the population is infinite: the table given is not the population.
    Fails
        With `InvalidInputError` unless 0 ≤ low ≤ high ≤ 1.

    References
    ----------
    Nergiz, Atzori, Clifton. Hiding the presence of individuals from shared databases. SIGMOD 2007.
    """

    name: ClassVar[str] = "delta-presence"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False
    low: float = 0.0
    high: float = 0.5

    def __post_init__(self) -> None:
        check_parameters(self)
        if not 0 <= self.low <= self.high <= 1:
            msg = message(
                "delta-presence must have limits 0 ≤ low ≤ high ≤ 1; got {low} and {high}", low=self.low, high=self.high
            )
            raise InvalidInputError(msg)

    @property
    def limit(self) -> float:
        """The largest probability; `low` is the smallest."""
        return self.high

    @property
    def limit_text(self) -> str:
        """The limits in words."""
        return message("from {low} to {high}", low=numeral(self.low, "g"), high=numeral(self.high, "g"))

    def holds(self, score: Float64) -> Bool:
        """Return whether each probability lies between the limits."""
        return at_least(score, self.low) & at_most(score, self.high)

    def score_among(self, size: Float64, population: Float64) -> Float64:
        """Return the probability that a person who fits a group is in the release, (groups,)."""
        return np.divide(size, population, out=np.where(size > 0, np.inf, np.nan), where=population > 0)


EXAMPLES = (DeltaPresence(),)
