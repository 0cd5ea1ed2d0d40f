"""Individual risk: the re-identification risk in the population, given the sample frequency of the key."""

from __future__ import annotations

import math

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.compiled_code import njit
from unmask.errors import InvalidInputError
from unmask.wording import message

_SERIES_FROM = 40
"""Sample frequency from which the series needs fewer terms than the recursion has steps."""


def individual_risk(sample: Float64, population: Float64) -> Float64:
    """Return the re-identification risk of each person, (people,); `sample` is the frequency of the key in the file.

    An attacker picks one of the F people of the population with the person's key, and is right with probability 1 / F.
    F is unknown: f of them were drawn, whose weights add up to `population`.

    Assumes
        Each of the F people was drawn with the same chance p = f / `population`, and F given f is negative binomial:
        the posterior under a prior proportional to 1 / F.
    Infers
        E[1/F | f] = p ∫ t^(f−1) / (p + (1−p) t) dt over [0, 1]: positive throughout, so nothing cancels and nothing
        overflows, for any f. 1 / f where the sample is the population.
    Fails
        With `InvalidInputError` for fewer people in the population than in the sample, or for no people.

    References
    ----------
    Franconi, Polettini. Individual risk estimation in µ-Argus: a review. Privacy in Statistical Databases 2004.
    """
    if not ((sample >= 1) & (population >= sample) & np.isfinite(population)).all():
        msg = message(
            "people who look alike must be at least 1 in the sample, and as many in the population; got fewer"
        )
        raise InvalidInputError(msg)
    return np.asarray(_expected_reciprocals(sample.astype(np.int64), sample / population))


@njit(cache=True, nogil=True)
def _expected_reciprocals(f: Int64, p: Float64) -> Float64:
    result = np.empty(f.size)
    for i in range(f.size):
        result[i] = p[i] * _integral(f[i], p[i])
    return result


@njit(cache=True, nogil=True)
def _integral(f: int, p: float) -> float:
    """Return ∫ t^(f−1) / (p + (1−p) t) dt over [0, 1]."""
    q = 1.0 - p
    if f >= _SERIES_FROM or p > 0.5:  # 1 / (1 − q (1−t)) as a geometric series: Σ q^j B(f, j + 1)
        term = 1.0 / f
        total, j = term, 0
        while term > 1e-17 * total:
            j += 1
            term *= q * j / (f + j)
            total += term
        return total
    value = -math.log(p) / q  # f = 1; then q I(f + 1) = 1 / f − p I(f), whose errors shrink as p < q
    for i in range(1, f):
        value = (1.0 / i - p * value) / q
    return value


ESTIMATES = (individual_risk,)
