"""The section on what to change: measured changes, and the share of each column in the exposure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace

from unmask.auditing.advice import Advice, ColumnShare, ColumnShares, Standing
from unmask.auditing.findings import AuditReport
from unmask.report import advice as sentences
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, texts
from unmask.report.limit_lines import concerns_singling_out
from unmask.report.methods import model_meaning
from unmask.report.numbers import UNDEFINED, count, fraction, percent
from unmask.wording import text


def section(report: AuditReport) -> Section | None:
    """Put measured changes side by side, the best first; None where no advice was asked for or needed."""
    advice = report.advice
    if advice is None:
        return None
    notes = [f"{words.capitalized(text(note))}." for note in advice.notes]
    story = [] if advice.passing else [*notes]
    story += [
        text("The best change that was measured: {change}.", change=sentences.sentence(advice, line))
        for line in advice.lines[:1]
    ]
    if advice.lines:
        story += [*sentences.merits(advice), *_not_judged(report, advice)]
    story += notes if advice.passing else []
    tables = (_lines(report, advice),) if advice.lines else ()
    parts = [SectionPart((*story, *sentences.repeats(report, named=False)), tables=tables)]
    command = sentences.command(report, advice.lines[0]) if advice.lines else ()
    if command:
        parts.append(
            SectionPart(folded=text("The command that repeats the first change"), commands=(shlex.join(command),))
        )
    shares = advice.shares
    inner = () if shares is None or not shares.columns else (_shares(shares, advice),)
    return Section("advice", text("What to change"), parts=tuple(parts), inner=inner)


def _not_judged(report: AuditReport, advice: Advice) -> Iterator[str]:
    """Yield that singling out was not measured after the change, where no limit concerns it."""
    if advice.lines[0].after.largest_risk is None and not concerns_singling_out(report):
        yield text(
            "How well rows can be recognized after a change was not measured, since no limit concerns singling out; "
            "with max_risk in policy.toml it is."
        )


def _lines(report: AuditReport, advice: Advice) -> ReportTable:
    by_belief = advice.before.exposed is not None
    before = replace(advice.before, largest_risk=report.largest_risk)  # of the audit itself, whatever the limits are
    by_risk, by_columns = before.largest_risk is not None, "max-belief" in before.by_columns
    head = (
        text("Change"), text("Limits"), *([text("Exposed")] if by_belief else []),
        *([text("Exposed by all columns")] if by_columns else []), *([text("Largest risk")] if by_risk else []),
        text("Query error"), text("Suppressed"),
    )  # fmt: skip

    def numbers(one: Standing) -> tuple[TableCell, ...]:
        exposed = [sentences.exposed_text(one.exposed)] if by_belief else []
        exposed += [sentences.columns_text(one)] if by_columns else []
        risk = [_risk(one.largest_risk)] if by_risk else []
        error = one.query_error
        last = (
            TableCell(text(UNDEFINED), hint=text(error.why)) if error.value is None else TableCell(percent(error.value))
        )
        return (*texts(exposed), *risk, last, TableCell(count(one.suppressed)))

    rows = [Row(TableCell(text("as it is")), (TableCell(text("a limit is broken")), *numbers(before)))]
    rows += [
        Row(
            TableCell(sentences.change(line), sentences.options(line)),
            (TableCell(sentences.state(line.after)), *numbers(line.after)),
            "attack",
        )
        for line in advice.lines
    ]
    note = text(
        "Exposed: people exposed by some attack, by the limits, of all who were attacked, those left out included. "
        "Query error: the median relative error of counting "
        "queries, such as how many women of 30 to 40 work as …; on a withheld column they err as if its cells were "
        "suppressed. Largest risk: the largest chance of naming the row of a person rightly. Suppressed: left out. "
        "Higher is worse in every column."
    )
    if any(line.changes.leave_out_exposed for line in advice.lines):
        left = text(
            "Where groups of exposed people are left out, the rest is attacked again, and others may be exposed."
        )
        note = f"{note} {left}"
    if by_columns:
        known = text(
            "Exposed by all columns: to an intruder who also knows the published columns that have no protection."
        )
        note = f"{note} {known}"
    note = " ".join((note, *_meanings(advice)))
    return ReportTable(text("Changes, each attacked again"), head, tuple(rows), texts=1, note=note)


def _risk(largest: float | None) -> TableCell:
    if largest is None:
        return TableCell("", text("not measured"))
    return TableCell(text("1 of 1") if largest >= 1 else fraction(largest))


def _meanings(advice: Advice) -> Iterator[str]:
    """Yield what the privacy models ask for whose limits a change sets."""
    for name in dict.fromkeys(name for line in advice.lines for name, _ in line.changes.parameters):
        if meaning := model_meaning(name):
            yield text("{name}: {meaning}.", name=name, meaning=meaning)


def _shares(shares: ColumnShares, advice: Advice) -> Section:
    rows = [
        Row(
            TableCell(one.column),
            (
                TableCell("", text("must stay, or not measured"))
                if one.without is None
                else TableCell(count(one.without)),
                TableCell("–" if one.query_error is None else percent(one.query_error)),
                _coarser(one),
            ),
            "attack",
        )
        for one in shares.columns
    ]
    titles = words.listed([words.attack(name).title for name in shares.attacks])
    quick = ""
    if shares.in_quick_form:
        titles = text("{attacks} in quick form", attacks=titles)
        quick = text(
            "In quick form an attack approximates what it otherwise draws: numbers differ a little from the audit's."
        )
    total = advice.before.exposed
    if total is None or total == shares.before:
        exposed = text(
            "Exposed by any of these attacks, on everybody: {attacks}. With all columns {n}.",
            attacks=titles,
            n=count(shares.before),
        )
    else:
        exposed = text(
            "Exposed by any of these attacks, on everybody: {attacks}. With all columns {n}; by all attacks of the "
            "audit {total}.",
            attacks=titles, n=count(shares.before), total=count(total),
        )  # fmt: skip
    head = (text("Column"), text("Exposed without it"), text("Query error without it"), text("Exposed if coarser"))
    note = text("Higher is worse.")
    if any(one.form and one.coarser is None for one in shares.columns):
        note = f"{note} {text('Not measured: an attack that exposes people does not run then.')}"
    table = ReportTable(text("People exposed with a change of one column"), head, tuple(rows), note=note)
    part = SectionPart((f"{exposed} {quick}".rstrip(),), tables=(table,))
    return Section("advice-columns", text("How much of the exposure is each column's"), parts=(part,))


def _coarser(one: ColumnShare) -> TableCell:
    """Return how many are exposed when a column is coarser, or why there is no number."""
    if one.coarser is not None:
        return TableCell(count(one.coarser), text(one.form))
    return TableCell("", text("not measured") if one.form else text("no hierarchy is known"))
