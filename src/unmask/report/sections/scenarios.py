"""The section on intruders: who was assumed to know what, what each tried, and how many people each exposes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unmask.auditing.findings import ATTRIBUTES, COMPLETE, ROW, AuditReport, Scene
from unmask.beliefs import Question
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell, texts
from unmask.report.exposure import exposed, share_of
from unmask.report.numbers import UNDEFINED, percent
from unmask.report.outline import ran

WITHOUT_LEARNING = ("linkage", "random-worlds", "intersection")
"""Attacks that need no statistics: reading the groups that fit, and comparing releases by hand."""

_HEAD = ("Intruder", "Assumed to know", "Tried", "Exposed")
_RECIPIENTS = (
    ("the public", ("public", "everybody", "anyone", "open data"), "all of them: anybody may be among the readers"),
    (
        "licensed researchers",
        ("licen", "research", "scientific"),
        "the statistician first; a colleague may be an insider",
    ),
    (
        "a ministry or an agency",
        ("ministry", "agency", "government", "authority"),
        "the insider: its registers show rows",
    ),
)


def section(report: AuditReport) -> Section:
    """Return the intruders, and which of them a recipient makes likely."""
    firm = percent(report.policy.limits.firm, short=True)
    exposed_if = f"the intruder would be at least {firm} sure of a harmful value, rightly or wrongly{_excess(report)}"
    sentences = [f"Exposed: after seeing the release, {exposed_if}."]
    if report.policy.limits.max_belief is not None:
        sentences.append(f"The limits are judged for {words.judged_for(report.policy)}; the others stand beside.")
    rows = tuple(row for row in _rows(report))
    table = ReportTable("Intruders, and the people each exposes", _HEAD, rows, texts=2, note="Higher is worse.")
    return Section("intruders", "Who was assumed to know what", parts=(
        SectionPart(tuple(sentences), tables=(table,)), SectionPart(tables=(_recipients(report.policy.recipient),)),
    ))  # fmt: skip


def _excess(report: AuditReport) -> str:
    excess = report.policy.limits.excess
    return "" if excess is None else f", and {100 * excess:g} points surer than of people outside the file"


def _rows(report: AuditReport) -> Iterator[Row]:
    scenes = [scene for scene in report.scenes if scene.about.question is Question.ATTRIBUTE]
    of = {one.name: [scene for scene in scenes if scene.attacker == one] for one in (ATTRIBUTES, ROW, COMPLETE)}
    known = "the quasi-identifiers of a person, not the row"
    yield _row("Casual", known, of[ATTRIBUTES.name], learned=False)
    yield _row("Statistician", f"{known}; learns from all groups", of[ATTRIBUTES.name])
    yield _row("Insider", "also which row or group is the person's", of[ROW.name])
    if of[COMPLETE.name]:
        yield _row("Holder of a register", COMPLETE.assumes.removeprefix("has "), of[COMPLETE.name])
    for scene in scenes:
        if scene.attacker.name not in of:
            yield _row(scene.attacker.name, scene.attacker.assumes, [scene])


def _row(name: str, known: str, scenes: Sequence[Scene], *, learned: bool = True) -> Row:
    pairs = [(scene, result) for scene in scenes for result in ran(scene) if learned or result.name in WITHOUT_LEARNING]
    if not pairs:
        return Row(
            TableCell(name), (TableCell(known), TableCell("not attacked"), TableCell(UNDEFINED, hint="not attacked"))
        )
    tried = dict.fromkeys(words.attack(result.name).title for _, result in pairs)
    scene, result = max(pairs, key=lambda pair: share_of(exposed(*pair)))
    found = cell(exposed(scene, result), "people")
    by = f"{scene.about.name}, by {words.attack(result.name).title}"
    small = f"{by}; {found.small}" if found.small else by
    cells = (*texts((known, ", ".join(tried))), TableCell(found.text, small, found.share, found.hint))
    return Row(TableCell(name), cells, "attack")


def _recipients(recipient: str) -> ReportTable:
    """Return which intruders a recipient makes likely; the line of this policy's recipient is marked."""
    rows = []
    here = recipient.lower()
    for name, known_by, likely in _RECIPIENTS:
        is_this = any(word in here for word in known_by)
        rows.append(
            Row(TableCell(name, "the recipient of this policy" if is_this else ""), texts((likely,)),
                "attack" if is_this else "minor")
        )  # fmt: skip
    if recipient and not any(row.kind == "attack" for row in rows):
        rows.insert(
            0,
            Row(
                TableCell(recipient, "the recipient of this policy"),
                texts(("to be decided by the publisher",)),
                "attack",
            ),
        )
    note = "An assumption of this report, not a rule: who is likely is for the publisher to decide."
    return ReportTable(
        "Recipients, and the intruders to expect", ("Recipient", "Intruder"), tuple(rows), texts=1, note=note
    )
