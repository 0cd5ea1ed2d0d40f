"""The section on what to change: measured changes, and the share of each column in the exposure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from unmask.auditing.advice import Advice, ColumnShares, Standing
from unmask.auditing.findings import AuditReport
from unmask.report import advice as sentences
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.limit_lines import concerns_singling_out
from unmask.report.numbers import UNDEFINED, count, fraction, percent


def section(report: AuditReport) -> Section | None:
    """Put measured changes side by side, the best first; None where no advice was asked for or needed."""
    advice = report.advice
    if advice is None:
        return None
    text = [f"The best change that was measured: {sentences.sentence(advice, line)}." for line in advice.lines[:1]]
    if advice.lines:
        text += [*sentences.merits(advice), *_not_judged(report, advice)]
    text += [f"{note[:1].upper()}{note[1:]}." for note in advice.notes]
    tables = (_lines(advice),) if advice.lines else ()
    parts = [SectionPart((*text, *sentences.repeats(report, named=False)), tables=tables)]
    command = sentences.command(report, advice.lines[0]) if advice.lines else ()
    if command:
        parts.append(SectionPart(folded="The command that repeats the first change", commands=(shlex.join(command),)))
    shares = advice.shares
    inner = () if shares is None or not shares.columns else (_shares(shares, advice),)
    return Section("advice", "What to change", parts=tuple(parts), inner=inner)


def _not_judged(report: AuditReport, advice: Advice) -> Iterator[str]:
    """Yield that singling out was not measured after the change, where no limit concerns it."""
    if advice.lines[0].after.largest_risk is None and not concerns_singling_out(report):
        yield "How well rows can be recognized after the change was not measured: no limit concerns singling out."


def _lines(advice: Advice) -> ReportTable:
    by_belief, by_risk = advice.before.exposed is not None, advice.before.largest_risk is not None
    head = ("Change", "Options", "Limits", *(["Exposed"] if by_belief else []), *(["Largest risk"] if by_risk else []),
            "Query error", "Suppressed")  # fmt: skip

    def numbers(one: Standing) -> tuple[TableCell, ...]:
        exposed = [sentences.exposed_text(one.exposed)] if by_belief else []
        risk = [UNDEFINED if one.largest_risk is None else fraction(one.largest_risk)] if by_risk else []
        error = one.query_error
        last = TableCell(UNDEFINED, hint=error.why) if error.value is None else TableCell(percent(error.value))
        return (*texts((*exposed, *risk)), last, TableCell(count(one.suppressed)))

    rows = [Row(TableCell("as it is"), (*texts(("", "a limit is broken")), *numbers(advice.before)))]
    rows += [
        Row(
            TableCell(sentences.change(line)),
            (*texts((sentences.options(line), sentences.state(line.after))), *numbers(line.after)),
            "attack",
        )
        for line in advice.lines
    ]
    note = (
        "Exposed: people exposed by some attack under the limits. Query error: the median relative error of counting "
        "queries; a withheld column answers like a suppressed one. Higher is worse in every column."
    )
    return ReportTable("Changes, each attacked again", head, tuple(rows), texts=2, note=note)


def _shares(shares: ColumnShares, advice: Advice) -> Section:
    rows = [
        Row(
            TableCell(one.column),
            (
                TableCell("–" if one.without is None else count(one.without)),
                TableCell("–" if one.coarser is None else count(one.coarser), small=one.form),
            ),
            "attack",
        )
        for one in shares.columns
    ]
    titles = words.listed([words.attack(name).title for name in shares.attacks])
    total = advice.before.exposed
    other = "" if total is None or total == shares.before else f", of {count(total)} by any attack"
    text = f"Exposed by {titles}, on everybody: with all columns {count(shares.before)}{other}."
    head = ("Column", "Exposed without it", "Exposed if coarser")
    note = "Higher is worse. –: the column must stay, has no coarser form, or an attack does not run then."
    table = ReportTable(f"People exposed by {titles}", head, tuple(rows), note=note)
    part = SectionPart((text,), tables=(table,))
    return Section("advice-columns", "How much of the exposure is each column's", parts=(part,))
