"""Likelihood of noisy counts, with and without one more person with a value among those counted.

Shares of noisy counts clipped at zero are a poor estimate: positive noise counts as people. Here the likelihood is a
sum over true counts, each weighed by its prior and the noise.

The other people with value v in a cell are Poisson, with mean `size · λ_v`; `λ_v` is Gamma with mean the share of v in
the population and a weight in people, so a neighborhood may differ from the population. All sums are exact.
"""

from __future__ import annotations

from math import exp, inf, lgamma, log

import numpy as np

from unmask.arrays import Float64
from unmask.compiled_code import njit

_NEGLIGIBLE = 45.0
"""Terms e^45 times smaller than the largest one are left out of a sum: beyond the digits of a float64."""

_UNKNOWN, _IMPOSSIBLE = -1.0, -2.0
"""Codes in place of a true count: not published, and impossible."""

_LEAST = 1e-12
"""The least share of a value: smaller ones make no difference, and zero has no logarithm."""


@njit(cache=True, nogil=True)
def log_chance(shape: float, weight: float, size: Float64, noisy: Float64, scale: Float64) -> float:
    """Return log P(noisy counts of one value | Gamma of this shape and weight), up to terms of the noise alone.

    `size` (counts,) are expected people, one for each true count; `noisy` (counts, times) are the noisy forms of each,
    with noise of these scales, (counts, times); scale 0 is the true count.
    """
    total = size.sum()
    joint = np.zeros(1)  # log of what the counts so far contribute to each sum of theirs, beginning at `first`
    first = 0
    for i in range(size.size):
        least, own = _window(shape, weight, size[i], noisy[i], scale[i])
        if own.size == 0:
            return -inf
        for k in range(own.size):  # Poisson of rate 1 in place of its mixture: the Gamma is put in for the sum
            m = least + k
            own[k] = m * log(size[i]) - lgamma(m + 1.0) - _apart(float(m), noisy[i], scale[i])
        joint = own if i == 0 else _convolved(joint, own)
        first += least
    start = shape * log(weight) - lgamma(shape)
    for k in range(joint.size):
        m = first + k
        joint[k] += start + lgamma(shape + m) - (shape + m) * log(weight + total)
    return _log_sum(joint)


@njit(cache=True, nogil=True)
def log_chance_of_known(share: float, size: Float64, noisy: Float64, scale: Float64) -> float:
    """Return the same where neighborhoods equal the population: an infinite shape, so that λ is the share."""
    result = 0.0
    for i in range(size.size):
        mean = size[i] * share
        _, own = _window(inf, mean, size[i], noisy[i], scale[i])
        if own.size == 0:
            return -inf
        result += _log_sum(own)
    return result


@njit(cache=True, nogil=True)
def _window(shape: float, weight: float, size: float, noisy: Float64, scale: Float64) -> tuple[int, Float64]:
    """Return the relevant true counts: the first, and log of prior times noise of each; none if impossible.

    For an infinite shape, `weight` is the mean of the Poisson distribution.
    """
    known = _known_count(noisy, scale)
    if known == _IMPOSSIBLE:
        return 0, np.zeros(0)
    if known != _UNKNOWN:
        only = _log_prior(known, shape, weight, size) - _apart(known, noisy, scale)
        return int(known), np.full(1, only)
    mode = weight if shape == inf else max(0.0, (shape - 1.0) * size / weight)
    highest = max(0.0, noisy.max())
    first = _first(shape, weight, size, noisy, scale)
    now = _log_prior(float(first), shape, weight, size)
    grows = 0.0 if shape == inf else log(size / (weight + size))
    found = np.empty(64)
    best, n = -inf, 0
    while True:
        m = first + n
        if n == found.size:
            more = np.empty(2 * n)
            more[:n] = found
            found = more
        found[n] = now - _apart(float(m), noisy, scale)
        best = max(best, found[n])
        if m > highest and m > mode and found[n] < best - _NEGLIGIBLE:
            break
        now += log(weight / (m + 1.0)) if shape == inf else log((shape + m) / (m + 1.0)) + grows
        n += 1
    least = 0
    while found[least] < best - _NEGLIGIBLE:
        least += 1
    return first + least, found[least:n].copy()


