"""Numbers of entries that match a record, for all sets of disclosed attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np

from unmask.arrays import Bool, Float64, Int64, distinct_rows
from unmask.decision_risk._joined import by_joining, effort, every_set, prefixes
from unmask.decision_risk.bitmaps import blocks_of_bits, by_bits
from unmask.decision_risk.consistency import Consistency, Tabulated, place_of

TABLE = 1 << 28
"""Most bytes of the table of losses of a block of records."""

CELLS = 1 << 26
"""Most precomputed counts: 256 MiB."""

WIDEST = 16
"""Most attributes for precomputed counts: with more, estimating the cost alone takes seconds."""

MORE = 4.0
"""Largest ratio of the cost of counting all sets to that of the needed ones, for precomputed counts."""


def of_size(m: int, k: int) -> Bool:
    """Return all sets of k of m attributes, (sets, attributes), in lexicographic order."""
    members = np.array(list(combinations(range(m), k)), np.int64).reshape(comb(m, k), k)
    sets = np.zeros((members.shape[0], m), bool)
    np.put_along_axis(sets, members, values=True, axis=1)
    return sets


def blocks(parts: Sequence[Consistency], sets: Bool) -> Iterator[slice]:
    """Yield blocks of records whose table of all sets, and bitmaps if needed, fit into memory."""
    row = 32 * sets.shape[0] * len(parts)
    largest = max(parts, key=lambda one: one.n_entries)
    size = max(1, TABLE // max(row, 1))
    if all(one.tabulated is not None or _joins(one, sets, min(size, one.n_records)) for one in parts):
        for begin in range(0, max(largest.n_records, 1), size):
            yield slice(begin, min(begin + size, largest.n_records))
    else:
        yield from blocks_of_bits(largest, row)


def chances(consistency: Consistency, sets: Bool, records: slice) -> tuple[Int64, Float64]:
    """Return the number of matching entries and the identification probability, (records, sets) each.

    Like `identified`, for many disclosures. All sets are of one size. Counts come from joins or from bitmaps,
    whichever cost less. Equal records are counted once.
    """
    count, mass = _counted(consistency, sets, records)
    if consistency.once:
        count = np.rint(mass).astype(np.int64)
    chance = np.divide(1.0, count, out=np.zeros(count.shape), where=count > 0)
    if consistency.probability is not None and consistency.own is not None:
        rows = np.arange(consistency.n_records)[records]
        own = consistency.own[rows]
        fits = consistency.fits(rows, np.maximum(own, 0)) & (own >= 0)[:, None]
        inside = (~fits).astype(np.float64) @ sets.T.astype(np.float64) == 0
        selected = consistency.probability[np.maximum(own, 0)][:, None]
        known = inside & (own >= 0)[:, None] & (mass > 0)
        np.divide(selected, mass, out=chance, where=known)
        np.minimum(chance, 1.0, out=chance)
    return count, chance


def _counted(consistency: Consistency, sets: Bool, records: slice) -> tuple[Int64, Float64]:
    rows = np.arange(consistency.n_records)[records]
    if consistency.tabulated is not None:
        visible = place_of(consistency.available[rows])[:, None] & place_of(sets)
        return consistency.tabulated.at(visible, rows[:, None])
    number, example = distinct_rows(consistency.ours[rows])
    how = by_joining if _joins(consistency, sets, example.size) else by_bits
    count, mass = how(consistency, sets, rows[example])
    if example.size == rows.size and np.array_equal(number, np.arange(rows.size)):
        return count, mass
    return count[number], mass[number] if mass.size else mass


def _joins(consistency: Consistency, sets: Bool, n: int) -> bool:
    """Whether joins cost less than bitmaps for n records; a word of bits costs 1."""
    return _joining(consistency, sets, n) < _intersecting(consistency, sets, n)


def _joining(consistency: Consistency, sets: Bool, n: int) -> float:
    return effort(consistency, sets, n, float(n * prefixes(sets)))


def _intersecting(consistency: Consistency, sets: Bool, n: int) -> float:
    return prefixes(sets) * n * (consistency.n_entries / 64)


def work_of(consistency: Consistency, k: int) -> float:
    """Return the approximate cost of counting all sets of k attributes, in nanoseconds."""
    sets, n = of_size(len(consistency.names), k), distinct_rows(consistency.ours)[1].size
    return min(how(consistency, sets, n) for how in (_joining, _intersecting))


def tabulated(consistency: Consistency, sizes: Sequence[int]) -> Consistency:
    """Precompute the counts of all sets of attributes, if that costs little more than counting those of some sizes.

    Several disclosures of the same records are then looked up.
    """
    m = len(consistency.names)
    if consistency.tabulated is not None or m > WIDEST or not sizes:
        return consistency
    row_of, example = distinct_rows(consistency.ours)
    if not 0 < example.size << m <= CELLS:
        return consistency
    every = (np.arange(1 << m)[:, None] >> np.arange(m)) & 1 == 1
    sets = every[np.isin(every.sum(axis=1), sizes)]
    once = min(how(consistency, sets, example.size) for how in (_joining, _intersecting))
    if not _joining(consistency, every, example.size) <= MORE * once:
        return consistency
    count, mass = every_set(consistency, every, consistency.ours[example])
    return replace(consistency, tabulated=Tabulated(row_of, count, mass if mass.size else None))
