"""Convergence diagnostics of chains: R-hat, effective sample size and the standard error of a mean.

A sampler started in several places has converged when the variance between
chains is what the variance within them predicts. Successive draws are correlated,
so they are worth fewer independent ones: the effective sample size.

All functions take `draws` of shape (chains, draws) or (chains, draws, quantities)
and return one number a quantity. Chains are split in halves, so that a drifting
chain has a large R-hat. A constant quantity has R-hat 1 and as many effective
draws as draws.

References
----------
Vehtari, Gelman, Simpson, Carpenter and Bürkner. Rank-normalization, folding, and localization: an improved R-hat
for assessing convergence of MCMC. Bayesian Analysis 2021.
Geyer. Practical Markov chain Monte Carlo. Statistical Science 1992 (initial monotone sequence).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64, Int64, frozen
from unmask.compiled_code import njit
from unmask.errors import InvalidInputError
from unmask.wording import message

Draws = NDArray[Any]

_WIDEST = 1 << 16  # range of a count, to use a histogram
_BLOCK = 1 << 21  # draws in memory at once: ranks and transforms need several copies


def r_hat(draws: Draws) -> Float64:
    """Return the rank-normalized split R-hat: the larger one for location and for spread.

    1 means that the chains agree. Ranks make it meaningful without a finite
    variance; distances from the median detect chains of equal location and
    different spread.
    """
    return _by_quantity(draws, _largest_r_hat)


def r_hat_of_counts(draws: Draws) -> Float64:
    """Return `r_hat` of integers, (chains, draws, quantities): ranks come from histograms, without sorting."""
    if draws.size == 0 or float(np.ptp(draws, axis=(0, 1)).max()) > _WIDEST:
        return r_hat(draws)
    half = draws.shape[1] // 2
    halves = np.concatenate([draws[:, :half], draws[:, -half:]])
    return _by_histogram(halves, _quantiles(halves.shape[0] * half))


@cache
def _quantiles(n: int) -> Float64:
    """Return the normal quantiles of n ranks, and of the ranks between them: those of 0, 1/2, 1, ..., n."""
    normal, ranks = NormalDist(), np.arange(1, 2 * n + 1) / 2
    found = [normal.inv_cdf(chance) for chance in ((ranks - 0.375) / (n + 0.25)).tolist()]
    return frozen(np.array([np.nan, *found]))


@njit(cache=True, nogil=True)
def _by_histogram(halves: Draws, quantile: Float64) -> Float64:
    """Return the R-hat of each quantity; `quantile` is that of each rank, and of the ranks between them.

    Loops instead of operations on whole arrays: these take seconds to compile.
    """
    chains, n, quantities = halves.shape
    result, values = np.empty(quantities), np.empty(chains * n, np.int64)
    for quantity in range(quantities):
        for chain in range(chains):
            for i in range(n):
                values[chain * n + i] = 2 * np.int64(halves[chain, i, quantity])
        location, median = _r_hat_of_ranks(values, chains, quantile)
        for place in range(values.size):
            values[place] = abs(values[place] - median)
        spread, _ = _r_hat_of_ranks(values, chains, quantile)
        result[quantity] = max(location, spread)
    return result


@njit(cache=True, nogil=True)
def _r_hat_of_ranks(values: Int64, chains: int, quantile: Float64) -> tuple[float, int]:  # noqa: C901  # as long as it is plain
    """Return the R-hat of normalized ranks, and the median, of even numbers, chain by chain; 1 if all are equal."""
    low = high = values[0]
    for value in values:
        low, high = min(low, value), max(high, value)
    if low == high:
        return 1.0, low
    times = np.zeros(high - low + 1, np.int64)
    for value in values:
        times[value - low] += 1
    below, median, normal = 0, 0, np.empty(times.size)
    for i in range(times.size):
        equal = times[i]
        if equal:
            normal[i] = quantile[2 * below + equal + 1]
            for middle in (values.size // 2, values.size // 2 + 1):
                if below < middle <= below + equal:
                    median += low + i
            below += equal
    n = values.size // chains
    mean, within = np.empty(chains), 0.0
    for chain in range(chains):
        average = 0.0
        for place in range(chain * n, chain * n + n):
            average += normal[values[place] - low] / n
        for place in range(chain * n, chain * n + n):
            within += (normal[values[place] - low] - average) ** 2 / ((n - 1) * chains)
        mean[chain] = average
    overall, between = 0.0, 0.0
    for average in mean:
        overall += average
    for average in mean:
        between += (average - overall / chains) ** 2
    if within == 0.0:
        return np.inf, median // 2
    return np.sqrt((n - 1) / n + between / (chains - 1) / within), median // 2


def effective_draws(draws: Draws) -> Float64:
    """Return the effective sample size of the ranks (bulk)."""
    return _by_quantity(draws, lambda halves: _effective(_normalized(halves)))


def standard_error(draws: Draws) -> Float64:
    """Return the Monte Carlo standard error of the mean over all draws."""

    def error(halves: Float64) -> Float64:
        spread: Float64 = halves.reshape(-1, halves.shape[2]).std(axis=0, ddof=1)
        return np.asarray(spread / np.sqrt(_effective(halves)))

    return _by_quantity(draws, error)


def _by_quantity(draws: Draws, measure: Callable[[Float64], Float64]) -> Float64:
    if draws.ndim not in (2, 3) or draws.shape[0] < 1 or draws.shape[1] < 4:
        raise InvalidInputError(
            message("draws must have shape (chains, at least 4, ...); got {shape}", shape=draws.shape)
        )
    cube = draws.reshape(*draws.shape[:2], -1)
    half = cube.shape[1] // 2
    step = max(1, _BLOCK // (2 * cube.shape[0] * half))
    result = np.empty(cube.shape[2])
    for first in range(0, result.size, step):
        block = cube[:, :, first : first + step].astype(np.float64)
        result[first : first + step] = measure(np.concatenate([block[:, :half], block[:, -half:]]))
    return result.reshape(draws.shape[2:])


def _normalized(draws: Float64) -> Float64:
    """Return the normal quantiles of ranks among all chains; equal numbers share a rank."""
    flat = draws.reshape(-1, draws.shape[2])
    order = np.argsort(flat, axis=0, kind="stable")
    ordered = np.take_along_axis(flat, order, axis=0)
    place = np.arange(flat.shape[0])[:, None]
    new = np.ones(flat.shape, bool)
    new[1:] = ordered[1:] != ordered[:-1]
    last = np.ones(flat.shape, bool)
    last[:-1] = new[1:]
    first_equal = np.maximum.accumulate(np.where(new, place, 0), axis=0)
    last_equal = np.minimum.accumulate(np.where(last, place, flat.shape[0])[::-1], axis=0)[::-1]
    normal = np.empty(flat.shape)
    np.put_along_axis(normal, order, _quantiles(flat.shape[0])[first_equal + last_equal + 2], axis=0)
    return normal.reshape(draws.shape)


def _constant(draws: Float64) -> NDArray[np.bool_]:
    return np.asarray((draws == draws[0, 0]).all(axis=(0, 1)))


def _largest_r_hat(halves: Float64) -> Float64:
    median = np.median(halves.reshape(-1, halves.shape[2]), axis=0)
    location, spread = _split_r_hat(_normalized(halves)), _split_r_hat(_normalized(np.abs(halves - median)))
    return np.asarray(np.maximum(location, spread))


def _split_r_hat(chains: Float64) -> Float64:
    n = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean(axis=0)
    between = chains.mean(axis=1).var(axis=0, ddof=1)  # variance of the means
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((n - 1) / n + between / within)
    return np.where(_constant(chains), 1.0, ratio)


def _autocovariance(chains: Float64) -> Float64:
    """Return the mean over chains of the autocovariance at every lag, (draws, quantities)."""
    n = chains.shape[1]
    length = 1 << (2 * n - 1).bit_length()  # of powers of two, transforms are fast
    spectrum = np.fft.rfft(chains - chains.mean(axis=1, keepdims=True), length, axis=1)
    return np.asarray(np.fft.irfft(np.abs(spectrum) ** 2, length, axis=1)[:, :n].mean(axis=0) / n)


def _effective(chains: Float64) -> Float64:
    n_chains, n, _ = chains.shape
    total = n_chains * n
    covariance = _autocovariance(chains)
    within = covariance[0] * n / (n - 1)
    overall = covariance[0] + (chains.mean(axis=1).var(axis=0, ddof=1) if n_chains > 1 else 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = 1 - (within - covariance) / overall
    correlation[0] = 1.0

    # For a reversible chain, sums of pairs are positive and decrease: the rest is noise, and is truncated.
    pair = correlation[0 : 2 * ((n - 1) // 2) : 2] + correlation[1 : 2 * ((n - 1) // 2) : 2]
    positive = np.logical_and.accumulate(pair > 0, axis=0)
    used = np.where(positive, np.minimum.accumulate(pair, axis=0), 0.0)
    n_pairs = positive.sum(axis=0)
    rest = np.take_along_axis(correlation, 2 * np.minimum(n_pairs, (n - 1) // 2)[None, :], axis=0)[0]
    time = np.maximum(-1 + 2 * used.sum(axis=0) + np.maximum(rest, 0.0), 1 / np.log10(total))
    return np.where(_constant(chains), float(total), total / time)
