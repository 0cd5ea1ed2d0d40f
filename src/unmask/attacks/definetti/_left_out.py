"""Kernels of the left-out control: snapshot weights, and predictions from counts without the own group.

Functions with a single caller are inlined, so that they are compiled once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.shared import permanents
from unmask.attacks.shared.group_layout import Layout, Shapes
from unmask.attacks.shared.permanents import SMALLEST_SUM, backward, backward_logarithms, scale
from unmask.compiled_code import njit

LANES = int(permanents.LANES)


class Smoothing(NamedTuple):
    """The prior of the parameters, and the power of P(profile | value)."""

    alpha: float
    power: float


class SnapshotBatch(NamedTuple):
    """As many snapshots as there are lanes, side by side."""

    counts: Float64  # (lanes, levels and attributes, values) people by level, then by attribute if not missing
    log_theta: Float64  # (lanes, levels, values) the parameters drawn, times the power
    log_chance: Float64  # (lanes, levels, values) predicted from the counts, times the power
    held: Int32  # (lanes, rows)
    share: Float64  # (entries,) probabilities of groups sampled by blocks; elsewhere -1


class GroupProfilePairs(NamedTuple):
    """Pairs of a group to leave out and a profile, sorted by group."""

    group: Int64  # (pairs,) -1: none
    shape: Int32  # (pairs,) the group's, or -1
    line: Int64  # (pairs,)
    codes: Int32  # (lines, attributes)


@njit(cache=True, nogil=True)
def enter(
    codes: Int32, offset: Int64, profile: Int32, first: int, people: int, held: Float64, sign: float, own: Float64
) -> None:
    """Add a group's people to `own`, or subtract them (`sign` -1).

    `held` (people, values) is 0 or 1, or the probability that a person holds a value; `own` is shaped as the counts.
    """
    levels = offset[offset.size - 1]
    for person in range(people):
        one = profile[first + person]
        for value in range(held.shape[1]):
            amount = sign * held[person, value]
            if amount != 0.0:
                for attribute in range(codes.shape[1]):
                    if codes[one, attribute] >= 0:
                        own[offset[attribute] + codes[one, attribute], value] += amount
                        own[levels + attribute, value] += amount


@njit(cache=True, nogil=True)
def without_own(
    codes: Int32, line: int, offset: Int64, smoothing: Smoothing, counts: Float64, own: Float64, value: int, nth: int
) -> float:
    """Return the factor by which P(profile | value) changes without the own group's counts.

    A group's expected counts can exceed those of a snapshot; differences are never negative.
    """
    alpha, power = smoothing
    factor = 1.0
    levels = offset[offset.size - 1]
    for attribute in range(codes.shape[1]):
        if codes[line, attribute] < 0 or own[levels + attribute, nth] == 0.0:
            continue
        level = offset[attribute] + codes[line, attribute]
        n, total = counts[level, value], counts[levels + attribute, value]
        beside = alpha * (offset[attribute + 1] - offset[attribute])
        left, in_all = max(n - own[level, nth], 0.0), max(total - own[levels + attribute, nth], 0.0)
        factor *= (left + alpha) / (n + alpha) * ((total + beside) / (in_all + beside))
    return factor if power == 1.0 else factor**power


@njit(cache=True, nogil=True)
def log_products(codes: Int32, line: int, offset: Int64, log_chance: Float64, value: int) -> float:
    """Return log P(profile | value)."""
    total = 0.0
    for attribute in range(codes.shape[1]):
        if codes[line, attribute] >= 0:
            total += log_chance[offset[attribute] + codes[line, attribute], value]
    return total


@njit(inline="always")
def fill_held_values(layout: Layout, draws: SnapshotBatch, group: int, held: Float64) -> None:
    """Fill each person's distinct value in each snapshot, (lanes, people, values): 0 or 1, or probabilities."""
    first, end, entry = layout.start[group], layout.start[group + 1], layout.entry_start[group]
    values = layout.support_start[group + 1] - layout.support_start[group]
    if draws.share[entry] < 0.0:
        for lane in range(LANES):
            for row in range(first, end):
                for value in range(values):
                    held[lane, row - first, value] = draws.held[lane, row] == value
        return
    person = 0
    for slot in range(layout.slot_start[group], layout.slot_start[group + 1]):
        for _ in range(layout.slot_size[slot]):
            for lane in range(LANES):
                for value in range(values):
                    held[lane, person, value] = draws.share[entry + value]
            person += 1
        entry += values


