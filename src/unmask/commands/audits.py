"""The kinds of audit: of a table published here, releases of a table, releases and people, published rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

from unmask import catalog
from unmask.attacks.shared.pooling import default_prior
from unmask.auditing.evidence import Evidence, Targets, evidence_of
from unmask.auditing.findings import ATTRIBUTES, COMPLETE, ROW, Attacker, AuditReport
from unmask.auditing.published_columns import ColumnAudit
from unmask.auditing.scenes import Audit
from unmask.commands.column_limits import ColumnLimits, columns_within, with_columns
from unmask.commands.held_out import HeldOut, choose_held_out
from unmask.commands.inputs.command_inputs import Inputs
from unmask.commands.inputs.counting_notes import notes_on_table
from unmask.commands.inputs.evidence import about_people, evidence_about
from unmask.commands.inputs.limits import Demands, with_models
from unmask.commands.inputs.reader import Reader
from unmask.commands.inputs.reading_options import Settings, Source
from unmask.commands.keyed_steps import NAMES, KeyedRun, KeyedSteps
from unmask.commands.leak_checks import leak_checks
from unmask.commands.outcome.report_notes import notes_on_algorithms, notes_on_several_values
from unmask.commands.outcome.resuming import seed_of
from unmask.commands.outcome.risk_in_population import with_population
from unmask.commands.published_columns import Original, as_read, require_columns
from unmask.commands.rows_of_table import doubt_of, with_rows
from unmask.commands.sanitizing import published, reader_for, table_for
from unmask.differential_privacy.noise_claims import describe_noise
from unmask.errors import InvalidInputError
from unmask.files.person_hashes import SHORTEST
from unmask.files.roles import Roles
from unmask.files.row_subset import rows_of
from unmask.masks.shifted_dates import describe_shifts, with_shift_in_cells
from unmask.release import Release
from unmask.report.combined_report import together
from unmask.runtime.streams import stream
from unmask.schema import Harm
from unmask.table import Table
from unmask.view import Attack, Knowledge

_SEEDED = "the release attacked here comes from the audit's seed: it is not the one to publish"
_NOISY = "noise is drawn by the system: the release attacked here is not the one to publish, nor found again by a seed"


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The plan of an audit: attacks, attackers and limits."""

    attacks: list[Attack]
    demands: Demands
    seed: int | None = None
    complete: bool = False  # the people are all the people of the releases
    together: bool = False  # attack only all releases together
    named: tuple[str, ...] = ()  # attacks asked for by name

    def attacks_on(self, releases: Sequence[Release]) -> list[Attack]:
        """Return the attacks: those that link rows only where a release has pseudonyms, or where asked for by name."""
        asked = {name.replace("_", "-") for name in (*self.named, *self.demands.policy.required)}
        linked = any(release.person_key is not None for release in releases)
        return [one for one in self.attacks if linked or not one.requirements.linked_rows or one.name in asked]


@dataclass(frozen=True, slots=True, eq=False)
class PublishedHere:
    """A release made for an audit: the inputs, the evidence about its rows, the seed, and the people held out."""

    inputs: Inputs
    own: Evidence
    seed: int
    outside: Targets | None = None  # the people held out
    held_out: HeldOut | None = None  # their rows in the table; None: no one was to be held out

    @property
    def lines(self) -> tuple[str, ...] | None:
        """The line of each row of the release's table in the whole table; None where they are the same."""
        if self.outside is None or self.held_out is None:
            return None
        return tuple(map(str, np.flatnonzero(~self.held_out.rows).tolist()))


def publish_here(
    reader: Reader, sanitizer: str, parameters: Settings, *,
    data: Source, people: Source | None, population: Source | None, seed: int | None,
    hold_out: bool = False, key: bytes | None = None,
) -> PublishedHere:  # fmt: skip
    """Publish a table by a sanitizer, without people held out if so asked: those with the least hashes under a key.

    Without a key, the hashes are keyed by the seed.
    """
    steps, settings = KeyedSteps.of(parameters)
    made, notes = catalog.build("sanitizers", sanitizer, settings, beside=NAMES), reader.notes
    reader = reader_for(made, steps.reader(reader))
    keyed = None
    if steps:
        seed = seed_of(seed, notes)
        secret = stream(seed, "key")  # stands for the publisher's key: this release is not published
        keyed = KeyedRun(steps, secret.bytes(SHORTEST), secret)
    held_out = None
    if hold_out:
        seed = seed_of(seed, notes)
        whole = reader.raw(data)
        held_out = choose_held_out(whole, reader.roles, key or str(seed).encode())
        notes.add(held_out.note)
        data = rows_of(whole, ~held_out.rows)
    raw, table = table_for(made, reader, data, keyed)
    drawn = seed_of(seed, notes)
    release = steps.declared(published(made, table, stream(drawn, "sanitizer", made.name)))
    own = evidence_of(replace(release, release=with_shift_in_cells(release.release)), made.name)
    noisy = describe_noise(own.release)
    notes.add(_NOISY if own.release.noise or noisy else _SEEDED, *noisy, *describe_shifts(own.release))
    notes.add(*notes_on_table(table, reader.roles))
    found = as_read(own.release, own.row, table.person_of)
    inputs = Inputs(reader, original=raw, table=table).with_releases([found], people=people, population=population)
    outside = None
    if held_out is not None and not held_out.why:
        _, others = table_for(made, reader.silent(), rows_of(whole, held_out.rows))
        outside = Targets.of(others)
    return PublishedHere(inputs, own, drawn, outside, held_out)


