"""Flattened beliefs about suppressed rows, which differ from the rows that miners are trained on.

A group is suppressed because its members differ. Predictions from groups of similar members then hold only in part,
and the less the more groups are suppressed. The control ignores whether a row is suppressed, and is not flattened.
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Bool, Float64, Int32
from unmask.attacks.fusion.rules.published_cells import PublishedCells

DOUBT = 2 / 3
"""The strength of flattening if all rows are suppressed; it falls with the square of their share."""


def silent(cells: PublishedCells) -> Bool:
    """Return which cells contain every declared value, (cells,); none for published numbers."""
    if cells.inside is None:
        return np.zeros(cells.likelihood.n_rows, bool)
    return np.asarray(np.diff(cells.likelihood.start) == cells.n_values)


def doubted(score: Float64, cell: Int32, cells: PublishedCells) -> Float64:
    """Return scores, (rows, values), flattened for suppressed rows by the share of such rows."""
    nothing = silent(cells)
    here = np.flatnonzero(nothing[cell])
    if not here.size:
        return score
    hidden = float(nothing[cells.cell].mean())
    score[here] = score[here] ** (1 - DOUBT * hidden**2)
    return score
