"""A collapsed sampler of the same posterior, without drawn parameters, as the reference of ours.

The parameters are integrated out. Take a group away; what is left counts `n` people of each attribute level and value,
and if all values of the group differ, an arrangement of it has the weight ∏ (n + alpha) over its people and attributes:
no two of its people share a count. Sum over the group's arrangements, draw one, put it back, go to the next group.

Small on purpose: values that repeat within a group, and attributes that are missing, are not for it.

References
----------
Liu. The collapsed Gibbs sampler in Bayesian computations with applications to a gene regulation problem. JASA 1994.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from unmask.attacks.shared.counter_random import stream_of, uniform
from unmask.attacks.shared.grouped_people import GroupedPeople


class Collapsed:
    """One chain: each person's value, and the counts by level and value."""

    def __init__(self, groups: GroupedPeople, alpha: float, seed: int) -> None:
        """Start at a random arrangement."""
        self.start = groups.start.astype(np.uint64)
        first = np.concatenate([[0], np.cumsum(groups.levels)[:-1]])
        self.cell = (groups.codes[groups.profile_of] + first).astype(np.uint64)  # (rows, attributes)
        self.value = groups.value.astype(np.uint64)
        rng = np.random.default_rng(seed)
        group = np.repeat(np.arange(groups.start.size - 1), np.diff(groups.start))
        assert np.unique(group * groups.n_values + groups.value).size == group.size, "a value occurs twice in a group"
        self.held = groups.value[np.lexsort((rng.random(group.size), group))].astype(np.uint64)  # (rows,)
        self.counts = np.full((int(groups.levels.sum()), groups.n_values), alpha)  # alpha included
        for attribute in self.cell.T:
            np.add.at(self.counts, (attribute, self.held), 1.0)
        size = np.diff(groups.start)
        self.entry = np.concatenate([[0], np.cumsum(size * size)]).astype(np.uint64)
        self.sums = np.zeros(int(self.entry[-1]))  # marginals of a row over its group's list, added up
        self.rng, self.alpha = rng, alpha

    def run(self, sweeps: int) -> np.ndarray:
        """Go round all groups so many times; return the counts after each, (sweeps, levels × values)."""
        traced = np.empty((sweeps, self.counts.size), np.float32)
        seeds = self.rng.integers(2**63, size=sweeps, dtype=np.uint64)
        _run(self.start, self.cell, self.value, self.held, self.counts, self.entry, self.sums, seeds, traced)
        return traced - np.float32(self.alpha)


ONE = np.uint64(1)  # unsigned numbers spare numba the question whether an index counts from the end


@njit(cache=True, nogil=True)
def _move(cell, held, first, end, people, counts):
    """Put a group's people in, or take them away."""
    for row in range(first, end):
        for i in range(np.uint64(cell.shape[1])):
            counts[cell[row, i], held[row]] += people


@njit(cache=True, nogil=True)
def _weigh(cell, value, first, k, counts, weight):
    for person in range(k):
        for nth in range(k):
            product = 1.0
            for i in range(np.uint64(cell.shape[1])):
                product *= counts[cell[first + person, i], value[first + nth]]
            weight[person, nth] = product


@njit(cache=True, nogil=True)
def _backward(weight, k, served, total):
    """Sum over all ways to serve who still waits, by the set of values that are gone."""
    last = (ONE << k) - ONE
    total[last] = 1.0
    for back in range(last):
        state = last - ONE - back
        found = 0.0
        for nth in range(k):
            if not (state >> nth) & ONE:
                found += weight[served[state], nth] * total[state | (ONE << nth)]
        total[state] = found


@njit(cache=True, nogil=True, error_model="numpy")
def _forward(weight, k, served, total, reached, sums, entry):
    last = (ONE << k) - ONE
    reached[: last + ONE] = 0.0
    reached[0] = 1.0 / total[0]
    for state in range(last):
        for nth in range(k):
            if not (state >> nth) & ONE:
                further = reached[state] * weight[served[state], nth]
                reached[state | (ONE << nth)] += further
                sums[entry + served[state] * k + nth] += further * total[state | (ONE << nth)]


@njit(cache=True, nogil=True)
def _pick(weight, k, total, noise, value, held, first):
    state = np.uint64(0)
    for person in range(k):
        noise, height = uniform(noise)
        height *= total[state]
        chosen = k
        for nth in range(k):
            if not (state >> nth) & ONE:
                chosen = nth
                height -= weight[person, nth] * total[state | (ONE << nth)]
                if height < 0.0:
                    break
        state |= ONE << chosen
        held[first + person] = value[first + chosen]


@njit(cache=True, nogil=True)
def _run(start, cell, value, held, counts, entry, sums, seeds, traced):
    most = np.uint64(np.max(np.diff(start)))
    weight = np.empty((most, most))
    total, reached = np.empty(ONE << most), np.empty(ONE << most)
    served = np.zeros(ONE << most, np.uint64)
    for state in range(ONE, ONE << most):
        served[state] = served[state >> ONE] + (state & ONE)
    flat = counts.reshape(-1)
    for sweep in range(seeds.size):
        for group in range(np.uint64(start.size - 1)):
            first, end = start[group], start[group + ONE]
            k = end - first
            _move(cell, held, first, end, -1.0, counts)
            _weigh(cell, value, first, k, counts, weight)
            _backward(weight, k, served, total)
            _forward(weight, k, served, total, reached, sums, entry[group])
            _pick(weight, k, total, stream_of(seeds[sweep], group), value, held, first)
            _move(cell, held, first, end, 1.0, counts)
        for i in range(flat.size):
            traced[sweep, i] = flat[i]
