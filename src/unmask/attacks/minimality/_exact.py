"""Exact posterior of the positions of a group of any values, by counting worlds forward and back over states."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.minimality._states import Edges, ValueGroup, back, carry, codes, come_in, decide, distinct, repeated
from unmask.compiled_code import njit
from unmask.sanitizers.greedy_rule.rule import GreedyRule

_NEVER = 1 << 40


def exact(counts: Int64, rule: GreedyRule, *, closed: bool, merged: bool, most: int) -> Float64 | None:
    """Return the probability of each value at each position, (n, values); None if that needs too many states.

    `counts` (values,) are positive and falling. If no world leads to the group, all probabilities are 0.
    """
    n = int(counts.sum())
    group, tracked = tracked_group(counts, rule, merged=merged, alike=True)
    if states_ahead(group, n, most) > most:
        return None
    k = tracked.size
    found = _both_ways(group, float(closed), codes(2 * k + 2 if group.segments else k + 1), 3 * most)
    return _of_values(found, counts, tracked) if found.size else None


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


@njit(cache=True, nogil=True)
def ends(rows: Int32, group: ValueGroup, closed: float) -> Float64:
    """Return the weights of the last states as ends; at the end of a table, no coin is thrown."""
    k, end = group.counts.size, np.empty(rows.shape[0])
    for i in range(rows.shape[0]):
        end[i] = 1.0 if rows[i, k] == 1 else closed
        if group.segments and rows[i, k] == 0 and rows[i, 2 * k + 1] > 0:
            end[i] = 0.0
    return end


@njit(cache=True, nogil=True)
def _both_ways(group: ValueGroup, closed: float, code: np.ndarray, most: int) -> Float64:  # noqa: C901
    """Return the weight of worlds with each tracked value, and with filler, at each position, (n, tracked + 1).

    All are 0 if no world leads to the group; (0, tracked + 1) for more than `most` states. There are two layers of
    states a person, and more states than were counted where values are tracked to the end.
    """
    n, k = group.n, group.counts.size
    person = np.empty(2 * n, np.int64)  # of the edges after each layer; −1 for a decision
    first_edge, first_state = np.zeros(2 * n + 1, np.int64), np.zeros(2 * n + 2, np.int64)
    edge_ends, weights = np.empty((1024, 3), np.int32), np.empty(1024)  # the ends: source, target, added value
    reached, share = np.zeros(1024), np.zeros((1024, k + 1))
    reached[0], share[0, k] = 1.0, 1.0
    first_state[1] = 1
    rows = np.zeros((1, code.size), np.int32)
    layer = 0
    for t in range(n):
        for deciding in range(2):
            due = (group.until == t + 1).any()
            if deciding and t + 1 < group.minimum and not due:
                continue
            drops = deciding == 1 and (due or group.merged)
            edges = Edges(*decide(group, t + 1, rows, True)) if deciding else Edges(*come_in(group, t, rows))  # noqa: FBT003
            if edges.source.size == 0:
                return np.zeros((n, k + 1))
            if deciding and not drops and not group.segments:
                target = first = np.arange(edges.source.size)  # a state stays what it is, or ends
            else:
                target, first = distinct(edges.rows, code)
            here, there = first_state[layer], first_state[layer + 1]
            end, last_edge = there + first.size, first_edge[layer] + edges.source.size
            on, share_on = carry(
                group, n - t - 1 if drops else -1, edges, target, first.size, rows, reached[here:there],
                share[here:there],
            )  # fmt: skip
            while last_edge > weights.size:
                edge_ends, weights = _longer_table(edge_ends), _longer(weights)
            while end > reached.size:
                reached, share = _longer(reached), _longer_table(share)
            scale = max(on.max(), 1e-300)
            for i in range(first.size):
                reached[there + i] = on[i] / scale
                for v in range(k + 1):
                    share[there + i, v] = share_on[i, v] / scale
            for e in range(edges.source.size):
                at = first_edge[layer] + e
                edge_ends[at, 0], edge_ends[at, 1], edge_ends[at, 2] = edges.source[e], target[e], edges.kind[e]
                weights[at] = edges.weight[e]
            person[layer] = -1 if deciding else t
            layer += 1
            first_edge[layer], first_state[layer + 1] = last_edge, end
            rows = edges.rows[first]
        if first_state[layer + 1] - 1 > most:
            return np.zeros((0, k + 1))
    found = np.zeros((n, k + 1))
    ahead = ends(rows, group, closed)
    for before in range(layer - 1, -1, -1):
        edge, here, there = first_edge[before], first_state[before], first_state[before + 1]
        until = first_edge[before + 1]
        ahead = back(
            edge_ends[edge:until], weights[edge:until], person[before], ahead, reached[here:there], share[here:there],
            found,
        )  # fmt: skip
        ahead /= max(ahead.max(), 1e-300)
    return found


@njit(cache=True, nogil=True)
def _longer(array: Float64) -> Float64:
    result = np.zeros(2 * array.size)
    for i in range(array.size):
        result[i] = array[i]
    return result


@njit(cache=True, nogil=True)
def _longer_table(table: np.ndarray) -> np.ndarray:
    result = np.zeros((2 * table.shape[0], table.shape[1]), table.dtype)
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            result[i, j] = table[i, j]
    return result


def _of_values(found: Float64, counts: Int64, tracked: Int64) -> Float64:
    """Return probabilities, (n, values); values never tracked share the filler by their counts."""
    result = np.zeros((found.shape[0], counts.size))
    others = np.ones(counts.size, bool)
    others[tracked] = False
    result[:, tracked] = found[:, :-1]
    if others.any():
        result[:, others] = found[:, -1:] * (counts[others] / counts[others].sum())
    for c in repeated(counts):
        same = counts == c
        result[:, same] = result[:, same].mean(axis=1, keepdims=True)
    total = result.sum(axis=1, keepdims=True)
    result /= np.where(total > 0, total, 1.0)
    return result
