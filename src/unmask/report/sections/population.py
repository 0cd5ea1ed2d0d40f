"""The section on re-identification risk in the population."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import ReleaseFacts
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell
from unmask.report.numbers import count
from unmask.wording import marked, text


def section(releases: Sequence[ReleaseFacts]) -> Section:
    """Return the risk of each release in the population; one sentence where the population is unknown."""
    rows = []
    for facts in releases:
        found = facts.in_population
        if found is not None:
            risks = (cell(one, "chance") for one in (*found.sample, *found.population))
            size = text("in a population of {n}", n=count(found.size.value or 0))
            rows.append(Row(TableCell(facts.name, size), (*risks, cell(found.named, "people")), "attack"))
    if not rows:
        unknown = text(
            "Not known, which is not zero: no population is declared. A table of it (--population FILE) "
            "tells, or for a raw table its sampling share (unmask measure TABLE --sampled 10%)."
        )
        return Section("population", text(_TITLE), parts=(SectionPart((unknown,)),))
    meaning = text("By what the release shows of people's quasi-identifiers, whatever it shows beside them.")
    head = (
        text("Release"), text("highest"), text("mean"), text("highest"), text("mean"),
        text("named rightly, if all are tried"),
    )  # fmt: skip
    spans = ((text("who knows that somebody is in it"), 2), (text("who knows the population"), 2), (text("people"), 1))
    note = text("Higher is worse. Suppressed people are not counted.")
    table = ReportTable(text("Risk of being named rightly"), head, tuple(rows), spans=spans, note=note)
    return Section("population", text(_TITLE), parts=(SectionPart((meaning,), tables=(table,)),))


_TITLE = marked("How surely could people be found in the population")
