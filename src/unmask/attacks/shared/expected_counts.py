"""Expected true counts behind noisy counts, given that they are not negative."""

from __future__ import annotations

import numpy as np
import scipy

from unmask.arrays import Float64
from unmask.release import Release

_FAR = -30.0
"""Standard deviations below zero, from which only the limit of the normal tail can be computed."""


def expected_positive(noisy: Float64, deviation: float) -> Float64:
    """Return the expected true count behind each noisy one, given that none is negative and the noise about normal.

    Without noise the count itself; with noise always positive.
    """
    if deviation == 0.0:
        return np.maximum(noisy, 0.0)
    z = noisy / deviation
    near = np.maximum(z, _FAR)
    beyond = np.exp(-(near**2) / 2 - scipy.special.log_ndtr(near)) / np.sqrt(2 * np.pi)
    return np.asarray(deviation * np.where(z < _FAR, -1 / np.minimum(z, _FAR), z + beyond))


def expected_sizes(noisy: Float64, deviation: float) -> Float64:
    """Return the expected number of people in each cell, (cells,), given noisy numbers.

    The prior of a cell's size is exponential, with the mean of all cells.
    """
    if deviation == 0.0:
        return np.maximum(noisy, 1e-12)
    mean = float(expected_positive(np.array([noisy.sum()]), deviation * np.sqrt(noisy.size))[0]) / noisy.size
    return expected_positive(noisy - deviation**2 / mean, deviation)


def people_of(release: Release) -> Float64:
    """Return the expected number of people in each group, (groups,), above zero: the published size unless noisy."""
    if not release.noise:
        return release.size
    variance = min(noise.variance * release.counts[name].n_columns for name, noise in release.noise.items())
    return expected_sizes(release.size, variance**0.5)
