"""Inspect a table: its columns, their proposed roles, the unit of protection, and what singles people out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from unmask.files.keys import numbered
from unmask.files.likely_keys import likely_keys
from unmask.files.raw import Raw
from unmask.files.roles import Roles
from unmask.inspection.column_profiles import ColumnProfile
from unmask.inspection.dependencies import Dependency, dependencies
from unmask.inspection.proposals import Proposal, propose, with_added_people
from unmask.inspection.proposed_hierarchies import proposed_hierarchy
from unmask.inspection.safe_harbor import SafeHarbor, safe_harbor
from unmask.inspection.unique_sets import UniqueSets, added_people, unique_sets
from unmask.schema import UNKNOWN, Role

NEVER_PUBLISHED = frozenset({Role.IDENTIFIER, Role.PERSON_KEY, Role.HOUSEHOLD})
"""Roles of columns that are never published: their examples are masked."""


@dataclass(frozen=True, slots=True)
class InspectedColumn:
    """The counts of a column, its proposed role, and its kind under HIPAA Safe Harbor."""

    profile: ColumnProfile
    proposal: Proposal
    harbor: SafeHarbor | None
    hierarchy: str | None = None  # that its values fit

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.profile.name

    @property
    def role(self) -> Role:
        """The proposed role."""
        return self.proposal.role

    @property
    def examples(self) -> tuple[str, ...]:
        """Frequent values, masked where they identify or few rows share them."""
        return self.profile.examples(identifying=self.role in NEVER_PUBLISHED)


@dataclass(frozen=True, slots=True)
class ProtectionUnit:
    """What a row stands for: the keys that columns hold, and the numbers of people and rows."""

    person_key: str | None
    household: str | None
    people: int
    households: int | None
    rows: int
    repeated: int  # rows that repeat another row exactly


@dataclass(frozen=True, slots=True, eq=False)
class TableInspection:
    """All that an inspection finds in a table."""

    name: str
    columns: tuple[InspectedColumn, ...]
    unit: ProtectionUnit
    dependencies: tuple[Dependency, ...]
    uniques: UniqueSets | None  # None: no quasi-identifier is proposed
    missing: tuple[str, ...]  # marks of missing values that occur

    def having(self, *roles: Role) -> tuple[InspectedColumn, ...]:
        """Return the columns with one of the proposed roles."""
        return tuple(one for one in self.columns if one.role in roles)


def inspect_table(raw: Raw) -> TableInspection:
    """Return what columns a table has, their proposed roles, and how far they single people out."""
    profiles = [ColumnProfile.of(raw, name) for name in raw.columns]
    keys, repeated = likely_keys(raw, Roles())
    depending = dependencies(raw)
    proposals = propose(profiles, keys, depending)
    unit = _unit(raw, proposals, repeated)
    key = unit.person_key
    person = np.arange(raw.n_rows, dtype=np.int32) if key is None else numbered(raw[key])
    quasi = _having(proposals, Role.QUASI_IDENTIFIER)
    uniques = unique_sets(raw, quasi, person) if quasi else None
    proposals = with_added_people(proposals, added_people(raw, quasi, _having(proposals, Role.SENSITIVE), person))
    columns = (
        InspectedColumn(one, proposals[one.name], safe_harbor(one, proposals[one.name]), proposed_hierarchy(one))
        for one in profiles
    )
    marks = {mark for column in raw.columns.values() for mark in column.marks if mark not in {"", "inf"}}
    return TableInspection(raw.name, tuple(columns), unit, depending, uniques, tuple(sorted(marks)))


def _having(proposals: Mapping[str, Proposal], role: Role) -> list[str]:
    return [name for name, one in proposals.items() if one.role is role]


def _unit(raw: Raw, proposals: Mapping[str, Proposal], repeated: int) -> ProtectionUnit:
    person = _first(_having(proposals, Role.PERSON_KEY))
    household = _first(_having(proposals, Role.HOUSEHOLD))
    return ProtectionUnit(
        person,
        household,
        raw.n_rows if person is None else _distinct(raw, person),
        None if household is None else _distinct(raw, household),
        raw.n_rows,
        repeated,
    )


def _first(names: Iterable[str]) -> str | None:
    return next(iter(names), None)


def _distinct(raw: Raw, name: str) -> int:
    """Return the number of values; each row without one counts once."""
    return raw[name].n + int((raw[name].codes == UNKNOWN).sum())
