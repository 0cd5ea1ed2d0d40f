"""Counts of each sensitive value by group, under both readings of missing values.

A missing sensitive value is a separate value, or not known. Where the release states the number of people behind its
rows, people are counted, not rows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unmask.arrays import Ragged
from unmask.models.equivalence_classes import MissingAs, Units, matching
from unmask.models.known_values import KnownValues, most_holders
from unmask.models.missing_values import code_of_mark, with_mark
from unmask.people_counts import Headcount
from unmask.release import Release
from unmask.schema import Attribute


def counted_values(release: Release, units: Units, attribute: Attribute) -> Mapping[MissingAs, KnownValues]:
    """Return the counts of an attribute's values by group, under each reading of missing values."""
    if release.headcount is not None:
        return _held(release, release.headcount, units, attribute)
    counts = release.counts_of(attribute.name)
    unknown = release.size - counts.sums()
    unknown = np.where(unknown > 0.5, unknown, 0.0)  # noise and rounding add no people
    mark = code_of_mark(attribute)
    merges = bool(units.wild.any()) and units.size.size == release.n_groups
    if not unknown.any() and mark is None and not merges:
        same = KnownValues(attribute, release.size, counts, counts.column_sums())
        return dict.fromkeys(MissingAs, same)
    known = counts
    if mark is not None:
        known = counts.columns_scaled((np.arange(counts.n_columns) != mark).astype(np.float64))
    overall = known.column_sums()
    if merges:
        order = np.argsort(units.group)
        known = matching(units.cell[order], units.wild[order], known)
    own, every = attribute, counts
    if unknown.any():
        own, code = with_mark(attribute), counts.n_columns if mark is None else mark
        group = np.flatnonzero(unknown)
        row = np.concatenate([counts.row, group])
        column = np.concatenate([counts.column, np.full(group.size, code, np.int32)])
        data = np.concatenate([counts.data, unknown[group]])
        every = Ragged.gather(row, column, data, (counts.n_rows, len(own.values)))
    return {
        MissingAs.OWN: KnownValues(own, release.size, every, every.column_sums()),
        MissingAs.WILDCARD: KnownValues(attribute, release.size, known, overall),
    }


def _held(
    release: Release, headcount: Headcount, units: Units, attribute: Attribute
) -> Mapping[MissingAs, KnownValues]:
    """Return the number of people with each value, under each reading of missing values."""
    holders = headcount.holders.get(attribute.name) or most_holders(release, headcount, attribute)
    people, n = headcount.of_group, len(attribute.values)
    mark = attribute.values.index(attribute.mark) if attribute.mark in attribute.values else n
    known = holders.counts.columns_scaled((~np.isin(np.arange(n + 1), (n, mark))).astype(np.float64))
    overall = np.where(np.arange(n) == mark, 0.0, holders.overall[:n])
    sure, counts = holders.known, Ragged(known.start, known.column, known.data, n)
    wildcard = KnownValues(attribute, people, counts, overall, sure, holders.total_known)
    if units.wild.any() and units.size.size == release.n_groups:
        order = np.argsort(units.group)
        cell, wild = units.cell[order], units.wild[order]
        counts = matching(cell, wild, counts)
        alike = matching(cell, wild, Ragged.of(sure[:, None])).dense_column(0)
        sure = np.maximum(alike - headcount.repeated, sure)
        wildcard = KnownValues(attribute, people, counts, overall, sure, holders.total_known, wildcard)
    every, own = holders.counts, attribute
    if holders.overall[n]:
        own = with_mark(attribute)
        return {
            MissingAs.OWN: KnownValues(own, people, every, holders.overall, people, headcount.total),
            MissingAs.WILDCARD: wildcard,
        }
    every = Ragged(every.start, every.column, every.data, n)
    own_reading = KnownValues(own, people, every, holders.overall[:n], people, headcount.total)
    return {MissingAs.OWN: own_reading, MissingAs.WILDCARD: wildcard}
