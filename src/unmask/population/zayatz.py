"""Zayatz estimator of population uniques, from the key sizes of the sample."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Int64
from unmask.estimate import Estimate
from unmask.wording import message


def zayatz(size: Int64, n_keys: Int64, population: float) -> Estimate:
    """Estimate the number of population uniques from the number of sample keys of each size, (sizes,).

    Assumes
        Key sizes of the population are distributed as in the sample. This holds for large sampling shares; for small
        ones uniques are overestimated.
    Infers
        P(1) h(1) / Σ P(k) h(k), with P the shares of sizes among the sample's keys and h(k) = k n/N Π (N−n−i)/(N−1−i),
        i < k − 1: the probability that one of k people is drawn. Times sample uniques over the sampling share. 0
        without sample uniques.

    References
    ----------
    Zayatz. Estimation of the percent of unique population elements on a microdata file using the sample. Bureau of
    the Census 1991.
    """
    people = float(size @ n_keys)
    if people == 0 or size[0] != 1:
        return Estimate(0.0, n=people, source="sample", why=message("the sample has no uniques"))
    share = min(people / population, 1.0)
    step = np.arange(int(size[-1]) - 1, dtype=np.float64)
    missed = np.maximum(population - people - step, 0.0) / np.maximum(population - 1 - step, 1.0)
    alone = size * share * np.concatenate([[1.0], np.cumprod(missed)])[size - 1]
    chance = n_keys[0] * alone[0] / float(n_keys @ alone)
    return Estimate(float(n_keys[0] / share * chance), n=people, source="sample")


ESTIMATES = (zayatz,)
