"""Gibbs step on the positions of one value's people, given the order of all others: exact marginals and a draw.

With the order of the others fixed, a world is a path: the number of the first t people with the value. The path
determines whether the group is closed, so paths are counted forward and back as in a group of two values. A chain that
does this for one value after the other converges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.attacks.shared.counter_random import uniform
from unmask.compiled_code import njit

_SMALL = 1e-60  # or its inverse: weights beyond these are scaled


class GroupSetting(NamedTuple):
    """The group and its rule."""

    n: int
    l: int
    minimum: int
    p: float
    closed: bool  # the group may have closed itself
    merged: bool  # its end may be a tail that was merged back


class Workspace(NamedTuple):
    """Arrays for the paths of a value, in a band around the diagonal."""

    low: Int64  # (values, n + 1) the first count of the band
    widths: Int64  # (values,)
    forward: Float64  # (2, n + 1, width + 2) worlds: open (0), and closed with the rest merged back (1)
    ahead: Float64  # (2, width + 2)
    before: Float64  # (2, width + 2)
    other: Float64  # (width + 2,)


class Paths(NamedTuple):
    """Data of the paths of one value, given the order of the others."""

    value: int
    c: int
    low: Int64  # (n + 1,)
    width: int
    others: Int64  # (n − c + 1,) with an unused entry at the end
    front: Int64  # (n − c + 1,) count of the most frequent other value among the first k of them
    rear: Int64  # (n − c + 1,) the same after those


@njit(cache=True, nogil=True)
def _paths(order: Int64, value: int, counts: Int64, space: Workspace) -> Paths:
    c = counts[value]
    m = order.size - c
    others = np.zeros(m + 1, np.int64)
    k = 0
    for v in order:
        if v != value:
            others[k] = v
            k += 1
    front, rear = np.zeros(m + 1, np.int64), np.zeros(m + 1, np.int64)
    seen = np.zeros(counts.size, np.int64)
    for k in range(m):
        seen[others[k]] += 1
        front[k + 1] = max(front[k], seen[others[k]])
    seen[:] = 0
    for k in range(m - 1, -1, -1):
        seen[others[k]] += 1
        rear[k] = max(rear[k + 1], seen[others[k]])
    return Paths(value, c, space.low[value], space.widths[value], others, front, rear)


@njit(cache=True, nogil=True)
def _rest_is_safe(n: int, l: int, minimum: int, t: int, most_after: int) -> bool:
    """Whether the people after the first t could be a group."""
    return n - t >= minimum and most_after * l <= n - t


@njit(cache=True, nogil=True)
def _forward(setting: GroupSetting, paths: Paths, lift: Float64, space: Workspace) -> bool:  # noqa: C901, PLR0912
    """Count the worlds that reach each state; False if none reaches the end.

    Count s of the first t people is in cell s − low[t] + 1; the cells around possible counts are 0.
    """
    n, l, minimum, p, _, merged = setting
    value, c, low, width, others, front, rear = paths
    forward = space.forward
    forward[:, 0, :3] = 0.0
    forward[0, 0, 1] = 1.0
    passed = 0  # of the others, until one of their values is too frequent for a group of t
    for t in range(1, n + 1):
        least, most = max(0, c - (n - t), low[t]), min(c, t, low[t] + width - 1)
        up = c / n
        down = 1.0 - up
        if lift.size:
            up *= lift[t - 1, value]
        begin, end, moved = least - low[t] + 1, most - low[t] + 2, low[t] - low[t - 1]
        for line in range(1 + merged):
            if lift.size:
                for i in range(begin, end):
                    k = min(max(t - 1 - (i + low[t] - 1), 0), n - c)
                    falls = down * lift[t - 1, others[k]] * forward[line, t - 1, i + moved]
                    forward[line, t, i] = falls + up * forward[line, t - 1, i + moved - 1]
            else:
                for i in range(begin, end):
                    falls = down * forward[line, t - 1, i + moved]
                    forward[line, t, i] = falls + up * forward[line, t - 1, i + moved - 1]
            forward[line, t, begin - 1] = forward[line, t, end] = 0.0
        if minimum <= t < n:
            while passed <= n - c and front[passed] * l <= t:
                passed += 1
            for s in range(max(least, t - passed + 1), min(most, t // l) + 1):
                i = s - low[t] + 1
                if merged and not _rest_is_safe(n, l, minimum, t, max(c - s, rear[t - s])):
                    forward[1, t, i] += (1.0 - p) * forward[0, t, i]
                forward[0, t, i] *= p
        if t % 4 == 0:
            top = 0.0
            for line in range(1 + merged):
                for i in range(begin, end):
                    top = max(top, forward[line, t, i])
            if top <= 0.0:
                return False
            if not _SMALL < top < 1 / _SMALL:
                for line in range(1 + merged):
                    for i in range(begin, end):
                        forward[line, t, i] /= top
    last = c - low[n] + 1
    return bool(setting.closed * forward[0, n, last] + merged * forward[1, n, last] > 0.0)


@njit(cache=True, nogil=True)
def _add(setting: GroupSetting, paths: Paths, lift: Float64, space: Workspace, found: Float64) -> None:  # noqa: C901
    """Add the position marginals to `found` (n, values): the forward worlds of each step that lead to the end."""
    n, l, minimum, p, closed, merged = setting
    value, c, low, width, others, front, rear = paths
    forward, ahead, before, other = space.forward, space.ahead, space.before, space.other
    ahead[:, c - low[n] : c - low[n] + 3] = 0.0
    ahead[0, c - low[n] + 1], ahead[1, c - low[n] + 1] = closed, merged
    passed = n - c + 1
    for t in range(n, 0, -1):
        if minimum <= t < n:
            while passed > 0 and front[passed - 1] * l > t:
                passed -= 1
            for s in range(max(0, c - (n - t), low[t], t - passed + 1), min(c, t, low[t] + width - 1, t // l) + 1):
                i = s - low[t] + 1
                ahead[0, i] *= p
                if merged and not _rest_is_safe(n, l, minimum, t, max(c - s, rear[t - s])):
                    ahead[0, i] += (1.0 - p) * ahead[1, i]
        first, last = max(0, c - (n - t + 1), low[t - 1]), min(c, t - 1, low[t - 1] + width - 1)
        up = c / n
        down = 1.0 - up
        if lift.size:
            up *= lift[t - 1, value]
        begin, end, moved = first - low[t - 1] + 1, last - low[t - 1] + 2, low[t] - low[t - 1]
        rising, falling = 0.0, 0.0
        for i in range(begin, end):
            other[i] = 0.0
        for line in range(1 + merged):
            for i in range(begin, end):
                falls = down * ahead[line, i - moved]
                if lift.size:
                    falls *= lift[t - 1, others[min(max(t - 1 - (i + low[t - 1] - 1), 0), n - c)]]
                rises = up * ahead[line, i - moved + 1]
                before[line, i] = falls + rises
                other[i] += forward[line, t - 1, i] * falls
                rising += forward[line, t - 1, i] * rises
        top = 0.0
        for i in range(begin, end):
            falling += other[i]
            top = max(top, before[0, i], before[1, i] * merged)
        total = rising + falling
        found[t - 1, value] += rising / total
        for i in range(begin, end):
            if other[i] > 0.0:
                found[t - 1, others[t - 1 - (i + low[t - 1] - 1)]] += other[i] / total
        scale = 1.0 if _SMALL < top < 1 / _SMALL else 1.0 / top
        for line in range(1 + merged):
            for i in range(begin, end):
                ahead[line, i] = scale * before[line, i]
            ahead[line, begin - 1] = ahead[line, end] = 0.0


@njit(cache=True, nogil=True)
def _draw(
    setting: GroupSetting, paths: Paths, lift: Float64, space: Workspace, order: Int64, stream: np.uint64
) -> np.uint64:
    """Draw a path, from its end, and write its order."""
    n, l, minimum, p, closed, merged = setting
    value, c, low, width, others, front, rear = paths
    forward, s, up = space.forward, c, c / n
    open_end = closed * forward[0, n, s - low[n] + 1]
    stream, height = uniform(stream)
    line = 1 if merged and height * (open_end + forward[1, n, s - low[n] + 1]) >= open_end else 0
    for t in range(n, 0, -1):
        i = s - low[t - 1] + 1
        falls, rises = 1.0 - up, up
        if lift.size:
            falls *= lift[t - 1, others[min(max(t - 1 - s, 0), n - c)]]
            rises *= lift[t - 1, value]
        # A border cell is 0, but cells beyond it have old numbers of another value.
        falls *= s <= min(t - 1, low[t - 1] + width - 1) and t - s <= n - c
        rises *= s - 1 >= max(0, low[t - 1])
        weight_falls = falls * forward[line, t - 1, i] if falls > 0 else 0.0
        weight_rises = rises * forward[line, t - 1, i - 1] if rises > 0 else 0.0
        closing = 0.0
        if line and minimum <= t < n and max(s, front[t - s]) * l <= t:
            closing = 0.0 if _rest_is_safe(n, l, minimum, t, max(c - s, rear[t - s])) else 1.0 - p
        closing_falls = closing * falls * forward[0, t - 1, i] if closing > 0 and falls > 0 else 0.0
        closing_rises = closing * rises * forward[0, t - 1, i - 1] if closing > 0 and rises > 0 else 0.0
        stream, height = uniform(stream)
        height *= weight_falls + weight_rises + closing_falls + closing_rises
        if height < weight_falls or height < weight_falls + closing_falls:
            rising, closes = False, height >= weight_falls
        else:
            rising, closes = True, height >= weight_falls + closing_falls + weight_rises
        order[t - 1] = value if rising else others[t - 1 - s]
        s -= rising
        line -= closes
    return stream


@njit(cache=True, nogil=True)
def insert(
    setting: GroupSetting, order: Int64, value: int, counts: Int64, lift: Float64, space: Workspace, found: Float64,
    stream: np.uint64,
) -> tuple[np.uint64, bool]:  # fmt: skip
    """Redraw the positions of one value's people in `order`; add marginals to `found` (n, values), unless empty.

    `lift` is (n, values), or empty. False if no world has the others in this order; then nothing changes.
    """
    paths = _paths(order, value, counts, space)
    if not _forward(setting, paths, lift, space):
        return stream, False
    if found.size:
        _add(setting, paths, lift, space, found)
    return _draw(setting, paths, lift, space, order, stream), True


@njit(cache=True, nogil=True)
def sweep(
    setting: GroupSetting,
    order: Int64,
    counts: Int64,
    lift: Float64,
    space: Workspace,
    found: Float64,
    stream: np.uint64,
) -> np.uint64:
    """Redraw the positions of one value after the other in `order`."""
    for value in range(counts.size):
        stream, _ = insert(setting, order, value, counts, lift, space, found, stream)
    return stream


def workspace_for(counts: Int64, *, banded: bool) -> Workspace:
    """Return arrays for the paths of all values of a group; a band leaves out states ten deviations away."""
    n = int(counts.sum())
    low = np.zeros((counts.size, n + 1), np.int64)
    widths = counts + 1
    for value, c in enumerate(counts.tolist()):
        half = int(4 * c**0.5) + 8
        if banded and 2 * half <= c:
            widths[value] = 2 * half + 1
            low[value] = np.clip(np.arange(n + 1) * c // n - half, 0, c - 2 * half)
    width = int(widths.max()) + 2
    return Workspace(
        low, widths, np.zeros((2, n + 1, width)), np.zeros((2, width)), np.zeros((2, width)), np.zeros(width)
    )


__all__ = ["GroupSetting", "Workspace", "insert", "sweep", "workspace_for"]
