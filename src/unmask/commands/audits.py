"""The attacks of an audit: on releases of a table, releases and people, or published rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path

import numpy as np

from unmask import catalog
from unmask.attacks.shared.pooling import default_prior
from unmask.auditing.evidence import Targets
from unmask.auditing.findings import ATTRIBUTES, COMPLETE, ROW, Attacker, AuditReport, ReleaseFacts
from unmask.auditing.policy import Limits
from unmask.auditing.published_columns import ColumnAudit
from unmask.auditing.published_forms import ColumnForm, WithheldColumn
from unmask.auditing.scenes import Audit
from unmask.beliefs import Question
from unmask.commands.column_limits import ColumnLimits, columns_within, with_columns
from unmask.commands.inputs.command_inputs import Inputs
from unmask.commands.inputs.counting_notes import notes_on_empty_columns
from unmask.commands.inputs.limits import Demands, with_models
from unmask.commands.leak_checks import leak_checks
from unmask.commands.outcome.report_notes import notes_on_algorithms, notes_on_several_values
from unmask.commands.outcome.resuming import seed_of
from unmask.commands.outcome.risk_in_population import with_population
from unmask.commands.prepared_audits import PreparedAudit
from unmask.commands.published_columns import Original, require_columns
from unmask.commands.rows_of_table import doubt_of, notes_on_rows, with_people, with_rows
from unmask.errors import InvalidInputError
from unmask.files.published import ReadRelease
from unmask.files.roles import Roles
from unmask.number_format import numeral
from unmask.people_counts import repeats
from unmask.release import Release
from unmask.report.combined_report import together
from unmask.schema import Harm
from unmask.table import Table
from unmask.unit import Count, Unit
from unmask.view import Attack, Knowledge
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The plan of an audit: attacks, attackers and limits."""

    attacks: list[Attack]
    demands: Demands
    seed: int | None = None
    complete: bool = False  # the people are all the people of the releases
    together: bool = False  # attack only all releases together
    named: tuple[str, ...] = ()  # attacks asked for by name
    judged_only: bool = False  # only what the limits are judged by: their attacker, and linkage only if they ask for it
    attackers: tuple[Attacker, ...] = (ROW, ATTRIBUTES)
    quick: bool = False  # attacks in their quick forms

    def only(self, names: Collection[str]) -> Plan:
        """Return the plan of some attacks, of which none is required."""
        demands = replace(self.demands, policy=replace(self.demands.policy, required=()))
        return replace(self, attacks=[one for one in self.attacks if one.name in names], demands=demands)

    @property
    def looks_for_rows(self) -> bool:
        """Whether linkage is tried."""
        if self.together:
            return False
        policy = self.demands.policy
        asked = any(one.replace("_", "-") in catalog.attacks_on(Question.PLACE) for one in policy.required)
        return not self.judged_only or policy.limits.max_risk is not None or asked

    def attacks_on(self, releases: Sequence[Release]) -> list[Attack]:
        """Return the attacks: those that link rows only where a release has pseudonyms, or where asked for by name."""
        asked = {name.replace("_", "-") for name in (*self.named, *self.demands.policy.required)}
        linked = any(release.person_key is not None for release in releases)
        return [one for one in self.attacks if linked or not one.requirements.linked_rows or one.name in asked]


def audit_releases(inputs: Inputs, plan: Plan, *, keep: str | Path | None = None) -> AuditReport:
    """Attack releases about the rows of their table, about a list of people, or about the published rows."""
    return attacked(PreparedAudit.of(inputs, keep), plan)


def attacked(prepared: PreparedAudit, plan: Plan) -> AuditReport:
    """Attack the targets of a prepared audit, and judge the results."""
    inputs, policy = prepared.inputs, plan.demands.policy
    if prepared.targets is None:
        return _rows_attacked(prepared, plan)
    notes = inputs.reader.notes
    columns, seed = _columns(inputs, plan, prepared.originals), seed_of(plan.seed, notes)
    if inputs.groups_are_given and not plan.demands.location_given:
        notes.add(message("the people file has each person's group: limits are judged for an intruder who knows it"))
        policy = replace(policy, location="row")
    if not any(release.schema.sensitive for release in inputs.published):
        notes.add(message("no column is sensitive: the only question is linkage"))
    if plan.complete and policy.limits.max_belief is not None:
        who = message("row" if policy.location == "row" else "attributes only")
        notes.add(
            message(
                "limits are judged for an intruder who knows {who}; the effect of a complete list stands beside",
                who=who,
            )
        )
    attackers = (*plan.attackers, COMPLETE) if plan.complete else plan.attackers
    report = Audit(
        prepared.evidence, prepared.targets, seed=seed, attacks=plan.attacks_on(inputs.published), policy=policy,
        attackers=[one for one in attackers if not plan.judged_only or one.name == policy.location],
        harm=_harm(inputs.reader.roles, inputs.published), identity=plan.looks_for_rows, single=not plan.together,
        held_out=prepared.outside, why_not_held_out=prepared.why_not_held_out, quick=plan.quick,
        limits_only=plan.judged_only,
    ).report()  # fmt: skip
    return _judged(inputs, plan, report, columns, seed, prepared.originals)


