"""The power of predictions, from worlds drawn from the model, whose values are known.

Exchanges of people between groups show how well a model predicts which attributes go with which list of values. They
hardly show how well it separates the values of one list: of a value that nearly every group contains, one group
says as much as another. Where a release says little, a classifier fitted to drawn values is too sure all the same.

So values are drawn from the beliefs, arranged within the published groups, and people of equal drawn values are
exchanged between neighboring groups: another world, as likely as the published one, with values that are known. The
model learns from its groups as it learned from the published ones. Where its beliefs are too sure there, they are too
sure here. A world drawn from beliefs that are too sure is too clear itself, so another one is drawn at the power found.

Where groups were formed of people who are alike, exchanges between groups leave other groups than the published ones,
and no world is like them: the power then stays.

References
----------
Efron and Tibshirani. An Introduction to the Bootstrap. Chapman and Hall 1993, chapter 6 (the parametric bootstrap).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import scipy

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.shared.grouped_people import GroupedPeople

Score: TypeAlias = Callable[[float], float]
"""The log-probability of a world's values under beliefs at a power."""

NEAR = 16
"""People are exchanged within so many successive groups: those of near numbers are alike."""

CLOSE = 0.05
"""A power found within this of the one that the world was drawn at needs no other world."""

ALIKE = 4.5
"""Standard errors by which neighbors in a group share more levels than in a world where groups are of like people."""

_SWAPS = 30  # attempts per person and doubling of the largest group
_LEAST = 0.01
_NO_MATTER = 0.01  # of a power


def power_of(
    groups: GroupedPeople,
    log_lift: Float64,
    power: float,
    worlds: int,
    learn: Callable[[GroupedPeople], Score],
    rng: np.random.Generator,
) -> float:
    """Return the power, at most the given one, under which the values of drawn worlds are most probable.

    `log_lift` (rows, values) is log P(value | attributes) / P(value) of each person. `learn` learns from the groups of
    a world, whose values are in the order of its rows, and returns their score. At the least power nothing is drawn.
    """
    for _ in range(worlds if power > _LEAST else 0):
        world = world_of(groups, power * log_lift, rng)
        if _alike(groups, world):
            break
        score = learn(world)
        found = _highest(score, power)
        settled, power = found >= power - CLOSE, found
        if settled:
            break
    return power


def _alike(groups: GroupedPeople, world: GroupedPeople) -> bool:
    """Whether people of a published group are more alike than those of a world's."""
    group_of = _group_of_row(groups)
    one = np.flatnonzero(group_of[:-1] == group_of[1:])
    shared = [
        (each.codes[each.profile_of[one]] == each.codes[each.profile_of[one + 1]]).mean(axis=1)
        for each in (groups, world)
    ]
    more = shared[0] - shared[1]
    return more.size > 0 and bool(more.mean() > ALIKE * more.std() / np.sqrt(more.size))


def _highest(score: Score, most: float) -> float:
    """Return the power, at most a given one, of the highest score."""
    inside = scipy.optimize.minimize_scalar(
        lambda power: -score(power), bounds=(_LEAST, most), options={"xatol": _NO_MATTER}
    )
    return most if score(most) >= -inside.fun else round(float(inside.x), 3)


def world_of(groups: GroupedPeople, log_weight: Float64, rng: np.random.Generator) -> GroupedPeople:
    """Draw a world: groups with the published lists of values, each value in the row of the person who has it."""
    value = arrangement(groups, log_weight, rng)
    window = _group_of_row(groups) // NEAR
    rows = np.arange(value.size)
    before = np.lexsort((rows, value, window))
    after = np.lexsort((rng.random(value.size), value, window))
    profile_of = np.empty_like(groups.profile_of)
    profile_of[before] = groups.profile_of[after]
    return replace(groups, profile_of=profile_of, value=value)


def arrangement(groups: GroupedPeople, log_weight: Float64, rng: np.random.Generator) -> Int32:
    """Draw each person's value, (rows,): an arrangement of each group's, by swaps of two people's values.

    An arrangement is as likely as the product of its people's weights; `log_weight` is (rows, values).
    """
    group_of, rows = _group_of_row(groups), groups.value.size
    value = groups.value[np.argsort(group_of + rng.random(rows))]
    place = np.arange(rows) - groups.start[group_of]
    first = np.flatnonzero((place[:-1] % 2 == 0) & (group_of[:-1] == group_of[1:]))
    largest = int(np.diff(groups.start).max(initial=1))
    for _ in range(_SWAPS * largest.bit_length()):
        order = np.argsort(group_of + rng.random(rows))
        one, other = order[first], order[first + 1]
        a, b = value[one], value[other]
        gain = log_weight[one, b] + log_weight[other, a] - log_weight[one, a] - log_weight[other, b]
        swapped = np.log(rng.random(one.size)) < gain
        value[one[swapped]], value[other[swapped]] = b[swapped], a[swapped]
    return value


def _group_of_row(groups: GroupedPeople) -> Int64:
    return np.repeat(np.arange(groups.start.size - 1), np.diff(groups.start))
