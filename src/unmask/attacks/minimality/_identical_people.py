"""Posterior of positions in a group of identical people under a coin per prefix, computed in probabilities.

Each person is positive with the group's share, independently; the computation has the probability of each state, and
that of a valid end from there. Two things make groups of hundred thousands affordable: very improbable states are
dropped; and what is merged into a closed group may have any order, so that its end has a closed form.
"""

from __future__ import annotations

import math

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.attacks.minimality._prefix import BinaryGroup, safe
from unmask.compiled_code import njit

_FAR = 60.0  # states less probable than e^-60 between the first person and the last are left out
_LEAST = 1e-30  # less probable states are dropped; all together they are negligible beside `RARE`

RARE = 1e-10
"""The least probability of a group for which dropped states are negligible."""


def shares(group: BinaryGroup, *, closed: bool) -> tuple[Float64, float]:
    """Return the probability that each person is positive, (n,), and the probability of the group.

    Valid only for a group more probable than `RARE`.
    """
    n, c = group.n, group.c
    t = np.arange(n + 1)
    middle, variance = t * (c / n), t * (n - t) / n * (c / n) * (1 - c / n)
    reach = _FAR / 3 + np.sqrt((_FAR / 3) ** 2 + 2 * _FAR * variance)  # Bernstein's inequality
    low = np.maximum(np.maximum(0, c - (n - t)), np.floor(middle - reach).astype(np.int64))
    high = np.minimum(np.minimum(c, t), np.ceil(middle + reach).astype(np.int64))
    found, whole = _shares(group, closed, low, high)
    return found, float(whole)


@njit(cache=True, nogil=True)
def _from_here(group: BinaryGroup, t: int, k: int) -> float:
    """Return the probability that the people after t have the remaining positives, in any order."""
    people, positives = group.n - t, group.c - k
    if positives < 0 or positives > people:
        return 0.0
    q = group.c / group.n
    ways = math.lgamma(people + 1) - math.lgamma(positives + 1) - math.lgamma(people - positives + 1)
    return math.exp(ways + positives * math.log(q) + (people - positives) * math.log1p(-q))


@njit(cache=True, nogil=True)
def _closes(group: BinaryGroup, t: int, shift: int, begin: int, end: int, worth: Float64) -> None:
    """Set `worth` of states `begin` to `end`: the coin's chance to close after t people, times that of a valid end."""
    worth[begin - shift : end + 1 - shift] = 0.0
    if not group.merged:
        return
    rest_first, rest_last = safe(group, group.n - t)
    q = group.c / group.n
    here = -1.0
    for k in range(begin, end + 1):
        people, positives = group.n - t, group.c - k
        if here > 0.0:  # from the state before: one positive fewer is left
            here *= (positives + 1) / (people - positives) * (1.0 - q) / q
        else:
            here = _from_here(group, t, k)
        if not rest_first <= positives <= rest_last:  # else the rest would be another group
            worth[k - shift] = (1.0 - group.p) * here


@njit(cache=True, nogil=True)
def _blend(here: Float64, one: Float64, a: float, other: Float64, b: float) -> None:
    for i in range(here.size):
        here[i] = a * one[i] + b * other[i]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _carried(here: Float64, reached: Float64, ahead: Float64, chance: float) -> float:
    """Add the weight ahead to `here`, and return the sum of its product with the weight that reached here."""
    total = 0.0
    for i in range(here.size):
        on = chance * ahead[i]
        here[i] += on
        total += reached[i] * on
    return total


@njit(cache=True, nogil=True)
def _back(
    behind: Float64, reached: Float64, shift: int, begin: int, end: int, ahead: Float64, from_: int, chance: float
) -> float:  # fmt: skip
    """Step back to states `begin` to `end` of a layer, from those of the layer ahead that begin at `from_`."""
    if begin > end:
        return 0.0
    n = end + 1 - begin
    here = begin - shift
    return _carried(behind[here : here + n], reached[here : here + n], ahead[from_ : from_ + n], chance)


