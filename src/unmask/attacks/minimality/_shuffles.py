"""Rejection sampling of the positions of a group: random orders and coins; those that lead to the group are kept.

Few orders lead to the group, but most others are rejected after few people, so that millions can be tried, and the kept
ones are independent. Where people differ, a kept order is weighed by the likelihood of its values; the inequality of
weights gives the effective number of orders.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.attacks.minimality._insertion import GroupSetting
from unmask.attacks.minimality._sampling import CHAINS, SampledPosterior, smoothed
from unmask.attacks.shared.counter_random import uniform
from unmask.compiled_code import njit

_FIRST = 500  # orders in a batch of the first round
_COST = 3.0  # numbers that a chain computes in the time of one shuffled person
_ENOUGH = 20  # least effective number of orders in a batch


@njit(cache=True, nogil=True)
def shuffle(  # noqa: C901
    setting: GroupSetting, segments: bool, counts: Int64, lift: Float64, draws: int, found: Float64,  # noqa: FBT001
    stream: np.uint64,
) -> tuple[np.uint64, float, int]:  # fmt: skip
    """Shuffle a group's values; add each order that makes the group to `found` (n, values), by its weight.

    `lift` is (n, values), or empty. Return also the sum of the squared weights, and the number of placed people.
    """
    n, l, minimum, p, closed, merged = setting
    order = np.repeat(np.arange(counts.size), counts)
    seen, left = np.zeros(counts.size, np.int64), np.zeros(counts.size, np.int64)
    squares, put = 0.0, 0
    for _ in range(draws):
        seen[:], left[:] = 0, counts
        largest, size, weight, free = 0, 0, 1.0, False
        for t in range(1, n + 1):
            put += 1
            stream, height = uniform(stream)
            other = t - 1 + int(height * (n - t + 1))
            order[t - 1], order[other] = order[other], order[t - 1]
            value = order[t - 1]
            if lift.size:
                weight *= lift[t - 1, value]
            if free:
                continue
            left[value] -= 1
            seen[value] += 1
            size += 1
            largest = max(largest, seen[value])
            if size < minimum or largest * l > size:
                continue
            if segments:
                seen[:], largest, size = 0, 0, 0
            if t == n:
                size = 0
                break
            stream, height = uniform(stream)
            ends = merged and (n - t < minimum or left.max() * l > n - t)
            if height >= p or (ends and segments):
                free = ends
                if not free:  # closed too early
                    weight = 0.0
                    break
        if weight <= 0.0 or not (free or (closed and size == 0)):
            continue
        squares += weight * weight
        for t in range(n):
            found[t, order[t]] += weight
    return stream, squares, put


def weighed(
    counts: Int64,
    setting: GroupSetting,
    lift: Float64 | None,
    error: float,
    work: float,
    rng: np.random.Generator,
    *,
    segments: bool,
) -> SampledPosterior | None:
    """Return probabilities and their standard errors, and whether enough orders count.

    Shuffling ends when all are at most `error`, or after `work`, in numbers that chains would compute in that time.
    None if some batch kept no order.
    """
    odds = np.zeros((0, 0)) if lift is None else np.ascontiguousarray(lift)
    streams = [np.uint64(seed) for seed in rng.integers(0, 1 << 63, CHAINS, dtype=np.uint64)]
    found, squares = np.zeros((CHAINS, setting.n, counts.size)), 0.0
    places = setting.minimum % setting.l == 0 if segments else not setting.p
    smooth = partial(smoothed, counts=counts, setting=setting, alike=lift is None, places=places)
    draws, spent = _FIRST, 0.0
    while True:
        now = 0.0
        for batch in range(CHAINS):
            stream, more, put = shuffle(setting, segments, counts, odds, draws, found[batch], streams[batch])
            streams[batch] = np.uint64(stream)
            squares += more
            now += put * _COST
        spent += now
        over = spent + 2 * now > work
        draws *= 2
        total = found[:, 0].sum(axis=1)
        if total.all():
            means = smooth(found)
            spread = means.std(axis=0, ddof=1) / CHAINS**0.5
            enough = total.sum() ** 2 / squares >= _ENOUGH * CHAINS
            if over or (enough and spread.max() <= error):
                return SampledPosterior(smooth(found.sum(axis=0, keepdims=True))[0], spread, bool(enough), means)
        elif over:
            return None


__all__ = ["weighed"]
