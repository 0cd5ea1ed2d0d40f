"""How people are spread inside a range that no published set parts: as smoothly as what is known around it allows.

Of a range of ages that stands whole in every cell, a release tells how many people of each value lie in it, not where.
If the next range has more of a value, its upper end probably has, too. So the distribution is drawn that changes least
from level to level and keeps the total of every range: what sets do tell stays as it was.

References
----------
Tobler. Smooth pycnophylactic interpolation for geographical regions. J. American Statistical Association 1979.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.inference.generalized import Axis, Learned

_LEAST = 0.1  # of its mean in the range, that each level keeps


def interpolated(one: Learned) -> Learned:
    """Spread what was learned smoothly inside every range of levels that the sets never part."""
    part = parts(one.axis)
    if part is None:
        return one
    theta = smoothest(one.theta, part)
    return replace(one, theta=theta, expected=one.expected.sum(axis=0) * theta)


def parts(axis: Axis) -> Int64 | None:
    """Return the number of the range that each level lies in, (levels,), -1 beside the line; None if all are parted."""
    if axis.place is None:
        return None
    sets = axis.matrix()
    line = np.flatnonzero(np.isfinite(axis.place))
    parted = np.asarray(abs(sets[:, line[:-1]] - sets[:, line[1:]]).sum(axis=0)).ravel() > 0
    part = np.full(axis.n_levels, -1, np.int64)
    part[line] = np.concatenate([np.zeros(1, np.int64), np.cumsum(parted)])[: line.size]
    return None if parted.all() else part


def smoothest(theta: Float64, part: Int64) -> Float64:
    """Return the numbers that change least along the line and keep the total of each part, (levels, values).

    Minimizes the sum of squared steps; where that would leave a level with too little, the part is mixed with its mean.
    """
    line = np.flatnonzero(part >= 0)
    sums = (part[line] == np.arange(part.max() + 1)[:, None]).astype(np.float64)
    steps = np.diff(np.eye(line.size), axis=0)
    n = line.size
    system = np.block([[steps.T @ steps, sums.T], [sums, np.zeros((sums.shape[0], sums.shape[0]))]])
    total = sums @ theta[line]
    right = np.concatenate([np.zeros((n, theta.shape[1])), total])
    found = np.linalg.solve(system, right)[:n]
    mean = sums.T @ (total / sums.sum(axis=1, keepdims=True))
    short = np.divide(mean - found, mean, out=np.zeros_like(mean), where=mean > 0)  # above 1: less than nothing
    worst = np.zeros_like(total)
    np.maximum.at(worst, part[line], short)
    kept = np.minimum(1.0, (1 - _LEAST) / np.maximum(worst, 1 - _LEAST))[part[line]]
    result = theta.copy()
    result[line] = mean + kept * (found - mean)
    return result
