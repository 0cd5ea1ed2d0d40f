"""Kernels of the Gibbs sampler for arrangements within groups under Naive Bayes.

Given the parameters, groups are independent, and each is summed over exactly;
given all values, the parameters are Dirichlet. A group's random numbers are hashed
from the sweep's seed and the group's number, so that a sweep can be reproduced,
group by group, from its parameters and its seed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.definetti._sweep import add, sweep_exact, sweep_pairs, sweep_swaps
from unmask.attacks.shared.group_layout import Chain, Layout, Shapes
from unmask.attacks.shared.permanents import Unsigned
from unmask.compiled_code import njit


@njit(cache=True, nogil=True)
def draw_parameters(offset: Int64, counts: Int64, alpha: float, log_theta: Float64, rng: np.random.Generator) -> None:
    """Draw P(level | value) from its Dirichlet distribution given the counts."""
    for attribute in range(offset.size - 1):
        for value in range(counts.shape[1]):
            highest = -np.inf
            for level in range(offset[attribute], offset[attribute + 1]):
                shape = counts[level, value] + alpha
                drawn = np.log(rng.standard_gamma(max(shape, shape + (shape < 1.0))))
                if shape < 1.0:  # a small shape would underflow to 0
                    drawn += np.log1p(-rng.random()) / shape
                log_theta[level, value] = drawn
                highest = max(highest, drawn)
            total = 0.0
            for level in range(offset[attribute], offset[attribute + 1]):
                total += np.exp(log_theta[level, value] - highest)
            for level in range(offset[attribute], offset[attribute + 1]):
                log_theta[level, value] -= highest + np.log(total)


@njit(cache=True, nogil=True)
def tabulate(codes: Int32, offset: Int64, log_theta: Float64, table: Float64) -> None:
    """Fill the table of P(profile | value), each row scaled to a maximum of 1."""
    values = log_theta.shape[1]
    for profile in range(table.shape[0]):
        highest = -np.inf
        for value in range(values):
            total = 0.0
            for attribute in range(codes.shape[1]):
                if codes[profile, attribute] >= 0:
                    total += log_theta[offset[attribute] + codes[profile, attribute], value]
            table[profile, value] = total
            highest = max(highest, total)
        for value in range(values):
            table[profile, value] = np.exp(table[profile, value] - highest)


@njit(cache=True, nogil=True)
def add_up(codes: Int32, offset: Int64, tally: Int64, counts: Int64) -> None:
    """Fill the counts by level from the tally by profile."""
    counts[:] = 0
    for profile in range(tally.shape[0]):
        for value in range(tally.shape[1]):
            if tally[profile, value]:
                add(codes, offset, profile, value, tally[profile, value], counts)


@njit(inline="always")
def _sweep(layout: Layout, shapes: Shapes, chain: Chain, seed: np.uint64) -> tuple[int, float]:
    """Draw all arrangements given the parameters; sum marginals; return people known and the sum of squares."""
    tabulate(layout.codes, layout.offset, chain.log_theta, chain.table)
    if chain.tally.size:
        chain.tally[:] = chain.certain
    else:
        chain.counts[:] = chain.certain
    known, squares = sweep_pairs(layout, chain, seed, drawn=True)
    n, square = sweep_exact(layout, shapes, chain, seed, drawn=True)
    m, more = sweep_swaps(layout, chain, seed)
    if chain.tally.size:
        add_up(layout.codes, layout.offset, chain.tally, chain.counts)
    return known + n + m, squares + square + more


sweep = _sweep.py_func  # type: ignore[attr-defined] # for single sweeps: compiling it too would take seconds, and change nothing


@njit(cache=True, nogil=True)
def iterate(
    layout: Layout,
    shapes: Shapes,
    chain: Chain,
    alpha: float,
    seeds: Unsigned,  # (iterations, sweeps)
    traced: Float64,  # (iterations, 3)
    picked: Int64,  # cells of the traced counts
    traced_counts: NDArray[np.float32],  # (iterations, picked)
    rng: np.random.Generator,
) -> None:
    """Alternate between parameters and arrangements; trace the last sweep of each iteration."""
    counts = chain.counts.reshape(-1)
    log_theta = chain.log_theta.reshape(-1)
    for iteration in range(seeds.shape[0]):
        for seed in seeds[iteration]:
            draw_parameters(layout.offset, chain.counts, alpha, chain.log_theta, rng)
            known, squares = _sweep(layout, shapes, chain, seed)
        traced[iteration, 0] = known
        traced[iteration, 1] = squares
        traced[iteration, 2] = 0.0
        for i in range(counts.size):
            traced[iteration, 2] += counts[i] * log_theta[i]
        for i in range(picked.size):
            traced_counts[iteration, i] = counts[picked[i]]


@njit(cache=True, nogil=True)
def expect(layout: Layout, shapes: Shapes, chain: Chain) -> None:
    """Sum the exact marginals given the parameters, without draws; groups arranged by swaps are skipped."""
    tabulate(layout.codes, layout.offset, chain.log_theta, chain.table)
    sweep_pairs(layout, chain, np.uint64(0), drawn=False)
    sweep_exact(layout, shapes, chain, np.uint64(0), drawn=False)


@njit(cache=True, nogil=True)
def expected_counts(layout: Layout, data: Float64, counts: Float64) -> None:
    """Add the expected number of people by level and value, given probabilities (entries,)."""
    for group in range(layout.start.size - 1):
        entry, row = layout.entry_start[group], layout.start[group]
        for slot in range(layout.slot_start[group], layout.slot_start[group + 1]):
            for value in range(layout.support_start[group], layout.support_start[group + 1]):
                people = layout.times[group] * layout.slot_size[slot] * data[entry]
                add(layout.codes, layout.offset, layout.profile[row], layout.support[value], people, counts)
                entry += 1
            row += layout.slot_size[slot]
