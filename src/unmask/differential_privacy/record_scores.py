"""Scores of one record: numbers that any release is reduced to, and that depend on whether the record is in the table.

Differential privacy bounds how much more likely any event is because of a record, so any numbers will do; those that
count the record tell the tables apart best.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64
from unmask.release import Release
from unmask.schema import Schema
from unmask.table import Table
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class RecordScores:
    """The scores of a person's record: people published, people where the record fits, those with its values.

    Where another record replaces it, also how many more people there are with its values than with the other's: a claim
    that compares such tables spends one half of ε on either.
    """

    record: _Record
    other: _Record | None = None  # that replaces it

    @classmethod
    def of(cls, table: Table, row: int, neighbor: Table | None = None) -> RecordScores:
        """Return the scores of a row's record; in a neighbor of as many rows, that row is another's."""
        replaced = neighbor is not None and neighbor.n_rows == table.n_rows
        return cls(_Record.of(table, row), _Record.of(neighbor, row) if neighbor is not None and replaced else None)

    @property
    def names(self) -> tuple[str, ...]:
        """What each score is, in the order of `__call__`."""
        return (
            message("people published"),
            message("groups published"),
            message("people where the record fits"),
            *(
                score
                for name in self.record.values
                for score in (
                    message("people there with the record's {attribute}", attribute=name),
                    message("their share there, of {attribute}", attribute=name),
                    *(self._more(name)),
                )
            ),
        )

    def _more(self, name: str) -> tuple[str, ...]:
        if self.other is None:
            return ()
        return (message("people with the record's {attribute}, less those with its replacement's", attribute=name),)

    def __call__(self, release: Release) -> Float64:
        """Return the scores of a release, (scores,)."""
        fit = self.record.fit(release)
        other = None if self.other is None else self.other.fit(release)
        people = float(release.size @ fit)
        scores = [float(release.size.sum()), float(release.n_groups), people]
        for name in self.record.values:
            with_it = self.record.people(release, name, fit)
            scores += [with_it, with_it / people if people > 0 else 0.0]
            if self.other is not None and other is not None:
                scores.append(with_it - self.other.people(release, name, other))
        return np.array(scores)


@dataclass(frozen=True, slots=True, eq=False)
class _Record:
    """A record, and its known sensitive values."""

    quasi: Table  # one row
    values: Mapping[str, str]

    @classmethod
    def of(cls, table: Table, row: int) -> _Record:
        one = table.take(np.array([row]))
        known = [a for a in table.schema.sensitive if not a.is_numeric and int(one[a.name][0]) >= 0]
        return cls(one.visible(None), {a.name: a.values[int(one[a.name][0])] for a in known})

    def fit(self, release: Release) -> Float64:
        """Return how well the record fits the published cells of each group, (groups,): 1 or 0 without noise."""
        masked = release.masked
        record = self.quasi.aligned(Schema(masked.attributes))
        fit = np.ones(masked.group_of_line.size)
        for name in record.schema.names:
            fit *= masked.likelihood(name, record[name]).dense()[masked.cell_of(name), 0]
        lines = np.maximum(np.bincount(masked.group_of_line, minlength=masked.n_groups), 1)
        return np.asarray(np.bincount(masked.group_of_line, fit, masked.n_groups) / lines)

    def people(self, release: Release, name: str, fit: Float64) -> float:
        """Return the people with the record's value where it fits."""
        values = release.schema[name].values if name in release.counts else ()
        if self.values.get(name) not in values:
            return 0.0
        return float(release.counts_of(name).dense_column(values.index(self.values[name])) @ fit)