def audit_releases(
    inputs: Inputs, plan: Plan, *, keep: str | Path | None = None, here: PublishedHere | None = None
) -> AuditReport:
    """Attack releases about the rows of their table, about a list of people, or about the published rows.

    `here` is the release where it was made here, of the table.
    """
    own = None if here is None else here.own
    notes, table, people, policy = inputs.reader.notes, inputs.table, inputs.people, plan.demands.policy
    originals: list[Original] = []
    if table is not None and inputs.original is not None:
        evidence, targets = [own] if own else evidence_about(inputs, table, keep), Targets.of(table)
        originals = [Original(inputs.original, one.row, one.group) for one in evidence]
        if people is not None:
            evidence, targets = about_people(people, inputs, evidence)
        if own is None and any(one.group is None for one in evidence):
            notes.add(
                "the rows of the targets are unknown: the row-known intruder and the left-out control did not run. "
                "Write --keep FILE, as unmask sanitize makes it"
            )
    elif people is not None:
        evidence, targets = about_people(people, inputs, evidence_about(inputs, people.table))
        notes.add("no table was given: which beliefs are right is not known")
    else:
        return _audit_rows(inputs, plan)
    columns, seed = _columns(inputs, plan, originals), seed_of(plan.seed, notes)
    if inputs.groups_are_given and not plan.demands.location_given:
        notes.add("the people file has each person's group: limits are judged for an intruder who knows it")
        policy = replace(policy, location="row")
    if not any(release.schema.sensitive for release in inputs.published):
        notes.add("no column is sensitive: the only question is linkage")
    if plan.complete and policy.limits.max_belief is not None:
        who = "row" if policy.location == "row" else "attributes only"
        notes.add(f"limits are judged for an intruder who knows {who}; the effect of a complete list stands beside")
    report = Audit(
        evidence, targets, seed=seed, attacks=plan.attacks_on(inputs.published), policy=policy,
        attackers=(ROW, ATTRIBUTES, COMPLETE) if plan.complete else (ROW, ATTRIBUTES),
        harm=_harm(inputs.reader.roles, inputs.published), identity=not plan.together, single=not plan.together,
        held_out=None if here is None else here.outside,
        why_not_held_out="" if here is None or here.held_out is None else here.held_out.why,
    ).report()  # fmt: skip
    return _judged(inputs, plan, report, columns, seed, originals)


def _audit_rows(inputs: Inputs, plan: Plan) -> AuditReport:
    """Attack the published rows: their groups are known, the truth is not."""
    notes, policy = inputs.reader.notes, plan.demands.policy
    notes.add("no table was given: the published rows are attacked, and which beliefs are right is not known")
    seed = seed_of(plan.seed, notes)
    asked = policy.location if plan.demands.location_given else "row"
    reports = []
    for release in inputs.published:
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
            Audit(
                [Evidence(release, release.group_of_row, np.arange(release.n_rows, dtype=np.int64))],
                Targets(_published_table(release), {}, unit=release.as_targets.unit),
                seed=seed,
                attacks=plan.attacks_on([release]),
                policy=replace(policy, location=asked),
                attackers=attackers,
                identity=release.masked.is_exact,
                harm=_harm(inputs.reader.roles, [release]),
            ).report()
        )
    marks = [report.exposed for report in reports if report.exposed is not None]
    counted = [report.n_exposed for report in reports if report.n_exposed is not None]
    whole = replace(
        together(reports),
        exposed=np.concatenate(marks) if marks else None,
        n_exposed=sum(counted) if counted else None,
    )
    return _judged(inputs, plan, whole, _columns(inputs, plan), seed)


def _columns(inputs: Inputs, plan: Plan, originals: Sequence[Original] = ()) -> list[ColumnAudit]:
    """Examine all published columns of each release, beside the table that it was made of where that is given."""
    policy = plan.demands.policy
    require_columns(policy.ignore, inputs.releases, originals[0].raw if originals else None)
    asked = ColumnLimits(policy.limits, (), policy.ignore, _harm(inputs.reader.roles, inputs.published))
    return [
        columns_within(one, replace(asked, models=plan.demands.models_for(one.release)), original)
        for one, original in zip_longest(inputs.releases, originals)
    ]


def _judged(
    inputs: Inputs,
    plan: Plan,
    report: AuditReport,
    columns: Sequence[ColumnAudit],
    seed: int,
    originals: Sequence[Original] = (),
) -> AuditReport:
    """Add the verdicts on required models, the population risk, published columns, and the leak checks."""
    releases = inputs.published
    report = with_rows(report, inputs.releases, [doubt_of(one, inputs.table, seed) for one in inputs.releases])
    inputs.reader.notes.add(*notes_on_algorithms(releases), *notes_on_several_values(releases))
    judged = with_columns(with_models(report, releases, plan.demands.models, inputs.population), columns)
    leaks = [
        leak_checks(one, audit, inputs.reader.roles, original, inputs.table)
        for one, audit, original in zip_longest(inputs.releases, columns, originals)
    ]
    facts = tuple(replace(one, leaks=checks) for one, checks in zip(judged.releases, leaks, strict=True))
    return with_population(replace(judged, releases=facts), releases, inputs.population)


def _harm(roles: Roles, releases: Sequence[Release]) -> dict[str, Harm]:
    """Return the declared harm of values, by sensitive attribute."""
    names = dict.fromkeys(a.name for release in releases for a in release.schema.sensitive)
    declared = {name: roles.of_column(name) for name in names}
    return {n: Harm(frozenset(d.harmless), dict(d.limit)) for n, d in declared.items() if d.harmless or d.limit}


def _published_table(release: Release) -> Table:
    """Return the quasi-identifiers of published rows as a table."""
    secret = release.schema.sensitive
    prior = default_prior([release], secret[0].name, release.n_rows) if secret else None
    if prior is None:
        return release.masked.exact_table()
    return Knowledge.of_rows(release, prior).people
