"""An audit before its attacks: releases, targets, and what is known about both; changed releases keep all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unmask.arrays import Bool, Int32
from unmask.auditing.evidence import Evidence, Targets
from unmask.changes.planned_changes import Changes
from unmask.changes.release_changes import ChangedRelease, coarsen, leave_out, with_stars, withhold
from unmask.commands.inputs.command_inputs import Inputs
from unmask.commands.inputs.evidence import about_people, evidence_about
from unmask.commands.published_columns import Original
from unmask.errors import InvalidInputError
from unmask.files.published import ReadRelease
from unmask.release import Release
from unmask.schema import Attribute
from unmask.table import Table
from unmask.utility.utility_measure import PublishedTable
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class PreparedAudit:
    """Releases with the evidence about their targets; without targets, the published rows are attacked."""

    inputs: Inputs
    evidence: tuple[Evidence, ...]
    targets: Targets | None
    originals: tuple[Original, ...] = ()
    table: Table | None = None  # the original, with columns that are withheld
    quasi: tuple[Attribute, ...] = ()  # quasi-identifiers of the original, in order
    outside: Targets | None = None  # people held out of the release
    why_not_held_out: str = ""  # why none are, where this was asked for
    lines: tuple[str, ...] | None = None  # of the table's rows in the whole table; None: the same

    @classmethod
    def of(
        cls, inputs: Inputs, keep: str | Path | None = None, own: Evidence | None = None, table: Table | None = None
    ) -> PreparedAudit:
        """Return the audit of the rows of the table, of a list of people, or of the published rows.

        `own` is the evidence about the rows of the table where the release was made here, of more columns in `table`.
        """
        notes, whole = inputs.reader.notes, table if table is not None else inputs.table
        if inputs.table is not None and inputs.original is not None:
            found, targets = [own] if own else evidence_about(inputs, inputs.table, keep), Targets.of(inputs.table)
            originals = tuple(Original(inputs.original, one.row, one.group) for one in found)
            if inputs.people is not None:
                found, targets = about_people(inputs.people, inputs, found)
            if own is None and any(one.group is None for one in found):
                notes.add(
                    message(
                        "the rows of the targets are unknown: the row-known intruder and the left-out control did not "
                        "run. Write --keep FILE, as unmask sanitize makes it"
                    )
                )
            quasi = () if whole is None else whole.schema.quasi
            return cls(inputs, tuple(found), targets, originals, whole, quasi)
        if inputs.people is not None:
            found, targets = about_people(inputs.people, inputs, evidence_about(inputs, inputs.people.table))
            notes.add(message("no table was given: which beliefs are right is not known"))
            return cls(inputs, tuple(found), targets)
        return cls(inputs, tuple(map(evidence_of_rows, inputs.published)), None)

    def silent(self) -> PreparedAudit:
        """Return the same audit, without notes."""
        return replace(self, inputs=replace(self.inputs, reader=self.inputs.reader.silent()))

    def changed(self, changes: Changes) -> PreparedAudit:
        """Return the audit of releases with withheld and coarser columns.

        Fails
            With `InvalidInputError` for a column that no release publishes, or that cannot be changed so.
        """
        result = self
        for name in changes.withhold:
            result = result._withheld(name)
        for name, levels in changes.coarser:
            if all(name not in {a.name for a in release.schema.quasi} for release in result.inputs.published):
                quasi = (a.name for release in result.inputs.published for a in release.schema.quasi)
                raise InvalidInputError.unknown_name(message("published quasi-identifier"), name, quasi)
            result = result.each(lambda one: coarsen(one, name, levels), having=name)  # noqa: B023 - called here
        return result

    def without_exposed(self, exposed: Bool, tolerated: float) -> PreparedAudit:
        """Return the audit of releases without groups of exposed targets, (targets,).

        Groups with the largest share of exposed members are left out first, until at most the tolerated number of
        exposed targets is in groups.

        Fails
            With `InvalidInputError` where the groups of targets are unknown.
        """
        if any(one.group is None for one in self.evidence):
            msg = message("the group of each person must be known for exposed people to be left out. Write --keep FILE")
            raise InvalidInputError(msg)
        marks = [exposed] * len(self.evidence)
        if self.targets is None:
            marks = list(np.split(exposed, np.cumsum([one.release.n_rows for one in self.evidence])[:-1]))
        gone = [_densest(one, marked, tolerated) for one, marked in zip(self.evidence, marks, strict=True)]
        return self.replaced(
            [
                leave_out(one.release, groups, self._person_of_row(one, read)) if groups.any() else None
                for one, groups, read in zip(self.evidence, gone, self.inputs.releases, strict=True)
            ]
        )

    def _person_of_row(self, one: Evidence, read: ReadRelease) -> Int32 | None:
        """Return the person of each published row, (rows,): by the release's person key, or that of the targets."""
        if read.person_of is None:
            return None if self.targets is None else one.person_of_row(self.targets.person_of)
        person_of = np.empty_like(read.person_of)
        person_of[read.row_of] = read.person_of
        return person_of

    @property
    def n_groups(self) -> int:
        """The number of groups of all releases."""
        return sum(one.release.n_groups for one in self.evidence)

    def cases(self) -> list[PublishedTable]:
        """Return each release beside the original table; a withheld column is `*` for all."""
        if self.table is None:
            return []
        wanted = [a for a in self.quasi if a.name in self.table.schema]
        return [PublishedTable(with_stars(one.release, wanted), self.table) for one in self.evidence]

    def _withheld(self, name: str) -> PreparedAudit:
        names = [n for one in self.inputs.releases for n in (*one.release.schema.names, *one.unused)]
        if name not in names:
            raise InvalidInputError.unknown_name(message("published column"), name, names)
        releases = tuple(
            replace(one, unused={n: column for n, column in one.unused.items() if n != name})
            for one in self.inputs.releases
        )
        less = replace(self, inputs=replace(self.inputs, releases=releases))
        result = less.each(lambda one: withhold(one, name), having=name)
        targets, population = result.targets, result.inputs.population
        published = {n for release in result.inputs.published for n in release.schema.names}
        if targets is not None and name in targets.people.schema and name not in published:
            targets = replace(targets, people=_less(targets.people, name))
        if population is not None and name not in published:
            population = _less(population, name)
        return replace(result, targets=targets, inputs=replace(result.inputs, population=population))

    def each(self, change: Callable[[Release], ChangedRelease], *, having: str) -> PreparedAudit:
        """Return the audit with every release changed that has a column."""
        return self.replaced([change(one.release) if having in one.release.schema else None for one in self.evidence])

    def replaced(self, changed: Sequence[ChangedRelease | None]) -> PreparedAudit:
        """Return the audit with some releases changed, in their order; None: not changed."""
        evidence, releases, originals = list(self.evidence), list(self.inputs.releases), list(self.originals)
        for i, new in enumerate(changed):
            if new is None:
                continue
            old = evidence[i]
            evidence[i] = evidence_of_rows(new.release) if self.targets is None else Evidence(
                new.release,
                None if old.group is None else new.groups(old.group),
                None if old.row is None else new.rows(old.row),
            )  # fmt: skip
            if originals:
                one = originals[i]
                originals[i] = replace(
                    one,
                    row=None if one.row is None else new.rows(one.row),
                    group=None if one.group is None else new.groups(one.group),
                )
            releases[i] = _with_release(releases[i], new)
        inputs = replace(self.inputs, releases=tuple(releases))
        return replace(self, inputs=inputs, evidence=tuple(evidence), originals=tuple(originals))


