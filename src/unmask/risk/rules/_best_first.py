"""Sets of attributes searched best first, where they are too many to be all tried."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numba import njit

from unmask import work
from unmask.arrays import Bool, Float64, Int64
from unmask.risk._bits import UInt64, bits_of, blocks_of_bits, popcount
from unmask.risk.consistency import Consistency
from unmask.risk.sensitivity import Sensitivity

NEGLIGIBLE = 1e-12
"""A bound that is lower than the loss by no more than this part of it is no lower."""


def best_first(
    consistency: Consistency, sensitivity: Sensitivity, k: int, effort: int, wanted: Bool
) -> tuple[Bool, Float64]:
    """Return for each record k attributes of least loss as far as found, and how far above the least that may be.

    A set of attributes bounds all that contain it and are made by adding later ones: they harm at least as much as
    with the lightest weights added, and no more entries fit than fit with the r-th most frequent of r added. Where
    disclosing all that may be added fits nobody, the bound is 0.

    Attributes are put in the order of MinRisk, so that good sets come first; those that are `wanted` of all,
    (attributes,), come before them and are in every set.
    """
    n, m = consistency.ours.shape
    chosen, gap = np.zeros((n, m), bool), np.zeros(n)
    share = consistency.shares()
    cost = sensitivity.weight - np.log(np.where(share > 0, share, 1.0))
    available = consistency.available
    sets = np.zeros((0, m), bool) if sensitivity.sets is None else sensitivity.sets
    weights = np.zeros((n, 0)) if sensitivity.set_weight is None else sensitivity.set_weight
    numbers = (sensitivity.form == "multiplicative", sensitivity.constant, sensitivity.wrong)
    with work.step("searching sets of attributes", n) as step:
        for records in blocks_of_bits(consistency):
            bits, row_of = bits_of(consistency, records)
            for i, rows in zip(range(*records.indices(n)), row_of, strict=True):
                here = np.flatnonzero(available[i])
                here = here[np.lexsort((cost[i, here], ~wanted[here]))]
                begun = int(wanted[here].sum())
                if here.size <= k or begun == k:
                    chosen[i, here[:k]] = True
                else:
                    inner = np.array([(1 << np.arange(here.size))[s[here]].sum() for s in sets], np.int64)
                    whole = np.array([available[i, s].all() for s in sets], bool)
                    inner, extra = inner[whole], weights[i][whole]
                    harms = Harms(sensitivity.weight[i, here], inner, extra, *numbers)
                    found, gap[i] = _search(bits[rows[here]], harms, k, begun, effort)
                    chosen[i, here[(found >> np.arange(here.size)) & 1 == 1]] = True
                step.advance()
    return chosen, gap


class Harms(NamedTuple):
    """What the values of one record weigh, and how that becomes a loss."""

    weight: Float64  # (attributes,)
    sets: Int64  # (sets,) attributes that weigh together, as bits
    set_weight: Float64  # (sets,)
    product: bool
    constant: float
    wrong: float


@njit(cache=True, nogil=True)
def _total(chosen: np.int64, harms: Harms) -> float:
    """Add up the weights of a set of attributes, given as bits."""
    total = 0.0
    for j in range(harms.weight.size):
        if (chosen >> j) & 1:
            total += harms.weight[j]
    for t in range(harms.sets.size):
        if harms.sets[t] & chosen == harms.sets[t]:
            total += harms.set_weight[t]
    return total


@njit(cache=True, nogil=True)
def _loss(total: float, count: np.int64 | int, harms: Harms) -> float:
    """Return the loss of what weighs so much and fits so many."""
    if count == 0:
        return 0.0
    harm = harms.constant + (np.exp(total) if harms.product else total)
    return harm / count + (harms.wrong * (1 - 1 / count) if count > 1 and harms.wrong > 0 else 0.0)


@njit(cache=True, nogil=True)
def _open(bits: UInt64, chosen: np.int64, last: np.int64, here: UInt64, counts: Int64) -> None:
    """Find the entries that fit a set, and how many of them fit with each later attribute."""
    here[:] = ~np.uint64(0)
    for j in range(bits.shape[0]):
        if (chosen >> j) & 1:
            here &= bits[j]
    for j in range(last + 1, bits.shape[0]):
        counts[j] = 0
        for w in range(here.size):
            counts[j] += popcount(here[w] & bits[j, w])


@njit(cache=True, nogil=True)
def _nobody(here: UInt64, rows: UInt64) -> bool:
    """Say whether nobody is left of some entries who fits all of the rows."""
    for w in range(here.size):
        left = here[w]
        for r in range(rows.shape[0]):
            left &= rows[r, w]
        if left:
            return False
    return True


@njit(cache=True, nogil=True)
def _bound(total: float, later: Float64, counts: Int64, mine: np.int64, left: np.int64, harms: Harms) -> float:
    """Return the least that a set may cost once `left` of the later attributes are added, if somebody fits then."""
    total += np.sort(later)[:left].sum()
    most = min(mine, np.sort(counts)[counts.size - left])
    return min(_loss(total, most, harms), _loss(total, 1, harms))


@njit(cache=True, nogil=True)
def _search(bits: UInt64, harms: Harms, k: int, begun: int, effort: int) -> tuple[np.int64, float]:
    """Search for k of some attributes, the first ones among them; return the best found, and how far off it may be."""
    m, looked = bits.shape[0], 0
    here, counts = np.empty(bits.shape[1], np.uint64), np.empty(m, np.int64)
    best, best_loss = np.int64((1 << k) - 1), np.inf
    queue = [
        (0.0, np.int64((1 << begun) - 1), np.int64(begun - 1), np.int64(begun))
    ]  # bound, set, its last attribute, its size
    while queue and queue[0][0] < best_loss * (1 - NEGLIGIBLE) and looked < effort:
        _, chosen, last, size = heapq.heappop(queue)
        _open(bits, chosen, last, here, counts)
        left = k - size - 1
        for j in range(last + 1, m - left):
            looked += 1
            inside = chosen | (np.int64(1) << j)
            total = _total(inside, harms)
            if left == 0:
                loss = _loss(total, counts[j], harms)
                if loss < best_loss:
                    best, best_loss = inside, loss
                continue
            least = 0.0
            if not _nobody(here, bits[j:]):
                least = _bound(total, harms.weight[j + 1 :], counts[j + 1 :], counts[j], left, harms)
            if least < best_loss:
                heapq.heappush(queue, (least, inside, np.int64(j), np.int64(size + 1)))
    if not queue or queue[0][0] >= best_loss * (1 - NEGLIGIBLE):
        return best, 0.0
    return best, best_loss - queue[0][0]
