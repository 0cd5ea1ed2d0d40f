"""Rows that show nothing are not like those that show something, so less is learned of them than it seems.

A group is suppressed because its members are unlike. What miners learned from groups that are alike is then only half
true, and the more groups are suppressed the less is known of them. The control does not see whether a row is one of
them, and is not evened out.
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Bool, Float64, Int32
from unmask.attacks.fusion.rules.published_cells import PublishedCells

DOUBT = 2 / 3
"""How far beliefs are evened out where all rows show nothing; by the square of their share where some do."""


def silent(cells: PublishedCells) -> Bool:
    """Say which cells hold every declared value, (cells,); numbers always say something."""
    if cells.inside is None:
        return np.zeros(cells.likelihood.n_rows, bool)
    return np.asarray(np.diff(cells.likelihood.start) == cells.n_values)


def doubted(score: Float64, cell: Int32, cells: PublishedCells) -> Float64:
    """Even out what is believed of rows that show nothing, (rows, values), by how many rows do."""
    nothing = silent(cells)
    here = np.flatnonzero(nothing[cell])
    if not here.size:
        return score
    hidden = float(nothing[cells.cell].mean())
    score[here] = score[here] ** (1 - DOUBT * hidden**2)
    return score
