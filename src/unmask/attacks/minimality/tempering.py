"""How far to trust what was learned: as far as it predicts how often each group has each value.

Naive Bayes takes attributes for independent, and so is surer than it should be; where groups are large it may also have
learned something else than it was to learn. Groups tell: who is believed to have a value must stand in groups that have
it. So factors P(attributes | value) are raised to the power under which the counts of groups are the least surprising,
between 0, which forgets what was learned, and 1, which takes it as it is.

Neighboring groups are compared, not those far apart: groups hold people who are alike in the order, so that what tells
groups of the young from those of the old need not tell the members of any group apart.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.optimize import minimize_scalar

from unmask.arrays import Float64, Int32, Int64, starts
from unmask.attacks.definetti.gibbs_kernels import tabulate
from unmask.attacks.shared.grouped_people import GroupedPeople
from unmask.runtime import work

CLEARLY = 3.0
"""By which logarithm a lower power must predict better, or what was learned is taken as it is."""

LEAST_PEOPLE = 500
"""The groups of fewer people tell too little of it."""

STRETCH = 500
"""How many people, about, are compared."""

_TINY = 1e-300
_TOLERANCE = 0.01
_ROUNDS = 50


def factors(groups: GroupedPeople, log_theta: Float64) -> Float64:
    """Return P(attributes | value) of each profile by Naive Bayes, up to a factor, (profiles, values)."""
    offset = starts(groups.levels.astype(np.int64))
    table = np.empty((groups.codes.shape[0], groups.n_values))
    tabulate(np.ascontiguousarray(groups.codes, np.int32), offset, log_theta, table)
    return table


def power(start: Int64, profile: Int32, counts: Int64, likelihood: Float64) -> float:
    """Return the power to which factors are to be raised.

    `profile` (rows,) is a line of the factors `told` (profiles, values); rows of a group are neighbors, by `start`;
    `counts` (groups, values) are what each group has.

    Assumes
        Each count is that of independent people, each of whom has the value with the probability that the factors
        tell, raised to the power, and with as many people of each value as there are in a stretch of `STRETCH` people.
        Groups whose numbers are near are alike.
    """
    used = np.flatnonzero(counts.sum(axis=0))
    if used.size < 2 or profile.size < LEAST_PEOPLE:
        return 1.0
    held = np.ascontiguousarray(counts[:, used])
    log = np.log(np.maximum(likelihood[:, used], _TINY))[profile]
    log -= log.max(axis=1, keepdims=True)
    stretch = start[:-1] // STRETCH
    first = np.flatnonzero(np.diff(stretch, prepend=-1))
    total, begin = np.add.reduceat(held, first), start[first]

    def surprise(exponent: float) -> float:
        return -_log_chance(start, _calibrated(np.exp(exponent * log), begin, total), held)

    with work.step("asking the groups how far to trust", 1.0) as step:
        found = minimize_scalar(surprise, bounds=(0.0, 1.0), method="bounded", options={"xatol": _TOLERANCE})
        step.advance()
    return float(found.x) if found.fun < surprise(1.0) - CLEARLY else 1.0


def _calibrated(weight: Float64, begin: Int64, total: Int64) -> Float64:
    """Return P(value | attributes) of each row such that each stretch has as many people of each value as it has."""
    length = np.diff(np.append(begin, weight.shape[0]))
    odds = total / total.sum(axis=1, keepdims=True)
    for _ in range(_ROUNDS):
        chance = weight * np.repeat(odds, length, axis=0)
        chance /= np.maximum(chance.sum(axis=1, keepdims=True), _TINY)
        odds = odds * total / np.maximum(np.add.reduceat(chance, begin), _TINY)
        odds /= odds.sum(axis=1, keepdims=True)
    return np.ascontiguousarray(chance)


@njit(cache=True, nogil=True)
def _log_chance(start: Int64, chance: Float64, counts: Int64) -> float:
    """Return the sum of the logarithms of the probabilities of all counts, each taken alone."""
    result = 0.0
    for g in range(start.size - 1):
        for value in range(chance.shape[1]):
            c = counts[g, value]
            ways = np.zeros(c + 1)
            ways[0] = 1.0
            for t in range(start[g + 1] - start[g]):
                up = chance[start[g] + t, value]
                for k in range(min(c, t + 1), 0, -1):
                    ways[k] = (1.0 - up) * ways[k] + up * ways[k - 1]
                ways[0] *= 1.0 - up
                if t % 32 == 31:
                    scale = max(ways.max(), 1e-300)
                    ways /= scale
                    result += np.log(scale)
            result += np.log(max(ways[c], 1e-300))
    return result


__all__ = ["CLEARLY", "LEAST_PEOPLE", "STRETCH", "factors", "power"]