@njit(inline="always")
def log_weights(
    layout: Layout, smoothing: Smoothing, draws: SnapshotBatch, group: int, held: Float64, own: Float64, result: Float64
) -> None:
    """Fill log P(profile | value) of each person and value in each snapshot, (lanes, people × values).

    If all values differ, it is predicted from the counts without the group, with the parameters integrated out, which
    has little variance. A list with repetitions has no such product; the drawn parameters are used.
    """
    codes, offset, profile, support = layout.codes, layout.offset, layout.profile, layout.support
    first, at = layout.start[group], layout.support_start[group]
    people, values = layout.start[group + 1] - first, layout.support_start[group + 1] - at
    for lane in range(LANES):
        counts, log_chance, log_theta = draws.counts[lane], draws.log_chance[lane], draws.log_theta[lane]
        holds, filled = held[lane, :, :values], result[lane]
        if people == values:
            enter(codes, offset, profile, first, people, holds, 1.0, own)
        cell = 0
        for row in range(first, first + people):
            one = profile[row]
            for nth in range(values):
                value = support[at + nth]
                if people == values:
                    factor = without_own(codes, one, offset, smoothing, counts, own, value, nth)
                    filled[cell] = log_products(codes, one, offset, log_chance, value) + np.log(factor)
                else:
                    filled[cell] = log_products(codes, one, offset, log_theta, value)
                cell += 1
        if people == values:
            enter(codes, offset, profile, first, people, holds, -1.0, own)


@njit(inline="always")
def log_sums_by_state(shapes: Shapes, shape: int, values: int, w: Float64, result: Float64) -> None:
    """Compute `log_sums` for groups that have a shape."""
    out = shapes.out[shapes.out_start[shape] : shapes.out_start[shape + 1]]
    cell_of = shapes.cell[shapes.edge_start[shape] : shapes.edge_start[shape + 1]]
    to = shapes.to[shapes.edge_start[shape] : shapes.edge_start[shape + 1]]
    cells = w.shape[1]
    flow, total = np.empty(to.size * LANES), np.empty(out.size * LANES)
    weight, scaled = np.empty(cells * LANES), np.empty(cells)
    for lane in range(LANES):
        result[lane] = scale(w[lane], values, scaled)
        for cell in range(cells):
            weight[cell * LANES + lane] = scaled[cell]
    backward(out, cell_of, to, weight, flow, total)
    for lane in range(LANES):
        if total[lane] > SMALLEST_SUM:
            result[lane] += np.log(total[lane])
        else:
            result[lane] = backward_logarithms(out, cell_of, to, w[lane], np.uint64(lane), flow, total)


@njit(inline="always")
def log_sums(layout: Layout, shapes: Shapes, group: int, shape: int, w: Float64, result: Float64) -> None:
    """Fill the logarithm of the sum over a group's arrangements, (lanes,), from log weights."""
    people = layout.start[group + 1] - layout.start[group]
    at, end = layout.support_start[group], layout.support_start[group + 1]
    values = end - at
    if shape >= 0:
        log_sums_by_state(shapes, shape, values, w[:, : people * values], result)
    elif people == 2 and values == 2:
        for lane in range(LANES):
            result[lane] = np.logaddexp(w[lane, 0] + w[lane, 3], w[lane, 1] + w[lane, 2])
    else:  # all arrangements are equivalent: take the values as listed
        for lane in range(LANES):
            result[lane] = 0.0
            person = 0
            for value in range(at, end):
                for _ in range(layout.copies[value]):
                    result[lane] += w[lane, person * values + value - at]
                    person += 1


