"""Recursive (c, l)-diversity: a bound on the most frequent value of a group, relative to its rare values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.numerics.rounding import below
from unmask.parameters import check_parameters
from unmask.wording import joined, message


@dataclass(frozen=True)
class RecursiveCL:
    """Require that the most frequent value of a group has fewer than c times the people of the l-th and rarer values.

    After an attacker rules out l − 2 of the values, no single value dominates the rest.

    Measures
        `r_1 / (r_l + … + r_m)`, where r_1 ≥ r_2 ≥ … are the counts of the m values that occur: the number that c must
        exceed (the inequality is strict). Infinite where fewer than l values occur.
    Fails
        With `InvalidInputError` where c is not above 0, or l is not a whole number of at least 1.

    References
    ----------
    Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam. l-diversity: privacy beyond k-anonymity. ICDE 2006,
    definition 4.2.
    """

    name: ClassVar[str] = "recursive-cl"
    higher_is_safer: ClassVar[bool] = False
    needs_values: ClassVar[bool] = True
    unites: ClassVar[bool] = True
    parameters: ClassVar[tuple[str, ...]] = ("l",)
    c: float = 4.0
    l: int = 3

    def __post_init__(self) -> None:
        check_parameters(self)
        if not self.c > 0:
            msg = message("c must be above 0; got {c}", c=self.c)
            raise InvalidInputError(msg)
        if self.l < 1:
            msg = message("l must be a whole number of at least 1; got {l}", l=self.l)
            raise InvalidInputError(msg)

    @property
    def limit(self) -> float:
        """The number c, which the ratio must stay below."""
        return self.c

    @property
    def limit_text(self) -> str:
        """The limit and its direction in words."""
        return message("below {limit}", limit=joined(["c=", numeral(self.c, "g")], ""))

    def holds(self, score: Float64) -> Bool:
        """Return whether c exceeds each ratio."""
        return below(score, self.c)

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the ratio that c must exceed in each group, (groups,); NaN where no value is known."""
        del size, overall
        most, total = counts.max(axis=1, initial=0), counts.sum(axis=1)
        rare, group = counts.copy(), np.arange(counts.shape[0])
        for _ in range(min(self.l - 1, counts.shape[1])):  # r_1 … r_(l−1) are not part of the tail
            rare[group, rare.argmax(axis=1)] = 0
        tail = rare.sum(axis=1)
        ratio = np.divide(most, tail, out=np.full(total.shape, np.inf), where=tail > 0)
        return np.where(total > 0, ratio, np.nan)


EXAMPLES = (RecursiveCL(),)
