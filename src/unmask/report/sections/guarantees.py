"""The section that puts what theory guarantees beside what attacks measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from unmask.auditing.findings import AuditReport, Scene
from unmask.beliefs import Question
from unmask.estimate import Estimate
from unmask.numerics.rounding import TOLERANCE
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell
from unmask.report.numbers import fraction
from unmask.report.outline import promised, ran
from unmask.wording import plural, text

FEW = 8
"""The questions that are listed, the firmest beliefs first."""


def section(report: AuditReport) -> Section | None:
    """Return bound and measurement of each question; None where nothing ran."""
    rows = sorted(_rows(report), key=lambda pair: -pair[0])
    if not rows:
        return None
    meaning = text(
        "How sure an intruder would be at most: of a harmful value of any one person, rightly or wrongly, by the "
        "strongest attack. A guarantee is given by theory for an intruder who reasons as it assumes. Where what was "
        "measured is above it, the assumption fails for this table."
    )
    listed = tuple(row for _, row in rows[:FEW])
    head = (
        text("Question"), text("Guaranteed at most"), text("Measured"), text("Guarantee"),
        words.capitalized(words.control_title(report.policy.control)), text("Without the file"),
    )  # fmt: skip
    note = text("Higher is worse. –: no guarantee that could be exceeded, or no guess of a row.")
    if len(rows) > FEW:
        n = len(rows) - FEW
        more = plural("{n} more question is not above these.", "{n} more questions are not above these.", n, n=n)
        note = f"{note} {more}"
    table = ReportTable(text("How sure an intruder would be of some person"), head, listed, note=note)
    title = text("What is guaranteed, and what was measured")
    return Section("guarantees", title, parts=(SectionPart((meaning,), tables=(table,)),))


def _rows(report: AuditReport) -> Iterator[tuple[float, Row]]:
    for scene in report.scenes:
        place = scene.about.question is Question.PLACE
        metric, bound = ("max-risk", "max-risk") if place else ("firmest-belief", "max-belief")
        measured = [result for result in ran(scene) if result.get(metric).value is not None]
        if not measured:
            continue
        result = max(measured, key=lambda one: one.get(metric).value or 0.0)
        worst, control = result.get(metric), result.get(metric, control=True)
        about = text("the row named rightly") if place else scene.about.name
        head = TableCell(about, f"{words.quoted(scene.releases)}, {words.who_short(scene.attacker)}")
        guess = _guess(scene, metric)
        cells = (
            _bound(scene, bound),
            _measured(worst, scene.about.question),
            _kept(scene, bound, worst),
            _outside(control, scene.about.question),
            TableCell("–") if guess is None else cell(guess, "chance"),
        )
        yield worst.value or 0.0, Row(head, cells)


def _measured(worst: Estimate, question: Question) -> TableCell:
    """Return the largest number; a chance of one that a row is named is that of a person who is alone."""
    found = cell(worst, "chance")
    return replace(found, small=text("1 of 1")) if question is Question.PLACE and worst.value == 1 else found


def _outside(control: Estimate, question: Question) -> TableCell:
    """Return the control's largest number; without their own group, any row that is named is another's."""
    if question is Question.PLACE:
        return TableCell(text("always falsely"))
    return TableCell(text("none")) if control.value is None else cell(control, "chance")


def _kept(scene: Scene, metric: str, worst: Estimate) -> TableCell:
    """Return whether the guarantee holds for this table."""
    best, _ = promised(scene, metric)
    if best is None or best.vacuous:
        return TableCell("–")
    least = worst.value if worst.low is None else worst.low
    if least is not None and least > best.limit + TOLERANCE:
        return TableCell(text("exceeded"), state="broken")
    return TableCell(text("held"), state="kept")


def _bound(scene: Scene, metric: str) -> TableCell:
    best, by = promised(scene, metric)
    if best is None or best.vacuous:
        return TableCell(text("no guarantee was given"))
    return TableCell(fraction(best.limit), by, hint=text(best.assumes))


def _guess(scene: Scene, metric: str) -> Estimate | None:
    found = scene.baseline.get(metric)
    return None if found.value is None else found