def evidence_of_rows(release: Release) -> Evidence:
    """Return the evidence about the published rows, which are attacked by themselves."""
    return Evidence(release, release.group_of_row, np.arange(release.n_rows, dtype=np.int64))


def _densest(one: Evidence, exposed: Bool, tolerated: float) -> Bool:
    """Return the groups, (groups,), with the largest shares of exposed members, until few enough are in others."""
    own = np.zeros(0, np.int32) if one.group is None else one.group[exposed]
    here = np.bincount(own[own >= 0], minlength=one.release.n_groups)
    order = np.argsort(-here / np.maximum(one.release.size, 1), kind="stable")
    still = here.sum() - np.cumsum(here[order]) + here[order]  # before a group is left out
    groups = np.zeros(here.size, bool)
    groups[order[(still > tolerated) & (here[order] > 0)]] = True
    return groups


def _with_release(read: ReadRelease, new: ChangedRelease) -> ReadRelease:
    """Return a changed release as if it had been read: without the lines that are left out."""
    rows = new.rows(read.row_of)
    kept = rows >= 0
    groups = ((label, int(new.group_of[group])) for label, group in read.group_of.items())
    return replace(
        read,
        release=new.release,
        rows=rows[kept],
        group_of={label: group for label, group in groups if group >= 0},
        unused={name: replace(one, column=one.column.take(kept)) for name, one in read.unused.items()},
        person_of=None if read.person_of is None else read.person_of[kept],
    )


def _less(table: Table, name: str) -> Table:
    return table.only(n for n in table.schema.names if n != name)
