"""The section on the regulators' three questions: singling out, linkability, inference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unmask.auditing.findings import AttackResult, AuditReport, Scene
from unmask.auditing.policy import Control
from unmask.beliefs import Question
from unmask.estimate import Estimate
from unmask.models.privacy_model import risk_meant
from unmask.numerics.rounding import TOLERANCE
from unmask.report import words
from unmask.report.blocks import ReportTable, Row, Section, SectionPart, TableCell, cell, texts
from unmask.report.exposure import exposed, exposed_by_any, judged, share_of
from unmask.report.numbers import chance, fraction, percent
from unmask.report.outline import ran
from unmask.risk_levels import AT_RISK
from unmask.wording import marked, text

FEW = 5
"""The questions of a kind that are listed; of the others only the number is."""

_NONE = {
    marked("Singling out"): marked("no release shows rows that can be matched"),
    marked("Linkability"): marked("no other release of these people was given"),
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
_Level = tuple[str, float]
"""A measure of people by the chance that their row is named, and its level."""


def section(report: AuditReport) -> Section:
    """Return count, rate, control and interval of each question; "not attacked" where none ran."""
    sentences = (*_meanings(report), f"{text(_CONTROLS[report.policy.control])} {text(_WHOSE)}")
    rows = [row for kind in _NONE for row in counted(report, kind)]
    table = ReportTable(text("The three questions"), _head(report), tuple(rows), texts=1, note=_note())
    part = SectionPart(sentences, tables=(table,))
    title = text("Singling out, linkability, inference")
    return Section("questions", title, text("WP29, Opinion 05/2014"), (part,))


_WHOSE = marked("The questions are those of WP29, which names no level; the levels are those of this policy.")


def _meanings(report: AuditReport) -> Iterator[str]:
    """Yield what is counted for each question, at the levels of the policy."""
    yield from (meaning(report, kind) for kind in _NONE)
    surer = words.surer(report.policy)
    if surer:
        yield text(
            "Exposed, as this policy defines it: those of them of whom the intruder is also {surer}. That is counted "
            "person by person, so it is not the first number less the control.",
            surer=surer,
        )


def meaning(report: AuditReport, kind: str) -> str:
    """Return what is counted for a question, at the levels of the policy."""
    limit, firm = report.policy.limits.max_risk, percent(report.policy.limits.firm, short=True)
    if kind == "Linkability":
        return text(
            "Linkability: people of whom an intruder who holds several releases, and links the records of a person in "
            "them, would be at least {belief} sure of a harmful value.",
            belief=firm,
        )
    if kind == "Inference":
        return text(
            "Inference: people of whom an intruder who has one release alone would be at least {belief} sure of a "
            "harmful value.",
            belief=firm,
        )
    if limit is None:
        return text(
            "Singling out: people whose row is named with a chance of {level} or more; this policy has no limit on it, "
            "and {level} is what EMA Policy 0070 allows (0.09: groups of 11 or more).",
            level=fraction(AT_RISK),
        )
    return text(
        "Singling out: people whose row is named with a chance above {limit}, the limit of this policy; beside it, "
        "to compare releases, with a chance of {level} or more, which EMA Policy 0070 still allows (0.09: groups "
        "of 11 or more).",
        limit=chance(risk_meant(limit)), level=fraction(AT_RISK),
    )  # fmt: skip


def counted(report: AuditReport, kind: str) -> list[Row]:
    """Return a row for each question of one kind: `Singling out`, `Linkability` or `Inference`; the worst first."""
    place = kind == "Singling out"
    scenes = [scene for scene in report.scenes if (scene.about.question is Question.PLACE) == place]
    if not place:
        several = kind == "Linkability"
        scenes = [scene for scene in judged(report, scenes) if (len(scene.releases) > 1) == several]
    return list(_asked(kind, scenes, _level(report), with_exposed=_is_limited(report)))


def counted_table(report: AuditReport, kind: str) -> ReportTable:
    """Return count, rate, control and interval of the questions of one kind; "not attacked" where none ran."""
    title = text("{question}: people", question=text(kind))
    return ReportTable(title, _head(report), tuple(counted(report, kind)), texts=1, note=_note())


def _note() -> str:
    return f"{text('Higher is worse.')} {text(_AT_LARGE)} {text(words.NOT_SAFE)}"


_AT_LARGE = marked(
    "Inference and linkability: where the control counts as many, the attack found what is known of people at large, "
    "and hardly what this release tells of a person. Singling out: the control names wrong rows only, so that it is "
    "nothing to subtract."
)


def _head(report: AuditReport) -> tuple[str, ...]:
    control = words.capitalized(words.control_title(report.policy.control))
    exposed = [text("Exposed")] if _is_limited(report) else []
    return (text("Question"), text("Intruder"), text("After seeing it"), control, *exposed)


def _is_limited(report: AuditReport) -> bool:
    """Whether a limit says who is exposed."""
    return report.policy.limits.max_belief is not None


def _level(report: AuditReport) -> _Level:
    limit = report.policy.limits.max_risk
    return ("at-risk", AT_RISK) if limit is None else ("above-risk", risk_meant(limit))


def _asked(kind: str, scenes: Sequence[Scene], level: _Level, *, with_exposed: bool) -> Iterator[Row]:
    pairs = [(scene, best) for scene in scenes if (best := _worst_of(scene, level)) is not None]
    none = texts(("–",)) if with_exposed else ()
    if not pairs:
        cells = texts(("–", text("not attacked"), "–"))
        yield Row(TableCell(text(kind), text(_NONE[kind])), (*cells, *none), "attack")
        return
    pairs.sort(key=lambda pair: -share_of(_counted(pair[0], pair[1], level)))
    for scene, result in pairs[:FEW]:
        is_attribute = scene.about.question is Question.ATTRIBUTE
        asked = text(
            "{question}, {releases}, by {attack}",
            question=scene.about.name if is_attribute else text("the row"), releases=words.quoted(scene.releases),
            attack=words.attack(result.name).title,
        )  # fmt: skip
        control = TableCell(text("none"))
        if result.control:
            control = cell(_counted(scene, result, level, control=True), "people")
        who = TableCell(words.who_short(scene.attacker))
        last = (cell(exposed(scene, result), "people"),) if with_exposed and is_attribute else none
        numbers = (cell(_counted(scene, result, level), "people"), control)
        yield Row(TableCell(text(kind), asked), (who, *numbers, *last), "attack")
        if not is_attribute:
            yield from _other_levels(result, level, none)
        together = exposed_by_any(scene, result)
        if last and is_attribute and together.value != exposed(scene, result).value:
            head = TableCell(text("the same, by one attack or another"))
            yield Row(head, (*texts(("", "–", "–")), cell(together, "people")), "minor")
    if rest := pairs[FEW:]:
        more = text("{n} more, none above these", n=len(rest))
        yield Row(TableCell(text(kind), more), (*texts(("", "–", "–")), *none), "minor")


def _other_levels(result: AttackResult, level: _Level, last: tuple[TableCell, ...]) -> Iterator[Row]:
    """Yield the people at exactly the limit of the policy, which it allows, and those at the common level."""
    metric, limit = level
    if metric != "above-risk":
        return
    at, above = result.get("at-risk", limit), result.get(metric, limit)
    if at.value is not None and above.value is not None and {at.source, above.source} == {"exact"}:
        exactly = cell(Estimate.exact(at.value - above.value, at.n), "people")
        head = text("at exactly {limit}, which the limit allows", limit=fraction(limit))
        yield Row(TableCell(head), (TableCell(""), exactly, TableCell("–"), *last), "minor")
    if abs(limit - AT_RISK) < TOLERANCE:
        return
    beside = cell(result.get("at-risk", AT_RISK, control=True), "people") if result.control else TableCell(text("none"))
    common = cell(result.get("at-risk", AT_RISK), "people")
    head = text("at {level} or more, for comparison", level=fraction(AT_RISK))
    yield Row(TableCell(head), (TableCell(""), common, beside, *last), "minor")


def _counted(scene: Scene, result: AttackResult, level: _Level, *, control: bool = False) -> Estimate:
    """Return the people named, or believed, this firmly; of the control in the same way."""
    if scene.about.question is Question.PLACE:
        return result.get(*level, control=control)
    return result.get("exposed", scene.firm, control=control)


def _worst_of(scene: Scene, level: _Level) -> AttackResult | None:
    """Return the attack that is so sure of most people; of equals, the one that exposes most."""
    is_place = scene.about.question is Question.PLACE
    return max(
        ran(scene),
        key=lambda one: (share_of(_counted(scene, one, level)), 0.0 if is_place else share_of(exposed(scene, one))),
        default=None,
    )
