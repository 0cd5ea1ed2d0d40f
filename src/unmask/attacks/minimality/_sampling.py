"""Gibbs sampling of the positions of a group with too many states: several chains of orders, until they agree.

Each chain redraws the positions of one value after the other, and sums the exact marginals given the order of the
others (Rao-Blackwell). Chains begin at different orders, so their differences measure the error.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.attacks.minimality._insertion import GroupSetting, Workspace, insert, sweep, workspace_for

CHAINS = 24
"""Chains, or batches of shuffled orders."""

_WARM = 5  # sweeps before the first that counts
_TRIES = 20  # tries to find a first order
_FIRST = 4  # sweeps of the first round; the second is as long, and every further one as long as all before
_DRIFT = 2.0  # standard errors between the halves of the chains, above which they have not converged


class SampledPosterior(NamedTuple):
    """Sampled posterior of one group."""

    mean: Float64  # (n, values)
    error: Float64  # (n, values)
    settled: bool
    each: Float64  # (chains, n, values)


def sampled(
    counts: Int64, setting: GroupSetting, lift: Float64 | None, error: float, work: float, rng: np.random.Generator
) -> SampledPosterior | None:
    """Return probabilities and their standard errors, and whether the chains agree.

    Sampling ends when all are at most `error`, or before `work` numbers have been computed. None if no first order was
    found, or for too large a group.
    """
    space = workspace_for(counts, banded=lift is None)
    odds = np.zeros((0, 0)) if lift is None else np.ascontiguousarray(lift)
    cells = setting.n * float(space.widths.sum()) * CHAINS
    if cells * (_WARM + 2 * _FIRST) > work:
        return None
    begun = [_begun(counts, setting, odds, space, rng) for _ in range(CHAINS)]
    orders = [order for order in begun if order is not None]
    if len(orders) < CHAINS:
        return None
    streams = [np.uint64(seed) for seed in rng.integers(0, 1 << 63, CHAINS, dtype=np.uint64)]
    nothing, found = np.zeros((0, 0)), np.zeros((CHAINS, setting.n, counts.size))
    smooth = partial(smoothed, counts=counts, setting=setting, alike=lift is None, places=not setting.p)
    spent, sweeps = 0.0, _FIRST
    while True:
        begins = spent == 0.0
        earlier = found.copy()
        for chain, order in enumerate(orders):
            for _ in range(_WARM * begins):
                streams[chain] = np.uint64(sweep(setting, order, counts, odds, space, nothing, streams[chain]))
            for _ in range(sweeps):
                streams[chain] = np.uint64(sweep(setting, order, counts, odds, space, found[chain], streams[chain]))
        spent += cells * (sweeps + _WARM * begins)
        means = smooth(found)
        spread = means.std(axis=0, ddof=1) / CHAINS**0.5
        enough = not begins and spread.max() <= error
        if not begins:
            settled = _apart(smooth(found - earlier) - smooth(earlier)) < _DRIFT
            if (enough and settled) or spent + 2 * cells * sweeps > work:
                return SampledPosterior(means.mean(axis=0), spread, settled, means)
            sweeps *= 2


def _apart(differences: Float64) -> float:
    """Return the difference between the halves of the chains in standard errors, as a root mean square."""
    spread = differences.std(axis=0, ddof=1) / CHAINS**0.5
    seen = spread > 1e-9
    if not seen.any():
        return 0.0
    return float(np.sqrt(np.mean((differences.mean(axis=0)[seen] / spread[seen]) ** 2)))


def _begun(
    counts: Int64, setting: GroupSetting, odds: Float64, space: Workspace, rng: np.random.Generator
) -> Int64 | None:
    """Return an order that leads to the group: a random one, with the positions of one value redrawn."""
    nothing = np.zeros((0, 0))
    for _ in range(_TRIES):
        order = rng.permutation(np.repeat(np.arange(counts.size), counts))
        seed = np.uint64(rng.integers(0, 1 << 63, dtype=np.uint64))
        for value in np.lexsort((rng.random(counts.size), -counts)):
            if insert(setting, order, int(value), counts, odds, space, nothing, seed)[1]:
                return order
    return None


def smoothed(found: Float64, counts: Int64, setting: GroupSetting, *, alike: bool, places: bool) -> Float64:
    """Return probabilities, averaged over equal ones: values with equal counts, and positions between checks."""
    found = found / found.sum(axis=2, keepdims=True)
    if not alike:
        return found
    for c in np.unique(counts):
        same = counts == c
        found[:, :, same] = found[:, :, same].mean(axis=2, keepdims=True)
    if not places:
        return found
    start = exchangeable(setting)
    length = np.diff(np.append(start, setting.n))
    means = np.add.reduceat(found, start, axis=1) / length[:, None]
    return np.repeat(means, length, axis=1)


def exchangeable(setting: GroupSetting) -> Int64:
    """Return the first of each run of positions between checks: without a coin, their probabilities are equal."""
    checks = np.arange(setting.minimum // setting.l + 1, -(-setting.n // setting.l)) * setting.l
    start = np.unique(np.concatenate([[0, setting.minimum], checks]))
    return np.asarray(start[start < setting.n], np.int64)
