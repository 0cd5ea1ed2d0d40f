"""Identification: the entries that match a disclosed record, and the probability of selecting the right one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, distinct_rows, frozen
from unmask.decision_risk._joined import effort, own_set, step_effort
from unmask.decision_risk._posting_lists import by_postings
from unmask.decision_risk.comparison import MISSING
from unmask.decision_risk.consistency import Consistency, place_of

LOOK = 15.0
"""Measured cost of looking at one entry, where intersecting a word of bits costs 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Identification:
    """The identification of disclosed records in a dictionary."""

    count: Int64  # (records,) matching entries, or people, where some have several
    chance: Float64  # (records,) probability that the right one is selected; 0 where none matches

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", frozen(self.count, np.int64))
        object.__setattr__(self, "chance", frozen(self.chance, np.float64))


def identified(consistency: Consistency, disclosed: Bool) -> Identification:
    """Count the entries that match each record, of which only some attributes are disclosed.

    Under uniform selection, the probability of identification is 1 / count.

    Assumes
        The record's person is among the matching entries, as in the paper. Under selection probabilities q, the
        person's entry is the one of the same identity; without a matching one, every matching entry counts as the
        person's. A person with several matching entries is selected like any other person.
    Measures
        ρ(y) = {entries that match y}; P(Z = 1) = q(own) / Σ_ρ q, or 1 / |ρ| at equal q or without an own entry in ρ.
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
    """Count matching entries: from precomputed counts, or once for each distinct disclosure."""
    if consistency.tabulated is not None:
        return consistency.tabulated.at(place_of(visible != MISSING), np.arange(visible.shape[0]))
    number, example = distinct_rows(visible)
    count, mass = _each(consistency, visible[example], consistency.fitting()[example])
    return count[number], mass[number]


def _each(consistency: Consistency, visible: Int32, fitting: Int64) -> tuple[Int64, Float64]:
    """Count by joining on keys, or by posting lists, whichever costs less."""
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
    """Whether joining on keys costs less than posting lists, for each record, (records,)."""
    pattern, example = distinct_rows(present.astype(np.int8))
    sets = present[example]
    looking = LOOK * np.bincount(pattern, looks, example.size)
    joined = looking > step_effort(consistency)
    n = np.bincount(pattern, minlength=example.size)[joined]
    if effort(consistency, sets[joined], int(n.sum()), float(sets[joined].sum(axis=1) @ n)) > looking[joined].sum():
        joined[:] = False
    return np.asarray(joined[pattern])
