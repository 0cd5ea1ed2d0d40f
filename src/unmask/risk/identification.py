"""Identification: how many entries fit a record as it is disclosed, and how likely the right one is selected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, frozen, starts
from unmask.risk._posting_lists import by_postings
from unmask.risk.comparison import ELSEWHERE, MISSING
from unmask.risk.consistency import Consistency

SORTING = 60.0
"""What it costs to sort one entry, where one look at an entry costs 1: measured."""


@dataclass(frozen=True, slots=True, eq=False)
class Identified:
    """What a dictionary makes of records as they are disclosed."""

    count: Int64  # (records,) entries that fit
    chance: Float64  # (records,) that the right one is selected; 0 where none fits

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", frozen(self.count, np.int64))
        object.__setattr__(self, "chance", frozen(self.chance, np.float64))


def identified(consistency: Consistency, disclosed: Bool) -> Identified:
    """Find how many entries fit each record, of which only some attributes are disclosed.

    Where entries are selected alike, the right one is named with chance 1 / count.

    Assumes
        The record's person is among those that fit, as the paper has it. Where entries are selected with different
        probabilities q, it matters which entry is the person's: the one of the same identity. A person who has none
        that fits is taken for any of those that do.
    Measures
        ρ(y) = {entries that fit y}; P(Z = 1) = q(own) / Σ_ρ q, or 1 / |ρ| at equal q or without an own entry in ρ.
    """
    shown = np.where(disclosed, consistency.ours, MISSING).astype(np.int32)
    number, example = distinct_rows(shown)
    count, mass = _counted(consistency, shown[example], consistency.fitting()[example])
    count = count[number]
    chance = np.divide(1.0, count, out=np.zeros(count.size), where=count > 0)
    if consistency.probability is not None and consistency.own is not None:
        found = np.flatnonzero(consistency.own >= 0)
        own = consistency.own[found]
        inside = (consistency.fits(found, own) | (shown[found] == MISSING)).all(axis=1)
        rows = found[inside]
        chance[rows] = np.minimum(consistency.probability[own[inside]] / mass[number][rows], 1.0)
    return Identified(count, chance)


def _counted(consistency: Consistency, shown: Int32, fitting: Int64) -> tuple[Int64, Float64]:
    """Count by sorting what records of one pattern disclose, or by looking at entries, whichever is less work."""
    n = consistency.n_entries
    count = np.full(shown.shape[0], n, np.int64)
    total = float(n) if consistency.probability is None else float(consistency.probability.sum())
    mass = np.full(shown.shape[0], total)
    keyed = np.array([one is None for one in consistency.alike], bool)
    gaps = (consistency.theirs == MISSING).astype(np.int8)
    gaps = gaps[distinct_rows(gaps)[1]]
    pattern, example = distinct_rows((shown != MISSING).astype(np.int8))
    looks = np.where(shown == MISSING, n, fitting).min(axis=1, initial=n).astype(np.float64)
    slow = []
    for i, columns in enumerate(shown[example] != MISSING):
        rows = np.flatnonzero(pattern == i)
        if not columns.any():
            continue
        n_gaps = distinct_rows(gaps[:, columns])[1].size
        if keyed[columns].all() and SORTING * (n + n_gaps * rows.size) < looks[rows].sum():
            count[rows], mass[rows] = _by_sorting(consistency, shown[rows], np.flatnonzero(columns))
        else:
            slow.append(rows)
    if slow:
        rows = np.concatenate(slow)
        count[rows], mass[rows] = by_postings(consistency, shown[rows], fitting[rows])
    return count, mass


def _by_sorting(consistency: Consistency, shown: Int32, columns: Int64) -> tuple[Int64, Float64]:
    """Count entries by what they show of some attributes, once for each set of attributes that entries lack."""
    count, mass = np.zeros(shown.shape[0], np.int64), np.zeros(shown.shape[0])
    theirs = consistency.theirs[:, columns]
    known = np.flatnonzero((theirs != ELSEWHERE).all(axis=1))
    theirs = theirs[known]
    lacks, example = distinct_rows((theirs == MISSING).astype(np.int8))
    in_order, begins = np.argsort(lacks, kind="stable"), starts(np.bincount(lacks, minlength=example.size))
    for gap, told in enumerate(theirs[example] != MISSING):
        entries = in_order[begins[gap] : begins[gap + 1]]
        both = np.concatenate([shown[:, columns[told]], theirs[entries][:, told]])
        number, first = distinct_rows(both)
        mine, yours = number[: shown.shape[0]], number[shown.shape[0] :]
        count += np.bincount(yours, minlength=first.size)[mine]
        if consistency.probability is not None:
            mass += np.bincount(yours, consistency.probability[known[entries]], first.size)[mine]
    return count, mass
