"""The kinds of audit: of a table published here, of releases of a table, of releases and a list of people, of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

from unmask import auditing, catalog
from unmask.auditing import Evidence, Targets, evidence_of
from unmask.commands.column_limits import Asked, columns_within, with_columns
from unmask.commands.inputs.evidence import Case, evidence_about, of_people
from unmask.commands.inputs.limits import Demands, with_models
from unmask.commands.inputs.loading import (
    Loaded,
    Reading,
    Source,
    beside,
    load,
    raw_of,
    releases_of,
    seed_of,
    uncounted,
    uncounted_here,
)
from unmask.commands.inputs.risk_in_population import require_told, with_population
from unmask.commands.notes import Notes, of_algorithms, of_several_values
from unmask.commands.published_columns import Original, as_read, require_columns
from unmask.commands.rows_of_table import doubt_of, with_rows
from unmask.commands.sanitizing import needed, published
from unmask.errors import InvalidInputError
from unmask.files.missing_hints import missing_hints
from unmask.files.people import People, to_people, values_of
from unmask.files.published import ReadRelease
from unmask.files.raw import Raw
from unmask.files.roles import ColumnRole, Roles
from unmask.findings import ATTRIBUTES, COMPLETE, ROW, Attacker, AuditReport
from unmask.inference.pooling import default_prior
from unmask.masks.noise_told import told_of_noise
from unmask.published_columns import ColumnAudit
from unmask.release import Release
from unmask.report.several import together
from unmask.schema import Harm, Role
from unmask.streams import stream
from unmask.table import Table
from unmask.view import Attack, Knowledge

_SEEDED = "the release attacked here comes from the audit's seed: it is not the one to publish"
_NOISY = "noise is drawn by the system: the release attacked here is not the one to publish, nor found again by a seed"


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """What all kinds of audit have in common."""

    notes: Notes
    reading: Reading
    attacks: list[Attack]
    demands: Demands
    seed: int | None
    people: Source | None
    population: Source | None
    complete: bool = False  # the people are all the people of the releases
    together: bool = False  # ask only what all releases show together

    def made_here(
        self, data: Source | None, sanitizer: str, settings: dict[str, str], roles: Roles
    ) -> tuple[AuditReport, tuple[str, ...] | None]:
        """Publish the table by a sanitizer, and attack what comes out."""
        made = catalog.build("sanitizers", sanitizer, settings)
        loaded = load(data, roles, self.reading, self.notes, require=needed(made))
        seed = seed_of(self.seed, self.notes)
        evidence = evidence_of(published(made, loaded.table, stream(seed, "sanitizer", made.name)), made.name)
        noisy = told_of_noise(evidence.release)
        self.notes.add(_NOISY if evidence.release.noise or noisy else _SEEDED, *noisy)
        self.notes.add(*uncounted(loaded))
        case = Case.of([evidence], loaded)
        found = [as_read(evidence.release, evidence.row, loaded.table.person_of)]
        columns = self._columns(found, loaded.roles, [Original(loaded.raw, evidence.row)])
        case = self._looked_for(case, found, loaded)
        return self._report(case, loaded.roles, seed, found, columns), case.names

    def against_table(
        self, data: Source, sources: Sequence[Source], keep: str | Path | None, roles: Roles
    ) -> tuple[AuditReport, tuple[str, ...] | None]:
        """Attack releases about the rows of a table, or about people of whom the table tells the truth."""
        raw = raw_of(data, roles, self.reading)
        found = releases_of(sources, roles, beside(self.reading), self.notes, also=values_of(raw), attacks=self.attacks)
        known = inherited(roles, [one.release for one in found])
        loaded = load(raw, known, self.reading, self.notes, require=(Role.QUASI_IDENTIFIER,))
        self.notes.add(*uncounted(loaded), *uncounted_here(loaded, found))
        case = Case.of(evidence_about(found, loaded, keep), loaded)
        columns = self._columns(found, known, [Original(raw, one.row, one.group) for one in case.evidence])
        case = self._looked_for(case, found, loaded)
        if any(one.group is None for one in case.evidence):
            self.notes.add(
                "whose row is whose is not known here: the row-known intruder and the left-out control did not run "
                "(--keep FILE of unmask sanitize tells it)"
            )
        seed = seed_of(self.seed, self.notes)
        return self._report(case, known, seed, found, columns, loaded.table), case.names

    def against_people(self, sources: Sequence[Source], roles: Roles) -> tuple[AuditReport, tuple[str, ...] | None]:
        """Attack releases about people of whom no truth is known."""
        raw = raw_of(self.people, roles, self.reading)
        found = releases_of(sources, roles, self.reading, self.notes, also=values_of(raw), attacks=self.attacks)
        case = of_people(self._known(raw, found, roles, named=self.reading.get("quasi", ())), found)
        self.notes.add("no table was given: which beliefs are right is not known")
        columns = self._columns(found, roles)
        return self._report(case, roles, seed_of(self.seed, self.notes), found, columns), case.names

    def against_rows(self, sources: Sequence[Source], roles: Roles) -> tuple[AuditReport, tuple[str, ...] | None]:
        """Attack the published rows themselves: their places are known, what is right is not."""
        if self.complete:
            msg = "a list of everybody must be given to be complete. Write the table, or --people FILE"
            raise InvalidInputError(msg)
        found = releases_of(sources, roles, self.reading, self.notes, also=None, attacks=self.attacks)
        self.notes.add("no table was given: the published rows are attacked, and which beliefs are right is not known")
        seed = seed_of(self.seed, self.notes)
        policy = self.demands.policy
        asked = policy.location if self.demands.location_given else "row"
        reports = []
        for one in found:
            release = one.release
            if not release.n_rows or not (release.masked.is_exact or release.schema.sensitive):
                msg = (
                    f"release {release.name!r} must show rows with exact quasi-identifiers or a sensitive column to be "
                    f"attacked by itself; it does not. Give the original table, or --people FILE"
                )
                raise InvalidInputError(msg)
            if asked == "attributes" and not release.masked.is_exact:
                msg = "location attributes must come with people to look for. Give the table, or --people FILE"
                raise InvalidInputError(msg)
            attackers: tuple[Attacker, ...] = (ROW, ATTRIBUTES) if release.masked.is_exact else (ROW,)
            reports.append(
                auditing.audit(
                    [Evidence(release, release.group_of_row, np.arange(release.n_rows, dtype=np.int64))],
                    Targets(_shown(release), {}, unit=release.as_targets.unit),
                    seed=seed,
                    attacks=self.attacks,
                    policy=replace(policy, location=asked),
                    attackers=attackers,
                    identity=release.masked.is_exact,
                    harm=harm_of(roles, [release]),
                )
            )
        marks = [report.exposed for report in reports if report.exposed is not None]
        whole = replace(together(reports), exposed=np.concatenate(marks) if marks else None)
        whole = with_rows(whole, found, [doubt_of(one, None, seed) for one in found])
        return self._judged(whole, found, self._columns(found, roles), self._outside(found, roles)), _lines(found)

    def _looked_for(self, case: Case, found: Sequence[ReadRelease], loaded: Loaded) -> Case:
        if self.people is None:
            return case
        raw = raw_of(self.people, loaded.roles, self.reading)
        return case.looked_for(self._known(raw, found, loaded.roles), raw, loaded)

    def _known(self, raw: Raw, found: Sequence[ReadRelease], roles: Roles, *, named: Iterable[str] = ()) -> People:
        known = to_people(raw, found, roles, named=named)
        self.notes.add(*raw.notes, *missing_hints(raw, roles), *known.notes)
        return known

    def _columns(
        self, found: Sequence[ReadRelease], roles: Roles, originals: Sequence[Original] = ()
    ) -> list[ColumnAudit]:
        """Look at all published columns of each release, beside the table that it was made of where that is given."""
        policy = self.demands.policy
        require_columns(policy.ignore, found, originals[0].raw if originals else None)
        asked = Asked(policy.limits, (), policy.ignore, harm_of(roles, [one.release for one in found]))
        return [
            columns_within(one, replace(asked, models=self.demands.models_for(one.release)), original)
            for one, original in zip_longest(found, originals)
        ]

    def _report(
        self,
        case: Case,
        roles: Roles,
        seed: int,
        found: Sequence[ReadRelease],
        columns: Sequence[ColumnAudit],
        table: Table | None = None,
    ) -> AuditReport:
        policy = self.demands.policy
        if case.told and not self.demands.location_given:
            self.notes.add("the people file tells everybody's group: limits are judged for an intruder who knows it")
            policy = replace(policy, location="row")
        releases = [one.release for one in case.evidence]
        if not any(release.schema.sensitive for release in releases):
            self.notes.add("no column is sensitive: the only question is whose row is whose")
        attackers = (ROW, ATTRIBUTES, COMPLETE) if self.complete else (ROW, ATTRIBUTES)
        if self.complete and policy.limits.max_belief is not None:
            who = "row" if policy.location == "row" else "attributes only"
            self.notes.add(
                f"limits are judged for an intruder who knows {who}; what a list of everybody adds stands beside"
            )
        report = auditing.audit(
            case.evidence, case.targets, seed=seed, attacks=self.attacks, policy=policy, attackers=attackers,
            harm=harm_of(roles, releases), identity=not self.together, single=not self.together,
        )  # fmt: skip
        doubts = [doubt_of(one, table, seed) for one in found]
        return self._judged(with_rows(report, found, doubts), found, columns, self._outside(found, roles))

    def _judged(
        self,
        report: AuditReport,
        found: Sequence[ReadRelease],
        columns: Sequence[ColumnAudit],
        population: Table | None,
    ) -> AuditReport:
        """Add what sizes, counts and columns say: required models, the population, all that is published."""
        releases = [one.release for one in found]
        self.notes.add(*of_algorithms(releases), *of_several_values(releases))
        judged = with_columns(with_models(report, releases, self.demands.models, population), columns)
        return with_population(judged, releases, population)

    def _outside(self, found: Sequence[ReadRelease], roles: Roles) -> Table | None:
        if self.population is None:
            return None
        raw = raw_of(self.population, roles, self.reading)
        for one in found:
            require_told(raw, one.release)
        return to_people(raw, found, roles).table


def harm_of(roles: Roles, releases: Sequence[Release]) -> dict[str, Harm]:
    """Return what is declared of the values of sensitive attributes, where anything is."""
    names = dict.fromkeys(a.name for release in releases for a in release.schema.sensitive)
    declared = {name: roles.of_column(name) for name in names}
    return {n: Harm(frozenset(d.harmless), dict(d.limit)) for n, d in declared.items() if d.harmless or d.limit}


def _lines(found: Sequence[ReadRelease]) -> tuple[str, ...]:
    """Name published rows by the line of their file, from 0; with the release, where there are several."""
    names: list[str] = []
    for one in found:
        line = np.empty(one.release.n_rows, np.int64)
        line[one.row_of] = np.arange(one.row_of.size)
        start = f"{one.release.name}:" if len(found) > 1 else ""
        names += [f"{start}{number}" for number in line.tolist()]
    return tuple(names)


def _shown(release: Release) -> Table:
    """Return what published rows show of themselves."""
    secret = release.schema.sensitive
    prior = default_prior([release], secret[0].name, release.n_rows) if secret else None
    if prior is None:
        return release.masked.exact_table()
    return Knowledge.of_rows(release, prior).people


def inherited(roles: Roles, releases: Sequence[Release]) -> Roles:
    """Give columns that nothing is declared of the role that the releases give them."""
    columns = dict(roles.columns)
    for release in releases:
        for attribute in release.schema:
            before = columns.get(attribute.name, ColumnRole())
            if before.role is None and attribute.role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE}:
                columns[attribute.name] = before.model_copy(update={"role": attribute.role})
    changed = roles.model_copy(update={"columns": columns})
    changed._folder = roles._folder  # noqa: SLF001 - the same roles, with more in them
    return changed
