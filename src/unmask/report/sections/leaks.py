"""The section on leak checks: what a release gives away beside its cells, and what was not looked for."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import ReleaseFacts
from unmask.report import leaks as words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts

_HEAD = ("Release", "Check", "Finding", "How many", "What to do")


def section(releases: Sequence[ReleaseFacts]) -> Section | None:
    """List the findings of the leak checks of all releases; None where none was made."""
    known = [(facts.name, facts.leaks) for facts in releases if facts.leaks is not None]
    if not known:
        return None
    rows, others = [], []
    for name, checks in known:
        for one in checks.findings:
            where = f"column {one.column!r} {one.detail}" if one.column else one.detail
            accepted = " (accepted by the policy)" if one.ignored else ""
            cells = texts((str(one.kind), where, words.amount(one), f"{words.WAY_OUT[one.kind]}{accepted}"))
            rows.append(Row(TableCell(name), cells, "minor" if one.ignored else "attack"))
        clean = ", ".join(map(str, checks.clean))
        missing = "; ".join(f"{kind}: {why}" for kind, why in checks.not_run)
        others.append(Row(TableCell(name), texts((clean or "none", missing or "none")), "minor"))
    text = (
        "These checks look for what a release gives away beside its cells: the order of rows, numbers of records, "
        "totals, entries of its file, and identifiers inside texts. They count, and print no value. A check without a "
        "finding is no proof that there is none. They do not change the verdict, except where published columns do."
    )
    listed = ReportTable("Leaks", _HEAD, tuple(rows), texts=4)
    rest = ReportTable("Checks without a finding", ("Release", "Nothing detected", "Not run"), tuple(others), texts=2)
    return Section("leaks", "Leak checks", parts=(SectionPart((text,), tables=(*([listed] if rows else []), rest)),))
