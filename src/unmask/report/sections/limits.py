"""The section on limits: each with its state, its number, what would change it, and the line that repeats it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unmask.auditing.findings import AuditReport
from unmask.auditing.limit_results import LimitResult, LimitState, worst_first
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell
from unmask.report.limit_lines import concerns_singling_out
from unmask.report.methods import model_meaning
from unmask.report.numbers import count
from unmask.report.repetition import repetition
from unmask.wording import text

LISTED = 8
"""The limits that are listed in full; the others are folded."""

_STATES = {LimitState.KEPT: "kept", LimitState.BROKEN: "broken", LimitState.NOT_DECIDED: "open"}


def section(report: AuditReport) -> Section | None:
    """Return the limits, the worst first; None where none was given."""
    limits = worst_first(report.limits)
    if not limits:
        return None
    sentences = (*words.limits(report), *_together(report), *_not_limited(report))
    places = words.PLACES if len(words.locations(report)) > 1 else {}
    caption = text("Each limit by each attack or model that it concerns")
    head = (text("Limit"), text("State"), text("Measured"), text("What would change it"))
    listed = ReportTable(caption, head, tuple(_row(one, places) for one in limits[:LISTED]), texts=3)
    parts = [SectionPart(sentences, tables=(listed,))]
    if rest := limits[LISTED:]:
        more = ReportTable(text("The other limits"), head, tuple(_row(one, places) for one in rest), texts=3)
        folded = text("{n} more, none worse than those", n=count(len(rest)))
        parts.append(SectionPart(tables=(more,), folded=folded))
    return Section("limits", text("Limits"), parts=tuple(parts), inner=tuple(_repeated(report)))


def _repeated(report: AuditReport) -> Iterator[Section]:
    """Yield the commands that repeat the numbers, where the audit's is known."""
    if report.command:
        limits = worst_first(report.limits)[:LISTED]
        lines = dict.fromkeys(repetition(report.command, one) for one in limits)
        commands = SectionPart(commands=tuple(lines))
        yield Section("repeat", text("The commands that repeat these numbers"), parts=(commands,), folded=True)


def _together(report: AuditReport) -> Iterator[str]:
    """Yield that the limit on beliefs holds for all attacks together, where they expose different people."""
    if any(_is_together(one) for one in report.limits):
        yield text(
            "Attacks expose different people, and a person whom any of them exposes counts once: the limit on beliefs "
            "is judged for each attack by itself, and for all of them together."
        )


def _is_together(one: LimitResult) -> bool:
    return one.limit == "max-belief" and one.measured is not None and not one.attack


def _not_limited(report: AuditReport) -> Iterator[str]:
    """Yield that no limit concerns singling out, where that is so."""
    if not concerns_singling_out(report):
        yield text(
            "No limit of this policy concerns singling out: how well the row of a person can be recognized is measured "
            "below, and not judged."
        )


def _row(one: LimitResult, places: Mapping[str, str]) -> Row:
    by = [words.attack(one.attack).title] if one.attack else []
    by += [text("any of the attacks")] if _is_together(one) else []
    by += [text(places[one.location])] if one.location in places else []
    by += [one.about] if one.about else []
    by += [words.quoted(one.releases)] if one.releases else []
    by += [meaning] if (meaning := model_meaning(one.limit)) else []
    head = TableCell(text(one.requirement or one.reason), ", ".join(by))
    state = TableCell(text(one.state), state=_STATES[one.state])  # type: ignore[arg-type]
    more = one.reason if one.state is LimitState.NOT_DECIDED or one.limit == "published-columns" else ""
    return Row(head, (state, _measured(one), TableCell(text(one.would_change or one.reason), text(more))))


def _measured(one: LimitResult) -> TableCell:
    if one.measured is None:
        return TableCell(text("nothing"), hint=text(one.reason))
    if one.limit == "max-belief":
        return cell(one.measured, "people")
    return cell(one.measured, "chance" if one.limit == "max-risk" else "number")
