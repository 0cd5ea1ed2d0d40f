"""The number of people exposed by an attack: by the policy's limits, or by a customary belief where there are none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unmask.auditing.findings import AttackResult, AuditReport, Scene
from unmask.beliefs import Question
from unmask.estimate import Estimate
from unmask.report.outline import ran
from unmask.wording import text


def exposed(scene: Scene, result: AttackResult) -> Estimate:
    """Return the number of people exposed by an attack on an attribute."""
    return result.get("exposed", scene.firm) if result.gate is None else result.gate


def exposed_by_any(scene: Scene, result: AttackResult) -> Estimate:
    """Return the number of people exposed by any attack of a scene; where that is not known, by one attack."""
    alone = exposed(scene, result)
    if scene.n_exposed is None or alone.value is None:
        return alone
    return alone if scene.n_exposed <= alone.value else Estimate.exact(scene.n_exposed, alone.n)


def worst(scenes: Iterable[Scene]) -> tuple[Scene, AttackResult] | None:
    """Return the attack that exposes most people, of the scenes about attributes; None where none ran."""
    return max(_attacks(scenes), key=lambda pair: share_of(exposed(*pair)), default=None)


def surest(scenes: Iterable[Scene], level: float | None) -> tuple[Scene, AttackResult] | None:
    """Return the attack that is so sure of most people, or as sure as its scene says; None where none ran."""

    def people(pair: tuple[Scene, AttackResult]) -> float:
        scene, result = pair
        return share_of(result.get("exposed", scene.firm if level is None else level))

    return max(_attacks(scenes), key=people, default=None)


@dataclass(frozen=True, slots=True)
class ExposureTotal:
    """The people exposed by any of the attacks under the limits."""

    people: Estimate
    rightly: float | None  # of these, by their true value
    attack: str = ""  # the only attack that exposes people; empty where several do


def by_any(report: AuditReport, found: tuple[Scene, AttackResult]) -> ExposureTotal:
    """Return the people exposed by any attack; where no limit says who is, by the strongest one alone."""
    scene, result = found
    alone = exposed(scene, result)
    if report.n_exposed is None or alone.value is None:
        rightly = result.get("exposed-rightly", scene.firm).value if result.gate is None else None
        return ExposureTotal(alone, rightly, result.name)
    names = {one.name for scene, one in _attacks(judged(report, report.scenes)) if exposed(scene, one).value}
    return ExposureTotal(
        Estimate.exact(report.n_exposed, alone.n), report.n_exposed_rightly, names.pop() if len(names) == 1 else ""
    )


def certain(report: AuditReport) -> tuple[Scene, AttackResult] | None:
    """Return the attack with most values believed with certainty; None where there are none."""
    found = [(scene, one) for scene, one in _attacks(judged(report, report.scenes)) if one.get("exposed", 1.0).value]
    return max(found, key=lambda pair: share_of(pair[1].get("exposed", 1.0)), default=None)


def judged(report: AuditReport, scenes: Sequence[Scene]) -> list[Scene]:
    """Return the scenes of the intruder whom the policy names; without a limit on beliefs, all of them."""
    if report.policy.limits.max_belief is None:
        return list(scenes)
    return [scene for scene in scenes if scene.attacker.name == report.policy.location] or list(scenes)


def attributes(scenes: Iterable[Scene]) -> str:
    """Return the sensitive attributes of scenes as one text."""
    names = list(dict.fromkeys(one.about.name for one in scenes if one.about.question is Question.ATTRIBUTE))
    if len(names) == 1:
        return names[0]
    return text("{first} or {last}", first=", ".join(names[:-1]), last=names[-1])


def _attacks(scenes: Iterable[Scene]) -> list[tuple[Scene, AttackResult]]:
    """Return the attacks on attributes that ran, with their scenes."""
    return [(scene, one) for scene in scenes if scene.about.question is Question.ATTRIBUTE for one in ran(scene)]


def share_of(estimate: Estimate) -> float:
    """Return a number of people as a share, -1 where it is not defined: to compare attacks by."""
    return -1.0 if estimate.value is None else estimate.value / max(estimate.n, 1.0)
