"""Contingency tables of the assignments of a group's values to its kinds of members: all, or a random sample.

A table counts how many people of each kind have each value. People of one kind are interchangeable, so a table stands
for all assignments with these counts.
"""

from __future__ import annotations

import numpy as np
import scipy

from unmask.arrays import Float64, Int32, Int64, starts


def listed(people: Int64, counts: Int64, limit: int) -> tuple[Int64, Float64] | None:
    """Return all tables, (tables, kinds, values), and the logarithm of their shares of all assignments, (tables,).

    `people` (kinds,) and `counts` (values,) are the margins, with equal sums. None: more than `limit` tables.

    >>> tables, log_share = listed(np.array([1, 2]), np.array([2, 1]), 10)
    >>> tables.tolist(), np.exp(log_share).round(3).tolist()
    ([[[0, 1], [2, 0]], [[1, 0], [1, 1]]], [0.333, 0.667])
    """
    room = people[np.newaxis].astype(np.int64)
    found = np.zeros((1, people.size, counts.size), np.int64)
    for v, n in enumerate(counts):
        need = np.full(room.shape[0], n, np.int64)
        for kind in range(people.size):
            least = np.maximum(0, need - room[:, kind + 1 :].sum(axis=1))
            ways = np.minimum(need, room[:, kind]) - least + 1
            if ways.sum() > limit:
                return None
            before = np.repeat(np.arange(ways.size), ways)
            given = least[before] + np.arange(before.size) - np.repeat(starts(ways)[:-1], ways)
            room, found, need = room[before], found[before], need[before] - given
            room[:, kind] -= given
            found[:, kind, v] = given
    log_share = -scipy.special.gammaln(found + 1.0).sum(axis=(1, 2))
    log_share -= scipy.special.logsumexp(log_share)
    return found, log_share


def drawn(kind: Int32, n_kinds: int, counts: Int64, n: int, rng: np.random.Generator) -> Int64:
    """Draw assignments of values to people of some kinds, (people,), all equally likely: (n, kinds, values)."""
    values = np.repeat(np.arange(counts.size, dtype=np.int64), counts)
    dealt = rng.permuted(np.broadcast_to(values, (n, values.size)), axis=1)
    place = (np.arange(n)[:, np.newaxis] * n_kinds + kind) * counts.size + dealt
    cells = np.bincount(place.ravel(), minlength=n * n_kinds * counts.size)
    return cells.reshape(n, n_kinds, counts.size).astype(np.int64)
