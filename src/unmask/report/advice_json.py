"""Advice after an audit for machines."""

from __future__ import annotations

from unmask.auditing.advice import Advice, ColumnShares, Standing
from unmask.auditing.findings import AuditReport
from unmask.documents.advice import AdviceJson, ColumnShareJson, ColumnSharesJson, StandingJson
from unmask.documents.estimates import EstimateJson
from unmask.estimate import Estimate
from unmask.report.advice import change, command


def advice_json(report: AuditReport, advice: Advice) -> AdviceJson:
    """Return advice for machines."""
    return {
        "before": standing_json(advice.before),
        "lines": [
            {
                "change": change(line),
                "options": list(line.changes.options()),
                "command": list(command(report, line)),
                "after": standing_json(line.after),
                "passes": line.after.passes,
            }
            for line in advice.lines
        ],
        "columns": None if advice.shares is None else _shares_json(advice.shares),
        "tried": advice.tried,
        "notes": list(advice.notes),
    }


def standing_json(found: Standing) -> StandingJson:
    """Return the result of an audit in a few numbers, for machines."""
    return {
        "verdict": found.verdict,
        "exposed": found.exposed,
        "largest_risk": found.largest_risk,
        "people": found.people,
        "suppressed": found.suppressed,
        "groups": found.groups,
        "median_query_error": _estimate_json(found.query_error),
        "no_longer": list(found.no_longer),
        "by_columns": dict(found.by_columns),
    }


def _shares_json(shares: ColumnShares) -> ColumnSharesJson:
    columns: list[ColumnShareJson] = [
        {
            "column": one.column, "without": one.without, "coarser": one.coarser, "form": one.form,
            "query_error": one.query_error,
        }
        for one in shares.columns
    ]  # fmt: skip
    return {
        "attacks": list(shares.attacks), "quick": shares.in_quick_form, "exposed": shares.before, "columns": columns,
    }  # fmt: skip


def _estimate_json(one: Estimate) -> EstimateJson:
    return {"value": one.value, "low": one.low, "high": one.high, "source": one.source, "n": one.n, "why": one.why}
