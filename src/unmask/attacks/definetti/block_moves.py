"""Gibbs sampling of the assignment of values in large groups, by random blocks of people.

The people of a group are divided at random into blocks. The arrangement of the values that the people of a block hold
is drawn exactly given all others, and its exact marginals are averaged (Rao-Blackwell). A block is far cheaper than a
whole group, all blocks of all groups have one shape, and a person meets all others of the group in a few rounds: an
exact draw from the whole group would mix little faster, since the parameters are drawn given the arrangement.

References
----------
Liu, Wong and Kong. Covariance structure of the Gibbs sampler with applications to the comparisons of estimators and
augmentation schemes. Biometrika 1994 (blocks, and averages of conditional expectations).
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.attacks.definetti._sweep import SURE, count, log_weights
from unmask.attacks.shared import permanents
from unmask.attacks.shared.counter_random import stream_of, uniform
from unmask.attacks.shared.group_layout import Chain, Layout, Shapes
from unmask.attacks.shared.permanents import SMALLEST_SUM, backward, backward_logarithms, forward, pick, scale
from unmask.compiled_code import njit

LANES = int(permanents.LANES)

ROUNDS = 3
"""Divisions of the people in a sweep."""

ROUNDS_ALONE = 32
"""Divisions of the people where the marginals of a single sweep are used."""


@njit(cache=True, nogil=True)
def shuffle(order: Int64, noise: np.uint64) -> None:
    """Put numbers into a random order."""
    for last in range(order.size - 1, 0, -1):
        noise, height = uniform(noise)
        other = int(height * (last + 1))
        order[last], order[other] = order[other], order[last]


@njit(cache=True, nogil=True)
def place_people(layout: Layout, rounds: int, entry: Int64, share: Float64) -> int:
    """Fill each row's first entry, and its weight in the mean of its slot, (rows,); return the number of rows."""
    people = 0
    for group in layout.large:
        row, at = layout.start[group], layout.entry_start[group]
        values = layout.support_start[group + 1] - layout.support_start[group]
        for slot in range(layout.slot_start[group], layout.slot_start[group + 1]):
            size = layout.slot_size[slot]
            entry[row : row + size] = at
            share[row : row + size] = 1.0 / (rounds * size)
            row += size
            at += values
        people += layout.start[group + 1] - layout.start[group]
    return people


@njit(cache=True, nogil=True)
def fill_blocks(layout: Layout, size: int, seed: np.uint64, rows: Int64, first_value: Int64) -> int:
    """Divide the people of each group at random into blocks, (people,); return the end of the blocks.

    After it are the people that are left over; `first_value` (people,) is the first of their group's values.
    """
    block, left = 0, rows.size
    for group in layout.large:
        first, end = layout.start[group], layout.start[group + 1]
        whole = (end - first) // size * size
        order = np.arange(first, end)
        shuffle(order, stream_of(seed, group))
        rows[block : block + whole] = order[:whole]
        first_value[block : block + whole] = layout.support_start[group]
        block += whole
        for i in range(whole, order.size):
            left -= 1
            rows[left] = order[i]
    return block


@njit(cache=True, nogil=True)
def concentration(nth: Int64, marginal: Float64, lane: int, chance: Float64) -> tuple[int, float]:
    """Return the number of people of a block who are known, and the sum of squared probabilities.

    `chance` is zero, before and after; it is by value, since a block can hold a value twice.
    """
    known, squares = 0, 0.0
    for person in range(nth.size):
        for other in range(nth.size):
            chance[nth[other]] += marginal[(person * nth.size + other) * LANES + lane]
        for own in nth:
            known += chance[own] >= SURE
            squares += chance[own] * chance[own]
            chance[own] = 0.0
    return known, squares


@njit(cache=True, nogil=True)
def sweep_blocks(  # noqa: C901, PLR0912, PLR0915  # one loop: its parts would need a dozen arrays each
    layout: Layout, shapes: Shapes, chain: Chain, seed: np.uint64, rounds: int
) -> tuple[int, float]:
    """Sweep the groups too large to be exact; return the number of people known in their block, and the squares."""
    known, squares = 0, 0.0
    if not layout.large.size:
        return known, squares
    profile, support, level = layout.profile, layout.support, layout.level
    table, held, sums, log_theta = chain.table, chain.held, chain.sums, chain.log_theta
    shape = shapes.out_start.size - 2
    out = shapes.out[shapes.out_start[shape] : shapes.out_start[shape + 1]]
    cell = shapes.cell[shapes.edge_start[shape] : shapes.edge_start[shape + 1]]
    to = shapes.to[shapes.edge_start[shape] : shapes.edge_start[shape + 1]]
    size = int(out[1] - out[0])
    cells = size * size
    flow, total, reached = np.empty(to.size * LANES), np.empty(out.size * LANES), np.empty(out.size * LANES)
    weight, marginal, log_weight, scaled = (
        np.ones(cells * LANES),
        np.empty(cells * LANES),
        np.empty(cells),
        np.empty(cells),
    )
    nth, given, chance = np.empty((LANES, size), np.int64), np.empty(size, np.int32), np.zeros(layout.n_values)
    members, own = np.empty((LANES, size), np.int32), np.empty((LANES, size), np.int32)
    entry, share = np.empty(profile.size, np.int64), np.empty(profile.size)
    n_rows = place_people(layout, rounds, entry, share)
    rows, first_value = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    for nth_round in range(rounds):
        noise = stream_of(seed, nth_round)
        end = fill_blocks(layout, size, noise, rows, first_value)
        for row in rows[end:]:
            sums[entry[row] + held[row]] += share[row]
        for begin in range(0, end, size * LANES):
            lanes = min(LANES, (end - begin) // size)
            for lane in range(lanes):
                start = begin + lane * size
                for i in range(size):
                    row = rows[start + i]
                    nth[lane, i] = held[row]
                    members[lane, i] = profile[row]
                    own[lane, i] = support[first_value[start] + held[row]]
                place = lane
                if table.size:
                    for one in members[lane]:
                        for value in own[lane]:
                            weight[place] = table[one, value]
                            place += LANES
                else:
                    log_weights(level, log_theta, members[lane], own[lane], log_weight)
                    scale(log_weight, size, scaled)
                    for i in range(cells):
                        weight[place] = scaled[i]
                        place += LANES
            backward(out, cell, to, weight, flow, total)
            for lane in range(lanes):
                if not total[lane] > SMALLEST_SUM:
                    log_weights(level, log_theta, members[lane], own[lane], log_weight)
                    backward_logarithms(out, cell, to, log_weight, np.uint64(lane), flow, total)
            marginal[:] = 0.0
            forward(out, cell, to, flow, total, reached, marginal)
            for lane in range(lanes):
                start = begin + lane * size
                pick(out, cell, to, flow, total, np.uint64(lane), stream_of(~noise, start), given, 0)
                place = lane
                for i in range(size):
                    row = rows[start + i]
                    held[row] = nth[lane, given[i]]
                    for j in range(size):
                        sums[entry[row] + nth[lane, j]] += share[row] * marginal[place]
                        place += LANES
                if nth_round == rounds - 1:
                    n, square = concentration(nth[lane], marginal, lane, chance)
                    known += n
                    squares += square
    for group in layout.large:
        at = layout.support_start[group]
        for row in range(layout.start[group], layout.start[group + 1]):
            count(level, profile[row], support[at + held[row]], 1, chain.tally, chain.counts)
    return known, squares
