"""A table that an audit publishes by a sanitizer, unchanged or with changes; it is read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unmask import catalog
from unmask.auditing.evidence import Targets, evidence_of
from unmask.changes.coarser_tables import CoarserTable, withheld
from unmask.changes.planned_changes import Changes
from unmask.commands.held_out import HeldOut, choose_held_out
from unmask.commands.inputs.command_inputs import Inputs
from unmask.commands.inputs.counting_notes import notes_on_table
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Settings, Source
from unmask.commands.keyed_steps import NAMES, KeyedRun, KeyedSteps
from unmask.commands.outcome.resuming import seed_of
from unmask.commands.prepared_audits import PreparedAudit
from unmask.commands.published_columns import as_read
from unmask.commands.sanitizing import published, reader_for, table_for
from unmask.differential_privacy.noise_claims import describe_noise
from unmask.files.person_hashes import SHORTEST
from unmask.files.raw import Raw
from unmask.files.row_subset import rows_of
from unmask.masks.shifted_dates import describe_shifts, with_shift_in_cells
from unmask.runtime.streams import stream
from unmask.table import Table
from unmask.wording import message

_SEEDED = message("the release attacked here comes from the audit's seed: it is not the one to publish")
_NOISY = message(
    "noise is drawn by the system: the release attacked here is not the one to publish, nor found again by a seed"
)


@dataclass(frozen=True, slots=True, eq=False)
class TableToPublish:
    """A table as read for a sanitizer, the sanitizer's settings, and the seed of its releases."""

    reader: Reader
    raw: Raw
    table: Table
    name: str
    settings: Mapping[str, Any]
    steps: KeyedSteps
    people: Source | None
    population: Source | None
    seed: int
    held_out: HeldOut | None = None  # None: no people were to be held out
    others: Table | None = None  # these people

    @classmethod
    def of(
        cls, reader: Reader, sanitizer: str, parameters: Settings, *,
        data: Source, people: Source | None, population: Source | None, seed: int | None,
        hold_out: bool = False, key: bytes | None = None,
    ) -> TableToPublish:  # fmt: skip
        """Read a table for a sanitizer, without people held out if so asked: those with the least hashes under a key.

        Without a key, the hashes are keyed by the seed.

        Fails
            With `InvalidInputError` for unknown parameters, and where the table or its roles cannot be read.
        """
        steps, settings = KeyedSteps.of(parameters)
        made, notes = catalog.build("sanitizers", sanitizer, settings, beside=NAMES), reader.notes
        reader = reader_for(made, steps.reader(reader))
        keyed = None
        if steps:
            seed = seed_of(seed, notes)
            secret = stream(seed, "key")  # stands for the publisher's key: this release is not published
            keyed = KeyedRun(steps, secret.bytes(SHORTEST), secret)
        held_out, others = None, None
        if hold_out:
            seed = seed_of(seed, notes)
            whole = reader.raw(data)
            held_out = choose_held_out(whole, reader.roles, key or str(seed).encode())
            notes.add(held_out.note)
            data = rows_of(whole, ~held_out.rows)
            if not held_out.why:
                _, others = table_for(made, reader.silent(), rows_of(whole, held_out.rows))
        raw, table = table_for(made, reader, data, keyed)
        drawn = seed_of(seed, notes)
        own = {key.replace("_", "-"): value for key, value in settings.items()}
        people, population = (None if one is None else reader.raw(one) for one in (people, population))
        return cls(reader, raw, table, made.name, own, steps, people, population, drawn, held_out, others)

    def silent(self) -> TableToPublish:
        """Return the same, without notes."""
        return replace(self, reader=self.reader.silent())

    def prepared(self, changes: Changes) -> PreparedAudit:
        """Publish the table with changes, and return the audit of the release about its rows.

        Fails
            With `InvalidInputError` for changes that are not possible, with `InfeasibleError` where no table meets the
            sanitizer's model.
        """
        made = catalog.build("sanitizers", self.name, {**self.settings, **dict(changes.parameters)})
        table = withheld(self.table, changes.withhold)
        coarse = CoarserTable.of(table, dict(changes.coarser))
        release = coarse.lifted(published(made, coarse.table, stream(self.seed, "sanitizer", made.name)))
        release = self.steps.declared(release)
        own = evidence_of(replace(release, release=with_shift_in_cells(release.release)), made.name)
        notes, noisy = self.reader.notes, describe_noise(own.release)
        notes.add(_NOISY if own.release.noise or noisy else _SEEDED, *noisy, *describe_shifts(own.release))
        notes.add(*notes_on_table(table, self.reader.roles))
        inputs = Inputs(self.reader, original=self.raw, table=table).with_releases(
            [as_read(own.release, own.row, table.person_of)], people=self.people, population=self.population
        )
        prepared = PreparedAudit.of(inputs, own=own, table=self.table)
        if self.held_out is None:
            return prepared
        outside = None if self.others is None else Targets.of(withheld(self.others, changes.withhold))
        lines = None if self.others is None else tuple(map(str, np.flatnonzero(~self.held_out.rows).tolist()))
        return replace(prepared, outside=outside, why_not_held_out=self.held_out.why, lines=lines)
