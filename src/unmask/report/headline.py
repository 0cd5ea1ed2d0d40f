"""The sentences below a verdict: may it be published, who is exposed, whose value is certain, what the file adds."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.auditing.findings import ROW, AttackResult, AuditReport, Scene
from unmask.auditing.policy import Verdict
from unmask.beliefs import Question
from unmask.catalog import REFERENCE
from unmask.report import limit_lines, words
from unmask.report.exposure import by_any, certain, judged, worst
from unmask.report.numbers import count, of_all, people, percent
from unmask.report.outline import ran
from unmask.schema import Role

FEW = 12
"""The quasi-identifiers that are listed; of more, the number is."""

_ANSWERS = {
    Verdict.WITHIN: "By this policy it may be published",
    Verdict.BROKEN: "By this policy it may not be published as it is",
    Verdict.NOT_DECIDED: "By this policy it cannot be published yet: the evidence is incomplete",
    Verdict.NO_LIMITS: "Whether it may be published is not answered here: no policy was given",
}


def headline(report: AuditReport) -> tuple[str, ...]:
    """Return the sentences, each of one idea."""
    return tuple(_sentences(report))


def _sentences(report: AuditReport) -> Iterator[str]:
    given = f"; of {_limits(len(report.limits))}: {limit_lines.counted(report.limits)}" if report.limits else ""
    yield f"{_ANSWERS[report.verdict]}{given}."
    found = worst(judged(report, report.scenes))
    if found is None:
        yield "Of no person is it known how sure an intruder would be: no attack ran, which is not safe."
        return
    yield _exposed(report, found)
    yield from _certain(report)
    yield from _added(*found)


def _exposed(report: AuditReport, found: tuple[Scene, AttackResult]) -> str:
    """Return how many people any attack exposes, and how many of them by their true value."""
    scene, _ = found
    total = by_any(report, found)
    many = total.people
    if many.value is None:
        return f"How many people are exposed is not defined: {many.why}."
    who = f"{words.who(scene.attacker)}{_columns(report, scene)}"
    firmly, what = percent(scene.firm, short=True), _sensitive(report, scene)
    surer = words.surer(report.policy) if report.policy.limits.max_belief is not None else ""
    margin = surer and f", and {surer}"
    all_people = f"Of {people(many.n, scene.unit)} in {words.listed(scene.releases)}"
    if not many.value:
        return f"{all_people}, none is exposed: of none would {who} be {firmly} sure of the {what}{margin}."
    are = "is" if many.value == 1 else "are"
    by = f"attack: {words.attack(total.attack).title}" if total.attack else "by any of the attacks"
    rightly = "rightly or wrongly" if total.rightly is None else f"rightly for {count(total.rightly)}"
    return (
        f"{all_people}, {of_all(many.value, many.n)} {are} exposed: {who} would be at least {firmly} sure of their "
        f"{what}{margin} ({by}; {rightly})."
    )


def _sensitive(report: AuditReport, scene: Scene) -> str:
    """Return the sensitive attributes that the number is about."""
    if report.n_exposed is None:
        return scene.about.name
    scenes = [one for one in judged(report, report.scenes) if one.about.question is Question.ATTRIBUTE]
    names = list(dict.fromkeys(one.about.name for one in scenes))
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _columns(report: AuditReport, scene: Scene) -> str:
    """Return the columns that an intruder who knows quasi-identifiers knows, in brackets."""
    if scene.attacker is ROW:
        return ""
    forms = (one for facts in report.releases for one in facts.published if one.role is Role.QUASI_IDENTIFIER)
    names = list(dict.fromkeys(one.name for one in forms))
    more = [f"{count(len(names) - FEW)} more"] if len(names) > FEW else []
    return f" ({words.listed([*names[:FEW], *more])})" if names else ""


def _certain(report: AuditReport) -> Iterator[str]:
    """Yield the number of people with a certain value."""
    found = certain(report)
    if found is None:
        return
    scene, result = found
    many = result.get("exposed", 1.0).value or 0.0
    why = ": all records that fit them have it (homogeneity)" if result.name == REFERENCE["exact"] else ""
    yield f"The {scene.about.name} of {people(many, scene.unit)} would be certain{why}."


def _added(scene: Scene, result: AttackResult) -> Iterator[str]:
    """Yield how often the best guess is right before and after seeing the release."""
    before, after = scene.baseline.get("accuracy").value, result.get("accuracy").value
    if before is None or after is None:
        unsure = result.get("accuracy").why or "the truth is not known"
        yield f"How often such an intruder is right is not defined: {unsure}."
        return
    outside = result.get("accuracy", control=True).value
    control = "" if outside is None else f", and {words.by_control(result.control_of)} for {percent(outside)}"
    by = f" ({words.attack(result.name).title})" if len(ran(scene)) > 1 else ""
    yield (
        f"The best guess without the file is right for {percent(before)} of {scene.unit}; after seeing it for "
        f"{percent(after)}{by}{control}."
    )


def _limits(n: int) -> str:
    return f"{count(n)} check{'s'[: n != 1]}"
