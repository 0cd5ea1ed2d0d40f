"""From scenes to a verdict: which limits are broken, and why."""

from __future__ import annotations

from collections.abc import Sequence

from unmask.estimate import Estimate
from unmask.findings import AttackResult, Scene
from unmask.policy import SEVERITY, Limits, Policy, Verdict, verdict
from unmask.privacy_model import risk_meant

NOWHERE = "fits nowhere"
"""How attacks note the number of targets that a release says nothing of."""


def judged(scenes: Sequence[Scene], policy: Policy) -> tuple[Verdict, tuple[str, ...]]:
    """Return the verdict on some scenes, and the reasons for it, the worst first.

    Only scenes of the policy's location are judged. A sampler that did not converge, and a required attack that did
    not run there, leave the evidence incomplete.
    """
    limits = policy.limits
    here = [scene for scene in scenes if scene.attacker.name == policy.location]
    gates: list[Estimate] = []
    reasons: list[tuple[float, str]] = []
    for scene in here:
        for result in scene.results:
            if result.gate is not None and _fits_nobody(scene, result):
                gates.append(Estimate.undefined("nobody could be attacked"))
                reasons.append((2.0, f"{result.name} on {' and '.join(scene.releases)}: {_nobody(scene)}"))
            elif result.gate is not None:
                gates.append(result.gate)
                reasons.append((_share(result.gate), _reason(scene, result, limits)))
            elif (result.defect or not result.converged) and limits.max_belief is not None:
                gates.append(Estimate.undefined(result.reason))
                place, what = " and ".join(scene.releases), "broke off" if result.defect else "did not converge"
                reasons.append((2.0, f"{result.name} {what} on {place}: {result.reason}"))
    ran = {result.name for scene in here for result in scene.results if result.ran}
    missing = [name for name in policy.required if name.replace("_", "-") not in ran]
    reasons += [(2.0, f"{name} is required, but did not run") for name in missing]
    if limits.max_belief is not None and not gates:
        reasons.append((2.0, f"no attack ran for an intruder who knows {policy.location}"))
    found = [verdict(gates, limits)]
    if missing:
        found.append(Verdict.NOT_DECIDED)
    if limits.max_risk is not None:
        risk, why = _identity(scenes, limits.max_risk)
        found.append(risk)
        reasons.append((1.5, why))
    return max(found, key=SEVERITY.index), tuple(text for _, text in sorted(reasons, key=lambda r: -r[0]))


def _fits_nobody(scene: Scene, result: AttackResult) -> bool:
    """Say whether no release showed anything of any target: then nothing is known, which is not the same as safe."""
    nowhere = [n for key, n in result.notes.items() if key.startswith(NOWHERE)]
    return len(nowhere) == len(scene.releases) and all(n == scene.n_targets for n in nowhere)


def _nobody(scene: Scene) -> str:
    return f"0 of {scene.n_targets:,} people could be attacked: they fit no group"


def _share(gate: Estimate) -> float:
    return 2.0 if gate.value is None else gate.value / max(gate.n, 1)


def _reason(scene: Scene, result: AttackResult, limits: Limits) -> str:
    gate, place = result.gate, " and ".join(scene.releases)
    if gate is None or gate.value is None:
        return f"{result.name} on {place}: {gate.why if gate else 'not measured'}"
    more = "" if limits.excess is None else f", and at least {limits.excess:g} more than the control"
    return (
        f"{result.name} on {place}: some {scene.about} is believed with at least {limits.max_belief:g}{more}, of "
        f"{gate.value:,.0f} of {gate.n:,.0f} people; {limits.tolerated(gate.n):,.0f} are tolerated"
    )


def _identity(scenes: Sequence[Scene], limit: float) -> tuple[Verdict, str]:
    """Judge identity by the largest re-identification risk: 0.09 means groups of 11, as regulators use it."""
    found = [
        result
        for scene in scenes
        for result in scene.results
        if result.name == "linkage" and result.ran and not _fits_nobody(scene, result)
    ]
    risks = [risk for risk in (result.get("max-risk").value for result in found) if risk is not None]
    if not risks:
        return Verdict.NOT_DECIDED, "max-risk: linkage did not run"
    worst = max(risks)
    fine = worst <= risk_meant(limit) + 1e-9
    text = f"linkage: the largest re-identification risk is {worst:.3g}; the limit is {limit:g}"
    return (Verdict.WITHIN if fine else Verdict.BROKEN), text
