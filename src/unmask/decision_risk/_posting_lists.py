"""Counts of matching entries by posting lists, starting from the rarest value of each record."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, starts
from unmask.compiled_code import njit
from unmask.decision_risk.comparison import MISSING
from unmask.decision_risk.consistency import NO_WEIGHTS, Consistency
from unmask.runtime import work
from unmask.wording import message

BLOCK = 2_000
"""Records between two reports of progress."""


class Index(NamedTuple):
    """The entries of each value, and the matching values of each value, of all attributes in a row."""

    at: Int64  # (attributes + 1,) where an attribute's starts begin
    start: Int64  # where the entries of a value begin, the missing ones first
    entries: Int32  # (attributes × entries,)
    keyed: Bool  # (attributes,) values match if their numbers are equal
    row_at: Int64  # (attributes + 1,) where an attribute's rows of fitting values begin
    row_start: Int64
    pair_at: Int64  # (attributes + 1,)
    pair: Int32  # values of the dictionary that fit a value of the records


class Stamps(NamedTuple):
    """The last record value that each dictionary value was found to match: one look-up decides a match."""

    stamp: Int32  # (values of all attributes,)
    last: Int32  # (attributes,) the value that was stamped last


def by_postings(consistency: Consistency, disclosed: Int32, fitting: Int64) -> tuple[Int64, Float64]:
    """Return the number of entries that match each record, (records,), and the sum of their selection probabilities.

    `disclosed` holds the numbers of disclosed values, (records, attributes), `MISSING` where nothing is disclosed;
    `fitting` counts the matching entries by each attribute alone. The entries of the attribute with the fewest are
    compared with the record in the other attributes.
    """
    n, m = disclosed.shape
    fewest = np.argmin(np.where(disclosed == MISSING, np.iinfo(np.int64).max, fitting), axis=1)
    order = np.lexsort((*disclosed.T, fewest))
    index = _index(consistency)
    stamps = Stamps(np.full(int(index.at[-1]), -1, np.int32), np.full(m, -1, np.int32))
    weight = NO_WEIGHTS if consistency.probability is None else consistency.probability
    count, mass = np.zeros(n, np.int64), np.zeros(n)
    with work.step(message("counting who fits"), n) as step:
        for begin in range(0, n, BLOCK):
            rows = order[begin : begin + BLOCK]
            _count(rows, fewest, disclosed, consistency.theirs, index, stamps, weight, count, mass)
            step.advance(rows.size)
    return count, mass


def _index(consistency: Consistency) -> Index:
    lists, nothing = consistency.postings, (np.zeros(1, np.int64), np.zeros(0, np.int32))
    pairs = [nothing if one is None else (one.start, one.column) for one in consistency.alike]
    return Index(
        starts(np.array([start.size for start, _ in lists])),
        np.concatenate([start for start, _ in lists]),
        np.concatenate([entries for _, entries in lists]),
        np.array([one is None for one in consistency.alike]),
        starts(np.array([start.size for start, _ in pairs])),
        np.concatenate([start for start, _ in pairs]),
        starts(np.array([column.size for _, column in pairs])),
        np.concatenate([column for _, column in pairs]),
    )


@njit(cache=True, nogil=True)
def _count(
    rows: Int64,
    fewest: Int64,
    disclosed: Int32,
    theirs: Int32,
    index: Index,
    stamps: Stamps,
    weight: Float64,
    count: Int64,
    mass: Float64,
) -> None:
    """Count the entries that match some records."""
    n_entries, m = theirs.shape
    others = np.empty(m, np.int64)
    for i in rows:
        n_others, least = 0, fewest[i]
        for j in range(m):
            if disclosed[i, j] != MISSING and j != least:
                others[n_others] = j
                n_others += 1
                if disclosed[i, j] >= 0 and not index.keyed[j]:
                    _stamp(j, disclosed[i, j], index, stamps)
        value, keyed = disclosed[i, least], index.keyed[least]
        at, entries = index.at[least], index.entries[least * n_entries : (least + 1) * n_entries]
        row = index.row_at[least] + max(value, 0)
        first = 0 if keyed else index.row_start[row]
        n_values = 0 if value < 0 else 1 if keyed else index.row_start[row + 1] - first
        for number in range(-1, n_values):  # before all values, the entries that lack one
            v = value if keyed else index.pair[index.pair_at[least] + first + number] if number >= 0 else -1
            v = -1 if number < 0 else v
            begin = 0 if v < 0 else index.start[at + v + 1]
            for e in entries[begin : index.start[at + v + 2]]:
                if _fits(disclosed[i], theirs[e], others[:n_others], index, stamps):
                    count[i] += 1
                    if weight.size:
                        mass[i] += weight[e]


@njit(cache=True, nogil=True)
def _stamp(j: int, value: int, index: Index, stamps: Stamps) -> None:
    if stamps.last[j] == value:
        return
    stamps.last[j] = value
    row = index.row_at[j] + value
    for p in range(index.row_start[row], index.row_start[row + 1]):
        stamps.stamp[index.at[j] + index.pair[index.pair_at[j] + p]] = value


@njit(cache=True, nogil=True)
def _fits(disclosed: Int32, entry: Int32, attributes: Int64, index: Index, stamps: Stamps) -> bool:
    for j in attributes:
        value, other = disclosed[j], entry[j]
        if other == MISSING:
            continue
        if index.keyed[j]:
            if other != value:
                return False
        elif other < 0 or value < 0 or stamps.stamp[index.at[j] + other] != value:
            return False
    return True
