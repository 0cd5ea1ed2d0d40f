"""Inputs of an audit or an attack: table, releases, people, truth and population, each read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Int32
from unmask.commands.inputs.counting_notes import notes_beside_releases, notes_on_table
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Source
from unmask.files.people import People, names_in
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.people_counts import where_several
from unmask.release import Release
from unmask.schema import Role
from unmask.table import Table
from unmask.unit import Count, Unit
from unmask.view import Attack

RULES = ("release", "uniform")
"""Priors that are not read: the distribution of values in the releases, and all values alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """The inputs; the targets are the `people`, else the rows of the `table`, else the published rows."""

    reader: Reader  # its roles include those that the releases declare
    releases: tuple[ReadRelease, ...] = ()
    original: Raw | None = None  # the table that the releases were made of, as written
    table: Table | None = None  # (rows of `original`,) the same table, coded
    people: People | None = None
    truth: Raw | None = None
    population: Table | None = None
    prior: Raw | str = "release"  # a file, or the name of a rule

    @property
    def published(self) -> tuple[Release, ...]:
        """The releases themselves."""
        return tuple(one.release for one in self.releases)

    @property
    def n_targets(self) -> int:
        """The number of people, else of published rows."""
        return self.releases[0].release.n_rows if self.people is None else self.people.table.n_rows

    @property
    def targets(self) -> Count:
        """How many people the targets are."""
        if self.people is None:
            return self.releases[0].release.as_targets
        return replace(Count.of(self.people.table.person_of, self.n_targets), unit=Unit.PEOPLE)

    @property
    def person_of(self) -> Int32 | None:
        """The person of each target, (targets,), where some person is several targets."""
        return None if self.people is None else where_several(self.people.table.person_of)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The person keys of the targets; None where they are known by line."""
        if self.people is not None:
            return self.people.names
        keys = self.reader.roles.having(Role.PERSON_KEY)
        return names_in(self.original[keys[0]]) if keys and self.original is not None else None

    @property
    def lines(self) -> tuple[str, ...]:
        """The published rows by the line of their file, from 0; with the release, where there are several."""
        names: list[str] = []
        for one in self.releases:
            line = np.empty(one.release.n_rows, np.int64)
            line[one.row_of] = np.arange(one.row_of.size)
            start = f"{one.release.name}:" if len(self.releases) > 1 else ""
            names += [f"{start}{number}" for number in line.tolist()]
        return tuple(names)

    @property
    def groups_are_given(self) -> bool:
        """Whether the people file gives the group of every person in every release."""
        located = None if self.people is None else self.people.located
        return located is not None and all((place.group >= 0).all() for place in located)

    @classmethod
    def read(
        cls,
        reader: Reader,
        releases: Sequence[Source],
        *,
        table: Source | None = None,
        people: Source | None = None,
        truth: Source | None = None,
        population: Source | None = None,
        prior: Source = "release",
        attacks: Sequence[Attack] = (),
    ) -> Inputs:
        """Read each source once.

        Releases are read beside the table, else beside the people: their values define the meaning of cells. A column
        without a declared role has the role that a release gives it.

        Fails
            With `InvalidInputError` where a source cannot be read, or where they do not belong together.
        """
        reader = reader.beside(releases)
        original = None if table is None else reader.raw(table)
        looked_for = None if people is None else reader.raw(people)
        true = None if truth is None else reader.raw(truth)
        outside = None if population is None else reader.raw(population)
        before = prior if isinstance(prior, str) and prior in RULES else reader.raw(prior)
        beside = [one for one in (original, looked_for) if one is not None][:1]
        files = reader if original is None else reader.without_table_format()
        found = files.releases(releases, beside, attacks)
        if original is None:
            return cls(reader, truth=true, prior=before).with_releases(found, people=looked_for, population=outside)
        reader = reader.inheriting(found, [original])
        coded = reader.table(original, (Role.QUASI_IDENTIFIER,))
        reader.notes.add(*notes_on_table(coded, reader.roles), *notes_beside_releases(coded, found))
        inputs = cls(reader, original=original, table=coded, truth=true, prior=before)
        return inputs.with_releases(found, people=looked_for, population=outside)

    def with_releases(
        self, releases: Sequence[ReadRelease], *, people: Source | None = None, population: Source | None = None
    ) -> Inputs:
        """Return the inputs with releases, and with people and a population in the schema of these releases.

        Without a table, people must have the quasi-identifiers that -q names.
        """
        reader = self.reader
        named = reader.options.get("quasi", ()) if self.table is None else ()
        return replace(
            self,
            releases=tuple(releases),
            people=None if people is None else reader.people(reader.raw(people), releases, named=named),
            population=None if population is None else reader.population(reader.raw(population), releases),
        )
