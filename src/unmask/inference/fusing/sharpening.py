"""What cells say of values: spread inside them as values are spread, and that learned from the cells themselves.

References
----------
Heitjan, Rubin. Ignorability and coarse data. Annals of statistics 1991.
Silverman, Jones, Wilson, Nychka. A smoothed EM approach to indirect estimation problems. J. Royal Statistical Society
B 1990.
Turnbull. The empirical distribution function with arbitrarily grouped, censored and truncated data. J. Royal
Statistical Society B 1976.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64
from unmask.inference.fusing.shown import Shown

TINY = 1e-12

SMOOTHED = 0.07
"""Over how much of the axis neighbors are taken to be alike."""

SHARPENED = 3
"""How often what a person's cells say is spread again by what they said. None is worse, ten are hardly better."""

_ITERATIONS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """The declared values, the cells that miners predict, and how alike neighbors are taken to be."""

    held: Float64  # (cells, values)
    smooth: Float64  # (values, values) each column adds up to 1

    @classmethod
    def of(cls, shown: Shown) -> Axis:
        """Take neighbors on an ordered axis as alike over a part of it, values without an order not at all."""
        smooth = np.eye(shown.n_values)
        if shown.ordered and shown.n_values > 1:
            width = np.ptp(shown.number) * SMOOTHED
            smooth = np.exp(-(((shown.number[:, None] - shown.number) / width) ** 2) / 2)
            smooth /= smooth.sum(axis=0)
        return cls(shown.likelihood.dense(), smooth)

    def everybody(self, people: Float64) -> Float64:
        """Return how values are spread over all rows, (values,), from how many show each cell.

        Which cell is shown is taken to depend on the value only by whether the cell holds it. Then everybody's
        distribution is that which repeats itself when each cell is spread by it (Turnbull). Alone it would rise to
        peaks where cells end, so it is smoothed in every round.
        """
        found = np.full(self.smooth.shape[0], 1 / max(self.smooth.shape[0], 1))
        for _ in range(_ITERATIONS):
            found = self.smooth @ (self._spread(people[None, :], found[None, :])[0] + 1.0)
            found /= found.sum()
        return np.asarray(found)

    def sharpened(self, cells: Float64, everybody: Float64) -> Float64:
        """Return values from probabilities of cells, (rows, values): as for everybody, a few rounds from there."""
        found = self._spread(cells, np.broadcast_to(everybody, (cells.shape[0], everybody.size)))
        for _ in range(SHARPENED):
            found = self._spread(cells, found) @ self.smooth.T
            found /= np.maximum(found.sum(axis=1, keepdims=True), TINY)
        return np.asarray(found)

    def _spread(self, cells: Float64, values: Float64) -> Float64:
        """Spread what cells weigh inside them by what is believed of values so far, (rows, values)."""
        inside = values @ self.held.T
        return np.asarray((np.divide(cells, inside, out=np.zeros_like(inside), where=inside > 0) @ self.held) * values)
