"""Best-first (branch and bound) search for sets of attributes of least loss."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from unmask.arrays import Bool, Float64, Int64
from unmask.compiled_code import njit
from unmask.decision_risk.bitmaps import UInt64, added, bits_of, blocks_of_bits, popcount
from unmask.decision_risk.consistency import NO_WEIGHTS, Consistency
from unmask.decision_risk.sensitivity import Sensitivity
from unmask.runtime import work
from unmask.wording import message

NEGLIGIBLE = 1e-12
"""Relative tolerance below which a bound counts as equal to the loss."""


_PER_PAIR, _PER_WORD = 0.85e-9, 1e-9  # seconds of a look for each pair of attributes, and 64 entries: measured


def seconds(consistency: Consistency, effort: int) -> float:
    """Return the estimated seconds of a search that visits `effort` sets for every record."""
    n, m = consistency.ours.shape
    return float(n * effort * (_PER_PAIR * m * m + _PER_WORD * consistency.n_entries / 64))


def best_first(
    consistency: Consistency, sensitivity: Sensitivity, k: int, effort: int, wanted: Bool
) -> tuple[Bool, Float64]:
    """Return for each record the best k attributes found, and an upper bound of their excess over the least loss.

    A set of attributes bounds all sets made by adding later attributes: their harm is at least that with the lightest
    weights added, and their matching entries are at most those with the r-th most frequent of r added. The bound is 0
    if no entry matches in all attributes that may be added. Under unequal selection, the same holds for sums of
    selection probabilities.

    Attributes are in the order of MinRisk, so that good sets come first; those `wanted` in every set, (attributes,),
    come before them.
    """
    n, m = consistency.ours.shape
    chosen, gap = np.zeros((n, m), bool), np.zeros(n)
    share = consistency.shares()
    cost = sensitivity.weight - np.log(np.where(share > 0, share, 1.0))
    available = consistency.available
    sets = np.zeros((0, m), bool) if sensitivity.sets is None else sensitivity.sets
    weights = np.zeros((n, 0)) if sensitivity.set_weight is None else sensitivity.set_weight
    numbers = (sensitivity.form == "multiplicative", sensitivity.constant, sensitivity.wrong)
    unequal = consistency.probability is not None and consistency.own is not None
    weighs = consistency.probability is not None and (unequal or consistency.once)
    share_of = consistency.probability if consistency.probability is not None and weighs else NO_WEIGHTS
    with work.step(message("searching sets of attributes"), n) as step:
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
                    found, gap[i] = _search(
                        bits[rows[here]], _own(consistency, i, here, share_of), harms, k, begun, effort
                    )
                    chosen[i, here[(found >> np.arange(here.size)) & 1 == 1]] = True
                step.advance()
    return chosen, gap


class Own(NamedTuple):
    """The selection weights of entries, and the record's own entry; or the counting weights."""

    weight: Float64  # (entries,) empty under uniform selection, or without an own entry
    share: float  # the weight of the own one; 0 where weights are added up to people
    fits: int  # attributes in which it matches, as bits


def _own(consistency: Consistency, i: int, here: Int64, weight: Float64) -> Own:
    if consistency.once:
        return Own(weight, 0.0, 0)
    own = -1 if consistency.own is None or not weight.size else int(consistency.own[i])
    if own < 0:
        return Own(NO_WEIGHTS, 0.0, 0)
    fits = consistency.fits(np.array([i]), np.array([own]))[0, here]
    return Own(weight, float(weight[own]), int((1 << np.flatnonzero(fits)).sum()))


class Harms(NamedTuple):
    """The weights of one record's values, and the form of the harm."""

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
def _loss(total: float, chance: float, harms: Harms) -> float:
    """Return the loss for a total weight and a probability of identification."""
    if chance == 0:
        return 0.0
    harm = harms.constant + (np.exp(total) if harms.product else total)
    return harm * chance + (harms.wrong * (1 - chance) if chance < 1 and harms.wrong > 0 else 0.0)


@njit(cache=True, nogil=True)
def _chance(chosen: np.int64, count: np.int64, mass: float, own: Own) -> float:
    """Return the identification probability for a set; 0 without a matching entry."""
    if count == 0:
        return 0.0
    return min(own.share / mass, 1.0) if own.share > 0 and chosen & ~own.fits == 0 else 1 / count


