"""The three sentences below a verdict: may it be published, who is exposed, and what the file adds."""

from __future__ import annotations

from collections.abc import Iterator

from unmask.auditing.findings import AuditReport, Scene
from unmask.auditing.policy import Verdict
from unmask.estimate import Estimate
from unmask.report import limit_lines, words
from unmask.report.exposure import exposed, judged, worst
from unmask.report.numbers import count, of_all, people, percent
from unmask.report.outline import ran

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
    scene, result = found
    many, where = exposed(scene, result), words.listed(scene.releases)
    if many.value is None:
        yield f"How many people are exposed is not defined: {many.why}."
        return
    firmly = percent(scene.firm, short=True)
    who, what = words.who(scene.attacker), scene.about.name
    excess = report.policy.limits.excess
    points = "" if excess is None or result.gate is None else f"{100 * excess:g} points"
    surer = points and f", {points} surer than of people outside the file"
    all_people = people(many.n, scene.unit)
    if not many.value:
        yield f"Of {all_people} in {where}, none is exposed: of none would {who} be {firmly} sure of the {what}{surer}."
    else:
        are, by = "is" if many.value == 1 else "are", words.attack(result.name).title
        yield (
            f"Of {all_people} in {where}, {of_all(many.value, many.n)} {are} exposed: {who} would be at least "
            f"{firmly} sure of their {what}{surer} (attack: {by}{_together(report, many)})."
        )
    yield from _added(scene, result.name)


def _together(report: AuditReport, worst: Estimate) -> str:
    """Return how many people all attacks together expose, where these are more than the worst one does."""
    total = report.n_exposed
    more = total is not None and worst.value is not None and total > worst.value
    return f"; {count(total or 0)} by all attacks together" if more else ""


def _added(scene: Scene, attack: str) -> Iterator[str]:
    """Yield how often the best guess is right before and after seeing the release."""
    result = next(one for one in ran(scene) if one.name == attack)
    before, after = scene.baseline.get("accuracy").value, result.get("accuracy").value
    if before is None or after is None:
        unsure = result.get("accuracy").why or "the truth is not known"
        yield f"How often such an intruder is right is not defined: {unsure}."
        return
    outside = result.get("accuracy", control=True).value
    control = "" if outside is None else f", and for people outside the file for {percent(outside)}"
    yield (
        f"The best guess without the file is right for {percent(before)} of {scene.unit}; after seeing it for "
        f"{percent(after)}{control}."
    )


def _limits(n: int) -> str:
    return f"{count(n)} check{'s'[: n != 1]}"
