"""Features for a learner: a range becomes its middle, a set the share of each of its values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.masks.atoms import stretched
from unmask.masks.cells import Cells
from unmask.schema import Categorical, Numeric

MOST_PARTS = 100
"""Most listed values that get a feature each; longer lists are encoded by the position in the list."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of each attribute, and the substitute for an unknown number."""

    in_parts: tuple[bool, ...]
    middle: tuple[float, ...]

    @classmethod
    def of(cls, columns: tuple[Cells, ...]) -> Encoding:
        """Choose the encoding of the published cells."""
        in_parts, middle = [], []
        for cells in columns:
            domain = cells.attribute.domain
            in_parts.append(isinstance(domain, Categorical) and len(domain.values) <= MOST_PARTS)
            known = _middles(cells)
            known = known[~np.isnan(known)]
            middle.append(float(known.mean()) if known.size else 0.0)
        return cls(tuple(in_parts), tuple(middle))

    def of_lines(self, columns: tuple[Cells, ...], cell: Int32) -> Float64:
        """Encode lines, (lines, features); `cell` is (lines, attributes)."""
        parts = []
        for i, cells in enumerate(columns):
            if self.in_parts[i]:
                of_cells = _parts(cells)
            else:
                known = _middles(cells)
                unknown = np.isnan(known)
                of_cells = np.stack([np.where(unknown, self.middle[i], known), unknown.astype(float)], axis=1)
            parts.append(of_cells[cell[:, i]])
        return np.concatenate(parts, axis=1) if parts else np.zeros((cell.shape[0], 0))


def _parts(cells: Cells) -> Float64:
    """Return the share of each listed value in each cell, (cells, values + 1); the missing value is the last column."""
    n = len(cells.attribute.values)
    fits = cells.likelihood(np.arange(n, dtype=np.int32)).dense()
    fits = np.concatenate([fits, (cells.missing & ~cells.anything)[:, None]], axis=1)
    total = fits.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(fits, total, out=np.zeros_like(fits), where=total > 0))


def _middles(cells: Cells) -> Float64:
    """Return the mean of each cell under a uniform spread, (cells,); NaN where it is unknown."""
    domain = cells.attribute.domain
    low, high = (cells.low, cells.high) if not isinstance(domain, Numeric) else stretched(cells)
    usable = np.isfinite(low) & np.isfinite(high) & (low > -1 if not isinstance(domain, Numeric) else True)
    owner = np.repeat(np.arange(cells.n), np.diff(cells.start))[usable]
    low, high = low[usable], high[usable]
    width = high - low + (0.0 if isinstance(domain, Numeric) else 1.0)
    total = np.bincount(owner, width, cells.n)
    width = np.where(total[owner] > 0, width, 1.0)
    total = np.bincount(owner, width, cells.n)
    sums = np.bincount(owner, width * (low + high) / 2, cells.n)
    return np.where(
        (total > 0) & ~cells.anything, np.divide(sums, total, out=np.zeros(cells.n), where=total > 0), np.nan
    )
