"""Limits of a policy, applied to an attacker who also knows unprotected columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from unmask import catalog
from unmask.arrays import Int32
from unmask.attacks.shared.pooling import default_prior
from unmask.auditing.evidence import Evidence, Targets
from unmask.auditing.findings import ROW, AuditReport, ReleaseFacts
from unmask.auditing.limit_results import LimitResult, LimitState
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.auditing.published_columns import BrokenLimit, ColumnAudit
from unmask.auditing.scenes import Audit
from unmask.commands.inputs.limits import required, value_text
from unmask.commands.published_columns import Original, by_row, column_audit, refined_by
from unmask.files.published import ReadRelease
from unmask.models.max_risk import MaxRisk
from unmask.models.privacy_model import AnyModel, PopulationModel, titled
from unmask.models.release_assessment import measure_all
from unmask.people_counts import where_several
from unmask.release import Publication
from unmask.report import columns as words
from unmask.schema import Harm
from unmask.unit import Unit
from unmask.view import Knowledge
from unmask.wording import joined, message

_COLUMNS = "published-columns"
"""The name of the limit on columns that no privacy model covers."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnLimits:
    """The limits of a release if the attacker knows unprotected columns."""

    limits: Limits = field(default_factory=Limits)
    models: Sequence[AnyModel] = ()
    ignore: tuple[str, ...] = ()
    harm: Mapping[str, Harm] = field(default_factory=dict)
    unit: Unit | None = None  # of rows whose people are not known; None: the release's


def columns_within(found: ReadRelease, asked: ColumnLimits, original: Original | None = None) -> ColumnAudit:
    """Return the audit of all published columns of a release, with the limits that they break."""
    audit = column_audit(found, original, ignore=asked.ignore, limits=asked.limits)
    made = refined_by(found, audit)
    if made is None:
        return audit
    asked = replace(asked, unit=asked.unit or found.release.as_targets.unit)
    return replace(audit, broken=tuple(_broken(made, asked, by_row(found, found.person_of))))


def with_columns(report: AuditReport, audits: Sequence[ColumnAudit]) -> AuditReport:
    """Return a report whose verdict also covers all published columns: not clean beside an open finding.

    `audits` are of the report's releases, in their order. Without limits the verdict stays as it is.
    """
    facts = tuple(replace(one, columns=audit) for one, audit in zip(report.releases, audits, strict=True))
    report = replace(report, releases=facts)
    if report.verdict is Verdict.NO_LIMITS:
        return report
    return report.with_limits([one for released in facts for one in _results(released)])


def _results(facts: ReleaseFacts) -> Iterator[LimitResult]:
    """Yield the limits that all published columns break, and the columns that no privacy model covers."""
    audit = facts.columns
    if audit is None or audit.is_clean:
        return
    way_out = "; ".join(words.way_out(audit))
    about = LimitResult(
        _COLUMNS, LimitState.NOT_DECIDED, "", message("each published column is covered by a model, or accepted"),
        releases=(facts.name,), would_change=way_out[:1].upper() + way_out[1:],
    )  # fmt: skip
    for broken in audit.broken:
        state = LimitState.NOT_DECIDED if facts.doubt else LimitState.BROKEN
        reason = message("{release}, by all published columns: {finding}", release=facts.name, finding=broken.text)
        yield replace(about, state=state, reason=reason)
    for text in words.faults(audit):
        yield replace(about, reason=joined([facts.name, text], ": "))


def _broken(made: Publication, asked: ColumnLimits, person_of: Int32 | None) -> Iterator[BrokenLimit]:
    """Yield the limits that a release breaks if the attacker knows its unprotected columns.

    `made` is the release with these columns known, and `person_of` the person of each row of the release, (rows,).
    """
    release, limits = made.release, asked.limits
    models: list[AnyModel] = [] if limits.max_risk is None else [MaxRisk(limits.max_risk)]
    models += [model for model in asked.models if not isinstance(model, PopulationModel)]
    for one in measure_all(release, models) if models else ():
        if not one.holds:
            text = message(
                "{requirement} is required; found {value}", requirement=required(one.model), value=value_text(one)
            )
            yield BrokenLimit(titled(one.model), text)
    if limits.max_belief is None:
        return
    judged = Policy(replace(limits, max_risk=None), "row", control="none" if limits.excess is None else "left-out")
    secret = next((a.name for a in release.schema.sensitive), None)
    if secret is None:
        return
    owner, unit = None, asked.unit or Unit.ROWS
    if person_of is not None and made.row_of is not None:
        owner = np.empty_like(person_of)
        owner[made.row_of], unit = person_of, Unit.PEOPLE
    people = Knowledge.of_rows(release, default_prior([release], secret, release.n_rows)).people
    report = Audit(
        [Evidence(release, release.group_of_row, np.arange(release.n_rows, dtype=np.int64))],
        Targets(people, {}, where_several(owner), unit=unit), seed=0,
        attacks=[catalog.attack(catalog.REFERENCE["exact"])],
        policy=judged, attackers=(ROW,), harm=asked.harm, identity=False, limits_only=True,
    ).report()  # fmt: skip
    if report.verdict is Verdict.BROKEN:
        yield BrokenLimit("max-belief", _without_place(report.why[0]), report.n_exposed)


def _without_place(reason: str) -> str:
    """Return a reason without the attack and the release that it begins with, where one attack is its subject."""
    return reason.partition(": ")[2] or reason
