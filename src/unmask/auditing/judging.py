"""The verdict on scenes: which limits are broken, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from unmask import catalog
from unmask.auditing.findings import AttackResult, Misfit, PartOfRows, Scene, Unplaced
from unmask.auditing.policy import Exposure, Limits, Policy, Verdict, verdict, worst_of
from unmask.beliefs import Question
from unmask.models.privacy_model import risk_meant
from unmask.numerics.rounding import TOLERANCE
from unmask.unit import Count, Unit

Reason = tuple[Verdict, float, str]
"""A reason: its verdict, its severity among reasons with the same verdict, and its text."""

_NOT_IN_IT = "Leave out who is not in it, or see how it was made"


def judged(scenes: Sequence[Scene], policy: Policy) -> tuple[Verdict, tuple[str, ...]]:
    """Return the verdict on some scenes, and its reasons, the worst first.

    Only scenes of the policy's location are judged, and linkage. The verdict stays open where a sampler did not
    converge, an attack broke off, a required attack did not run, or none ran on several releases together; also where
    people could not be compared with a release, and counting all of them as exposed would exceed the tolerance.
    """
    limits = policy.limits
    here = [scene for scene in scenes if scene.attacker.name == policy.location]
    of_scenes = [[one for result in scene.results for one in _of_result(scene, result, limits)] for scene in here]
    reasons = [reason for found in of_scenes for reason in found]
    ran = {result.name for scene in here for result in scene.results if result.ran}
    missing = [name for name in policy.required if name.replace("_", "-") not in ran]
    if limits.max_belief is not None and not reasons:
        text = f"no attack ran for an intruder who knows {policy.location}"
        reasons.append((Verdict.NOT_DECIDED, 2.0, text))
    elif limits.max_belief is not None:
        apart = [scene for scene, found in zip(here, of_scenes, strict=True) if len(scene.releases) > 1 and not found]
        reasons += [(Verdict.NOT_DECIDED, 2.0, f"no attack ran on {_places(one)} together") for one in apart]
    reasons += [(Verdict.NOT_DECIDED, 2.0, f"{name} is required, but did not run") for name in missing]
    if limits.max_risk is not None:
        reasons += _of_identity(scenes, limits, limits.max_risk)
    in_order = sorted(reasons, key=lambda reason: -reason[1])
    return worst_of((found, (text,)) for found, _, text in in_order)


def could_not_be_compared(one: Unplaced, among: Count) -> str:
    """Return how many people match no group of a release, why, and what to do about it."""
    people = f"{how_many(one.unreadable, one.partly_unreadable, among, 'fit', 'fits')} no group of {one.release}"
    if not one.misfits:
        return f"{people}: none shows their combination of values. {_NOT_IN_IT}"
    differing = [m for m in one.misfits if m.cell and not m.is_spelled_alike]
    way_out = _NOT_IN_IT
    if differing:
        option = next((m.option for m in differing if m.option), f"--hierarchy {differing[0].column}=FILE")
        way_out = f"Write both alike, or say which values a cell stands for: {option}"
    elif not all(m.cell for m in one.misfits):
        way_out = "Where missing cells were suppressed, say --missing-policy wildcard"
    return f"{people}: {'; '.join(_of_misfit(m, one.unreadable) for m in one.misfits)}. {way_out}"


def how_many(people: float, partly: PartOfRows, among: Count, verb: str, singular: str) -> str:
    """Return how many people have rows in no group, with a verb; of those with others in one, how many rows.

    >>> how_many(3, PartOfRows(1, 2), Count(5, 9), "are", "is")
    '2 of 5 people and 2 rows of 1 person with others there are'
    >>> how_many(1, PartOfRows(1, 1), Count(5, 6), "are", "is")
    '1 row of 1 person with others there is'
    """
    wholly = f"{people - partly.people:,.0f} of {among.unit.counted(among.n)}"
    if not partly.people:
        return f"{wholly} {verb}"
    part = f"{Unit.ROWS.counted(partly.rows)} of {Unit.PEOPLE.counted(partly.people)} with others there"
    if people > partly.people:
        return f"{wholly} and {part} {verb}"
    return f"{part} {singular if partly.rows == 1 else verb}"


def _of_misfit(one: Misfit, among: float) -> str:
    some = one.people < among
    they, whose = (f"{one.people:,.0f} of them", "the") if some else ("they", "their")
    if not one.cell:
        return f"all cells of column {one.column!r} are missing, and {they} have a value"
    if one.is_spelled_alike:
        return f"no cell of column {one.column!r} stands for {whose} value{f' of {they}' if some else ''}"
    theirs = f"values like {one.value!r}" if one.value else "no such value"
    return f"column {one.column!r} is published like {one.cell!r}, and {they} have {theirs}"


def _of_result(scene: Scene, result: AttackResult, limits: Limits) -> Iterator[Reason]:
    place = _places(scene)
    if result.exposure is not None:
        found = verdict([result.exposure], limits)
        yield found, _share(result.exposure), f"{result.name} on {place}: {_result_text(scene, result, limits, found)}"
    elif (result.defect or not result.converged) and limits.max_belief is not None:
        what = "broke off" if result.defect else "did not converge"
        yield Verdict.NOT_DECIDED, 2.0, f"{result.name} {what} on {place}: {result.reason}"


def _places(scene: Scene) -> str:
    return " and ".join(scene.releases)


def _result_text(scene: Scene, result: AttackResult, limits: Limits, found: Verdict) -> str:
    gate = result.gate
    if _is_all_unplaced(scene, result):
        return _none_attacked(scene, result)
    if gate is None or gate.value is None:
        return gate.why if gate else "not measured"
    more = "" if limits.excess is None else f", and at least {limits.excess:g} more than the control"
    own = words_of_limits(scene.own_limits)
    text = (
        f"some {scene.about} is believed with at least {limits.max_belief:g}{own and f', or its own limit ({own})'}"
        f"{more}, of "
        f"{gate.value:,.0f} of {scene.unit.counted(gate.n)}; "
        f"{math.floor(limits.tolerated(gate.n) + TOLERANCE):,} are tolerated"
    )
    if found is not Verdict.NOT_DECIDED or not result.unreadable:
        return text
    return "; ".join([text, *_unreadable(scene, result)])


def words_of_limits(own_limits: Mapping[str, float]) -> str:
    """Return the values that have their own limit, each with it.

    >>> words_of_limits({"HIV": 0.2, "flu": 0.5})
    'HIV 0.2, flu 0.5'
    """
    return ", ".join(f"{value} {limit:g}" for value, limit in own_limits.items())


def _share(one: Exposure) -> float:
    value = one.exposed.value
    return 2.0 if value is None else (value + one.unreadable) / max(one.exposed.n, 1)


def _unreadable(scene: Scene, result: AttackResult) -> list[str]:
    return [could_not_be_compared(one, scene.targets) for one in result.unplaced if one.unreadable]


def _is_all_unplaced(scene: Scene, result: AttackResult) -> bool:
    """Whether no target matches a group of any release: then nothing is known, which is not the same as safe."""
    return len(result.unplaced) == len(scene.releases) and all(one.all_targets for one in result.unplaced)


def _none_attacked(scene: Scene, result: AttackResult) -> str:
    all_targets = scene.unit.counted(scene.targets.n)
    return "; ".join([f"0 of {all_targets} could be attacked", *_unreadable(scene, result)])


def _of_identity(scenes: Sequence[Scene], limits: Limits, limit: float) -> Iterator[Reason]:
    """Judge identity by the largest re-identification risk: 0.09 means groups of 11, as regulators use it."""
    tried = 0
    for scene in (one for one in scenes if one.about.question is Question.PLACE):
        for result in (one for one in scene.results if one.ran and one.name != catalog.BASELINE):
            risk = result.get("max-risk")
            if _is_all_unplaced(scene, result):
                tried += 1
                yield Verdict.NOT_DECIDED, 1.5, f"{result.name} on {scene.releases[0]}: {_none_attacked(scene, result)}"
            elif risk.value is not None:
                tried += 1
                kept = risk.value <= risk_meant(limit) + TOLERANCE
                largest = f"the largest re-identification risk is {_of_limit(risk.value, limit)}"
                text = f"{result.name} on {scene.releases[0]}: {largest}"
                if not kept:
                    yield Verdict.BROKEN, 1.5 + risk.value, text
                elif result.unreadable > limits.tolerated(risk.n) + TOLERANCE:
                    yield Verdict.NOT_DECIDED, 1.5, "; ".join([text, *_unreadable(scene, result)])
                else:
                    yield Verdict.WITHIN, 1.5, text
    if not tried:
        yield Verdict.NOT_DECIDED, 1.5, f"max-risk: {' or '.join(catalog.attacks_on(Question.PLACE))} did not run"


def beside(value: float, limit: float, digits: int = 4) -> str:
    """Return a number with enough digits to distinguish it from a limit that it does not equal.

    >>> beside(0.200004, 0.2), beside(0.2, 0.2)
    ('0.200004', '0.2')
    """
    enough = (d for d in range(digits, 18) if f"{value:.{d}g}" != f"{limit:.{d}g}")
    return f"{value:.{digits if value == limit else next(enough, 17)}g}"


def _of_limit(risk: float, limit: float) -> str:
    meant = risk_meant(limit)
    what = f"{limit:g}" if meant == limit or risk <= limit else f"{limit:g}, which means 1/{round(1 / meant)}"
    return f"{beside(risk, limit, 3)}; the limit is {what}"
