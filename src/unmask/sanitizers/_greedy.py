"""Greedy grouping's cuts: the ends of groups in a sequence of people.

Count the values of the people one by one. At the first prefix that may be a group the group is closed, or a coin
continues it; remaining people at the end join the group before them until that is safe as well.
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.compiled_code import njit
from unmask.sanitizers.greedy_rule.rule import GreedyRule


@njit(cache=True, nogil=True)
def _close(
    value: Int32,
    n_values: int,
    l: int,
    minimum: int,
    p: float,
    by_prefix: bool,  # noqa: FBT001
    rng: np.random.Generator,
) -> Int64:
    """Return the start of each closed group, and the end of the last one, (groups + 1,).

    Negative values are not bounded. The coin is thrown wherever a group might be closed, except at the last person.
    """
    n = value.size
    first = np.zeros(n + 1, np.int64)
    count = np.zeros(n_values, np.int64)
    n_groups, since, largest = 0, 0, 0  # since: the start of the counted prefix
    for here in range(n):
        v = value[here]
        if v >= 0:
            count[v] += 1
            largest = max(largest, count[v])
        size = here + 1 - since
        if size < minimum or largest * l > size:
            continue
        carry_on = p > 0 and here + 1 < n and rng.random() < p
        if carry_on and by_prefix:
            continue
        for back in range(since, here + 1):
            if value[back] >= 0:
                count[value[back]] = 0
        since, largest = here + 1, 0
        if not carry_on:
            n_groups += 1
            first[n_groups] = here + 1
    return first[: n_groups + 1]


@njit(cache=True, nogil=True)
def _merge(value: Int32, n_values: int, l: int, minimum: int, first: Int64) -> int:
    """Return how many of the last closed groups must join the people after them for all to be safe.

    These people are counted again: a coin by group has joined finished groups to them.
    """
    n, end, joined, largest = value.size, value.size, 0, 0
    count = np.zeros(n_values, np.int64)
    while True:
        begin = first[first.size - 1 - joined]
        for here in range(begin, end):
            if value[here] >= 0:
                count[value[here]] += 1
                largest = max(largest, count[value[here]])
        if begin == 0 or (n - begin >= minimum and largest * l <= n - begin):
            return joined
        joined, end = joined + 1, begin


def cut(value: Int32, n_values: int, rule: GreedyRule, rng: np.random.Generator) -> tuple[Int64, bool]:
    """Return the start of each group in a sequence of people, (groups + 1,), and whether the last one was merged.

    `value` (people,) holds each person's value, negative where the rule does not bound it. All people together must be
    safe as one group.
    """
    first = _close(value, n_values, rule.l, rule.minimum, rule.p, rule.coin == "prefix", rng)
    if first[-1] == value.size:
        return first, False
    joined = _merge(value, n_values, rule.l, rule.minimum, first)
    return np.append(first[: first.size - joined], value.size), True


__all__ = ["cut"]
