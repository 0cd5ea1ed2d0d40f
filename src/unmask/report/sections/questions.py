"""The section on the regulators' three questions: singling out, linkability, inference; and the ladder in people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unmask.auditing.findings import AttackResult, AuditReport, Scene
from unmask.auditing.policy import Control
from unmask.beliefs import Question
from unmask.estimate import Estimate
from unmask.models.privacy_model import risk_meant
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell, texts
from unmask.report.exposure import exposed, exposed_by_any, judged, share_of, worst
from unmask.report.numbers import chance, percent
from unmask.report.outline import ran
from unmask.risk_levels import AT_RISK, LEVELS, SMALLEST_GROUPS
from unmask.wording import marked, text

FEW = 5
"""The questions of a kind that are listed; of the others only the number is."""

_NONE = {
    marked("Singling out"): marked("no release shows rows that can be matched"),
    marked("Linkability"): marked("one release only, or none that share people"),
    marked("Inference"): marked("no attack on a sensitive value ran"),
}
_CONTROLS: Mapping[Control, str] = {
    "left-out": marked(
        "Beside them the control, counted in the same way: the same people, each attacked without their own group."
    ),
    "held-out": marked(
        "Beside them the control, counted in the same way: people outside the file, who were held out of it."
    ),
    "none": marked("Beside them the control, counted in the same way, which was not asked for."),
}
_STEPS = tuple(SMALLEST_GROUPS)


def section(report: AuditReport) -> Section:
    """Return count, rate, control and interval of each question; "not attacked" where none ran."""
    level = _level(report)
    firm = percent(report.policy.limits.firm, short=True)
    sentences = [
        text(
            "Singling out: people whose row is named with a chance of {chance} or more. Linkability and inference: "
            "people of whom some harmful value is believed with {belief} or more.",
            chance=chance(level), belief=firm,
        ),
        text(_CONTROLS[report.policy.control]),
    ]  # fmt: skip
    surer = words.surer(report.policy)
    if surer:
        sentences.append(
            text("Exposed, as the policy defines it: those of whom the intruder is also {surer}.", surer=surer)
        )
    rows = [row for kind in _NONE for row in counted(report, kind)]
    table = ReportTable(text("The three questions"), _head(report), tuple(rows), texts=1, note=_note())
    part = SectionPart((" ".join(sentences),), tables=(table,))
    title = text("Singling out, linkability, inference")
    return Section("questions", title, text("WP29, Opinion 05/2014"), (part,))


def counted(report: AuditReport, kind: str) -> list[Row]:
    """Return a row for each question of one kind: `Singling out`, `Linkability` or `Inference`; the worst first."""
    place = kind == "Singling out"
    scenes = [scene for scene in report.scenes if (scene.about.question is Question.PLACE) == place]
    if not place:
        several = kind == "Linkability"
        scenes = [scene for scene in judged(report, scenes) if (len(scene.releases) > 1) == several]
    return list(_asked(kind, scenes, _level(report), with_exposed=_has_margin(report)))


def counted_table(report: AuditReport, kind: str) -> ReportTable:
    """Return count, rate, control and interval of the questions of one kind; "not attacked" where none ran."""
    title = text("{question}: people", question=text(kind))
    return ReportTable(title, _head(report), tuple(counted(report, kind)), texts=1, note=_note())


def _note() -> str:
    return f"{text('Higher is worse.')} {text(words.NOT_SAFE)}"


def _head(report: AuditReport) -> tuple[str, ...]:
    control = words.capitalized(words.control_title(report.policy.control))
    exposed = [text("Exposed, by any attack")] if _has_margin(report) else []
    return (text("Question"), text("Intruder"), text("People"), control, *exposed)


def _has_margin(report: AuditReport) -> bool:
    """Whether people are exposed only where the belief exceeds the control's."""
    return report.policy.limits.excess is not None


def _level(report: AuditReport) -> float:
    limit = report.policy.limits.max_risk
    if limit is None:
        return AT_RISK
    meant = risk_meant(limit)
    return next((level for level in sorted(LEVELS.values()) if level > meant + 1e-9), 1.0)