def _rows_attacked(prepared: PreparedAudit, plan: Plan) -> AuditReport:
    """Attack the published rows: their groups are known, the truth is not."""
    inputs, policy = prepared.inputs, plan.demands.policy
    notes = inputs.reader.notes
    notes.add(message("no table was given: the published rows are attacked, and which beliefs are right is not known"))
    seed = seed_of(plan.seed, notes)
    asked = policy.location if plan.demands.location_given else "row"
    reports = []
    for evidence in prepared.evidence:
        release = evidence.release
        if not release.n_rows or not (release.masked.is_exact or release.schema.sensitive):
            msg = message(
                "release {release} must show rows with exact quasi-identifiers or a sensitive column to be "
                "attacked by itself; it does not. Give the original table, or --people FILE",
                release=repr(release.name),
            )
            raise InvalidInputError(msg)
        if asked == "attributes" and not release.masked.is_exact:
            msg = message("location attributes must come with people to look for. Give the table, or --people FILE")
            raise InvalidInputError(msg)
        attackers: tuple[Attacker, ...] = (ROW, ATTRIBUTES) if release.masked.is_exact else (ROW,)
        reports.append(
            Audit(
                [evidence],
                Targets(_published_table(release), {}, unit=release.as_targets.unit),
                seed=seed,
                attacks=plan.attacks_on([release]),
                policy=replace(policy, location=asked),
                attackers=[one for one in attackers if not plan.judged_only or one.name == asked],
                identity=release.masked.is_exact and plan.looks_for_rows,
                harm=_harm(inputs.reader.roles, [release]),
                quick=plan.quick,
                limits_only=plan.judged_only,
            ).report()
        )
    marks = [report.exposed for report in reports if report.exposed is not None]
    whole = together(reports)  # of several releases each is judged by itself: they have no list of people in common
    whole = replace(
        whole,
        exposed=np.concatenate(marks) if marks else None,
        n_exposed=reports[0].n_exposed if len(reports) == 1 else None,
        n_exposed_rightly=reports[0].n_exposed_rightly if len(reports) == 1 else None,
        exposed_by=reports[0].exposed_by if len(reports) == 1 else {},
    )
    return _judged(inputs, plan, whole, _columns(inputs, plan), seed)


def _columns(inputs: Inputs, plan: Plan, originals: Sequence[Original] = ()) -> list[ColumnAudit]:
    """Examine all published columns of each release, beside the table that it was made of where that is given."""
    policy = plan.demands.policy
    require_columns(policy.ignore, inputs.releases, originals[0].raw if originals else None)
    keyed = None if inputs.table is None else inputs.table.person_of
    unit = None if keyed is None or repeats(keyed) else Unit.PEOPLE
    asked = ColumnLimits(policy.limits, (), policy.ignore, _harm(inputs.reader.roles, inputs.published), unit)
    return [
        columns_within(
            with_people(one, inputs.table, None if original is None else original.row),
            replace(asked, models=plan.demands.models_for(one.release)),
            original,
        )
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
    doubts = [doubt_of(one, inputs.table, seed) for one in inputs.releases]
    report = with_rows(report, inputs.releases, doubts)
    inputs.reader.notes.add(*notes_on_rows(inputs.releases, doubts))
    inputs.reader.notes.add(*notes_on_algorithms(releases), *notes_on_several_values(releases))
    inputs.reader.notes.add(*(() if inputs.table is None else notes_on_empty_columns(inputs.table)))
    inputs.reader.notes.add(*_without_effect(plan.demands.policy.limits, report.targets))
    report = replace(report, releases=tuple(map(partial(_with_all_columns, inputs), report.releases, inputs.releases)))
    judged = with_columns(with_models(report, releases, plan.demands.models, inputs.population), columns)
    if plan.judged_only:
        return with_population(judged, releases, inputs.population)
    leaks = [
        leak_checks(one, audit, inputs.reader.roles, original, inputs.table)
        for one, audit, original in zip_longest(inputs.releases, columns, originals)
    ]
    facts = tuple(replace(one, leaks=checks) for one, checks in zip(judged.releases, leaks, strict=True))
    return with_population(replace(judged, releases=facts), releases, inputs.population)


def _without_effect(limits: Limits, targets: Count) -> Iterator[str]:
    """Yield that so many people may be exposed that no attack can break the limit."""
    if limits.max_belief is not None and not limits.tolerate_is_share and limits.tolerate >= targets.n:
        yield message(
            "tolerate lets {n} people be exposed, and {people} are attacked: no attack can break that limit. Write a "
            "smaller number, or a share (1%)",
            n=numeral(limits.tolerate, ",.0f"), people=targets,
        )  # fmt: skip


def _with_all_columns(inputs: Inputs, facts: ReleaseFacts, found: ReadRelease) -> ReleaseFacts:
    """Add published columns without a use, and the columns of the original table that were withheld."""
    unused = (ColumnForm(name, one.role, message("exact values")) for name, one in found.unused.items())
    published = (*facts.published, *unused)
    if inputs.original is None:
        return replace(facts, published=published)
    names = {one.name for one in published}
    roles = inputs.reader.roles
    withheld = tuple(
        WithheldColumn(name, roles.of_column(name).role) for name in inputs.original.columns if name not in names
    )
    return replace(facts, published=published, withheld=withheld)


def harm_of(roles: Roles, names: Iterable[str]) -> dict[str, Harm]:
    """Return the declared harm of values, by sensitive attribute."""
    declared = {name: roles.of_column(name) for name in dict.fromkeys(names)}
    return {name: one.harm for name, one in declared.items() if one.harmless or one.limit}


def _harm(roles: Roles, releases: Sequence[Release]) -> dict[str, Harm]:
    return harm_of(roles, (a.name for release in releases for a in release.schema.sensitive))


def _published_table(release: Release) -> Table:
    """Return the quasi-identifiers of published rows as a table."""
    secret = release.schema.sensitive
    prior = default_prior([release], secret[0].name, release.n_rows) if secret else None
    if prior is None:
        return release.masked.exact_table()
    return Knowledge.of_rows(release, prior).people
