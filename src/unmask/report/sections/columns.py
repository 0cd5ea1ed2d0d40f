"""The section on published columns: unique people, and findings on unprotected columns."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import ReleaseFacts
from unmask.report import columns as words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.numbers import count, fraction

HEAD = ("Release", "Rows", "Unique", "Smallest class", "Risk in it", "Columns")


def section(releases: Sequence[ReleaseFacts]) -> Section | None:
    """Put the classes by all published columns of each release side by side; None where nothing was looked at."""
    rows, findings = [], []
    for facts in releases:
        audit = facts.columns
        if audit is None:
            continue
        found = audit.by_all
        if found is not None:
            cells = (count(found.n), count(found.unique), count(found.smallest), fraction(found.max_risk))
            secret = f"sensitive: {', '.join(audit.sensitive)}" if audit.sensitive else ""
            names = TableCell(", ".join(found.columns), secret)
            rows.append(Row(TableCell(facts.name), (*texts(cells), names), "attack"))
        sentences = (*words.faults(audit), *words.passed_over(audit))
        findings += [Row(TableCell(facts.name), texts((sentence,)), "attack") for sentence in sentences]
    if not rows and not findings:
        return None
    text = (
        "Every published column is part of what an attacker sees, also one that no privacy model counts. Sensitive "
        "columns are assumed to be secret; how many people they would single out beside the others is counted here."
    )
    table = ReportTable(
        "Classes of equal rows, by all published columns", HEAD, tuple(rows),
        note="Of unique rows, higher is worse; of classes, smaller is worse.",
    )  # fmt: skip
    open_ = ReportTable("Columns that no privacy model counts", ("Release", "Finding"), tuple(findings), texts=1)
    tables = (*([table] if rows else []), *([open_] if findings else []))
    return Section("columns", "All published columns", parts=(SectionPart((text,), tables=tables),))