def _asked(kind: str, scenes: Sequence[Scene], level: float, *, with_exposed: bool) -> Iterator[Row]:
    pairs = [(scene, best) for scene in scenes if (best := _worst_of(scene, level)) is not None]
    last = texts(("–",)) if with_exposed else ()
    if not pairs:
        cells = texts(("–", text("not attacked"), "–"))
        yield Row(TableCell(text(kind), text(_NONE[kind])), (*cells, *last), "attack")
        return
    pairs.sort(key=lambda pair: -share_of(_counted(pair[0], pair[1], level)))
    for scene, result in pairs[:FEW]:
        is_attribute = scene.about.question is Question.ATTRIBUTE
        asked = text(
            "{question}, {releases}, by {attack}",
            question=scene.about.name if is_attribute else text("the row"), releases=words.listed(scene.releases),
            attack=words.attack(result.name).title,
        )  # fmt: skip
        head = TableCell(text(kind), asked)
        control = TableCell(text("none"))
        if result.control:
            control = cell(_counted(scene, result, level, control=True), "people")
        who = TableCell(words.who_short(scene.attacker))
        if with_exposed and is_attribute:
            last = (cell(exposed_by_any(scene, result), "people"),)
        yield Row(head, (who, cell(_counted(scene, result, level), "people"), control, *last), "attack")
    if rest := pairs[FEW:]:
        last = texts(("–",)) if with_exposed else ()
        more = text("{n} more, none above these", n=len(rest))
        yield Row(TableCell(text(kind), more), (*texts(("", "–", "–")), *last), "minor")


def _counted(scene: Scene, result: AttackResult, level: float, *, control: bool = False) -> Estimate:
    """Return the people named, or believed, this firmly; of the control in the same way."""
    if scene.about.question is Question.PLACE:
        return result.get("at-risk", level, control=control)
    return result.get("exposed", scene.firm, control=control)


def _worst_of(scene: Scene, level: float) -> AttackResult | None:
    """Return the attack that exposes most people; of equals, the one that believes a value of most."""
    is_place = scene.about.question is Question.PLACE
    return max(
        ran(scene),
        key=lambda one: (0.0 if is_place else share_of(exposed(scene, one)), share_of(_counted(scene, one, level))),
        default=None,
    )


def ladder(report: AuditReport) -> Section:
    """Return the number of people at or above each customary step: named rightly, and believed."""
    columns: list[tuple[str, Scene, AttackResult, str]] = []
    places = [scene for scene in report.scenes if scene.about.question is Question.PLACE]
    named = [(scene, result) for scene in places for result in ran(scene)]
    if named:
        scene, result = max(named, key=lambda pair: share_of(pair[1].get("average-risk")))
        title = text("Row named rightly, {release}", release=scene.about.name)
        columns.append((title, scene, result, "at-risk"))
    found = worst(judged(report, report.scenes))
    if found:
        scene, result = found
        title = text(
            "Some {attribute} believed, {releases}",
            attribute=scene.about.name, releases=words.listed(scene.releases),
        )  # fmt: skip
        columns.append((title, scene, result, "exposed"))
    head = [text("At least")]
    spans: list[tuple[str, int]] = []
    for title, _, result, _ in columns:
        head += [text("People")]
        head += [words.capitalized(words.control_title(result.control_of))] if result.control else []
        spans.append((title, 1 + bool(result.control)))
    rows = []
    for step in _STEPS:
        cells = []
        for _, _, result, metric in columns:
            cells.append(cell(result.get(metric, LEVELS[step]), "people"))
            cells += [cell(result.get(metric, LEVELS[step], control=True), "people")] if result.control else []
        rows.append(Row(TableCell(step), tuple(cells)))
    if not columns:
        nothing = f"{text('Not attacked.')} {text(words.NOT_SAFE)}"
        return Section("ladder", text(_TITLE), parts=(SectionPart((nothing,)),))
    note = text("Higher is worse. All steps are in the appendix.")
    table = ReportTable(text(_TITLE), tuple(head), tuple(rows), tuple(spans), note=note)
    return Section("ladder", text(_TITLE), parts=(SectionPart((text(words.NO_THRESHOLD),), tables=(table,)),))


_TITLE = marked("People at or above each customary step")
