"""Entries that fit records in sets of attributes, counted by what both show, and how much work that is."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows
from unmask.decision_risk._subset_walk import in_order, walked
from unmask.decision_risk.comparison import MISSING
from unmask.decision_risk.consistency import Consistency

ENTRY = 10.0
"""What it takes to carry an entry one step on, where a word of bits takes 1: measured."""

RECORD = 2.0
"""What it takes to carry a record one step on, for each set of attributes that entries lack."""

SPREAD = 20.0
"""What it takes to carry a record on once more, where its value fits several."""

NODE = 30_000.0
"""What a step takes besides."""

MOST = 1 << 24
"""So many times, on average, records may be carried at once: some 600 MiB."""


def prefixes(sets: Bool) -> int:
    """Return how many steps it takes to walk through sets of attributes, (sets, attributes)."""
    members, _ = in_order(sets)
    size = (members >= 0).sum(axis=1)
    alike = np.cumprod((members[1:] == members[:-1]) & (members[1:] >= 0), axis=1).sum(axis=1)
    return int(size.sum() - alike.sum())


def step_effort(consistency: Consistency) -> float:
    """Return how much work a step is, records apart."""
    return NODE + ENTRY * consistency.kinds[1].size


def effort(consistency: Consistency, sets: Bool, n: int, carried: float) -> float:
    """Return how much work it is to walk through sets with `n` records, that are carried so often over all steps."""
    times = np.where(sets, consistency.spread, 1.0).prod(axis=1)
    if n * times.max(initial=1.0) > MOST:
        return np.inf
    each = RECORD * consistency.n_gaps + SPREAD * (float(times.mean()) - 1 if times.size else 0.0)
    return prefixes(sets) * step_effort(consistency) + each * carried


def by_joining(consistency: Consistency, sets: Bool, rows: Int64) -> tuple[Int64, Float64]:
    """Return how many entries fit some records, and their selection probabilities added up, (records, sets) each.

    What a record lacks fits everybody, so of a set only what it has is counted.
    """
    ours = consistency.ours[rows]
    has = ours != MISSING
    if has.all():
        count, mass = every_set(consistency, sets, ours)
        return count.T.astype(np.int64, order="C"), np.ascontiguousarray(mass.T)
    pattern, example = distinct_rows(has.astype(np.int8))
    left = (has[example][:, None, :] & sets).reshape(-1, sets.shape[1])
    place, first = distinct_rows(left.astype(np.int8))
    count, mass = every_set(consistency, left[first], ours)
    at = place.reshape(example.size, -1)[pattern], np.arange(rows.size)[:, None]
    return count[at].astype(np.int64), mass[at] if mass.size else mass


def every_set(consistency: Consistency, sets: Bool, ours: Int32) -> tuple[Int32, Float64]:
    """Count for records, `ours` (records, attributes), and each set that they have all values of, (sets, records)."""
    count = np.zeros((sets.shape[0], ours.shape[0]), np.int32)
    mass = np.zeros(count.shape if consistency.probability is not None else (0, 0))
    for met in walked(consistency, sets, ours, None):
        count[met.which, met.rows] += met.fits.astype(np.int32)
        if mass.size:
            mass[met.which, met.rows] += met.mass
    return count, mass


def own_set(consistency: Consistency, disclosed: Int32) -> tuple[Int64, Float64]:
    """Count for records, each by the attributes that it shows, (records, attributes): (records,) each."""
    count, mass = np.zeros(disclosed.shape[0], np.int64), np.zeros(disclosed.shape[0])
    wanted, example = distinct_rows((disclosed != MISSING).astype(np.int8))
    for met in walked(consistency, disclosed[example] != MISSING, disclosed, wanted):
        count[met.rows] += met.fits
        if met.mass.size:
            mass[met.rows] += met.mass
    return count, mass