@njit(inline="always")
def predict(codes: Int32, offset: Int64, draws: SnapshotBatch, shift: Float64, chance: Float64) -> None:
    """Fill P(profile | value) predicted from the counts, (lanes, lines, values), divided by exp(shift)."""
    for lane in range(LANES):
        log_chance = draws.log_chance[lane]
        for line in range(codes.shape[0]):
            highest = -np.inf
            for value in range(chance.shape[2]):
                chance[lane, line, value] = log_products(codes, line, offset, log_chance, value)
                highest = max(highest, chance[lane, line, value])
            if np.isnan(shift[line]):
                shift[line] = highest
            for value in range(chance.shape[2]):
                chance[lane, line, value] = np.exp(chance[lane, line, value] - shift[line])


@njit(cache=True, nogil=True)
def add_evidence(  # noqa: C901  # one loop: its parts would need a dozen arrays each
    layout: Layout,
    shapes: Shapes,
    smoothing: Smoothing,
    draws: SnapshotBatch,
    asked: GroupProfilePairs,
    line_shift: Float64,  # (lines,) logarithms that keep numbers near 1, filled where they are NaN
    pair_shift: Float64,  # (pairs,)
    evidence: Float64,  # (pairs, values)
) -> None:
    """Add the snapshots' predictions for pairs of group and profile, weighted for the group's absence."""
    group, line, codes = asked.group, asked.line, asked.codes
    offset, profile, support, support_start = layout.offset, layout.profile, layout.support, layout.support_start
    n_values = evidence.shape[1]
    chance = np.empty((LANES, codes.shape[0], n_values))
    predict(codes, offset, draws, line_shift, chance)
    most, widest = 1, 1
    for g in group:
        if g >= 0:
            most = max(most, layout.start[g + 1] - layout.start[g])
            widest = max(widest, support_start[g + 1] - support_start[g])
    own = np.zeros((draws.counts.shape[1], widest))
    held, log_weight = np.empty((LANES, most, widest)), np.empty((LANES, most * widest))
    weight = np.ones(LANES)
    end = 0
    while end < group.size:
        begin, g = end, group[end]
        while end < group.size and group[end] == g:
            end += 1
        at, values, first, people = 0, 0, 0, 0
        if g >= 0:
            at, values = support_start[g], support_start[g + 1] - support_start[g]
            first, people = layout.start[g], layout.start[g + 1] - layout.start[g]
            fill_held_values(layout, draws, g, held)
            for lane in range(LANES):
                weight[lane] = 0.0
            if draws.share[layout.entry_start[g]] < 0.0:
                log_weights(layout, smoothing, draws, g, held, own, log_weight)
                log_sums(layout, shapes, g, asked.shape[begin], log_weight, weight)
            if np.isnan(pair_shift[begin]):
                pair_shift[begin] = weight[0]
            for lane in range(LANES):
                weight[lane] = np.exp(pair_shift[begin] - weight[lane])
        for lane in range(LANES):
            counts, holds = draws.counts[lane], held[lane, :, :values]
            enter(layout.codes, offset, profile, first, people, holds, 1.0, own)
            for pair in range(begin, end):
                one = line[pair]
                for value in range(n_values):
                    evidence[pair, value] += weight[lane] * chance[lane, one, value]
                for nth in range(values):
                    value = support[at + nth]
                    change = without_own(codes, one, offset, smoothing, counts, own, value, nth) - 1.0
                    evidence[pair, value] += weight[lane] * chance[lane, one, value] * change
            enter(layout.codes, offset, profile, first, people, holds, -1.0, own)
