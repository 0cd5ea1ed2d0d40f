"""Kernels of one Gibbs sweep: draw each group's arrangement and add its exact marginals, given the parameters.

Kernels unpack tuples of arrays before their loops: counting a reference for
every person would cost more than the arithmetic.
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.shared import permanents
from unmask.attacks.shared.counter_random import binomial, stream_of, uniform
from unmask.attacks.shared.group_layout import Chain, Layout, Shapes
from unmask.attacks.shared.permanents import (
    ONE,
    SMALLEST_SUM,
    backward,
    backward_logarithms,
    forward,
    pick,
    pick_many,
    scale,
)
from unmask.compiled_code import njit

LANES = permanents.LANES

SURE = 0.8 - 1e-9
"""The probability at which a person counts as known in the traced share (the paper's .8, with a tolerance)."""


@njit(cache=True, nogil=True)
def log_weights(level: Int32, log_theta: Float64, profiles: Int32, support: Int32, result: Float64) -> None:
    """Fill log P(profile | value) for the people and distinct values of a group, (people × values,)."""
    cell = 0
    for profile in profiles:
        for value in support:
            total = 0.0
            for one in level[profile]:
                if one >= 0:
                    total += log_theta[one, value]
            result[cell] = total
            cell += 1


@njit(cache=True, nogil=True)
def pair_chance(w: Float64) -> float:
    """Return the probability that the first of two people has the first of two values, from log weights (4,)."""
    return float(1.0 / (1.0 + np.exp(min(w[1] + w[2] - w[0] - w[3], 700.0))))


@njit(cache=True, nogil=True)
def add(level: Int32, profile: int | np.uint64, value: int | np.uint64, people: float, counts: Float64 | Int64) -> None:
    """Add people of one profile and value to the counts by level."""
    row, column = np.uint64(profile), np.uint64(value)  # unsigned: need no check for negative ones
    for attribute in range(np.uint64(level.shape[1])):
        one = level[row, attribute]
        if one >= 0:
            counts[np.uint64(one), column] += people


@njit(cache=True, nogil=True)
def count(level: Int32, profile: int, value: int, people: int, tally: Int64, counts: Int64) -> None:
    """Add people of one profile and value to the tally by profile if there is one, else to the counts by level."""
    if tally.size:
        tally[profile, value] += people
    else:
        add(level, profile, value, people, counts)


@njit(cache=True, nogil=True)
def sweep_pairs(layout: Layout, chain: Chain, seed: np.uint64, drawn: bool) -> tuple[int, float]:  # noqa: FBT001
    """Sweep the groups of two; return the number of people known, and the sum of squared probabilities."""
    start, support_start, entry_start, times = layout.start, layout.support_start, layout.entry_start, layout.times
    profile, support, level = layout.profile, layout.support, layout.level
    table, held, sums, log_theta, room = chain.table, chain.held, chain.sums, chain.log_theta, chain.bench.log_weight
    tally, counts = chain.tally, chain.counts
    known, squares = 0, 0.0
    for group in layout.pairs:
        row, at, entry, copies = start[group], support_start[group], entry_start[group], times[group]
        one, other = profile[row], profile[row + 1]
        u, v = support[at], support[at + 1]
        straight, crossed = 0.0, 0.0
        if table.size:
            straight, crossed = table[one, u] * table[other, v], table[one, v] * table[other, u]
        if straight + crossed > SMALLEST_SUM:
            chance = straight / (straight + crossed)
        else:
            log_weights(level, log_theta, profile[row : row + 2], support[at : at + 2], room)
            chance = pair_chance(room)
        sums[entry] += chance
        sums[entry + 1] += 1.0 - chance
        sums[entry + 2] += 1.0 - chance
        sums[entry + 3] += chance
        if not drawn:
            continue
        known += 2 * copies * ((chance >= SURE) + (1.0 - chance >= SURE))
        squares += 2.0 * copies * (chance * chance + (1.0 - chance) * (1.0 - chance))
        noise, height = uniform(stream_of(seed, group))
        held[row] = height >= chance
        held[row + 1] = height < chance
        first = int(height < chance)
        if copies > 1:
            _, more = binomial(noise, copies - 1, chance)
            first += more
        if tally.size:
            tally[one, u] += first
            tally[other, v] += first
            tally[one, v] += copies - first
            tally[other, u] += copies - first
        else:
            count(level, one, u, first, tally, counts)
            count(level, other, v, first, tally, counts)
            count(level, one, v, copies - first, tally, counts)
            count(level, other, u, copies - first, tally, counts)
    return known, squares


@njit(cache=True, nogil=True)
def sweep_exact(  # noqa: C901, PLR0912, PLR0915  # one loop: its parts would need a dozen arrays each
    layout: Layout,
    shapes: Shapes,
    chain: Chain,
    seed: np.uint64,
    drawn: bool,  # noqa: FBT001
) -> tuple[int, float]:
    """Sweep the groups that are summed over states; return the same two numbers."""
    start, support_start, entry_start, slot_start = (
        layout.start,
        layout.support_start,
        layout.entry_start,
        layout.slot_start,
    )
    profile, support, level, slot_size = layout.profile, layout.support, layout.level, layout.slot_size
    table, held, sums, log_theta, exact, shape = (
        chain.table,
        chain.held,
        chain.sums,
        chain.log_theta,
        layout.exact,
        layout.shape,
    )
    log_weight, weight, marginal, flow, total, reached, waiting, given = chain.bench
    tally, counts, times = chain.tally, chain.counts, layout.times
    out, cell, to = shapes.out, shapes.cell, shapes.to
    sure, square = np.empty(int(LANES), np.int64), np.empty(int(LANES))
    known, squares, current, done = 0, 0.0, -1, 0
    while done < exact.size:
        if shape[done] != current:
            current = shape[done]
            edges = slice(shapes.edge_start[current], shapes.edge_start[current + 1])
            out = shapes.out[shapes.out_start[current] : shapes.out_start[current + 1]]
            cell, to = shapes.cell[edges], shapes.to[edges]
        lanes = 1
        while lanes < LANES and done + lanes < exact.size and shape[done + lanes] == current:
            lanes += 1
        group = exact[done]
        people, values = start[group + 1] - start[group], support_start[group + 1] - support_start[group]
        cells = people * values
        if lanes < LANES:
            weight[: cells * int(LANES)] = 1.0
        for lane in range(lanes):
            group = exact[done + lane]
            first, at, place = start[group], support_start[group], np.uint64(lane)
            if table.size:
                for row in range(np.uint64(first), np.uint64(first + people)):
                    one = np.uint64(profile[row])
                    for value in range(np.uint64(at), np.uint64(at + values)):
                        weight[place] = table[one, np.uint64(support[value])]
                        place += LANES
            else:
                members, own = profile[first : first + people], support[at : at + values]
                log_weights(level, log_theta, members, own, log_weight)
                scale(log_weight[:cells], values, log_weight)
                for i in range(cells):
                    weight[place] = log_weight[i]
                    place += LANES
        backward(out, cell, to, weight, flow, total)
        for lane in range(lanes):
            if not total[lane] > SMALLEST_SUM:
                group = exact[done + lane]
                members = profile[start[group] : start[group + 1]]
                own = support[support_start[group] : support_start[group + 1]]
                log_weights(level, log_theta, members, own, log_weight)
                backward_logarithms(out, cell, to, log_weight, np.uint64(lane), flow, total)
        for i in range(np.uint64(cells) * LANES):
            marginal[i] = 0.0
        forward(out, cell, to, flow, total, reached, marginal)
        for lane in range(lanes):
            group = exact[done + lane]
            collect(
                marginal, lane, slot_size[slot_start[group] : slot_start[group + 1]], values, sums[entry_start[group] :]
            )
        if drawn:
            concentrate(marginal, cells, sure, square)
            for lane in range(lanes):  # apart from the next loop: a draw need not wait for that of the lane before
                group = exact[done + lane]
                known += times[group] * sure[lane]
                squares += times[group] * square[lane]
                pick(out, cell, to, flow, total, np.uint64(lane), stream_of(seed, group), held, start[group])
            for lane in range(lanes):
                group = exact[done + lane]
                first, at = start[group], support_start[group]
                if tally.size:
                    for row in range(first, first + people):
                        tally[profile[row], support[at + held[row]]] += 1
                else:
                    for row in range(first, first + people):
                        add(level, profile[row], support[at + held[row]], 1, counts)
                if times[group] > 1:  # its sums are those of all identical groups
                    given[:cells] = 0
                    copies, more = times[group] - 1, stream_of(~seed, group)
                    pick_many(out, cell, to, flow, total, np.uint64(lane), more, copies, waiting, given)
                    nth = 0
                    for row in range(first, first + people):
                        for value in range(at, at + values):
                            if given[nth]:
                                count(level, profile[row], support[value], given[nth], tally, counts)
                            nth += 1
        done += lanes
    return known, squares


@njit(cache=True, nogil=True)
def concentrate(marginal: Float64, cells: int, sure: Int64, square: Float64) -> None:
    """Fill the number of people known of each lane's group, and the sum of squared probabilities, (lanes,)."""
    for lane in range(LANES):
        known, squares, place = 0, 0.0, np.uint64(lane)
        for _ in range(cells):
            known += marginal[place] >= SURE
            squares += marginal[place] * marginal[place]
            place += LANES
        sure[lane], square[lane] = known, squares


@njit(cache=True, nogil=True)
def collect(marginal: Float64, lane: int, slot_size: Int64, values: int, sums: Float64) -> None:
    """Add the marginals of a lane's group to its entries; the people of a slot have the same."""
    place, entry = np.uint64(lane), np.uint64(0)
    for size in slot_size:
        for value in range(np.uint64(values)):
            sums[entry] += marginal[place + value * LANES]
            entry += ONE
        place += np.uint64(size * values) * LANES
