"""Kernels of the Gibbs sampler for arrangements within groups under Naive Bayes.

Given the parameters, groups are independent, and each is summed over exactly;
given all values, the parameters are Dirichlet. A group's random numbers are hashed
from the sweep's seed and the group's number, so that a sweep can be reproduced,
group by group, from its parameters and its seed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.attacks.definetti._sweep import add, sweep_exact, sweep_pairs
from unmask.attacks.definetti.block_moves import ROUNDS, sweep_blocks
from unmask.attacks.shared.group_layout import CELLS_AN_ENTRY, Chain, Layout, Shapes
from unmask.attacks.shared.permanents import ONE, SMALLEST_SUM, Unsigned
from unmask.compiled_code import njit

_WIDTH = 16
"""Rows are padded to a multiple of this: the processor multiplies so many numbers at once, and the rest one by one."""


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


@njit(cache=True, nogil=True, error_model="numpy")
def tabulate(level: Int32, log_theta: Float64, table: Float64) -> None:
    """Fill the table of P(profile | value), each row scaled to a maximum of 1.

    Products of parameters, each level's largest scaled to 1, need no logarithms; a product that underflows does. A
    profile shares the product of its first attributes with the one before, as far as these are equal.
    """
    if not table.shape[0]:
        return
    values, n_attributes = np.uint64(log_theta.shape[1]), np.uint64(level.shape[1])
    theta = _padded(log_theta)
    width = np.uint64(theta.shape[1])
    product = np.ones((level.shape[1] + 1, theta.shape[1]))  # of the first attributes, by their number
    for profile in range(np.uint64(table.shape[0])):
        equal = np.uint64(0)
        while profile and equal < n_attributes and level[profile, equal] == level[profile - ONE, equal]:
            equal += ONE
        for attribute in range(equal, n_attributes):
            number = level[profile, attribute]
            if number >= 0:
                row = np.uint64(number)
                for value in range(width):
                    product[attribute + ONE, value] = product[attribute, value] * theta[row, value]
            else:
                for value in range(width):
                    product[attribute + ONE, value] = product[attribute, value]
        highest = _greatest(product[n_attributes])
        if highest > SMALLEST_SUM:
            factor = 1.0 / highest
            for value in range(values):
                table[profile, value] = product[n_attributes, value] * factor
        else:
            _tabulate_logarithms(level[profile], log_theta, table[profile])


@njit(cache=True, nogil=True)
def _padded(log_theta: Float64) -> Float64:
    """Return the parameters, each level's largest scaled to 1, and zeros up to a multiple of `_WIDTH`."""
    levels, values = log_theta.shape
    theta = np.zeros((levels, (values + _WIDTH - 1) // _WIDTH * _WIDTH))
    for level in range(levels):
        highest = _greatest(log_theta[level])
        for value in range(values):
            theta[level, value] = np.exp(log_theta[level, value] - highest)
    return theta


@njit(cache=True, nogil=True)
def _tabulate_logarithms(level: Int32, log_theta: Float64, row: Float64) -> None:
    """Fill a profile's row of the table by sums of logarithms."""
    for value in range(row.size):
        row[value] = 0.0
        for number in level:
            if number >= 0:
                row[value] += log_theta[number, value]
    highest = _greatest(row)
    for value in range(row.size):
        row[value] = np.exp(row[value] - highest)


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})  # no order: several numbers are compared at once
def _greatest(row: Float64) -> float:
    # NumPy's would take numba half a second to compile.
    greatest = -np.inf
    for number in row:
        greatest = max(greatest, number)
    return greatest


@njit(cache=True, nogil=True)
def _copy(source: Int64, target: Int64) -> None:
    # Assigning a slice would do the same, and take numba seconds to compile.
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@njit(cache=True, nogil=True)
def add_up(level: Int32, tally: Float64 | Int64, counts: Float64 | Int64) -> None:
    """Fill the counts by level from the tally by profile."""
    counts[:] = 0
    for profile in range(tally.shape[0]):
        for number in level[profile]:
            if number >= 0:
                row = np.uint64(number)
                for value in range(tally.shape[1]):
                    counts[row, value] += tally[profile, value]


@njit(inline="always")
def _sweep(
    layout: Layout, shapes: Shapes, chain: Chain, seed: np.uint64, pairs: int | None, rounds: int | None
) -> tuple[int, float]:
    """Draw all arrangements given the parameters; sum marginals; return people known and the sum of squares.

    The last two are those of `kinds_of`: the kernels of groups that a layout does not have are not compiled.
    """
    tabulate(layout.level, chain.log_theta, chain.table)
    _copy(chain.certain, chain.tally if chain.tally.size else chain.counts)
    drawn = chain.held.size > 0  # for a literal, numba would compile both sweeps once more
    known, squares = sweep_exact(layout, shapes, chain, seed, drawn)
    if pairs is not None:
        n, square = sweep_pairs(layout, chain, seed, drawn)
        known, squares = known + n, squares + square
    if rounds is not None:
        n, square = sweep_blocks(layout, shapes, chain, seed, rounds)
        known, squares = known + n, squares + square
    if chain.tally.size:
        add_up(layout.level, chain.tally, chain.counts)
    return known, squares


