"""The probability of a cell over all people, under the attacker's background distribution."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.masks.cells import Cells
from unmask.schema import Numeric


def cell_probability(cells: Cells, line: Int32, people: Float64, *, pooled: bool) -> Float64:
    """Return the probability of each cell, (cells,), under the attacker's background.

    `line` (lines,) is the cell of each line, `people` (lines,) its number of people.

    Infers
        `pooled`: every published cell spreads its people evenly over its values; a cell's probability is the resulting
        share of people in it. Otherwise the background is uniform over all published values. A cell that fits all
        people has probability 1.
    """
    mass = np.bincount(line, weights=people, minlength=cells.n)
    edge, length = _atoms(cells)
    first, last = _spans(cells, edge)
    owner = np.repeat(np.arange(cells.n), np.diff(cells.start))
    measure = np.bincount(owner, weights=_sum(length, first, last), minlength=cells.n)
    atoms = np.bincount(owner, weights=last - first, minlength=cells.n)
    flat = measure[owner] <= 0  # an exact number on a continuous axis has no length: its people are on the atom
    if pooled:
        even = np.where(measure > 0, measure, atoms)
        density = np.divide(mass, even, out=np.zeros(cells.n), where=even > 0)[owner]
        atom = _spread(np.where(flat, 0.0, density), first, last, length.size) * length
        atom += _spread(np.where(flat, density, 0.0), first, last, length.size)
    else:
        atom = length if length.sum() > 0 else np.ones(length.size)
    only_missing = cells.missing & (np.diff(cells.start) == 0) & ~cells.anything
    absent = mass[only_missing].sum() if pooled else float(cells.missing.any())
    result = np.bincount(owner, weights=_sum(atom, first, last), minlength=cells.n) + np.where(cells.missing, absent, 0)
    total = atom.sum() + absent
    share = result / total if total > 0 else np.ones(cells.n)
    return np.where(cells.fits_all, 1.0, np.clip(share, np.finfo(float).tiny, 1.0))


def _sum(atom: Float64, first: Int64, last: Int64) -> Float64:
    """Add up the atoms of each piece, (pieces,)."""
    running = np.concatenate([np.zeros(1), np.cumsum(atom)])
    return np.asarray(running[last] - running[first])


def _spread(density: Float64, first: Int64, last: Int64, n: int) -> Float64:
    """Add each piece's density to all of its atoms, (atoms,)."""
    change = np.zeros(n + 1)
    np.add.at(change, first, density)
    np.add.at(change, last, -density)
    return np.maximum(np.cumsum(change)[:-1], 0.0)


def _atoms(cells: Cells) -> tuple[Float64, Float64]:
    """Cut the axis at every end of a piece: return the edges of the atoms, and their lengths."""
    domain = cells.attribute.domain
    if not isinstance(domain, Numeric):
        n = len(domain.values)
        return np.asarray(np.arange(n + 1) - 0.5, np.float64), np.ones(n)
    ends = [np.where(np.isfinite(cells.low), cells.low, np.nan), np.where(np.isfinite(cells.high), cells.high, np.nan)]
    if domain.step is not None:
        half = domain.step / 2
        ends[0] += np.where(cells.low_open, half, -half)
        ends[1] += np.where(cells.high_open, -half, half)
    edge = np.unique(np.concatenate(ends))
    edge = edge[~np.isnan(edge)]
    if domain.step is not None:
        return np.asarray(edge, np.float64), np.asarray(np.diff(edge) / domain.step)
    edge = np.sort(np.concatenate([edge, np.nextafter(edge, np.inf)]))  # each end is an atom of its own, of length 0
    length = np.asarray(np.diff(edge))
    length[::2] = 0.0
    return np.asarray(edge, np.float64), length


def _spans(cells: Cells, edge: Float64) -> tuple[Int64, Int64]:
    """Return the atoms that each piece covers, (pieces,): the first, and one past the last."""
    domain = cells.attribute.domain
    if isinstance(domain, Numeric) and domain.step is None:
        low = np.where(cells.low_open, np.nextafter(cells.low, np.inf), cells.low)
        high = np.where(cells.high_open, cells.high, np.nextafter(cells.high, np.inf))
    else:
        half = (domain.step or 1.0) / 2 if isinstance(domain, Numeric) else 0.5
        low = cells.low + np.where(cells.low_open, half, -half)
        high = cells.high + np.where(cells.high_open, -half, half)
    top = max(edge.size - 1, 0)
    first = np.minimum(np.searchsorted(edge, low, "left"), top)
    return first, np.clip(np.searchsorted(edge, high, "left"), first, top)