@njit(cache=True, nogil=True)
def _step(
    group: BinaryGroup,
    t: int,
    before: Float64,
    was: Int64,
    after: Float64,
    now: Int64,
    low: int,
    high: int,
    worth: Float64,
) -> tuple[float, float]:
    """Add person t; `was` and `now` are the offset of a layer, and its first and last state.

    Returns the probability that the group closes here with a valid end; and that, times the share of positives among
    the people who follow.
    """
    q = group.c / group.n
    begin, end = max(low, was[1]), min(high, was[2] + 1)
    now[0] = low
    first, last = max(begin, was[1] + 1), min(end, was[2])
    if first <= last:
        stay, rise = before[first - was[0] : last + 1 - was[0]], before[first - 1 - was[0] : last - was[0]]
        _blend(after[first - low : last + 1 - low], stay, 1.0 - q, rise, q)
    if begin == was[1] and begin <= was[2]:
        after[begin - low] = (1.0 - q) * before[begin - was[0]]
    if end == was[2] + 1 and end >= begin:
        after[end - low] = q * before[end - 1 - was[0]]
        if end == was[1]:
            after[end - low] = 0.0
    well, positive = 0.0, 0.0
    if t < group.n:
        first, last = safe(group, t)
        first, last = max(first, begin), min(last, end)
        if first <= last:
            _closes(group, t, low, first, last, worth)
        for k in range(first, last + 1):
            here = after[k - low] * worth[k - low]
            well += here
            positive += here * (group.c - k) / (group.n - t)
            after[k - low] *= group.p
    while begin <= end and after[begin - low] < _LEAST:
        begin += 1
    while end >= begin and after[end - low] < _LEAST:
        end -= 1
    now[1], now[2] = begin, end
    return well, positive


@njit(cache=True, nogil=True)
def _shares(group: BinaryGroup, closed: bool, low: Int64, high: Int64) -> tuple[Float64, float]:  # noqa: C901, FBT001
    n, c = group.n, group.c
    q = c / n
    width = int((high - low).max()) + 2
    stretch = max(int(math.sqrt(n)), 1)
    kept, kept_at = np.zeros((n // stretch + 1, width)), np.zeros((n // stretch + 1, 3), np.int64)
    layers, at = np.zeros((stretch + 1, width)), np.zeros((stretch + 1, 3), np.int64)
    worth = np.zeros(width)
    well, positive = np.zeros(n + 1), np.zeros(n + 1)
    kept[0, 0] = 1.0
    layers[0], at[0] = kept[0], kept_at[0]
    for t in range(1, n + 1):
        a, b = (t - 1) % 2, t % 2
        well[t], positive[t] = _step(group, t, layers[a], at[a], layers[b], at[b], low[t], high[t], worth)
        if t % stretch == 0:
            kept[t // stretch], kept_at[t // stretch] = layers[b], at[b]
    last = n % 2
    whole = well.sum()
    if closed and at[last, 1] <= c <= at[last, 2]:
        whole += layers[last, c - at[last, 0]]
    found = np.zeros(n)
    if whole <= RARE:
        return found, whole
    well, positive = np.cumsum(well), np.cumsum(positive)
    ahead, behind = np.zeros(width), np.zeros(width)  # probability of a valid end from each state
    ahead[c - low[n]] = closed
    block = -1
    for t in range(n, 0, -1):
        s = t - 1
        if s // stretch != block:
            block = s // stretch
            layers[0], at[0] = kept[block], kept_at[block]
            for u in range(block * stretch + 1, t):
                i = u - block * stretch
                _step(group, u, layers[i - 1], at[i - 1], layers[i], at[i], low[u], high[u], worth)
        i = s - block * stretch
        behind[:] = 0.0
        shift = at[i, 0]
        begin = at[i, 1]
        up, stay = max(begin, low[t] - 1), max(begin, low[t])
        one = _back(behind, layers[i], shift, up, min(at[i, 2], high[t] - 1), ahead, up + 1 - low[t], q)
        all_ = one + _back(behind, layers[i], shift, stay, min(at[i, 2], high[t]), ahead, stay - low[t], 1.0 - q)
        found[s] = (one + positive[s]) / (all_ + well[s])
        if s:
            first, last = safe(group, s)
            first, last = max(first, low[s]), min(last, high[s])
            if first <= last:
                _closes(group, s, shift, first, last, worth)
            for k in range(first, last + 1):
                behind[k - shift] = group.p * behind[k - shift] + worth[k - shift]
        ahead, behind = behind, ahead
    return found, whole
