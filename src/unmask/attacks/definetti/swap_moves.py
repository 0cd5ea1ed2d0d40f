"""Metropolis sampling of the assignment of values in a large group, by swaps.

A proposal swaps the values of two people, and is accepted by Metropolis's rule.
After enough swaps the arrangement has probability proportional to the product of
its weights; the time that each person holds each value estimates the marginals.

References
----------
Kifer. Attacks on privacy and deFinetti's theorem. SIGMOD 2009, algorithm 2 (there by whole shuffles, which are
nearly always rejected in large groups).
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.shared.counter_random import uniform
from unmask.compiled_code import njit

PARTNERS = 32
"""The maximum number of partners of a person in one call; three swaps for each pair of people forget the start."""


@njit(cache=True, nogil=True)
def n_swaps(people: int) -> int:
    """Return the number of swaps of a group of k people in one sweep: 3 k², or 96 k for large k."""
    return 3 * people * min(people, PARTNERS)


@njit(cache=True, nogil=True)
def swap(
    log_weight: Float64, values: int, steps: int, noise: np.uint64, given: Int32, since: Int64, occupancy: Float64
) -> None:
    """Propose a fixed number of swaps; add each person's share of steps by value to `occupancy`, (people × values,).

    (Stopping after a number of *accepted* swaps, as the paper does, is biased: it always stops on a new move.)
    """
    people = given.size
    since[:people] = 0
    for step in range(steps):
        noise, height = uniform(noise)
        first = int(height * people)
        noise, height = uniform(noise)
        second = int(height * (people - 1))
        second += second >= first
        mine, other = given[first], given[second]
        if mine == other:
            continue
        i, j = first * values, second * values
        gain = log_weight[i + other] + log_weight[j + mine] - log_weight[i + mine] - log_weight[j + other]
        noise, height = uniform(noise)
        if gain >= 0.0 or height < np.exp(gain):
            occupancy[i + mine] += (step - since[first]) / steps
            occupancy[j + other] += (step - since[second]) / steps
            since[first] = since[second] = step
            given[first], given[second] = other, mine
    for person in range(people):
        occupancy[person * values + given[person]] += (steps - since[person]) / steps


def swapped(weight: Float64, given: Int32, steps: int, rng: np.random.Generator) -> tuple[Int32, Float64]:
    """Return an arrangement after a fixed number of swaps, and each person's share of steps with each value.

    For groups too large for exact methods; about `3 * people**2` steps forget the start.
    """
    moved, occupancy = given.astype(np.int32), np.zeros(weight.shape)
    noise, since = rng.integers(2**63, dtype=np.uint64), np.empty(given.size, np.int64)
    swap(np.log(weight).ravel(), weight.shape[1], steps, noise, moved, since, occupancy.reshape(-1))
    return moved, occupancy
