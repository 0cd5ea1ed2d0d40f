"""Forward and backward steps over the people of a group of two values under a coin per prefix.

A state is the number of positives among the first people. The kernels step over one person; lines of a layer are worlds
in which the group is open (0), and in which it was closed and the rest was merged back into it (1). The order of what
is merged back does not matter: in a rest that is not safe, no group closes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.compiled_code import njit
from unmask.sanitizers.greedy_rule.rule import GreedyRule


class BinaryGroup(NamedTuple):
    """A group of two values for compiled code: n people, c of them positive."""

    n: int
    c: int
    l: int
    minimum: int
    one_sided: bool  # only positives are bounded
    p: float
    merged: bool  # its end may be a tail that was merged back

    @classmethod
    def of(cls, n: int, c: int, rule: GreedyRule, *, merged: bool) -> BinaryGroup:
        """Return a group by this rule."""
        return cls(n, c, rule.l, rule.minimum, rule.positive is not None, float(rule.p), merged)


@dataclass(frozen=True, eq=False)
class PrefixSteps:
    """Steps over the people of a group, each positive with the odds `up` : `down`."""

    group: BinaryGroup
    closed: bool  # the group may have closed itself
    up: Float64  # (n,)
    down: Float64  # (n,)

    @cached_property
    def ends(self) -> tuple[Int64, Int64]:
        """The least and the largest number of positives among the first people, both (n + 1,)."""
        n, c = self.group.n, self.group.c
        t = np.arange(n + 1)
        return np.maximum(0, c - (n - t)), np.minimum(c, t)

    @cached_property
    def width(self) -> int:
        """The largest number of states on a line."""
        low, high = self.ends
        return int((high - low).max()) + 1

    @property
    def states(self) -> int:
        """The number of states of a layer."""
        return 2 * self.width

    def begin(self) -> Float64:
        """Return the worlds before the first person."""
        layer = np.zeros((2, self.width))
        layer[0, 0] = 1.0
        return layer

    def end(self) -> Float64:
        """Return the weights of the last states: at the end of a table, no coin is thrown."""
        layer = np.zeros((2, self.width))
        layer[:, 0] = self.closed, self.group.merged
        return layer

    def onward(self, t: int, before: Float64) -> Float64:
        """Return the layer after person t (1 … n)."""
        low, high = self.ends
        return _onward(self.group, t, low, high, self.up[t - 1], self.down[t - 1], before)

    def back(self, t: int, ahead: Float64, reached: Float64) -> tuple[Float64, float, float]:
        """Step back over person t; return also the weight of worlds through this step, with a positive and in all."""
        low, high = self.ends
        return _back(self.group, t, low, high, self.up[t - 1], self.down[t - 1], ahead, reached)


@njit(cache=True, nogil=True)
def safe(group: BinaryGroup, n: int) -> tuple[int, int]:
    """Return the least and the largest number of positives of n people who may be a group."""
    if n < group.minimum:
        return 1, 0
    return 0 if group.one_sided else n - n // group.l, n // group.l


@njit(cache=True, nogil=True)
def _onward(
    group: BinaryGroup, t: int, low: Int64, high: Int64, up: float, down: float, before: Float64
) -> Float64:  # fmt: skip
    after = np.zeros_like(before)
    least, most, was_least, was_most = low[t], high[t], low[t - 1], high[t - 1]
    for line in range(1 + group.merged):
        for k in range(max(least, was_least), min(most, was_most) + 1):
            after[line, k - least] = down * before[line, k - was_least]
        for k in range(max(least, was_least + 1), min(most, was_most + 1) + 1):
            after[line, k - least] += up * before[line, k - 1 - was_least]
    if t < group.n:
        first, last = safe(group, t)
        rest_first, rest_last = safe(group, group.n - t)
        for k in range(max(first, least), min(last, most) + 1):
            if group.merged and not rest_first <= group.c - k <= rest_last:  # else the rest would be another group
                after[1, k - least] += (1.0 - group.p) * after[0, k - least]
            after[0, k - least] *= group.p
    return after


@njit(cache=True, nogil=True)
def _back(
    group: BinaryGroup, t: int, low: Int64, high: Int64, up: float, down: float, ahead: Float64, reached: Float64
) -> tuple[Float64, float, float]:
    behind = np.zeros_like(ahead)
    least, most, now_least, now_most = low[t - 1], high[t - 1], low[t], high[t]
    positive, total = 0.0, 0.0
    for line in range(1 + group.merged):
        for k in range(max(least, now_least), min(most, now_most) + 1):
            on = down * ahead[line, k - now_least]
            behind[line, k - least] = on
            total += reached[line, k - least] * on
        for k in range(max(least, now_least - 1), min(most, now_most - 1) + 1):
            on = up * ahead[line, k + 1 - now_least]
            behind[line, k - least] += on
            positive += reached[line, k - least] * on
    first, last = safe(group, t - 1)
    rest_first, rest_last = safe(group, group.n - t + 1)
    for k in range(max(first, least), min(last, most) + 1):
        behind[0, k - least] *= group.p
        if group.merged and not rest_first <= group.c - k <= rest_last:
            behind[0, k - least] += (1.0 - group.p) * behind[1, k - least]
    return behind, positive, total + positive
