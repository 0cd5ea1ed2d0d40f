"""Exact posterior of the positions of a group whose people differ: worlds are weighed by a factor for each person.

The states of a group depend on its counts and its rule only. They are listed once, and shared by all groups with these
counts and by all draws of the factors.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Float64, Int32, Int64
from unmask.attacks.minimality._exact import ends, tracked_group
from unmask.attacks.minimality._states import codes, come_in, decide, distinct
from unmask.compiled_code import njit
from unmask.sanitizers.greedy_rule.rule import GreedyRule

_KEPT = 128  # lists of states in memory, each of at most some megabytes


class _States(NamedTuple):
    """The states of a group and the edges between them, by layer; a layer adds a person, or decides on closing."""

    person: Int64  # (layers,) who is added; −1 for a decision
    first_edge: Int64  # (layers + 1,)
    first_state: Int64  # (layers + 2,) the states before each layer; those of the end are last
    source: Int32  # (edges,)
    target: Int32  # (edges,)
    weight: Float64  # (edges,)
    value: NDArray[np.int16]  # (edges,) the added value
    end: Float64  # (last states,)


def differing(
    counts: Int64, rule: GreedyRule, *, closed: bool, merged: bool, lift: Float64, most: int
) -> Float64 | None:
    """Return the probability of each value at each position, (n, values); None if that needs too many states.

    `counts` (values,) are positive and falling; `lift` (n, values) are the factors. If no world leads to the group, all
    probabilities are 0.
    """
    states = _states(tuple(counts.tolist()), rule, closed, merged, most)
    return None if states is None else _posterior(states, np.ascontiguousarray(lift))


@lru_cache(maxsize=_KEPT)
def _states(
    counts: tuple[int, ...],
    rule: GreedyRule,
    closed: bool,  # noqa: FBT001
    merged: bool,  # noqa: FBT001
    most: int,
) -> _States | None:
    """Return the states, without edges if no world leads to the group; None for more than three times `most`."""
    group, tracked = tracked_group(np.array(counts, np.int64), rule, merged=merged, alike=False)
    k = tracked.size
    width = 2 * k + 2 if group.segments else k + 1
    code, rows = codes(width), np.zeros((1, width), np.int32)
    person, edges, n_states = [], [], [1]
    for t in range(group.n):
        for deciding in (False, True):
            if deciding and t + 1 < rule.minimum:
                continue
            source, weight, value, reached = (
                decide(group, t + 1, rows, False) if deciding else come_in(group, t, rows)  # noqa: FBT003
            )
            if source.size == 0:
                return _joined([], [], [1], np.zeros(1))
            target, first = distinct(reached, code)
            edges.append((source.astype(np.int32), target.astype(np.int32), weight, value.astype(np.int16)))
            person.append(-1 if deciding else t)
            n_states.append(first.size)
            rows = reached[first]
        if sum(n_states) - 1 > 3 * most:  # two layers a person
            return None
    return _joined(person, edges, n_states, ends(rows, group, float(closed)))


def _joined(
    person: list[int],
    edges: list[tuple[Int32, Int32, Float64, NDArray[np.int16]]],
    n_states: list[int],
    end: Float64,
) -> _States:
    source, target, weight, value = (
        np.concatenate([*(part[i] for part in edges), np.zeros(0, kind)])
        for i, kind in enumerate((np.int32, np.int32, np.float64, np.int16))
    )
    first_edge, first_state = np.cumsum([0, *(part[0].size for part in edges)]), np.cumsum([0, *n_states])
    return _States(np.array(person, np.int64), first_edge, first_state, source, target, weight, value, end)


@njit(cache=True, nogil=True)
def _posterior(states: _States, lift: Float64) -> Float64:
    """Return the shares of worlds with each value at each position, by a forward and a backward pass."""
    person, first_edge, first_state, source, target, weight, value, end = states
    found: Float64 = np.zeros(lift.shape)
    layers = person.size
    if layers == 0:
        return found
    reached = np.zeros(first_state[-1])
    reached[0] = 1.0
    for layer in range(layers):
        here, there, t = first_state[layer], first_state[layer + 1], person[layer]
        for e in range(first_edge[layer], first_edge[layer + 1]):
            on = weight[e] * (lift[t, value[e]] if t >= 0 else 1.0)
            reached[there + target[e]] += on * reached[here + source[e]]
        scale = max(reached[there : first_state[layer + 2]].max(), 1e-300)
        reached[there : first_state[layer + 2]] /= scale
    ahead = end.copy()
    for layer in range(layers - 1, -1, -1):
        here, t = first_state[layer], person[layer]
        behind = np.zeros(first_state[layer + 1] - here)
        for e in range(first_edge[layer], first_edge[layer + 1]):
            on = weight[e] * (lift[t, value[e]] if t >= 0 else 1.0) * ahead[target[e]]
            behind[source[e]] += on
            if t >= 0:
                found[t, value[e]] += on * reached[here + source[e]]
        ahead = behind / max(behind.max(), 1e-300)
    for t in range(found.shape[0]):
        total = found[t].sum()
        if total > 0.0:
            found[t] /= total
    return found


__all__ = ["differing"]
