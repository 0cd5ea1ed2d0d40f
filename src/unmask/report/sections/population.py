"""The section on re-identification risk in the population."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import ReleaseFacts
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell
from unmask.report.numbers import count

HEAD = ("Release", "highest", "mean", "highest", "mean", "named rightly, if all are tried")


def section(releases: Sequence[ReleaseFacts]) -> Section:
    """Return the risk of each release in the population; one sentence where the population is unknown."""
    rows = []
    for facts in releases:
        found = facts.in_population
        if found is not None:
            risks = (cell(one, "chance") for one in (*found.sample, *found.population))
            size = f"in a population of {count(found.size.value or 0)}"
            rows.append(Row(TableCell(facts.name, size), (*risks, cell(found.named, "people")), "attack"))
    if not rows:
        text = (
            "Not known, which is not zero: no population is declared. A table of it (--population FILE) "
            "tells, or for a raw table its sampling share (unmask measure TABLE --sampled 10%)."
        )
        return Section("population", _TITLE, parts=(SectionPart((text,)),))
    text = "By what the release shows of people's quasi-identifiers, whatever it shows beside them."
    table = ReportTable(
        "Risk of being named rightly", HEAD, tuple(rows),
        spans=(("who knows that somebody is in it", 2), ("who knows the population", 2), ("people", 1)),
        note="Higher is worse. Suppressed people are not counted.",
    )  # fmt: skip
    return Section("population", _TITLE, parts=(SectionPart((text,), tables=(table,)),))


_TITLE = "How surely could people be found in the population"
