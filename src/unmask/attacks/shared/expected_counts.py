"""What to expect behind numbers of people that noise was added to: never less than nobody."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr

from unmask.arrays import Float64
from unmask.release import Release

_FAR = -30.0
"""How many deviations below zero a normal tail is so thin that only its limit can be told."""


def expected_positive(noisy: Float64, deviation: float) -> Float64:
    """Return the expected true count behind each noisy one, given that none is negative and the noise about normal.

    What it is without noise; never zero with noise.
    """
    if deviation == 0.0:
        return np.maximum(noisy, 0.0)
    z = noisy / deviation
    near = np.maximum(z, _FAR)
    beyond = np.exp(-(near**2) / 2 - log_ndtr(near)) / np.sqrt(2 * np.pi)
    return np.asarray(deviation * np.where(z < _FAR, -1 / np.minimum(z, _FAR), z + beyond))


def expected_sizes(noisy: Float64, deviation: float) -> Float64:
    """Return how many people to expect in each cell, (cells,), given noisy numbers of people.

    Before anything is known of a cell its size is exponential, with the mean of all cells.
    """
    if deviation == 0.0:
        return np.maximum(noisy, 1e-12)
    mean = float(expected_positive(np.array([noisy.sum()]), deviation * np.sqrt(noisy.size))[0]) / noisy.size
    return expected_positive(noisy - deviation**2 / mean, deviation)


def people_of(release: Release) -> Float64:
    """Return how many people to expect in each group, (groups,), above zero: what is published, unless it is noisy."""
    if not release.noise:
        return release.size
    variance = min(noise.variance * release.counts[name].n_columns for name, noise in release.noise.items())
    return expected_sizes(release.size, variance**0.5)
