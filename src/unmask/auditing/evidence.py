"""Evidence and targets of an audit: the releases, the people attacked, and the auditor's knowledge of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.beliefs import About
from unmask.estimate import Truth
from unmask.people_counts import where_several
from unmask.release import Publication, Release
from unmask.table import Table
from unmask.unit import Count, Unit


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """A release under audit, with the true group and row of each target, known to the auditor only."""

    release: Release
    group: Int32 | None = None  # (targets,) the own group of each target, negative where suppressed
    row: Int64 | None = None  # (targets,) the own published row

    def person_of_row(self, person_of: Int32 | None) -> Int32 | None:
        """Return the person of each published row, (rows,), from that of each target, (targets,).

        None where persons are unknown, or some row is of no target.
        """
        if person_of is None or self.row is None:
            return None
        found = np.full(self.release.n_rows, -1, np.int64)
        here = self.row >= 0
        found[self.row[here]] = person_of[here]
        return None if (found < 0).any() else found.astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Targets:
    """The people attacked, and their true sensitive values."""

    people: Table  # quasi-identifiers
    answers: Mapping[str, Truth]  # sensitive attribute → truth, where known
    person_of: Int32 | None = None
    household_of: Int32 | None = None
    unit: Unit = Unit.PEOPLE
    whole: bool = False  # all rows of the table that was sanitized

    @classmethod
    def of(cls, table: Table) -> Targets:
        """Return every row of a table as a target, and its sensitive values as the truth; each person counts once."""
        person_of = where_several(table.person_of)
        answers = {
            a.name: Truth(About.attribute(a.name), a.values, table[a.name], person_of) for a in table.schema.sensitive
        }
        return cls(table.visible(None), answers, person_of, table.household_of, Unit.of(table.person_of), whole=True)

    @property
    def count(self) -> Count:
        """The number of people; rows, where people were not counted."""
        return replace(Count.of(self.person_of, self.people.n_rows), unit=self.unit)


def evidence_of(publication: Publication, name: str | None = None) -> Evidence:
    """Return a publication as evidence about the rows of its original table."""
    release = publication.release if name is None else replace(publication.release, name=name)
    if publication.row_of is None:
        return Evidence(release, publication.counted_in)
    return Evidence(release, publication.group_of, publication.row_of)
