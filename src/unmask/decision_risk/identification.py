"""Identification: how many entries fit a record as it is disclosed, and how likely the right one is selected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, frozen
from unmask.decision_risk._joined import effort, own_set, step_effort
from unmask.decision_risk._posting_lists import by_postings
from unmask.decision_risk.comparison import MISSING
from unmask.decision_risk.consistency import Consistency, place_of

LOOK = 15.0
"""What it takes to look at one entry, where a word of bits takes 1: measured."""


@dataclass(frozen=True, slots=True, eq=False)
class Identification:
    """What a dictionary makes of records as they are disclosed."""

    count: Int64  # (records,) entries that fit, or people, where some have several
    chance: Float64  # (records,) that the right one is selected; 0 where none fits

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", frozen(self.count, np.int64))
        object.__setattr__(self, "chance", frozen(self.chance, np.float64))


def identified(consistency: Consistency, disclosed: Bool) -> Identification:
    """Find how many entries fit each record, of which only some attributes are disclosed.

    Where entries are selected alike, the right one is named with chance 1 / count.

    Assumes
        The record's person is among those that fit, as the paper has it. Where entries are selected with different
        probabilities q, it matters which entry is the person's: the one of the same identity. A person who has none
        that fits is taken for any of those that do. Who has several entries that fit is selected as any other person.
    Measures
        ρ(y) = {entries that fit y}; P(Z = 1) = q(own) / Σ_ρ q, or 1 / |ρ| at equal q or without an own entry in ρ.
    """
    visible = np.where(disclosed, consistency.ours, MISSING).astype(np.int32)
    count, mass = _counted(consistency, visible)
    if consistency.once:
        count = np.rint(mass).astype(np.int64)
    chance = np.divide(1.0, count, out=np.zeros(count.size), where=count > 0)
    if consistency.probability is not None and consistency.own is not None:
        found = np.flatnonzero(consistency.own >= 0)
        own = consistency.own[found]
        inside = (consistency.fits(found, own) | (visible[found] == MISSING)).all(axis=1)
        rows = found[inside]
        chance[rows] = np.minimum(consistency.probability[own[inside]] / mass[rows], 1.0)
    return Identification(count, chance)


def _counted(consistency: Consistency, visible: Int32) -> tuple[Int64, Float64]:
    """Count who fits: as it was counted beforehand, or for each disclosure that there is."""
    if consistency.tabulated is not None:
        return consistency.tabulated.at(place_of(visible != MISSING), np.arange(visible.shape[0]))
    number, example = distinct_rows(visible)
    count, mass = _each(consistency, visible[example], consistency.fitting()[example])
    return count[number], mass[number]


def _each(consistency: Consistency, visible: Int32, fitting: Int64) -> tuple[Int64, Float64]:
    """Count by the keys that records and entries show, or by looking at entries, whichever is less work."""
    present, n_entries = visible != MISSING, consistency.n_entries
    count = np.full(visible.shape[0], n_entries, np.int64)
    total = float(n_entries if consistency.probability is None else consistency.probability.sum())
    mass = np.full(visible.shape[0], total)
    joined = _pays(consistency, present, np.where(present, fitting, n_entries).min(axis=1, initial=n_entries))
    some = present.any(axis=1)
    if (rows := np.flatnonzero(some & joined)).size:
        count[rows], mass[rows] = own_set(consistency, visible[rows])
    if (rows := np.flatnonzero(some & ~joined)).size:
        count[rows], mass[rows] = by_postings(consistency, visible[rows], fitting[rows])
    return count, mass


def _pays(consistency: Consistency, present: Bool, looks: Int64) -> Bool:
    """Say which records are counted by keys with less work than it takes to look at entries, (records,)."""
    pattern, example = distinct_rows(present.astype(np.int8))
    sets = present[example]
    looking = LOOK * np.bincount(pattern, looks, example.size)
    joined = looking > step_effort(consistency)
    n = np.bincount(pattern, minlength=example.size)[joined]
    if effort(consistency, sets[joined], int(n.sum()), float(sets[joined].sum(axis=1) @ n)) > looking[joined].sum():
        joined[:] = False
    return np.asarray(joined[pattern])
