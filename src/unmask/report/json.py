"""The report for machines: one JSON document, described by the schema `report-1`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from unmask.auditing.findings import (
    AttackMeasure,
    AttackResult,
    AuditReport,
    InPopulation,
    ReleaseFacts,
    Scene,
    Unplaced,
)
from unmask.auditing.leaks import LeakChecks
from unmask.auditing.limit_results import LimitResult
from unmask.auditing.policy import Policy
from unmask.auditing.published_columns import ColumnAudit
from unmask.documents.audit import SCHEMA, AttackJson, InputsJson, LimitJson, PolicyJson, ReportJson, UnplacedJson
from unmask.documents.document_text import document_text
from unmask.documents.estimates import EstimateJson, MeasureJson, Settings
from unmask.documents.releases import InPopulationJson, LeakChecksJson, PublishedColumnsJson, ReleaseJson
from unmask.estimate import Estimate
from unmask.report.advice_json import advice_json, standing_json
from unmask.report.attack_notes import notes_of
from unmask.report.leaks import WAY_OUT
from unmask.wording import SOURCE_LANGUAGE, language


def to_json(report: AuditReport, *, title: str = "", context: Sequence[str] = ()) -> str:
    """Return the results of an audit as JSON, without the people exposed.

    Deterministic; undefined numbers are null, with the reason; there is no NaN and no infinity.
    """
    return document_text(report_document(report, title=title, context=context))


@language(SOURCE_LANGUAGE)
def report_document(report: AuditReport, *, title: str = "", context: Sequence[str] = ()) -> ReportJson:
    """Return the results of an audit before they are text, as part of another document; in English."""
    policy = report.policy
    document: ReportJson = {
        "schema": SCHEMA,
        "version": metadata.version("unmask"),
        "title": title,
        "context": list(context),
        "verdict": report.verdict,
        "why": list(report.why),
        "limits": [_limit(one) for one in report.limits],
        "seed": report.seed,
        "quick": report.quick,
        "command": list(report.command),
        "n_targets": _number(report.targets.n),
        "n_rows": report.n_targets,
        "n_exposed": report.n_exposed,
        "n_exposed_rightly": report.n_exposed_rightly,
        "unit": report.unit,
        "policy": policy_document(policy),
        "releases": [described(facts) for facts in report.releases],
        "attacks": [_attack(scene, result) for scene in report.scenes for result in scene.results],
    }
    if report.standing is not None:
        document["standing"] = standing_json(report.standing)
    if report.advice is not None:
        document["advice"] = advice_json(report, report.advice)
    if report.queries is not None:
        document["engine"] = {
            "name": report.queries.engine,
            "queries": [{"purpose": purpose, "text": text} for purpose, text in report.queries.ran],
        }
    if report.hash_key:
        document["inputs"] = _inputs(report)
    return document


def policy_document(policy: Policy) -> PolicyJson:
    """Return the limits, and the assumptions under which they are judged."""
    return {
        "max_belief": policy.limits.max_belief,
        "excess": policy.limits.excess,
        "tolerate": policy.limits.tolerate,
        "tolerate_is_share": policy.limits.tolerate_is_share,
        "max_risk": policy.limits.max_risk,
        "location": policy.location,
        "control": policy.control,
        "required": list(policy.required),
        "ignore": list(policy.ignore),
        "recipient": policy.recipient or None,
        "purpose": policy.purpose or None,
        "reviewer": policy.reviewer or None,
        "next_review": None if policy.next_review is None else policy.next_review.isoformat(),
    }


def _inputs(report: AuditReport) -> InputsJson:
    """Return the keyed hashes of the files that were read."""
    return {
        "key": report.hash_key,
        "files": [
            {"use": one.use, "name": one.name, "bytes": one.size, "hmac_sha256": one.code} for one in report.inputs
        ],
    }


def described(facts: ReleaseFacts) -> ReleaseJson:
    """Return the description of a release."""
    found: ReleaseJson = {
        "name": facts.name,
        "groups": facts.n_groups,
        "unit": facts.unit,
        "people": _number(facts.n_people),
        "rows": _number(facts.n_people if facts.n_rows is None else facts.n_rows),
        "smallest_group": _number(facts.smallest),
        "average_group": _number(facts.average),
        "average_group_of_people": _number(facts.average_of_people),
        "suppressed": facts.suppressed,
        "sanitizer": facts.sanitizer,
        "parameters": _plain(facts.parameters),
        "rows_are": facts.rows,
        "rows_declared": facts.rows_declared,
        "doubt": facts.doubt,
        "columns": [{"name": one.name, "role": one.role, "form": one.form} for one in facts.published],
        "withheld": None
        if facts.withheld is None
        else [{"name": one.name, "role": one.role} for one in facts.withheld],
    }
    if facts.columns is not None:
        found["published_columns"] = columns_json(facts.columns)
    if facts.leaks is not None:
        found["leak_checks"] = leaks_json(facts.leaks)
    if facts.in_population is not None:
        found["in_population"] = _in_population(facts.in_population)
    return found


def columns_json(audit: ColumnAudit) -> PublishedColumnsJson:
    """Return the audit of all published columns of a release."""
    found = audit.by_all
    return {
        "by_all": None if found is None else {
            "columns": list(found.columns),
            "n": found.n,
            "unique": found.unique,
            "smallest_class": found.smallest,
            "max_risk": _number(found.max_risk),
        },
        "sensitive": list(audit.sensitive),
        "unprotected": list(audit.unprotected),
        "ignored": list(audit.ignored),
        "findings": [
            {
                "column": one.column,
                "role": None if one.role is None else str(one.role),
                "fault": one.fault,
                "detail": one.detail,
                "ignored": one.column in audit.ignored,
            }
            for one in audit.findings
        ],
        "broken": [{"limit": one.limit, "text": one.text} for one in audit.broken],
    }  # fmt: skip


def _limit(one: LimitResult) -> LimitJson:
    return {
        "limit": one.limit,
        "state": one.state,
        "requirement": one.requirement,
        "threshold": _number(one.threshold),
        "tolerated": _number(one.tolerated),
        "measured": None if one.measured is None else estimated(one.measured),
        "attack": one.attack or None,
        "location": one.location or None,
        "about": one.about or None,
        "releases": list(one.releases),
        "reason": one.reason,
        "would_change": one.would_change,
    }


def leaks_json(checks: LeakChecks) -> LeakChecksJson:
    """Return the findings of leak checks, and the checks that did not run."""
    return {
        "findings": [
            {
                "kind": one.kind,
                "column": one.column or None,
                "count": one.count,
                "of": one.of,
                "unit": one.unit,
                "detail": one.detail,
                "way_out": WAY_OUT[one.kind],
                "gates": one.gates,
                "ignored": one.ignored,
            }
            for one in checks.findings
        ],
        "without_finding": list(checks.clean),
        "not_run": [{"kind": kind, "why": why} for kind, why in checks.not_run],
    }


def _in_population(found: InPopulation) -> InPopulationJson:
    return {
        "size": estimated(found.size),
        "prosecutor_highest": estimated(found.sample[0]),
        "prosecutor_average": estimated(found.sample[1]),
        "journalist_highest": estimated(found.population[0]),
        "journalist_average": estimated(found.population[1]),
        "named_rightly": estimated(found.named),
    }


def _attack(scene: Scene, result: AttackResult) -> AttackJson:
    return {
        "name": result.name,
        "settings": _plain(result.settings),
        "ran": result.ran,
        "converged": result.converged,
        "defect": result.defect,
        "reason": result.reason,
        "location": scene.attacker.name,
        "attacker": scene.attacker.assumes,
        "about": {"question": scene.about.question, "name": scene.about.name, "values": scene.n_values},
        "releases": list(scene.releases),
        "targets": _number(scene.targets.n),
        "promise": [
            {
                "guarantee": promise.guarantee,
                "metric": promise.metric,
                "limit": _number(promise.limit),
                "assumes": promise.assumes,
                "vacuous": promise.vacuous,
            }
            for promise in scene.promises
        ],
        "baseline": _measures(scene.baseline.measures) if result.ran else [],
        "control": _measures(result.control),
        "why_no_control": result.why_no_control,
        "measures": _measures(result.measures),
        "exposed": None if result.gate is None else estimated(result.gate),
        "unreadable": _number(result.unreadable),
        "unplaced": [_unplaced(one) for one in result.unplaced],
        "curve": [
            {"believed": _number(believed), "right": _number(right), "people": _number(n)}
            for believed, right, n in result.curve
        ],
        "notes": _plain(notes_of(result)),
    }


def _unplaced(one: Unplaced) -> UnplacedJson:
    return {
        "release": one.release,
        "people": _number(one.people),
        "unreadable": _number(one.unreadable),
        "columns": [
            {"column": m.column, "people": _number(m.people), "cell": m.cell, "value": m.value} for m in one.misfits
        ],
    }


def _measures(measures: Sequence[AttackMeasure]) -> list[MeasureJson]:
    return [
        {
            "metric": one.metric,
            "threshold": one.threshold,
            **estimated(one.estimate),
            "higher_is_worse": one.higher_is_worse,
        }
        for one in measures
    ]


def estimated(estimate: Estimate) -> EstimateJson:
    """Return an estimate: where it is not defined, why."""
    return {
        "value": _number(estimate.value),
        "low": _number(estimate.low),
        "high": _number(estimate.high),
        "source": estimate.source,
        "n": _number(estimate.n),
        "why": estimate.why or ("" if _number(estimate.value) is not None else "not a finite number"),
    }


def _number(value: float | None) -> float | int | None:
    """Return a number that JSON can hold: whole where it is whole, null where it is not finite."""
    if value is None or not math.isfinite(value):
        return None
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else float(value)


def _plain(values: Mapping[str, Any]) -> Settings:
    """Return settings as JSON holds them; an infinite one is written as the word."""
    return {
        key: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in values.items()
    }
