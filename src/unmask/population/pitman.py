"""Pitman estimator of population uniques (Ewens-Pitman process)."""

from __future__ import annotations

import math

import numpy as np
import scipy

from unmask.arrays import Float64, Int64
from unmask.estimate import Estimate
from unmask.wording import message

_LEAST = 1e-7
"""Smallest discount α; smaller ones give the same estimate."""


def pitman(size: Int64, n_keys: Int64, population: float) -> Estimate:
    """Estimate the number of population uniques from the number of sample keys of each size, (sizes,).

    Assumes
        That the sample's keys are a draw from the Ewens-Pitman process: after i people of j different keys, the
        next is of a new kind with (θ + jα) / (θ + i). Good where the sample is a small share of the population.
    Infers
        θ and α by maximum likelihood; uniques = Γ(θ+1) / Γ(θ+α) · N^α. 0 without sample uniques.
    Fails
        Undefined if all people of the sample are unique: α is then not identified.

    References
    ----------
    Hoshino. Applying Pitman's sampling formula to microdata disclosure risk assessment. Journal of Official
    Statistics 2001.
    """
    sizes, counts = size.astype(np.float64), n_keys.astype(np.float64)
    people = float(sizes @ counts)
    if people == 0 or size[0] != 1:
        return Estimate(0.0, n=people, source="sample", why=message("the sample has no uniques"))
    if size[-1] == 1:
        return Estimate.undefined(message("all people of the sample are unique"), people)
    theta, alpha = parameters(sizes, counts)
    log_uniques = scipy.special.gammaln(theta + 1) - scipy.special.gammaln(theta + alpha) + alpha * math.log(population)
    return Estimate(min(float(np.exp(log_uniques)), population), n=people, source="sample")


def parameters(size: Float64, n_keys: Float64) -> tuple[float, float]:
    """Return θ and α of greatest likelihood."""
    people, kinds = float(size @ n_keys), float(n_keys.sum())

    def reciprocals(theta: float, alpha: float) -> float:  # Σ 1 / (θ + iα), i = 1 … kinds − 1
        if theta / alpha > 1e6 * kinds:
            return (kinds - 1) / (theta + alpha * kinds / 2)
        return float(scipy.special.digamma(theta / alpha + kinds) - scipy.special.digamma(theta / alpha + 1)) / alpha

    def slope(theta: float, alpha: float) -> float:
        return reciprocals(theta, alpha) - float(
            scipy.special.digamma(theta + people) - scipy.special.digamma(theta + 1)
        )

    def theta_of(alpha: float) -> float:
        low = -alpha + 1e-9 * alpha
        if slope(low, alpha) <= 0:
            return low
        high = 1.0
        while slope(high, alpha) > 0 and high < 1e12:
            high *= 4
        return (
            float(scipy.optimize.brentq(slope, low, high, args=(alpha,), xtol=1e-13, rtol=1e-14))
            if high < 1e12
            else high
        )

    def profile(alpha: float) -> float:  # derivative of the log-likelihood by α, at the best θ
        theta = theta_of(alpha)
        known = ((kinds - 1) - theta * reciprocals(theta, alpha)) / alpha
        return known - float(n_keys @ (scipy.special.digamma(size - alpha) - scipy.special.digamma(1 - alpha)))

    most = 1 - 1e-9
    if profile(_LEAST) <= 0:
        alpha = _LEAST
    elif profile(most) >= 0:
        alpha = most
    else:
        alpha = float(scipy.optimize.brentq(profile, _LEAST, most, xtol=1e-14, rtol=1e-13))
    return theta_of(alpha), alpha


ESTIMATES = (pitman,)
