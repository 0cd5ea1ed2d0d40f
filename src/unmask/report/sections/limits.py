"""The section on limits: each with its state, its number, what would change it, and the line that repeats it."""

from __future__ import annotations

from unmask.auditing.findings import AuditReport
from unmask.auditing.limit_results import LimitResult, LimitState, worst_first
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell
from unmask.report.numbers import count
from unmask.report.repetition import repetition

LISTED = 8
"""The limits that are listed in full; the others are folded."""

_STATES = {LimitState.KEPT: "kept", LimitState.BROKEN: "broken", LimitState.NOT_DECIDED: "open"}
_HEAD = ("Limit", "State", "Measured", "What would change it")


def section(report: AuditReport) -> Section | None:
    """Return the limits, the worst first; None where none was given."""
    limits = worst_first(report.limits)
    if not limits:
        return None
    sentences = tuple(words.limits(report))
    caption = "Each limit by each attack or model that it concerns"
    listed = ReportTable(caption, _HEAD, tuple(_row(one) for one in limits[:LISTED]), texts=3)
    parts = [SectionPart(sentences, tables=(listed,))]
    if rest := limits[LISTED:]:
        more = ReportTable("The other limits", _HEAD, tuple(_row(one) for one in rest), texts=3)
        parts.append(SectionPart(tables=(more,), folded=f"{count(len(rest))} more, none worse than those"))
    if report.command:
        lines = dict.fromkeys(repetition(report.command, one) for one in limits[:LISTED])
        parts.append(SectionPart(folded="The lines that repeat these numbers", commands=tuple(lines)))
    return Section("limits", "Limits", parts=tuple(parts))


def _row(one: LimitResult) -> Row:
    by = [words.attack(one.attack).title] if one.attack else []
    by += [one.about] if one.about else []
    by += [words.listed(one.releases)] if one.releases else []
    head = TableCell(one.requirement or one.reason, ", ".join(by))
    state = TableCell(str(one.state), state=_STATES[one.state])  # type: ignore[arg-type]
    more = one.reason if one.state is LimitState.NOT_DECIDED or one.limit == "published-columns" else ""
    return Row(head, (state, _measured(one), TableCell(one.would_change or one.reason, more)))


def _measured(one: LimitResult) -> TableCell:
    if one.measured is None:
        return TableCell("nothing", hint=one.reason)
    if one.limit == "max-belief":
        return cell(one.measured, "people")
    return cell(one.measured, "chance" if one.limit == "max-risk" else "number")