@njit(cache=True, nogil=True)
def _chance_of_first(bits: UInt64, own: Own, chosen: np.int64, k: int) -> float:
    """Return the identification probability if the first k attributes (`chosen` as bits) are disclosed."""
    here, count = np.full(bits.shape[1], ~np.uint64(0)), np.int64(0)
    for j in range(k):
        here &= bits[j]
    for w in range(here.size):
        count += popcount(here[w])
    return _chance(chosen, count, added(here, own.weight) if own.share > 0 else 0.0, own)


@njit(cache=True, nogil=True)
def _open(
    bits: UInt64, own: Own, chosen: np.int64, last: np.int64, here: UInt64, counts: Int64, masses: Float64
) -> None:
    """Find the entries that match a set, and count those that match with each later attribute."""
    here[:] = ~np.uint64(0)
    for j in range(bits.shape[0]):
        if (chosen >> j) & 1:
            here &= bits[j]
    for j in range(last + 1, bits.shape[0]):
        counts[j] = 0
        for w in range(here.size):
            counts[j] += popcount(here[w] & bits[j, w])
        if own.weight.size:
            masses[j] = added(here & bits[j], own.weight)
            if own.share == 0:
                counts[j] = round(masses[j])


@njit(cache=True, nogil=True)
def _is_empty(here: UInt64, rows: UInt64) -> bool:
    """Whether the intersection of some entries with all rows is empty."""
    for w in range(here.size):
        left = here[w]
        for r in range(rows.shape[0]):
            left &= rows[r, w]
        if left:
            return False
    return True


@njit(cache=True, nogil=True)
def _bound(
    chosen: np.int64, j: np.int64, counts: Int64, masses: Float64, left: np.int64, own: Own, harms: Harms
) -> float:
    """Return a lower bound of the loss of a set with `left` attributes after j added, if an entry matches."""
    total = _total(chosen, harms) + np.sort(harms.weight[j + 1 :])[:left].sum()
    later = counts.size - j - 1 - left
    chance = 1 / min(counts[j], np.sort(counts[j + 1 :])[later])
    if own.share > 0 and chosen & ~own.fits == 0:
        chance = min(chance, own.share / min(masses[j], np.sort(masses[j + 1 :])[later]))
    return min(_loss(total, chance, harms), _loss(total, 1.0, harms))


@njit(cache=True, nogil=True)
def _search(bits: UInt64, own: Own, harms: Harms, k: int, begun: int, effort: int) -> tuple[np.int64, float]:
    """Search for k attributes that include the first ones; return the best set, and its largest possible excess."""
    m, looked = bits.shape[0], 0
    here, counts, masses = np.empty(bits.shape[1], np.uint64), np.empty(m, np.int64), np.zeros(m)
    best = np.int64((1 << k) - 1)
    best_loss = _loss(_total(best, harms), _chance_of_first(bits, own, best, k), harms)
    queue = [
        (0.0, np.int64((1 << begun) - 1), np.int64(begun - 1), np.int64(begun))
    ]  # bound, set, its last attribute, its size
    while queue and queue[0][0] < best_loss * (1 - NEGLIGIBLE) and looked < effort:
        _, chosen, last, size = heapq.heappop(queue)
        _open(bits, own, chosen, last, here, counts, masses)
        left = k - size - 1
        for j in range(last + 1, m - left):
            looked += 1
            inside = chosen | (np.int64(1) << j)
            if left == 0:
                loss = _loss(_total(inside, harms), _chance(inside, counts[j], masses[j], own), harms)
                if loss < best_loss:
                    best, best_loss = inside, loss
                continue
            least = 0.0
            if not _is_empty(here, bits[j:]):
                least = _bound(inside, np.int64(j), counts, masses, left, own, harms)
            if least < best_loss:
                heapq.heappush(queue, (least, inside, np.int64(j), np.int64(size + 1)))
    if not queue or queue[0][0] >= best_loss * (1 - NEGLIGIBLE):
        return best, 0.0
    return best, best_loss - queue[0][0]
