"""Counts of matching entries by joining on values, for sets of attributes, and the cost of that."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows
from unmask.decision_risk._subset_walk import in_order, walked
from unmask.decision_risk.comparison import MISSING
from unmask.decision_risk.consistency import Consistency

ENTRY = 10.0
"""Measured cost of carrying an entry one step on, where intersecting a word of bits costs 1."""

RECORD = 2.0
"""Cost of carrying a record one step on, for each set of attributes that entries lack."""

SPREAD = 20.0
"""Cost of each further copy of a record whose value matches several."""

NODE = 30_000.0
"""Fixed cost of a step."""

MOST = 1 << 24
"""Most copies of records carried at once, on average: some 600 MiB."""


def prefixes(sets: Bool) -> int:
    """Return the number of steps of a walk through sets of attributes, (sets, attributes)."""
    members, _ = in_order(sets)
    size = (members >= 0).sum(axis=1)
    alike = np.cumprod((members[1:] == members[:-1]) & (members[1:] >= 0), axis=1).sum(axis=1)
    return int(size.sum() - alike.sum())


def step_effort(consistency: Consistency) -> float:
    """Return the cost of a step, without the records."""
    return NODE + ENTRY * consistency.kinds[1].size


def effort(consistency: Consistency, sets: Bool, n: int, carried: float) -> float:
    """Return the cost of a walk through sets with `n` records; `carried` counts their copies over all steps."""
    times = np.where(sets, consistency.spread, 1.0).prod(axis=1)
    if n * times.max(initial=1.0) > MOST:
        return np.inf
    each = RECORD * consistency.n_gaps + SPREAD * (float(times.mean()) - 1 if times.size else 0.0)
    return prefixes(sets) * step_effort(consistency) + each * carried


def by_joining(consistency: Consistency, sets: Bool, rows: Int64) -> tuple[Int64, Float64]:
    """Return the number of entries that match some records, and the sum of their weights, (records, sets) each.

    A missing value matches all entries, so only a record's known values of a set are joined on.
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
    """Count for records, `ours` (records, attributes), and each set of which they have all values, (sets, records)."""
    count = np.zeros((sets.shape[0], ours.shape[0]), np.int32)
    mass = np.zeros(count.shape if consistency.probability is not None else (0, 0))
    for met in walked(consistency, sets, ours, None):
        count[met.which, met.rows] += met.fits.astype(np.int32)
        if mass.size:
            mass[met.which, met.rows] += met.mass
    return count, mass


def own_set(consistency: Consistency, disclosed: Int32) -> tuple[Int64, Float64]:
    """Count for each record by its own disclosed attributes, (records, attributes): (records,) each."""
    count, mass = np.zeros(disclosed.shape[0], np.int64), np.zeros(disclosed.shape[0])
    wanted, example = distinct_rows((disclosed != MISSING).astype(np.int8))
    for met in walked(consistency, disclosed[example] != MISSING, disclosed, wanted):
        count[met.rows] += met.fits
        if met.mass.size:
            mass[met.rows] += met.mass
    return count, mass
