"""k-map: every published group fits at least k people of the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.parameters import check_parameters
from unmask.wording import message


@dataclass(frozen=True)
class KMap:
    """Require that every group of the release fits at least k people of the population.

    An attacker who does not know who is in the release must choose among all who fit. A group may be small, even of
    one person, if it fits enough people outside the release.

    Assumes
        A table of the population that includes the people of the release.
    Measures
        The number of people of the population who fit each group (the sum of their weights, if there are weights).
    Fails
        With `InvalidInputError` where k is not a whole number of at least 1.

    References
    ----------
    Sweeney. Computational disclosure control: a primer on data privacy protection. Thesis, MIT 2001.
    """

    name: ClassVar[str] = "k-map"
    higher_is_safer: ClassVar[bool] = True
    needs_values: ClassVar[bool] = False
    k: int = 5

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.k < 1:
            msg = message("k must be a whole number of at least 1; got {k}", k=self.k)
            raise InvalidInputError(msg)

    @property
    def limit(self) -> float:
        """The least number of people of the population who fit a group."""
        return float(self.k)

    def score_among(self, size: Float64, population: Float64) -> Float64:
        """Return the number of people who fit each group, (groups,); infinite for an empty group."""
        return np.where(size > 0, population, np.inf)


EXAMPLES = (KMap(),)
