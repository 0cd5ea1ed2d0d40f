"""The section on published columns: unique people, and findings on unprotected columns."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.auditing.findings import ReleaseFacts
from unmask.report import columns as words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.numbers import count, fraction
from unmask.wording import text


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
            secret = text("sensitive: {columns}", columns=", ".join(audit.sensitive)) if audit.sensitive else ""
            names = TableCell(", ".join(found.columns), secret)
            rows.append(Row(TableCell(facts.name), (*texts(cells), names), "attack"))
        sentences = (*words.faults(audit), *words.passed_over(audit))
        findings += [Row(TableCell(facts.name), texts((sentence,)), "attack") for sentence in sentences]
    if not rows and not findings:
        return None
    meaning = text(
        "Every published column is part of what an attacker sees, also one that no privacy model counts. Sensitive "
        "columns are assumed to be secret; how many people they would single out beside the others is counted here."
    )
    head = (
        text("Release"), text("Rows"), text("Unique"), text("Smallest class"), text("Risk in it"), text("Columns"),
    )  # fmt: skip
    table = ReportTable(
        text("Classes of equal rows, by all published columns"), head, tuple(rows),
        note=text("Of unique rows, higher is worse; of classes, smaller is worse."),
    )  # fmt: skip
    finding = (text("Release"), text("Finding"))
    open_ = ReportTable(text("Columns that no privacy model counts"), finding, tuple(findings), texts=1)
    tables = (*([table] if rows else []), *([open_] if findings else []))
    return Section("columns", text("All published columns"), parts=(SectionPart((meaning,), tables=tables),))