@njit(cache=True, nogil=True)
def _log_prior(count: float, shape: float, weight: float, size: float) -> float:
    """Return the log prior of a true count."""
    if shape == inf:
        return count * log(weight) - weight - lgamma(count + 1.0)
    whole = log(weight + size)
    drawn = lgamma(shape + count) - lgamma(shape) - lgamma(count + 1.0)
    return drawn + shape * (log(weight) - whole) + count * (log(size) - whole)


@njit(cache=True, nogil=True)
def _first(shape: float, weight: float, size: float, noisy: Float64, scale: Float64) -> int:
    """Return a count below which all are negligible: so far below a noisy one that the noise rules them out."""
    near = max(0.0, np.rint(noisy[0]))
    likely = _log_prior(near, shape, weight, size) - _apart(near, noisy, scale)
    first = 0.0
    for t in range(noisy.size):
        first = max(first, np.floor(noisy[t] - scale[t] * (_NEGLIGIBLE - likely)))
    return int(first)


@njit(cache=True, nogil=True)
def _known_count(noisy: Float64, scale: Float64) -> float:
    """Return the true count, if one is published without noise."""
    result = _UNKNOWN
    for t in range(noisy.size):
        if scale[t] == 0.0:
            if noisy[t] < 0.0 or (result != _UNKNOWN and result != noisy[t]):
                return _IMPOSSIBLE
            result = noisy[t]
    return result


@njit(cache=True, nogil=True)
def _apart(count: float, noisy: Float64, scale: Float64) -> float:
    """Return the log-likelihood ratio of no noise against the needed noise, in nats."""
    result = 0.0
    for t in range(noisy.size):
        if scale[t] > 0.0:
            result += abs(noisy[t] - count) / scale[t]
    return result


@njit(cache=True, nogil=True)
def _convolved(a: Float64, b: Float64) -> Float64:
    result = np.full(a.size + b.size - 1, -inf)
    total = np.zeros(result.size)
    for i in range(a.size):
        for j in range(b.size):
            result[i + j] = max(result[i + j], a[i] + b[j])
    for i in range(a.size):
        for j in range(b.size):
            below = a[i] + b[j] - result[i + j]
            if below > -_NEGLIGIBLE:
                total[i + j] += exp(below)
    return result + np.log(total)


@njit(cache=True, nogil=True)
def _log_sum(terms: Float64) -> float:
    best = float(terms.max())
    return best if best == -inf else best + log(float(np.exp(terms - best).sum()))


@njit(cache=True, nogil=True)
def lifts(share: Float64, weight: float, size: Float64, noisy: Float64, scale: Float64, mine: bool) -> Float64:  # noqa: FBT001 - numba knows no keyword-only arguments
    """Return the lift of each value, (values,), for a person of this cell over any person.

    `noisy` (values, counts, times). With `mine` the person is one of those counted, else drawn like them.

    Infers
        `P(noisy | one of the people counted has v) / P(noisy)`, up to a factor that is the same for all values. The
        person's value makes v more common in the neighborhood: λ_v Gamma(a, w) is Gamma(a + 1, w) after it is seen.
    """
    result = np.zeros(share.size)
    for v in range(share.size):
        here = max(share[v], _LEAST)
        less = noisy[v] - (1.0 if mine else 0.0)
        if weight == inf:
            below = log_chance_of_known(here, size, noisy[v], scale)
            above = log_chance_of_known(here, size, less, scale)
        else:
            below = log_chance(here * weight, weight, size, noisy[v], scale)
            above = log_chance(here * weight + 1.0, weight, size, less, scale)
        result[v] = above - below if above > -inf and below > -inf else -inf
    return np.exp(result - result.max()) if result.max() > -inf else np.zeros(share.size)
