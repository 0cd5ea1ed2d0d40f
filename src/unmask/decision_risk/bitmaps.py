"""Counts of matching entries by bitmaps: one row of bits for each value, intersected for sets of attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.compiled_code import njit
from unmask.decision_risk.comparison import MISSING
from unmask.decision_risk.consistency import NO_WEIGHTS, Consistency

UInt64: TypeAlias = NDArray[np.uint64]

BITS = 1 << 28
"""Most bytes of the bitmaps of one block of records."""


def blocks_of_bits(consistency: Consistency, table: int = 0) -> Iterator[slice]:
    """Yield blocks of records whose bitmaps, and `table` bytes for each record, fit into memory; at least one block."""
    size = max(1, BITS // (max(1, consistency.n_entries // 8) * len(consistency.names) + table))
    for begin in range(0, max(consistency.n_records, 1), size):
        yield slice(begin, min(begin + size, consistency.n_records))


def bits_of(consistency: Consistency, records: slice | Int64) -> tuple[UInt64, Int32]:
    """Return a row of bits for each distinct value, one bit for each matching entry; and each record's row.

    The rows are (values, ceil(entries / 64)); which is a record's, (records, attributes), counts through all
    attributes. The row of what is missing has all bits set.
    """
    ours, n = consistency.ours[records], consistency.n_entries
    lists = consistency.postings
    row_of, parts = np.empty(ours.shape, np.int32), []
    done = 0
    for j, pairs in enumerate(consistency.alike):
        values, number = np.unique(ours[:, j], return_inverse=True)
        row_of[:, j] = done + number.ravel()
        start, entries = lists[j]
        bits = np.zeros((values.size, -(-n // 64)), np.uint64)
        rows = (np.zeros(0, np.int64), np.zeros(0, np.int32)) if pairs is None else (pairs.start, pairs.column)
        _set(bits, values.astype(np.int64), start, entries, *rows)
        parts.append(bits)
        done += values.size
    return np.concatenate(parts), row_of


def by_bits(consistency: Consistency, sets: Bool, rows: Int64) -> tuple[Int64, Float64]:
    """Return how many entries fit some records, and their selection probabilities added up, (records, sets) each.

    All sets are of one size. Sets with a common prefix share the work.
    """
    bits, row_of = bits_of(consistency, rows)
    members = np.nonzero(sets)[1].copy().reshape(sets.shape[0], int(sets.sum(axis=1).max(initial=0)))
    weight = NO_WEIGHTS if consistency.probability is None else consistency.probability
    count = np.zeros((row_of.shape[0], sets.shape[0]), np.int64)
    mass = np.zeros(count.shape if weight.size else (0, 0))
    every = np.zeros(bits.shape[1], np.uint64)
    _mark(every, np.arange(consistency.n_entries, dtype=np.int32))
    _count(bits, row_of, members, every, weight, count, mass)
    return count, mass


@njit(cache=True, nogil=True)
def _set(bits: UInt64, values: Int64, start: Int64, entries: Int32, row_start: Int64, column: Int32) -> None:
    """Set the bits of entries that match or lack each value; without rows, a value matches itself."""
    keyed = row_start.size == 0
    for r in range(values.size):
        value = values[r]
        if value == MISSING:
            _mark(bits[r], entries)
            continue
        _mark(bits[r], entries[: start[1]])
        if value >= 0:
            first, last = (0, 1) if keyed else (row_start[value], row_start[value + 1])
            for p in range(first, last):
                v = value if keyed else np.int64(column[p])
                _mark(bits[r], entries[start[v + 1] : start[v + 2]])


@njit(cache=True, nogil=True)
def _mark(bits: UInt64, entries: Int32) -> None:
    for e in entries:
        bits[e >> 6] |= np.uint64(1) << np.uint64(e & 63)


@njit(cache=True, nogil=True)
def popcount(word: np.uint64) -> int:
    """Count the bits of a word."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[return-value]


@njit(cache=True, nogil=True)
def _count(
    bits: UInt64, row_of: Int32, members: Int64, every: UInt64, weight: Float64, count: Int64, mass: Float64
) -> None:
    """Intersect the rows of each set; the prefix shared with the previous set is reused."""
    n_words, k = bits.shape[1], members.shape[1]
    layer = np.empty((k + 1, n_words), np.uint64)
    layer[0] = every
    for i in range(row_of.shape[0]):
        for s in range(members.shape[0]):
            depth = 0
            while s > 0 and depth < k and members[s, depth] == members[s - 1, depth]:
                depth += 1
            for d in range(depth, k):
                layer[d + 1] = layer[d] & bits[row_of[i, members[s, d]]]
            for word in layer[k]:
                count[i, s] += popcount(word)
            if weight.size:
                mass[i, s] = added(layer[k], weight)


@njit(cache=True, nogil=True)
def added(words: UInt64, weight: Float64) -> float:
    """Add up the weights of the entries whose bits are set."""
    total = 0.0
    for w in range(words.size):
        word = words[w]
        while word:
            lowest = word & (~word + np.uint64(1))
            total += weight[w * 64 + popcount(lowest - np.uint64(1))]
            word ^= lowest
    return total
