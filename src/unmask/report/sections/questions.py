"""The section on the regulators' three questions: singling out, linkability, inference; and the ladder in people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unmask.auditing.findings import AttackResult, AuditReport, Scene
from unmask.beliefs import Question
from unmask.estimate import Estimate
from unmask.models.privacy_model import risk_meant
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell, texts
from unmask.report.exposure import exposed, exposed_by_any, judged, share_of, worst
from unmask.report.numbers import chance, percent
from unmask.report.outline import ran
from unmask.risk_levels import AT_RISK, LEVELS, SMALLEST_GROUPS

FEW = 5
"""The questions of a kind that are listed; of the others only the number is."""

_NONE = {
    "Singling out": "no release shows rows that can be matched",
    "Linkability": "one release only, or none that share people",
    "Inference": "no attack on a sensitive value ran",
}
_STEPS = tuple(SMALLEST_GROUPS)


def section(report: AuditReport) -> Section:
    """Return count, rate, control and interval of each question; "not attacked" where none ran."""
    level = _level(report)
    firm = percent(report.policy.limits.firm, short=True)
    text = (
        f"Singling out: people whose row is named with a chance of {chance(level)} or more. Linkability "
        f"and inference: people of whom some harmful value is believed with {firm} or more. Beside them the control, "
        f"counted in the same way{_control_sentence(report)}"
    )
    surer = words.surer(report.policy)
    margin = surer and f" Exposed, as the policy defines it: those of whom the intruder is also {surer}."
    rows = [row for kind in _NONE for row in counted(report, kind)]
    table = ReportTable(
        "The three questions", _head(report), tuple(rows), texts=1, note=f"Higher is worse. {words.NOT_SAFE}"
    )
    part = SectionPart((f"{text}{margin}",), tables=(table,))
    return Section("questions", "Singling out, linkability, inference", "WP29, Opinion 05/2014", (part,))


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
    note = f"Higher is worse. {words.NOT_SAFE}"
    return ReportTable(f"{kind}: people", _head(report), tuple(counted(report, kind)), texts=1, note=note)


def _head(report: AuditReport) -> tuple[str, ...]:
    control = words.CONTROL_TITLES[report.policy.control].capitalize()
    return ("Question", "Intruder", "People", control, *(["Exposed, by any attack"] if _has_margin(report) else []))


def _has_margin(report: AuditReport) -> bool:
    """Whether people are exposed only where the belief exceeds the control's."""
    return report.policy.limits.excess is not None


def _control_sentence(report: AuditReport) -> str:
    return {
        "left-out": ": the same people, each attacked without their own group.",
        "held-out": ": people outside the file, who were held out of it.",
        "none": ", which was not asked for.",
    }[report.policy.control]


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
        yield Row(TableCell(kind, _NONE[kind]), (*texts(("–", "not attacked", "–")), *last), "attack")
        return
    pairs.sort(key=lambda pair: -share_of(_counted(pair[0], pair[1], level)))
    for scene, result in pairs[:FEW]:
        is_attribute = scene.about.question is Question.ATTRIBUTE
        about = scene.about.name if is_attribute else "the row"
        head = TableCell(kind, f"{about}, {words.listed(scene.releases)}, by {words.attack(result.name).title}")
        control = cell(_counted(scene, result, level, control=True), "people") if result.control else TableCell("none")
        who = TableCell(words.who_short(scene.attacker))
        if with_exposed and is_attribute:
            last = (cell(exposed_by_any(scene, result), "people"),)
        yield Row(head, (who, cell(_counted(scene, result, level), "people"), control, *last), "attack")
    if rest := pairs[FEW:]:
        last = texts(("–",)) if with_exposed else ()
        yield Row(TableCell(kind, f"{len(rest)} more, none above these"), (*texts(("", "–", "–")), *last), "minor")


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
        columns.append((f"Row named rightly, {scene.about.name}", scene, result, "at-risk"))
    found = worst(judged(report, report.scenes))
    if found:
        scene, result = found
        title = f"Some {scene.about.name} believed, {words.listed(scene.releases)}"
        columns.append((title, scene, result, "exposed"))
    head = ["At least"]
    spans: list[tuple[str, int]] = []
    for title, _, result, _ in columns:
        head += ["People", *([words.CONTROL_TITLES[result.control_of].capitalize()] if result.control else [])]
        spans.append((title, 1 + bool(result.control)))
    rows = []
    for step in _STEPS:
        cells = []
        for _, _, result, metric in columns:
            cells.append(cell(result.get(metric, LEVELS[step]), "people"))
            cells += [cell(result.get(metric, LEVELS[step], control=True), "people")] if result.control else []
        rows.append(Row(TableCell(step), tuple(cells)))
    if not columns:
        return Section("ladder", _TITLE, parts=(SectionPart((f"Not attacked. {words.NOT_SAFE}",)),))
    table = ReportTable(
        _TITLE, tuple(head), tuple(rows), tuple(spans), note="Higher is worse. All steps are in the appendix."
    )
    return Section("ladder", _TITLE, parts=(SectionPart((words.NO_THRESHOLD,), tables=(table,)),))


_TITLE = "People at or above each customary step"
