"""The number of people exposed by an attack: by the policy's limits, or by a customary belief where there are none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unmask.auditing.findings import AttackResult, AuditReport, Scene
from unmask.beliefs import Question
from unmask.estimate import Estimate
from unmask.report.outline import ran


def exposed(scene: Scene, result: AttackResult) -> Estimate:
    """Return the number of people exposed by an attack on an attribute."""
    return result.get("exposed", scene.firm) if result.gate is None else result.gate


def worst(scenes: Iterable[Scene]) -> tuple[Scene, AttackResult] | None:
    """Return the attack that exposes most people, of the scenes about attributes; None where none ran."""
    found = [(scene, result) for scene in scenes if _is_attribute(scene) for result in ran(scene)]
    return max(found, key=lambda pair: share_of(exposed(*pair)), default=None)


def judged(report: AuditReport, scenes: Sequence[Scene]) -> list[Scene]:
    """Return the scenes of the intruder whom the policy names; without a limit on beliefs, all of them."""
    if report.policy.limits.max_belief is None:
        return list(scenes)
    return [scene for scene in scenes if scene.attacker.name == report.policy.location] or list(scenes)


def _is_attribute(scene: Scene) -> bool:
    return scene.about.question is Question.ATTRIBUTE


def share_of(estimate: Estimate) -> float:
    """Return a number of people as a share, -1 where it is not defined: to compare attacks by."""
    return -1.0 if estimate.value is None else estimate.value / max(estimate.n, 1.0)
