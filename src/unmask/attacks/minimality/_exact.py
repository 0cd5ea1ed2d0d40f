"""Exact posterior of the positions of a group of any values, by counting worlds forward and back over states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.minimality._states import Edges, ValueGroup, back, carry, codes, come_in, decide, distinct
from unmask.compiled_code import njit
from unmask.sanitizers.greedy_rule.rule import GreedyRule

_NO_KIND = np.zeros(0, np.int16)
_NEVER = 1 << 40


class _EdgeLayer(NamedTuple):
    """The edges between two layers, with the data of the backward pass."""

    person: int  # the person who is added; −1 for a decision
    source: Int32
    target: Int32
    weight: Float64
    kind: NDArray[np.int16]
    reached: Float64
    share: Float64


def exact(counts: Int64, rule: GreedyRule, *, closed: bool, merged: bool, most: int) -> Float64 | None:
    """Return the probability of each value at each position, (n, values); None if that needs too many states.

    `counts` (values,) are positive and falling. If no world leads to the group, all probabilities are 0.
    """
    n = int(counts.sum())
    group, tracked = tracked_group(counts, rule, merged=merged, alike=True)
    if states_ahead(group, n, most) > most:
        return None
    k = tracked.size
    width = 2 * k + 2 if group.segments else k + 1
    code = codes(width)
    rows = np.zeros((1, width), np.int32)
    reached, share = np.ones(1), np.zeros((1, k + 1))
    share[0, k] = 1.0
    steps: list[_EdgeLayer] = []
    total = 0
    for t in range(n):
        for deciding in (False, True):
            if deciding and t + 1 < rule.minimum and t + 1 not in group.until:
                continue
            found = decide(group, t + 1, rows, True) if deciding else come_in(group, t, rows)  # noqa: FBT003
            edges = Edges(*found)
            if edges.source.size == 0:
                return np.zeros((n, counts.size))
            target, first = distinct(edges.rows, code)
            on, share_on = carry(group, n - t - deciding, edges, target, first.size, rows, reached, share)
            kind = _NO_KIND if deciding else edges.kind.astype(np.int16)
            source = edges.source.astype(np.int32)
            steps.append(
                _EdgeLayer(-1 if deciding else t, source, target.astype(np.int32), edges.weight, kind, reached, share)
            )
            scale = max(float(on.max()), 1e-300)
            rows, reached, share = edges.rows[first], on / scale, share_on / scale
            total += first.size
        if (
            total > 3 * most
        ):  # two layers a person, and more states than were counted where values are tracked to the end
            return None
    return _walked_back(steps, ends(rows, k, group, closed=closed), counts, tracked)


def tracked_group(counts: Int64, rule: GreedyRule, *, merged: bool, alike: bool) -> tuple[ValueGroup, Int64]:
    """Return the group, and the tracked values: all of them if people differ."""
    n = int(counts.sum())
    segments = bool(rule.p) and rule.coin == "group"
    matters = counts * rule.l > rule.minimum
    if rule.l == 2 and not rule.p and not merged:  # the majority at the end is the majority from the beginning
        matters &= counts * 2 == n
    tracked = np.flatnonzero(matters | (not alike))
    until = np.minimum(counts[tracked] * rule.l, n)
    if merged or segments or not alike:
        until[:] = _NEVER
    group = ValueGroup(
        n, counts[tracked], until, rule.l, rule.minimum, rule.p, segments, merged, alike and not segments
    )
    return group, tracked


def states_ahead(group: ValueGroup, n: int, most: int) -> float:
    """Return an upper bound on the number of states; counting stops beyond `most`."""
    checked = not group.p and not group.merged
    return float(_states_ahead(group.counts, group.until, n, group.l, group.minimum if checked else n + 1, most))


@njit(cache=True, nogil=True)
def _states_ahead(counts: Int64, until: Int64, n: int, l: int, minimum: int, most: int) -> float:
    """Return the sum over layers, less the states of prefixes of at least `minimum` people that close a group."""
    total = 0.0
    seen, below = np.zeros(n + 1), np.zeros(n + 1)
    for t in range(1, n + 1):
        seen[: t + 1], below[: t + 1] = 0.0, 0.0
        seen[0] = below[0] = 1.0
        filler, number = n, 0
        for v in range(counts.size):
            number = number + 1 if v and counts[v] == counts[v - 1] else 1
            if until[v] > t:
                filler -= counts[v]
                _add_digit(seen, min(counts[v], t), number, t)
                _add_digit(below, min(counts[v], t // l), number, t)
        for s in range(max(t - filler, 0), t + 1):
            total += seen[s]
            if t >= minimum:
                total -= below[s]
        if total > most:
            break
    return total


@njit(cache=True, nogil=True)
def _add_digit(sums: Float64, most: int, number: int, limit: int) -> None:
    """Add a digit to the number of vectors by their sums; the `number`-th of equal ones, kept sorted."""
    # Gaussian binomials: a further sorted digit multiplies by (1 − q^(most + number)) / (1 − q^number).
    for s in range(limit, most + number - 1, -1):
        sums[s] -= sums[s - most - number]
    for s in range(number, limit + 1):
        sums[s] += sums[s - number]
    for s in range(limit + 1):
        sums[s] = max(sums[s], 0.0)


def ends(rows: Int32, k: int, group: ValueGroup, *, closed: bool) -> Float64:
    """Return the weights of the last states as ends; at the end of a table, no coin is thrown."""
    end = np.where(rows[:, k] == 1, 1.0, float(closed))
    if group.segments:
        end[(rows[:, k] == 0) & (rows[:, 2 * k + 1] > 0)] = 0.0
    return end


def _walked_back(steps: list[_EdgeLayer], end: Float64, counts: Int64, tracked: Int64) -> Float64:
    """Return the probabilities by the backward pass; values never tracked share the filler by their counts."""
    found = np.zeros((int(counts.sum()), tracked.size + 1))
    ahead, nothing = end, np.zeros(0)
    for step in reversed(steps):
        into = nothing if step.person < 0 else found[step.person]
        ahead = back(step.source, step.target, step.weight, step.kind, ahead, step.reached, step.share, into)
        ahead /= max(float(ahead.max()), 1e-300)
    result = np.zeros((found.shape[0], counts.size))
    others = np.ones(counts.size, bool)
    others[tracked] = False
    result[:, tracked] = found[:, :-1]
    if others.any():
        result[:, others] = found[:, -1:] * (counts[others] / counts[others].sum())
    for c in np.unique(counts):
        same = counts == c
        result[:, same] = result[:, same].mean(axis=1, keepdims=True)
    total = result.sum(axis=1, keepdims=True)
    result /= np.where(total > 0, total, 1.0)
    return result
