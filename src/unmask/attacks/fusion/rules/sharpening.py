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
from typing import Any

import numpy as np
from scipy import sparse

from unmask.arrays import Float64
from unmask.attacks.fusion.rules.published_cells import PublishedCells

TINY = 1e-12

SMOOTHED = 0.07
"""Over how much of the axis neighbors are taken to be alike."""

SHARPENED = 3
"""How often what a person's cells say is spread again by what they said. None is worse, ten are hardly better."""

PLACES = 2000
"""At how many places neighbors are counted where there are more values than that; others are between two of them."""

_ITERATIONS = 60


@dataclass(frozen=True, slots=True, eq=False)
class SmoothAxis:
    """The declared values, the cells that miners predict, and how alike neighbors are taken to be."""

    held: Float64  # (cells, values)
    smooth: Float64 | None  # (values, values) each column adds up to 1, or (places, places); None without an order
    near: Any = None  # (values, places) sparse: between which two places each value is, where there are many
    whole: Float64 | None = None  # (values,) what the neighbors of each value then add up to

    @classmethod
    def of(cls, cells: PublishedCells) -> SmoothAxis:
        """Take neighbors on an ordered axis as alike over a part of it, values without an order not at all."""
        held, number = cells.likelihood.dense(), cells.number
        if not cells.ordered or number.size < 2:
            return cls(held, None)
        if number.size <= PLACES:
            smooth = _alike(number)
            return cls(held, smooth / smooth.sum(axis=0))
        place = np.linspace(number.min(), number.max(), PLACES)
        smooth, near = _alike(place), _between(number, place)
        return cls(held, smooth, near, near @ (smooth @ (near.T @ np.ones(number.size))))

    def overall(self, people: Float64) -> Float64:
        """Return how values are spread over all rows, (values,), from how many show each cell.

        Which cell is shown is taken to depend on the value only by whether the cell holds it. Then everybody's
        distribution is that which repeats itself when each cell is spread by it (Turnbull). Alone it would rise to
        peaks where cells end, so it is smoothed in every round.
        """
        n = self.held.shape[1]
        found = np.full(n, 1 / max(n, 1))
        for _ in range(_ITERATIONS):
            found = self.smoothed(self._spread(people[None, :], found[None, :])[0] + 1.0)
            found /= found.sum()
        return np.asarray(found)

    def sharpened(self, cells: Float64, overall: Float64) -> Float64:
        """Return values from probabilities of cells, (rows, values): as for everybody, a few rounds from there."""
        found = self._spread(cells, np.broadcast_to(overall, (cells.shape[0], overall.size)))
        for _ in range(SHARPENED):
            found = self.smoothed(self._spread(cells, found))
            found /= np.maximum(found.sum(axis=1, keepdims=True), TINY)
        return np.asarray(found)

    def smoothed(self, values: Float64) -> Float64:
        """Return what is believed of values after each is shared out among its neighbors, (..., values)."""
        if self.smooth is None:
            return values
        if self.whole is None:
            return np.asarray(values @ self.smooth.T)
        return np.asarray((values / self.whole) @ self.near @ self.smooth @ self.near.T)

    def _spread(self, cells: Float64, values: Float64) -> Float64:
        """Spread what cells weigh inside them by what is believed of values so far, (rows, values)."""
        inside = values @ self.held.T
        return np.asarray((np.divide(cells, inside, out=np.zeros_like(inside), where=inside > 0) @ self.held) * values)


def _alike(number: Float64) -> Float64:
    """Return how alike any two numbers are taken to be, (numbers, numbers)."""
    width = np.ptp(number) * SMOOTHED
    return np.asarray(np.exp(-(((number[:, None] - number) / width) ** 2) / 2))


def _between(number: Float64, place: Float64) -> Any:  # noqa: ANN401 - sparse
    """Return how near each number is to the two places beside it, (numbers, places)."""
    left = np.clip(np.searchsorted(place, number, side="right") - 1, 0, place.size - 2)
    right = (number - place[left]) / (place[left + 1] - place[left])
    row = np.tile(np.arange(number.size), 2)
    entries = (np.concatenate([1 - right, right]), (row, np.concatenate([left, left + 1])))
    return sparse.csr_array(entries, shape=(number.size, place.size))
