"""The section on intruders: who was assumed to know what, what each tried, and how many people each exposes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unmask.auditing.findings import ATTRIBUTES, COMPLETE, ROW, AttackResult, AuditReport, Scene
from unmask.beliefs import Question
from unmask.estimate import Estimate
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell, texts
from unmask.report.exposure import attributes, exposed, exposed_by_any, share_of
from unmask.report.numbers import UNDEFINED, count, percent
from unmask.report.outline import ran
from unmask.wording import marked, text

WITHOUT_LEARNING = ("linkage", "random-worlds", "intersection")
"""Attacks that need no statistics: reading the groups that fit, and comparing releases by hand."""

_RECIPIENTS = (
    (
        marked("the public"),
        ("public", "everybody", "anyone", "open data"),
        marked("all of them: anybody may be among the readers"),
    ),
    (
        marked("licensed researchers"),
        ("licen", "research", "scientific"),
        marked("the statistician first; a colleague may be an insider"),
    ),
    (
        marked("a ministry or an agency"),
        ("ministry", "agency", "government", "authority"),
        marked("the insider: its registers show rows"),
    ),
)


def section(report: AuditReport) -> Section:
    """Return the intruders, and which of them a recipient makes likely."""
    firm = percent(report.policy.limits.firm, short=True)
    surer = words.surer(report.policy)
    sentences = [
        text(
            "Exposed: after seeing the release, the intruder would be at least {share} sure of a harmful value, and "
            "{surer}, rightly or wrongly, by any attack that was tried.",
            share=firm, surer=surer,
        )
        if surer
        else text(
            "Exposed: after seeing the release, the intruder would be at least {share} sure of a harmful value, "
            "rightly or wrongly, by any attack that was tried.",
            share=firm,
        )
    ]  # fmt: skip
    if report.policy.limits.max_belief is not None:
        judged = words.judged_for(report)
        sentences.append(text("The limits are judged for {intruder}; the others stand beside.", intruder=judged))
    head = (text("Intruder"), text("Assumed to know"), text("Tried"), _head(report))
    title, note = text("Intruders, and the people each exposes"), text("Higher is worse.")
    table = ReportTable(title, head, tuple(_rows(report)), texts=2, note=note)
    return Section("intruders", text("Who was assumed to know what"), parts=(
        SectionPart(tuple(sentences), tables=(table,)), SectionPart(tables=(_recipients(report.policy.recipient),)),
    ))  # fmt: skip


def _head(report: AuditReport) -> str:
    """Return the head of the numbers, with what is counted, and of how many where that is one number."""
    among = {scene.targets.n for scene in report.scenes if scene.about.question is Question.ATTRIBUTE}
    if len(among) != 1:
        return text("Exposed {people}", people=text(report.unit))
    return text("Exposed {people}, of {n}", people=text(report.unit), n=count(among.pop()))


def _rows(report: AuditReport) -> Iterator[Row]:
    scenes = [scene for scene in report.scenes if scene.about.question is Question.ATTRIBUTE]
    of = {one.name: [scene for scene in scenes if scene.attacker == one] for one in (ATTRIBUTES, ROW, COMPLETE)}
    known = text("the quasi-identifiers of a person, not the row")
    learns = text("the quasi-identifiers of a person, not the row; learns from all groups")
    yield _row(report, text("Casual"), known, of[ATTRIBUTES.name], learned=False)
    statistician = _row(report, text("Statistician"), learns, of[ATTRIBUTES.name])
    insider = _row(report, text("Insider"), text("also which row or group is the person's"), of[ROW.name])
    yield statistician
    yield _as_many(insider, statistician)
    if of[COMPLETE.name]:
        listed = text("a complete list of the people in the release, with the quasi-identifiers of each")
        yield _row(report, text("Holder of a register"), listed, of[COMPLETE.name])
    for scene in scenes:
        if scene.attacker.name not in of:
            yield _row(report, text(scene.attacker.name), text(scene.attacker.assumes), [scene])


def _as_many(row: Row, other: Row) -> Row:
    """Return a row; where its number is another's, it says so, instead of how the number was found."""
    number, before = row.cells[-1], other.cells[-1]
    if row.kind != "attack" or number.text != before.text:
        return row
    same = replace(number, small=text("as many as the {intruder}", intruder=other.head.text.lower()))
    return replace(row, cells=(*row.cells[:-1], same))


def _row(report: AuditReport, name: str, known: str, scenes: Sequence[Scene], *, learned: bool = True) -> Row:
    pairs = [(scene, result) for scene in scenes for result in ran(scene) if learned or result.name in WITHOUT_LEARNING]
    if not pairs:
        missing = text("not attacked")
        return Row(TableCell(name), (TableCell(known), TableCell(missing), TableCell(text(UNDEFINED), hint=missing)))
    tried = dict.fromkeys(words.attack(result.name).title for _, result in pairs)
    scene, _ = max(pairs, key=lambda pair: share_of(_exposed(*pair, learned=learned)))
    strongest = max((one for there, one in pairs if there is scene), key=lambda one: share_of(exposed(scene, one)))
    alone, many = exposed(scene, strongest), _exposed(scene, strongest, learned=learned)
    rightly = scene.n_exposed_rightly if scene.n_exposed else None
    values = {"attribute": scene.about.name, "attack": words.attack(strongest.name).title}
    values["people"] = cell(alone, "people").text
    by, rest = text("{attribute}, by {attack}", **values), ""
    if many.value != alone.value:
        by = text("{attribute}, by one attack or another", **values)
        rest = text("{people} by {attack} alone", **values)
    whole = report.exposed_of(scene.attacker) if learned else None
    if whole is not None and many.value is not None and whole[0] > many.value:
        many, rightly = Estimate.exact(whole[0], many.n), whole[1]
        by = text("{attribute}, by one attack or another", attribute=attributes(scenes))
        rest = text("{people} by {attack} on {attribute} alone", **values)
    if learned and rightly is not None:
        by = f"{by}; {text('{n} of them by their true value', n=count(rightly))}"
    by, found = f"{by}; {rest}" if rest else by, cell(many, "people")
    small = f"{by}; {found.small}" if found.small else by
    cells = (*texts((known, ", ".join(tried))), TableCell(found.text, small, found.share, found.hint))
    return Row(TableCell(name), cells, "attack")


def _exposed(scene: Scene, result: AttackResult, *, learned: bool) -> Estimate:
    """Return the people exposed: of an intruder who tries all attacks, by any of them."""
    return exposed_by_any(scene, result) if learned else exposed(scene, result)


def _recipients(recipient: str) -> ReportTable:
    """Return which intruders a recipient makes likely: that of this policy alone, where it is one that is known."""
    rows = []
    here = recipient.lower()
    for name, known_by, likely in _RECIPIENTS:
        is_this = any(word in here for word in known_by)
        rows.append(
            Row(TableCell(text(name), text("the recipient of this policy") if is_this else ""), texts((text(likely),)),
                "attack" if is_this else "minor")
        )  # fmt: skip
    rows = [row for row in rows if row.kind == "attack"] or rows
    if recipient and not any(row.kind == "attack" for row in rows):
        rows.insert(
            0,
            Row(
                TableCell(recipient, text("the recipient of this policy")),
                texts((text("to be decided by the publisher"),)),
                "attack",
            ),
        )
    note = text("An assumption of this report, not a rule: who is likely is for the publisher to decide.")
    head = (text("Recipient"), text("Intruder"))
    return ReportTable(text("Recipients, and the intruders to expect"), head, tuple(rows), texts=1, note=note)
