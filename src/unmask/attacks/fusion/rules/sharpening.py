"""Distribution of values inside cells, estimated from the cells themselves by smoothed expectation maximization.

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
import scipy

from unmask.arrays import Float64
from unmask.attacks.fusion.rules.published_cells import PublishedCells

TINY = 1e-12

SMOOTHED = 0.07
"""The smoothing width, as a part of the axis."""

SHARPENED = 3
"""The number of sharpening rounds for one person's distribution. None is worse, ten are hardly better."""

PLACES = 2000
"""The largest number of grid points; more values than that are interpolated between two of them."""

_ITERATIONS = 60


@dataclass(frozen=True, slots=True, eq=False)
class SmoothAxis:
    """The declared values, the cells to predict, and the smoothing between neighboring values."""

    held: Float64  # (cells, values)
    smooth: Float64 | None  # (values, values) each column adds up to 1, or (places, places); None without an order
    near: Any = None  # (values, places) sparse: weights of the two grid points around each value, if there are many
    whole: Float64 | None = None  # (values,) total smoothing weight of each value, with a grid

    @classmethod
    def of(cls, cells: PublishedCells) -> SmoothAxis:
        """Return the axis of cells, smoothed only if its values are ordered."""
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
        """Return the distribution of values over all rows, (values,), from the number of people of each cell.

        The cell is assumed to depend on the value only by containing it. Then the distribution is a fixed point of
        spreading each cell by it (Turnbull). It is smoothed in every round, since it would otherwise have peaks at
        the ends of cells.
        """
        n = self.held.shape[1]
        found = np.full(n, 1 / max(n, 1))
        for _ in range(_ITERATIONS):
            found = self.smoothed(self._spread(people[None, :], found[None, :])[0] + 1.0)
            found /= found.sum()
        return np.asarray(found)

    def sharpened(self, cells: Float64, overall: Float64) -> Float64:
        """Return value probabilities from cell probabilities, (rows, values): a few rounds from the overall ones."""
        found = self._spread(cells, np.broadcast_to(overall, (cells.shape[0], overall.size)))
        for _ in range(SHARPENED):
            found = self.smoothed(self._spread(cells, found))
            found /= np.maximum(found.sum(axis=1, keepdims=True), TINY)
        return np.asarray(found)

    def smoothed(self, values: Float64) -> Float64:
        """Return probabilities of values, smoothed over their neighbors, (..., values)."""
        if self.smooth is None:
            return values
        if self.whole is None:
            return np.asarray(values @ self.smooth.T)
        return np.asarray((values / self.whole) @ self.near @ self.smooth @ self.near.T)

    def _spread(self, cells: Float64, values: Float64) -> Float64:
        """Return cell probabilities spread over their values in proportion to current ones, (rows, values)."""
        inside = values @ self.held.T
        return np.asarray((np.divide(cells, inside, out=np.zeros_like(inside), where=inside > 0) @ self.held) * values)


def _alike(number: Float64) -> Float64:
    """Return the smoothing weight of each two numbers, (numbers, numbers)."""
    width = np.ptp(number) * SMOOTHED
    return np.asarray(np.exp(-(((number[:, None] - number) / width) ** 2) / 2))


def _between(number: Float64, place: Float64) -> Any:  # noqa: ANN401 - sparse
    """Return interpolation weights of the two grid points around each number, (numbers, places)."""
    left = np.clip(np.searchsorted(place, number, side="right") - 1, 0, place.size - 2)
    right = (number - place[left]) / (place[left + 1] - place[left])
    row = np.tile(np.arange(number.size), 2)
    entries = (np.concatenate([1 - right, right]), (row, np.concatenate([left, left + 1])))
    return scipy.sparse.csr_array(entries, shape=(number.size, place.size))
