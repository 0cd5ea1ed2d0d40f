"""Forward and backward steps over the people of a group joined from several by a coin per finished group.

The balance is positives times l less people; a finished group keeps or lowers it, and the next one begins from there.
A state is the level at which the open group began (minus the balance) and the number of positives; for a group with
fewer people than the minimum also its number of people, as it cannot close.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np

from unmask.arrays import Float64
from unmask.attacks.minimality._prefix import BinaryGroup
from unmask.compiled_code import njit

_NOWHERE = -1


@dataclass(frozen=True, eq=False)
class SegmentSteps:
    """Steps over the people of a group, each positive with the odds `up` : `down`."""

    group: BinaryGroup
    closed: bool  # the group may have closed itself
    up: Float64  # (n,)
    down: Float64  # (n,)

    @cached_property
    def levels(self) -> int:
        """The number of levels at which a group may begin: none lies below the balance of all."""
        return max((self.group.n - self.group.c * self.group.l) // self._unit + 1, 0)

    @cached_property
    def states(self) -> int:
        """The number of states of a layer."""
        return self.levels * (self.group.c + 1 + self.group.minimum**2) + self.group.c + 1

    @property
    def _unit(self) -> int:
        return gcd(self.group.l, self.group.minimum)

    def begin(self) -> Float64:
        """Return the worlds before the first person."""
        layer = np.zeros(self.states)
        if self.levels:
            layer[self.levels * (self.group.c + 1)] = 1.0
        return layer

    def end(self) -> Float64:
        """Return the weights of the last states: a group has just closed, or was merged."""
        layer = np.zeros(self.states)
        if self.closed:
            layer[self.levels * (self.group.c + 1) + np.arange(self.levels) * self.group.minimum**2] = 1.0
        layer[-1] = self.group.merged
        return layer

    def onward(self, t: int, before: Float64) -> Float64:
        """Return the layer after person t (1 … n)."""
        after = np.zeros(self.states)
        odds = self.down[t - 1], self.up[t - 1]
        _walk(self.group, self.levels, self._unit, t, odds, before, after, before, False)  # noqa: FBT003
        return after

    def back(self, t: int, ahead: Float64, reached: Float64) -> tuple[Float64, float, float]:
        """Step back over person t; return also the weight of worlds through this step, with a positive and in all."""
        behind = np.zeros(self.states)
        odds = self.down[t - 1], self.up[t - 1]
        positive, total = _walk(self.group, self.levels, self._unit, t, odds, behind, ahead, reached, True)  # noqa: FBT003
        return behind, positive, total


@njit(cache=True, nogil=True)
def _safe(group: BinaryGroup, n: int, k: int) -> bool:
    """Whether n people, k of them positive, may be a group."""
    return n >= group.minimum and k * group.l <= n and (group.one_sided or (n - k) * group.l <= n)


@njit(cache=True, nogil=True)
def _closing(group: BinaryGroup, levels: int, unit: int, t: int, k: int) -> tuple[int, float]:
    """Return the state after a group has closed with person t, and the probability of the coin."""
    fallen, age = t - k * group.l, group.minimum**2
    young = levels * (group.c + 1) + fallen // unit * age
    if t == group.n:
        return young, 1.0
    if group.merged and not _safe(
        group, group.n - t, group.c - k
    ):  # for either side of the coin, the rest is merged back
        return levels * (group.c + 1 + age) + k, 1.0
    return (young, group.p) if fallen <= group.n - group.c * group.l else (_NOWHERE, 0.0)


@njit(cache=True, nogil=True)
def _young(
    group: BinaryGroup, levels: int, unit: int, t: int, state: int, k: int, j: int, age: int
) -> tuple[int, float]:
    """Return the next state of a group that has `age` people after person t, j of them positive."""
    level = (state - levels * (group.c + 1)) // group.minimum**2
    if age < group.minimum:
        before = state - levels * (group.c + 1) - level * group.minimum**2
        return state - before + age * group.minimum + j, 1.0
    if _safe(group, group.minimum, j):
        return _closing(group, levels, unit, t, k)
    return level * (group.c + 1) + k, 1.0


@njit(cache=True, nogil=True)
def _grown(group: BinaryGroup, levels: int, unit: int, t: int, level: int, k: int) -> tuple[int, float]:
    """Return the next state of a group with more people than the minimum."""
    if k * group.l + level * unit == t and (group.one_sided or group.l == 2):
        return _closing(group, levels, unit, t, k)
    return level * (group.c + 1) + k, 1.0


@njit(cache=True, nogil=True)
def _carry(
    here: Float64, there: Float64, reached: Float64, state: int, target: int, chance: float, x: int, backward: bool  # noqa: FBT001
) -> tuple[float, float]:  # fmt: skip
    """Add the weight of one state to another, or back; return the weight through this step, positive and in all."""
    if target == _NOWHERE:
        return 0.0, 0.0
    if not backward:
        there[target] += chance * here[state]
        return 0.0, 0.0
    on = chance * there[target]
    here[state] += on
    return x * reached[state] * on, reached[state] * on


@njit(cache=True, nogil=True)
def _walk(  # noqa: C901
    group: BinaryGroup, levels: int, unit: int, t: int, odds: tuple[float, float], here: Float64, there: Float64,
    reached: Float64, backward: bool,  # noqa: FBT001
) -> tuple[float, float]:  # fmt: skip
    """Add weights from all states before person t (`here`) to those after (`there`), or back."""
    positive, total = 0.0, 0.0
    c, minimum = group.c, group.minimum
    young, merged = levels * (c + 1), levels * (c + 1 + minimum**2)
    least = max(0, c - (group.n - t))
    for x in range(2):
        for level in range(levels):
            fallen = level * unit
            for age in range(min(minimum, t)):  # people of the open group before this one
                begun = t - 1 - age - fallen
                if begun < 0 or begun % group.l:
                    continue
                for j in range(age + 1):
                    k = begun // group.l + j + x
                    state = young + (level * minimum + age) * minimum + j
                    if least <= k <= c and (backward or here[state] > 0.0):
                        target, chance = _young(group, levels, unit, t, state, k, j + x, age + 1)
                        one, all_ = _carry(here, there, reached, state, target, chance * odds[x], x, backward)
                        positive, total = positive + one, total + all_
            for k in range(max(least, x), min(c, t - 1 + x) + 1):
                state = level * (c + 1) + k - x
                if backward or here[state] > 0.0:
                    target, chance = _grown(group, levels, unit, t, level, k)
                    one, all_ = _carry(here, there, reached, state, target, chance * odds[x], x, backward)
                    positive, total = positive + one, total + all_
        for k in range(max(least, x), min(c, t - 1 + x) + 1):
            if group.merged:
                one, all_ = _carry(here, there, reached, merged + k - x, merged + k, odds[x], x, backward)
                positive, total = positive + one, total + all_
    return positive, total
