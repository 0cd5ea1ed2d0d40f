"""The section on intruders: who was assumed to know what, what each tried, and how many people each exposes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unmask.auditing.findings import ATTRIBUTES, COMPLETE, ROW, AttackResult, AuditReport, Scene
from unmask.beliefs import Question
from unmask.estimate import Estimate
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell, texts
from unmask.report.exposure import exposed, exposed_by_any, share_of
from unmask.report.numbers import UNDEFINED, count, percent
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
    surer = words.surer(report.policy)
    margin = surer and f", and {surer}"
    sure = f"the intruder would be at least {firm} sure of a harmful value{margin}"
    sentences = [f"Exposed: after seeing the release, {sure}, rightly or wrongly, by any attack that was tried."]
    if report.policy.limits.max_belief is not None:
        sentences.append(f"The limits are judged for {words.judged_for(report.policy)}; the others stand beside.")
    rows = tuple(row for row in _rows(report))
    table = ReportTable("Intruders, and the people each exposes", _HEAD, rows, texts=2, note="Higher is worse.")
    return Section("intruders", "Who was assumed to know what", parts=(
        SectionPart(tuple(sentences), tables=(table,)), SectionPart(tables=(_recipients(report.policy.recipient),)),
    ))  # fmt: skip


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
    scene, result = max(pairs, key=lambda pair: share_of(_exposed(*pair, learned=learned)))
    alone, many = exposed(scene, result), _exposed(scene, result, learned=learned)
    found, title = cell(many, "people"), words.attack(result.name).title
    by = f"{scene.about.name}, by {title}"
    if many.value is not None and many is not alone:
        strongest = max((one for there, one in pairs if there is scene), key=lambda one: share_of(exposed(scene, one)))
        alone = exposed(scene, strongest)
        by = f"{scene.about.name}; by {words.attack(strongest.name).title} alone {cell(alone, 'people').text}"
    if learned and scene.n_exposed and scene.n_exposed_rightly is not None:
        by = f"{by}; rightly {count(scene.n_exposed_rightly)}"
    small = f"{by}; {found.small}" if found.small else by
    cells = (*texts((known, ", ".join(tried))), TableCell(found.text, small, found.share, found.hint))
    return Row(TableCell(name), cells, "attack")


def _exposed(scene: Scene, result: AttackResult, *, learned: bool) -> Estimate:
    """Return the people exposed: of an intruder who tries all attacks, by any of them."""
    return exposed_by_any(scene, result) if learned else exposed(scene, result)


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
