"""Limits judged on scenes: kept, broken or not decided, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unmask import catalog
from unmask.auditing.findings import AttackResult, Misfit, PartOfRows, Scene, Unplaced
from unmask.auditing.limit_results import LimitResult, LimitState
from unmask.auditing.policy import Exposure, Limits, Policy, verdict
from unmask.beliefs import Question
from unmask.errors import Inapplicable
from unmask.models.privacy_model import risk_meant
from unmask.numerics.rounding import TOLERANCE
from unmask.unit import Count, Unit

_Ranked = tuple[float, LimitResult]
"""A result, with its severity among results of the same state."""

_STATES = {one.verdict: one for one in LimitState}

_NOT_IN_IT = "Leave out who is not in it, or see how it was made"


def judged(scenes: Sequence[Scene], policy: Policy) -> tuple[LimitResult, ...]:
    """Return a result for each limit and each attack that it concerns, the worst of each state first.

    Only scenes of the policy's location are judged, and linkage. A limit stays open where a sampler did not
    converge, an attack broke off, a required attack did not run, or none ran on several releases together; also where
    people could not be compared with a release, and counting all of them as exposed would exceed the tolerance.
    """
    limits = policy.limits
    here = [scene for scene in scenes if scene.attacker.name == policy.location]
    of_scenes = [[one for result in scene.results for one in _of_result(scene, result, limits)] for scene in here]
    results = [one for of_scene in of_scenes for one in of_scene]
    ran = {result.name for scene in here for result in scene.results if result.ran}
    missing = [name for name in policy.required if name.replace("_", "-") not in ran]
    if limits.max_belief is not None and not results:
        text = f"no attack ran for an intruder who knows {policy.location}"
        results.append((2.0, _open("max-belief", text, limits.max_belief, location=policy.location)))
    elif limits.max_belief is not None:
        apart = [scene for scene, found in zip(here, of_scenes, strict=True) if len(scene.releases) > 1 and not found]
        results += [(2.0, _untried(scene, limits.max_belief)) for scene in apart]
    results += [(2.0, _required(name, policy, here)) for name in missing]
    if limits.max_risk is not None:
        results += _of_identity(scenes, limits, limits.max_risk)
    return tuple(one for _, one in sorted(results, key=lambda ranked: -ranked[0]))


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


def _open(limit: str, reason: str, threshold: float | None = None, **more: Any) -> LimitResult:  # noqa: ANN401 - fields
    change = "An attack that runs decides: give what those named under “not run” lack"
    return LimitResult(limit, LimitState.NOT_DECIDED, reason, threshold=threshold, **{"would_change": change, **more})


def _untried(scene: Scene, max_belief: float) -> LimitResult:
    text = f"no attack ran on {_places(scene)} together"
    return _open("max-belief", text, max_belief, **_named(scene))


def _required(name: str, policy: Policy, here: Sequence[Scene]) -> LimitResult:
    """Return that a required attack did not run, with the reason where one is known."""
    found = [result for scene in here for result in scene.results if result.name == name.replace("_", "-")]
    why = sorted(found, key=lambda one: one.inapplicable is Inapplicable.QUESTION)  # where it was asked tells more
    change = f"The attack runs where its condition is met: {why[0].reason}" if why and why[0].reason else ""
    text = f"{name} is required, but did not run"
    return _open(
        "required-attack", text, requirement=f"{name} must run", attack=name, location=policy.location,
        would_change=change or f"No question of this audit is one for {name}: require another attack",
    )  # fmt: skip


def _named(scene: Scene) -> dict[str, Any]:
    about = "" if scene.about.question is Question.PLACE else scene.about.name
    return {"location": scene.attacker.name, "about": about, "releases": scene.releases}


def _of_result(scene: Scene, result: AttackResult, limits: Limits) -> Iterator[_Ranked]:
    place = _places(scene)
    if result.exposure is not None:
        state = _STATES[verdict([result.exposure], limits)]
        tolerated = math.floor(limits.tolerated(result.exposure.exposed.n) + TOLERANCE)
        text = f"{result.name} on {place}: {_result_text(scene, result, limits, state)}"
        yield _share(result.exposure), LimitResult(
            "max-belief", state, text, exposed_at_most(tolerated, result.exposure.exposed.n, scene.unit),
            limits.max_belief, result.gate, tolerated, result.name,
            would_change=change_of_exposure(scene, result, state, tolerated), **_named(scene),
        )  # fmt: skip
    elif (result.defect or not result.converged) and limits.max_belief is not None:
        what = "broke off" if result.defect else "did not converge"
        text = f"{result.name} {what} on {place}: {result.reason}"
        change = "A run to the end decides" + ("" if result.defect else f": {_longer(result)}")
        yield 2.0, _open(
            "max-belief", text, limits.max_belief, attack=result.name, would_change=change, **_named(scene)
        )  # fmt: skip


def _places(scene: Scene) -> str:
    return " and ".join(scene.releases)


def _result_text(scene: Scene, result: AttackResult, limits: Limits, state: LimitState) -> str:
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
    if state is not LimitState.NOT_DECIDED or not result.unreadable:
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


def _of_identity(scenes: Sequence[Scene], limits: Limits, limit: float) -> Iterator[_Ranked]:
    """Judge identity by the largest re-identification risk: 0.09 means groups of 11, as regulators use it."""
    tried = 0
    meant = risk_meant(limit)
    asked = f"the largest re-identification risk is at most {limit:g}"
    for scene in (one for one in scenes if one.about.question is Question.PLACE):
        for result in (one for one in scene.results if one.ran and one.name != catalog.BASELINE):
            risk = result.get("max-risk")
            if _is_all_unplaced(scene, result):
                state, rank, more = LimitState.NOT_DECIDED, 1.5, [_none_attacked(scene, result)]
            elif risk.value is not None:
                more = [f"the largest re-identification risk is {_of_limit(risk.value, limit)}"]
                state, rank = LimitState.KEPT, 1.5
                if risk.value > meant + TOLERANCE:
                    state, rank = LimitState.BROKEN, 1.5 + risk.value
                elif result.unreadable > limits.tolerated(risk.n) + TOLERANCE:
                    state = LimitState.NOT_DECIDED
                    more += _unreadable(scene, result)
            else:
                continue
            tried += 1
            text = f"{result.name} on {scene.releases[0]}: {'; '.join(more)}"
            yield rank, LimitResult(
                "max-risk", state, text, asked, limit, risk, None, result.name,
                would_change=change_of_risk(scene, result, state, meant), **_named(scene),
            )  # fmt: skip
    if not tried:
        attacks = " or ".join(catalog.attacks_on(Question.PLACE))
        yield 1.5, _open("max-risk", f"max-risk: {attacks} did not run", limit, requirement=asked)


def exposed_at_most(tolerated: float, n: float, unit: Unit) -> str:
    """Return what the limit on beliefs asks for.

    >>> exposed_at_most(25, 3000, Unit.PEOPLE)
    'at most 25 of 3,000 people are exposed'
    """
    return f"at most {tolerated:,} of {unit.counted(n)} are exposed"


def change_of_exposure(scene: Scene, result: AttackResult, state: LimitState, tolerated: float) -> str:
    """Return what would change the state of the limit on beliefs."""
    found = result.exposure
    if found is None:
        return ""
    if state is LimitState.BROKEN:
        more = math.ceil(found.least - TOLERANCE)
        return (
            f"Kept if {more - tolerated:,.0f} fewer {scene.unit} were exposed; as it is, the limit would have to be "
            f"{more:,} or more"
        )
    if state is LimitState.KEPT:
        return f"Broken if {tolerated - math.floor(found.most + TOLERANCE) + 1:,.0f} more {scene.unit} were exposed"
    if result.unreadable:
        return "; ".join(_unreadable(scene, result))
    if found.exposed.value is None:
        control = "The control decides: write --keep FILE, as unmask sanitize makes it"
        return control if not result.control else found.exposed.why
    return f"An interval on one side of {tolerated:,} decides: {_longer(result)}"


def change_of_risk(scene: Scene, result: AttackResult, state: LimitState, limit: float) -> str:
    """Return what would change the state of the limit on re-identification risk."""
    size = math.ceil(1 / limit - TOLERANCE)
    if state is LimitState.BROKEN:
        return f"Kept if every {scene.unit.one} fitted at least {size:,} published rows"
    if state is LimitState.KEPT:
        return f"Broken if some {scene.unit.one} fitted fewer than {size:,} published rows"
    return "; ".join(_unreadable(scene, result))


def _longer(result: AttackResult) -> str:
    return f"draw more, by --attack-set {result.name}.KEY=VALUE (unmask explain {result.name} lists the keys)"


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
