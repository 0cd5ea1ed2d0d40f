"""Slide negative binomial estimator of population uniques."""

from __future__ import annotations

import math

import numpy as np
import scipy

from unmask.arrays import Float64, Int64
from unmask.estimate import Estimate
from unmask.wording import message


def slide_negative_binomial(size: Int64, n_keys: Int64, population: float) -> Estimate:
    """Estimate the number of population uniques from the number of sample keys of each size, (sizes,).

    Assumes
        The number of people of a key, less one, is negative binomial with parameters a and b; each person is drawn
        with the same probability; Shlosser's estimate of the number K of keys is right.
    Infers
        a and b so that the expected keys of one and of two people in the sample are those seen; uniques = K b^a. For
        each b the ratio of the two expectations leaves a quadratic equation in a, with one positive root, so the
        search has one dimension. 0 without sample uniques.
    Fails
        Undefined where no a and b fit, or where no key has two people.

    References
    ----------
    Chen, Keller-McNulty. Estimation of identification disclosure risk in microdata. Journal of Official Statistics
    1998. Haas, Stokes. Estimating the number of classes in a finite population. JASA 1998.
    """
    sizes, counts = size.astype(np.float64), n_keys.astype(np.float64)
    people = float(sizes @ counts)
    if people == 0 or size[0] != 1:
        return Estimate(0.0, n=people, source="sample", why=message("the sample has no uniques"))
    ones, twos = counts[0], float(counts[size == 2].sum())
    share = people / population
    if share >= 1:
        return Estimate(float(ones), n=people, source="sample", why=message("the sample is the population"))
    if not twos:
        return Estimate.undefined(message("no key of the sample has exactly two people"), people)
    keys, ratio = shlosser(sizes, counts, share), twos / ones

    def power(b: float, q: float) -> float:  # a that gives twos / ones, for q = 1 − b
        t = q * (1 - share)
        first, second = share * q * t, share * q * (2 - t) - 2 * ratio * (1 - t) * t
        third = 2 * ratio * (b + q * share) ** 2
        return float(2 * third / (second + math.sqrt(second**2 + 4 * first * third)))

    def excess(logit: float) -> float:  # of the expected keys of one person, as a logarithm
        b, q = 1 / (1 + math.exp(-logit)), 1 / (1 + math.exp(logit))
        a, kept = power(b, q), b + q * share
        expected = math.log(keys * share) + a * math.log(b / kept) + math.log1p(a * q * (1 - share) / kept)
        return expected - math.log(ones)

    grid = np.linspace(-40.0, 30.0, 281)
    signs = np.sign([excess(logit) for logit in grid])
    turns = np.flatnonzero(signs[:-1] * signs[1:] <= 0)
    if not turns.size:
        return Estimate.undefined(
            message("no slide negative binomial gives the uniques and pairs of the sample"), people
        )
    found = []
    for turn in turns:
        at = float(scipy.optimize.brentq(excess, grid[turn], grid[turn + 1], xtol=1e-13, rtol=1e-14))
        b, q = 1 / (1 + math.exp(-at)), 1 / (1 + math.exp(at))
        found.append(keys * b ** power(b, q))
    why = message("several slide negative binomials fit; the one of most uniques") if len(found) > 1 else ""
    return Estimate(min(max(found), population), n=people, source="sample", why=why)


def shlosser(size: Float64, n_keys: Float64, share: float) -> float:
    """Estimate the number of keys of the population by Shlosser's estimator, modified by Haas and Stokes."""
    squared = float((size * share**2 * (1 - share**2) ** (size - 1)) @ n_keys)
    both = float(((1 - share**2) ** size - (1 - share) ** size) @ n_keys)
    missed = float((1 - share) ** size @ n_keys)
    single = float((size * share * (1 - share) ** (size - 1)) @ n_keys)
    return float(n_keys.sum() + n_keys[0] * squared / both * (missed / single) ** 2)


ESTIMATES = (slide_negative_binomial,)
