"""How many people of each group have each value of a sensitive attribute, under both readings of what is missing.

A missing sensitive value is a value of its own, or not known. Where the release says how many people its rows are, who
has a value is counted, not how often it stands there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Ragged
from unmask.headcount import Headcount, Holders
from unmask.lookalikes import Reading, Units, matching
from unmask.missing_values import code_of_mark, with_mark
from unmask.privacy_model import PrivacyModel, bound, score_people, unites
from unmask.release import Release
from unmask.schema import Attribute

BLOCK = 1 << 16
"""How many counts are made dense at once: 512 KiB stay in a processor's cache while all models look at it."""


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The values of one attribute in each group, under one reading."""

    attribute: Attribute
    size: Float64  # (groups,)
    counts: Ragged  # (groups, values)
    overall: Float64  # (values,)
    known: Float64 | None = None  # (groups,) people of whom a value is known, where somebody may have several
    everybody: float = 0.0  # the same in the whole table
    apart: Counted | None = None  # groups by themselves, where `counts` are of all that match and some people twice

    @property
    def several(self) -> bool:
        """Whether somebody may have several values in a group."""
        return self.known is not None and bool((self.counts.sums() > self.known).any())

    def scores(self, models: Sequence[PrivacyModel]) -> list[Float64]:
        """Return the score of each group, (groups,), by each model: groups are made dense once, a few at a time.

        Of groups that match, how many people they share is not known, only how many at most. A model that safe groups
        meet together is met by all that match at least as far as by the group itself, so the better bound counts.
        """
        together = self._scores(models)
        if self.apart is None:
            return together
        return [
            (np.fmax if model.higher_is_safer else np.fmin)(score, own) if unites(model) else score
            for model, score, own in zip(models, together, self.apart.scores(models), strict=True)
        ]

    def _scores(self, models: Sequence[PrivacyModel]) -> list[Float64]:
        fitted = [bound(model, self.attribute) for model in models]
        result = [np.zeros(self.size.size) for _ in models]
        step = max(1, BLOCK // max(1, self.counts.n_columns))
        for first in range(0, self.size.size, step):
            part = slice(first, min(first + step, self.size.size))
            counts = self.counts.dense(part)
            for model, scores in zip(fitted, result, strict=True):
                if self.known is None:
                    scores[part] = model.score(self.size[part], counts, self.overall)
                    continue
                known = self.known[part]
                held = np.minimum(counts, known[:, None])
                scores[part] = score_people(model, self.size[part], known, held, self.everybody, self.overall)
        return result


def counted_values(release: Release, units: Units, attribute: Attribute) -> Mapping[Reading, Counted]:
    """Count the values of an attribute by group, with what is missing counted as each reading says."""
    if release.headcount is not None:
        return _held(release, release.headcount, units, attribute)
    counts = release.counts_of(attribute.name)
    unknown = release.size - counts.sums()
    unknown = np.where(unknown > 0.5, unknown, 0.0)  # noise and rounding make nobody
    mark = code_of_mark(attribute)
    merges = bool(units.wild.any()) and units.size.size == release.n_groups
    if not unknown.any() and mark is None and not merges:
        same = Counted(attribute, release.size, counts, counts.column_sums())
        return dict.fromkeys(Reading, same)
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
        Reading.OWN: Counted(own, release.size, every, every.column_sums()),
        Reading.WILDCARD: Counted(attribute, release.size, known, overall),
    }


def known_values(release: Release, attribute: Attribute) -> Counted:
    """Count the known values of an attribute by group: of people, where the release says how many its rows are."""
    if release.headcount is None:
        counts = release.counts_of(attribute.name)
        overall = counts.column_sums()
        return Counted(attribute, release.size, counts, overall, None, float(overall.sum()))
    holders = release.headcount.holders.get(attribute.name) or _at_most(release, release.headcount, attribute)
    n, people, everybody = len(attribute.values), holders.known, holders.everybody
    if attribute.mark in attribute.values:  # what is missing is a value, and known of everybody
        people, everybody = release.people, release.headcount.total
    return Counted(attribute, release.people, holders.counts.narrowed(n), holders.overall[:n], people, everybody)


def _held(release: Release, headcount: Headcount, units: Units, attribute: Attribute) -> Mapping[Reading, Counted]:
    """Count the people who have each value, with what is missing counted as each reading says."""
    holders = headcount.holders.get(attribute.name) or _at_most(release, headcount, attribute)
    people, n = headcount.of_group, len(attribute.values)
    mark = attribute.values.index(attribute.mark) if attribute.mark in attribute.values else n
    known = holders.counts.columns_scaled((~np.isin(np.arange(n + 1), (n, mark))).astype(np.float64))
    overall = np.where(np.arange(n) == mark, 0.0, holders.overall[:n])
    sure, counts = holders.known, Ragged(known.start, known.column, known.data, n)
    wildcard = Counted(attribute, people, counts, overall, sure, holders.everybody)
    if units.wild.any() and units.size.size == release.n_groups:
        order = np.argsort(units.group)
        cell, wild = units.cell[order], units.wild[order]
        counts = matching(cell, wild, counts)
        alike = matching(cell, wild, Ragged.of(sure[:, None])).dense_column(0)
        sure = np.maximum(alike - headcount.repeated, sure)
        wildcard = Counted(attribute, people, counts, overall, sure, holders.everybody, wildcard)
    every, own = holders.counts, attribute
    if holders.overall[n]:
        own = with_mark(attribute)
        return {
            Reading.OWN: Counted(own, people, every, holders.overall, people, headcount.total),
            Reading.WILDCARD: wildcard,
        }
    every = Ragged(every.start, every.column, every.data, n)
    own_reading = Counted(own, people, every, holders.overall[:n], people, headcount.total)
    return {Reading.OWN: own_reading, Reading.WILDCARD: wildcard}


def _at_most(release: Release, headcount: Headcount, attribute: Attribute) -> Holders:
    """Take as many people as possible to have each value, where only rows are counted by value."""
    rows = release.counts_of(attribute.name)
    n = len(attribute.values)
    unknown = np.maximum(release.size - rows.sums(), 0.0)
    missing = Ragged.gather(np.arange(unknown.size), np.full(unknown.size, n, np.int32), unknown, (rows.n_rows, n + 1))
    row, column = np.concatenate([rows.row, missing.row]), np.concatenate([rows.column, missing.column])
    data = np.minimum(np.concatenate([rows.data, missing.data]), headcount.of_group[row])
    counts = Ragged.gather(row, column, data, (rows.n_rows, n + 1))
    marked = np.zeros(rows.n_rows)
    mark = code_of_mark(attribute)
    if mark is not None:
        marked = rows.dense_column(mark)
    known = np.minimum(rows.sums() - marked, headcount.of_group)
    everybody = min(float(known.sum()), headcount.total)
    return Holders(known, counts, everybody, np.minimum(counts.column_sums(), headcount.total))
