"""The section on leak checks: what a release gives away beside its cells, and what was not looked for."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import ReleaseFacts
from unmask.report import leaks as words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.wording import text


def section(releases: Sequence[ReleaseFacts]) -> Section | None:
    """List the findings of the leak checks of all releases; None where none was made."""
    known = [(facts.name, facts.leaks) for facts in releases if facts.leaks is not None]
    if not known:
        return None
    rows, others = [], []
    for name, checks in known:
        for one in checks.findings:
            where = text(one.detail)
            if one.column:
                where = text("column {column} {finding}", column=repr(one.column), finding=where)
            way_out = text(words.WAY_OUT[one.kind])
            if one.ignored:
                way_out = text("{way_out} (accepted by the policy)", way_out=way_out)
            cells = texts((text(one.kind), where, words.amount(one), way_out))
            rows.append(Row(TableCell(name), cells, "minor" if one.ignored else "attack"))
        clean = ", ".join(map(text, checks.clean))
        missing = "; ".join(f"{text(kind)}: {text(why)}" for kind, why in checks.not_run)
        others.append(Row(TableCell(name), texts((clean or text("none"), missing or text("none"))), "minor"))
    meaning = text(
        "What the release gives away beside its cells: the order of rows, numbers of records, totals, entries of its "
        "file, identifiers inside texts. A check without a finding is no proof that there is none. A finding does "
        "not change the verdict; a published column that singles people out may, and is then among the limits."
    )
    head = (text("Release"), text("Check"), text("Finding"), text("How many"), text("What to do"))
    listed = ReportTable(text("Leaks"), head, tuple(rows), texts=4)
    clean_head = (text("Release"), text("Nothing detected"), text("Not run"))
    rest = ReportTable(text("Checks without a finding"), clean_head, tuple(others), texts=2)
    return Section(
        "leaks", text("Leak checks"), parts=(SectionPart((meaning,), tables=(*([listed] if rows else []), rest)),)
    )
