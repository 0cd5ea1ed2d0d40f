"""Counts of each known sensitive value by group, and the scores of privacy models on these counts.

Where the release states the number of people behind its rows, people are counted, not rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Ragged
from unmask.models.missing_values import code_of_mark
from unmask.models.privacy_model import PrivacyModel, bound, dense_blocks, score_people, unites
from unmask.people_counts import Headcount, Holders
from unmask.release import Release
from unmask.schema import Attribute

BLOCK = 1 << 16
"""The number of counts made dense at once: 512 KiB stay in a processor's cache while all models score them."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownValues:
    """The values of one attribute in each group, under one reading."""

    attribute: Attribute
    size: Float64  # (groups,)
    counts: Ragged  # (groups, values)
    overall: Float64  # (values,)
    known: Float64 | None = None  # (groups,) people with a known value, where people may have several
    n_known: float = 0.0  # the same in the whole table
    apart: KnownValues | None = None  # each group alone, where `counts` covers all matching groups

    @property
    def several(self) -> bool:
        """Whether a person may have several values in a group."""
        return self.known is not None and bool((self.counts.sums() > self.known).any())

    def scores(self, models: Sequence[PrivacyModel]) -> list[Float64]:
        """Return the score of each group, (groups,), by each model; groups are made dense once, a few at a time.

        Only an upper bound is known of how many people matching groups share. A model that holds for the union of safe
        groups holds for all matching groups at least as well as for the group alone, so the better bound counts.
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
        alike = [one is model for one, model in zip(fitted, models, strict=True)]  # not bound to an attribute
        for merged in (True, False):
            wanted = [i for i in range(len(models)) if alike[i] is merged]
            blocks = dense_blocks(self.counts, self.overall, BLOCK, merged=merged) if wanted else ()
            for part, counts, overall in blocks:
                for i in wanted:
                    result[i][part] = self._score(fitted[i], part, counts, overall)
        return result

    def _score(self, model: PrivacyModel, part: slice, counts: Float64, overall: Float64) -> Float64:
        if self.known is None:
            return model.score(self.size[part], counts, overall)
        known = self.known[part]
        held = np.minimum(counts, known[:, None])
        return score_people(model, self.size[part], known, held, self.n_known, overall)


def known_values(release: Release, attribute: Attribute) -> KnownValues:
    """Return the known values of an attribute by group: of people where the release states them, else of rows."""
    if release.headcount is None:
        counts = release.counts_of(attribute.name)
        overall = counts.column_sums()
        return KnownValues(attribute, release.size, counts, overall, None, float(overall.sum()))
    holders = release.headcount.holders.get(attribute.name) or most_holders(release, release.headcount, attribute)
    n, people, n_known = len(attribute.values), holders.known, holders.total_known
    if attribute.mark in attribute.values:  # a missing value is a value, so every person has one
        people, n_known = release.people, release.headcount.total
    return KnownValues(attribute, release.people, holders.counts.narrowed(n), holders.overall[:n], people, n_known)


def most_holders(release: Release, headcount: Headcount, attribute: Attribute) -> Holders:
    """Return the largest possible number of people with each value, where only rows are counted by value."""
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
    n_known = min(float(known.sum()), headcount.total)
    return Holders(known, counts, n_known, np.minimum(counts.column_sums(), headcount.total))
