"""The search for a release that passes as a page: the recommendation, the frontier, and the audit of the release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unmask.hardening.evaluated import Evaluated
from unmask.hardening.hardened import HardenReport
from unmask.number_format import numeral
from unmask.report import limit_lines
from unmask.report.blocks import Chart, Mark, ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.document import Document, page_of
from unmask.report.glossary import entries
from unmask.report.hardening import coverage, dangers, described, effort, error, passing, recommendation
from unmask.report.html import measures_taken, page_sections
from unmask.report.numbers import count, percent
from unmask.wording import text

_MOST = 12  # candidates in the chart


def to_html(report: HardenReport, *, context: Sequence[str] = ()) -> str:
    """Return a self-contained page; of the release that is written, the whole audit."""
    audit = report.audit
    return page_of(
        Document(
            text("Search for a release that passes"),
            text("A release passes") if report.chosen else text("No release passes"),
            tuple(filter(None, (recommendation(report), coverage(report), effort(report), *map(text, context)))),
            tuple(_sections(report)),
            (*entries(), *(() if audit is None else measures_taken(audit))),
            text("What attacks found does not bound what others might find."),
        )
    )


def _sections(report: HardenReport) -> Iterator[Section]:
    if report.final:
        yield Section("frontier", text("Risk against the error of queries"), parts=(_frontier(report),))
    yield Section("tried", text("What was tried"), parts=(SectionPart(tables=tuple(_tried(report))),))
    if report.audit is not None:
        lines = SectionPart(tuple(limit_lines.lines(report.audit)))
        yield Section("limits", text("The limits, judged on the release that is written"), parts=(lines,))
        yield from page_sections(report.audit)


def _frontier(report: HardenReport) -> SectionPart:
    table = _table(report, text("Candidates that no other beats, as drawn in the search"), report.frontier)
    drawn = [one for one in report.frontier if one.query_error.value is not None][:_MOST]
    if len(drawn) < 2:
        return SectionPart(tables=(table,))
    by_belief = report.policy.limits.max_belief is not None
    what = (
        text("{unit} exposed", unit=text(drawn[0].count.unit))
        if by_belief
        else text("largest risk of re-identification")
    )
    from unmask.report import figures  # noqa: PLC0415 - charts take a second to load

    rows: list[dict[str, float | str]] = [
        {
            "release": f"{i}: {one.candidate.text}",
            "kept": one.loss[0],
            "risk": one.harm[0] if by_belief else one.harm[1],
        }
        for i, one in enumerate(drawn, 1)
    ]
    chart = figures.risk_utility(rows, guess=None, x=text("median query error"), y=what, is_loss=True)
    looks = [figures.attack_look(i) for i in range(len(rows))]
    legend: list[tuple[str, Mark, str]] = [
        (color, mark, str(row["release"])) for (color, mark), row in zip(looks, rows, strict=True)
    ]
    caption = text(
        "Candidates on the whole table by their median error of counting queries and the "
        "{risk}. Below and to the left is better.",
        risk=text("share of {what} by the strongest attack", what=what) if by_belief else what,
    )
    label = text("Map of candidates by query error and by {what}", what=what)
    return SectionPart(figures=(Chart(figures.svg(chart, "frontier", label), caption, tuple(legend), table),))


def _tried(report: HardenReport) -> Iterator[ReportTable]:
    if report.final:
        yield _table(
            report, text("On the whole table, repaired where people were exposed"), sorted(report.final, key=_order)
        )
    for rows in sorted({one.rows for one in report.sampled}, reverse=True):
        tried = [one for one in report.sampled if one.rows == rows]
        yield _table(
            report,
            text("On a sample of {rows} rows, as published", rows=numeral(rows)),
            sorted(tried, key=lambda one: one.promise),
        )


def _order(one: Evaluated) -> tuple[bool, tuple[float, float], tuple[float, float]]:
    return one.order


def _table(report: HardenReport, caption: str, evaluated: Sequence[Evaluated]) -> ReportTable:
    columns, rows = dangers(report), []
    possible = not any(one.infeasible for one in evaluated)
    for one in evaluated:
        if one.infeasible:
            blanks = texts([""] * (len(columns) + 4))
            rows.append(Row(TableCell(one.candidate.text), (*blanks, TableCell(text(one.infeasible))), "minor"))
            continue
        numbers = [*(text_of(one) for _, text_of in columns), error(one), percent(one.left_out), count(one.groups)]
        last = () if possible else (TableCell(""),)
        rows.append(Row(TableCell(described(one)), (*texts(numbers), TableCell(passing(one)), *last)))
    head = (
        text("Candidate"), *(named for named, _ in columns), text("query error"), text("left out"), text("groups"),
        text("passes"), *(() if possible else (text("not possible"),)),
    )  # fmt: skip
    return ReportTable(caption, head, tuple(rows))


__all__ = ["to_html"]
