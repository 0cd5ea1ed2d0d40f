"""The search for a release that passes as a page: the recommendation, the frontier, and the audit of the release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unmask.hardening.evaluated import Evaluated
from unmask.hardening.hardened import HardenReport
from unmask.number_format import numeral
from unmask.report.blocks import Chart, Mark, ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.document import Document, page_of
from unmask.report.glossary import entries
from unmask.report.hardening import coverage, dangers, described, effort, error, passing, recommendation
from unmask.report.html import measures_taken, page_sections
from unmask.report.numbers import count, percent
from unmask.report.sections import appendix
from unmask.wording import plural, text

_MOST = 12  # candidates in the chart


def to_html(report: HardenReport, *, context: Sequence[str] = ()) -> str:
    """Return a self-contained page; of the release that is written, the whole audit."""
    audit = report.audit
    return page_of(
        Document(
            text("Search for a release that passes"),
            text("A release passes") if report.chosen else text("No release passes"),
            tuple(filter(None, (recommendation(report), coverage(report), effort(report)))),
            tuple(_sections(report, context)),
            (*entries(), *(() if audit is None else measures_taken(audit))),
            text("What attacks found does not bound what others might find."),
        )
    )


def _sections(report: HardenReport, context: Sequence[str]) -> Iterator[Section]:
    if report.final:
        yield Section("frontier", text("Risk against the error of queries"), parts=(_frontier(report),))
    yield Section("tried", text("What was tried"), parts=(SectionPart(tables=tuple(_tried(report))),), folded=True)
    if report.audit is not None:
        yield from page_sections(report.audit, context)
    elif context:
        yield appendix.notes_of(context)


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
    if report.obstacles:
        yield _impossible(report)


def _order(one: Evaluated) -> tuple[bool, tuple[float, float], tuple[float, float]]:
    return one.order


def _table(report: HardenReport, caption: str, evaluated: Sequence[Evaluated]) -> ReportTable:
    """Return the candidates that could be published; those with the same numbers are one row."""
    columns = dangers(report)
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in evaluated:
        if not one.infeasible:
            numbers = [*(text_of(one) for _, text_of in columns), error(one), percent(one.left_out), count(one.groups)]
            alike.setdefault((*numbers, passing(one)), []).append(described(one))
    head = (
        text("Candidate"), *(named for named, _ in columns), text("query error"), text("left out"), text("groups"),
        text("passes"),
    )  # fmt: skip
    return ReportTable(caption, head, tuple(Row(TableCell(_first(of)), texts(row)) for row, of in alike.items()))


def _impossible(report: HardenReport) -> ReportTable:
    rows = tuple(Row(TableCell(text(reason)), texts([numeral(n)])) for reason, n in report.obstacles)
    return ReportTable(text("Could not be published"), (text("Reason"), text("candidates")), rows)


def _first(names: Sequence[str]) -> str:
    """Return the first of the candidates with the same numbers, and how many others there are."""
    if len(names) == 1:
        return names[0]
    return plural(
        "{first}, and {n} other with the same numbers", "{first}, and {n} others with the same numbers",
        len(names) - 1, first=names[0], n=numeral(len(names) - 1),
    )  # fmt: skip


__all__ = ["to_html"]
