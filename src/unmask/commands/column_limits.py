"""Limits of a policy, applied to an attacker who also knows unprotected columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from unmask import catalog
from unmask.attacks.shared.pooling import default_prior
from unmask.auditing.evidence import Evidence, Targets
from unmask.auditing.findings import ROW, AuditReport, ReleaseFacts
from unmask.auditing.limit_results import LimitResult, LimitState
from unmask.auditing.policy import Limits, Policy, Verdict
from unmask.auditing.published_columns import BrokenLimit, ColumnAudit
from unmask.auditing.scenes import Audit
from unmask.commands.inputs.limits import required, value_text
from unmask.commands.published_columns import Original, column_audit, refined_by
from unmask.files.published import ReadRelease
from unmask.models.max_risk import MaxRisk
from unmask.models.privacy_model import AnyModel, PopulationModel, titled
from unmask.models.release_assessment import measure_all
from unmask.release import Release
from unmask.report import columns as words
from unmask.schema import Harm
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


def columns_within(found: ReadRelease, asked: ColumnLimits, original: Original | None = None) -> ColumnAudit:
    """Return the audit of all published columns of a release, with the limits that they break."""
    audit = column_audit(found, original, ignore=asked.ignore, limits=asked.limits)
    release = refined_by(found, audit)
    return audit if release is None else replace(audit, broken=tuple(_broken(release, asked)))


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


def _broken(release: Release, asked: ColumnLimits) -> Iterator[BrokenLimit]:
    """Yield the limits that a release breaks if the attacker knows its unprotected columns."""
    limits = asked.limits
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
    people = Knowledge.of_rows(release, default_prior([release], secret, release.n_rows)).people
    report = Audit(
        [Evidence(release, release.group_of_row, np.arange(release.n_rows, dtype=np.int64))],
        Targets(people, {}, None), seed=0, attacks=[catalog.attack(catalog.REFERENCE["exact"])],
        policy=judged, attackers=(ROW,), harm=asked.harm, identity=False, limits_only=True,
    ).report()  # fmt: skip
    if report.verdict is Verdict.BROKEN:
        yield BrokenLimit("max-belief", report.why[0].partition(": ")[2])
