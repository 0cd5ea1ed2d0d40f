"""Smooth interpolation of frequencies inside ranges that no published set divides.

For a range of ages that no cell divides, a release gives the number of people by value, not their distribution. If the
next range has a value more often, the upper end probably has, too. So the frequency of a value among people of a level
is interpolated with the smallest squared steps between levels that keep the total of every range.

References
----------
Tobler. Smooth pycnophylactic interpolation for geographical regions. J. American Statistical Association 1979.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unmask.arrays import Bool, Float64, Int64
from unmask.attacks.definetti.set_valued_model import AttributeAxis, LevelModel

_LEAST = 0.1  # of the range's mean, the least share of each level


def interpolate(one: LevelModel) -> LevelModel:
    """Return the model, interpolated inside each range of levels that no set divides."""
    part = parts(one.axis)
    if part is None:
        return one
    people = one.expected.sum(axis=0)
    overall = one.theta @ (people + one.alpha) / (people + one.alpha).sum()
    covered = np.bincount(one.axis.cells.column, one.axis.cells.data, one.axis.n_levels) > 0
    theta = smoothest(one.theta / overall[:, None], part, covered) * overall[:, None]
    return replace(one, theta=theta, expected=people * theta)


def parts(axis: AttributeAxis) -> Int64 | None:
    """Return the range of each level, (levels,), -1 for levels without a place; None if all levels are separate."""
    if axis.place is None:
        return None
    sets = axis.matrix()
    line = np.flatnonzero(np.isfinite(axis.place))
    parted = np.asarray(abs(sets[:, line[:-1]] - sets[:, line[1:]]).sum(axis=0)).ravel() > 0
    part = np.full(axis.n_levels, -1, np.int64)
    part[line] = np.concatenate([np.zeros(1, np.int64), np.cumsum(parted)])[: line.size]
    return None if parted.all() else part


def smoothest(values: Float64, part: Int64, covered: Bool) -> Float64:
    """Return the smoothest numbers along the line that keep the mean of each range, (levels, values).

    Minimizes the sum of squared steps; if a level would get too little, its range is mixed with its mean.
    Levels that no set covers (`covered` (levels,)) are skipped, and keep their numbers.
    """
    line = np.flatnonzero(part >= 0)
    ranges = np.unique(part[(part >= 0) & covered])
    sums = ((part[line] == ranges[:, None]) & covered[line]).astype(np.float64)
    steps = np.diff(np.eye(line.size), axis=0)
    n = line.size
    system = np.block([[steps.T @ steps, sums.T], [sums, np.zeros((ranges.size, ranges.size))]])
    total = sums @ values[line]
    found = np.linalg.solve(system, np.concatenate([np.zeros((n, values.shape[1])), total]))[:n]
    at = np.flatnonzero(covered[line])
    own = np.searchsorted(ranges, part[line[at]])
    mean = (total / sums.sum(axis=1, keepdims=True))[own]
    short = np.divide(mean - found[at], mean, out=np.zeros_like(mean), where=mean > 0)  # above 1: negative
    worst = np.zeros_like(total)
    np.maximum.at(worst, own, short)
    kept = np.minimum(1.0, (1 - _LEAST) / np.maximum(worst, 1 - _LEAST))[own]
    result = values.copy()
    result[line[at]] = mean + kept * (found[at] - mean)
    return result