def kinds_of(layout: Layout) -> tuple[int | None, int | None]:
    """Return the number of groups of two, and the rounds of blocks in a sweep; each None without such groups.

    None leaves a kernel out when another is compiled, which takes seconds; a number would not.
    """
    return layout.pairs.size or None, ROUNDS if layout.large.size else None


def sweep(layout: Layout, shapes: Shapes, chain: Chain, seed: np.uint64) -> tuple[int, float]:
    """Sweep once; return people known and the sum of squares.

    Compiling the whole would take seconds, and change nothing.
    """
    known, squares = _sweep.py_func(layout, shapes, chain, seed, *kinds_of(layout))  # type: ignore[attr-defined]
    return int(known), float(squares)


@njit(cache=True, nogil=True)
def iterate(  # noqa: PLR0913, PLR0917 - a kernel takes arrays
    layout: Layout,
    shapes: Shapes,
    chain: Chain,
    alpha: float,
    power: float,
    seeds: Unsigned,  # (iterations, sweeps)
    traced: Float64,  # (iterations, 3)
    picked: Int64,  # cells of the traced counts
    traced_counts: NDArray[np.float32],  # (iterations, picked)
    rng: np.random.Generator,
    pairs: int | None,  # of `kinds_of`
    rounds: int | None,
) -> None:
    """Alternate between parameters and arrangements; trace the last sweep of each iteration.

    Arrangements are drawn from the parameters raised to the power.
    """
    counts = chain.counts.reshape(-1)
    log_theta = chain.log_theta.reshape(-1)
    for iteration in range(seeds.shape[0]):
        for seed in seeds[iteration]:
            draw_parameters(layout.offset, chain.counts, alpha, chain.log_theta, rng)
            if power != 1.0:
                for i in range(log_theta.size):
                    log_theta[i] *= power
            known, squares = _sweep(layout, shapes, chain, seed, pairs, rounds)
        traced[iteration, 0] = known
        traced[iteration, 1] = squares
        traced[iteration, 2] = 0.0
        for i in range(counts.size):
            traced[iteration, 2] += counts[i] * log_theta[i]
        for i in range(picked.size):
            traced_counts[iteration, i] = counts[picked[i]]


def expect(layout: Layout, shapes: Shapes, chain: Chain) -> None:
    """Sum the exact marginals given the parameters, without draws; groups sampled by blocks are skipped."""
    tabulate(layout.level, chain.log_theta, chain.table)
    if layout.pairs.size:
        sweep_pairs(layout, chain, np.uint64(0), drawn=False)
    sweep_exact(layout, shapes, chain, np.uint64(0), drawn=False)


@njit(cache=True, nogil=True)
def replace_marginals(sums: Float64, constant: Bool, data: Float64) -> float:
    """Replace probabilities by those of one sweep, but not the constant ones; return the largest change."""
    moved = 0.0
    for i in range(data.size):
        if not constant[i]:
            moved = max(moved, abs(sums[i] - data[i]))
            data[i] = sums[i]
    return moved


@njit(cache=True, nogil=True)
def expected_counts(layout: Layout, data: Float64, counts: Float64) -> None:
    """Fill the expected number of people by level and value, given probabilities (entries,)."""
    level, profile, support, slot_size = layout.level, layout.profile, layout.support, layout.slot_size
    start, support_start, slot_start, times = layout.start, layout.support_start, layout.slot_start, layout.times
    profiles, values = level.shape[0], counts.shape[1]
    dense = profiles * values <= CELLS_AN_ENTRY * data.size
    tally = np.zeros((profiles if dense else 0, values))
    counts[:] = 0
    entry = np.uint64(0)
    for group in range(start.size - 1):
        row = start[group]
        first, end = np.uint64(support_start[group]), np.uint64(support_start[group + 1])
        for slot in range(slot_start[group], slot_start[group + 1]):
            people, one = times[group] * slot_size[slot], np.uint64(profile[row])
            for place in range(first, end):
                value = np.uint64(support[place])
                if dense:
                    tally[one, value] += people * data[entry]
                else:
                    add(level, one, value, people * data[entry], counts)
                entry += ONE
            row += slot_size[slot]
    if dense:
        add_up(level, tally, counts)
