"""Tempering of learned factors: the power under which they predict the value counts of groups best.

Naive Bayes assumes independent attributes, and so is overconfident; with large groups it may also have learned another
association. The counts of groups test it: people predicted to have a value must be in groups with it. So the factors
P(attributes | value) are raised to the power that maximizes the likelihood of the counts, between 0 (uniform) and 1.

Only neighboring groups are compared: people in a group are similar in the order, so attributes that distinguish groups
of the young from those of the old need not distinguish the members of any group.
"""

from __future__ import annotations

import numpy as np
import scipy

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.definetti.gibbs_kernels import tabulate
from unmask.attacks.shared.group_layout import levels_of
from unmask.attacks.shared.grouped_people import GroupedPeople
from unmask.compiled_code import njit
from unmask.runtime import work
from unmask.wording import message

CLEARLY = 3.0
"""Least gain in log-likelihood for which a power below 1 is used."""

LEAST_PEOPLE = 500
"""Number of people below which the power is 1."""

STRETCH = 500
"""Approximate number of people in a stretch of neighboring groups."""

_TINY = 1e-300
_TOLERANCE = 0.01
_ROUNDS = 50


def factors(groups: GroupedPeople, log_theta: Float64) -> Float64:
    """Return P(attributes | value) of each profile by Naive Bayes, up to a factor, (profiles, values)."""
    table = np.empty((groups.codes.shape[0], groups.n_values))
    tabulate(levels_of(groups.codes, groups.levels), log_theta, table)
    return table


def power(start: Int64, profile: Int32, counts: Int64, likelihood: Float64) -> float:
    """Return the power of the factors.

    `profile` (rows,) has the row of each in the factors `likelihood` (profiles, values); rows are sorted by group, from
    `start`; `counts` (groups, values) are those of each group.

    Assumes
        Each count is a sum over independent people, each with the probability from the factors raised to the power,
        calibrated to the counts of values in a stretch of about `STRETCH` people. Groups with near numbers are similar.
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

    with work.step(message("choosing the power of factors"), 1.0) as step:
        found = scipy.optimize.minimize_scalar(
            surprise, bounds=(0.0, 1.0), method="bounded", options={"xatol": _TOLERANCE}
        )
        step.advance()
    return float(found.x) if found.fun < surprise(1.0) - CLEARLY else 1.0


def _calibrated(weight: Float64, begin: Int64, total: Int64) -> Float64:
    """Return P(value | attributes) of each row, calibrated to the counts of values in each stretch."""
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
    """Return the sum of the log-probabilities of all counts, taken as independent."""
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
