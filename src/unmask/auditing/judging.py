"""Limits judged on scenes: kept, broken or not decided, and why."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

from unmask import catalog
from unmask.auditing.exposed_together import are_tolerated, exposed_at_most, limit_together, more_or_fewer
from unmask.auditing.findings import AttackResult, Misfit, PartOfRows, Scene, Unplaced
from unmask.auditing.limit_results import STATES, LimitResult, LimitState
from unmask.auditing.measuring import ONLY_GROUP
from unmask.auditing.policy import Exposure, Limits, Policy, verdict
from unmask.beliefs import Question
from unmask.errors import Inapplicable
from unmask.estimate import Estimate
from unmask.models.privacy_model import risk_meant
from unmask.number_format import numeral
from unmask.numerics.rounding import TOLERANCE
from unmask.unit import Count, Unit
from unmask.wording import Message, counted, joined, marked, message

_Ranked = tuple[float, LimitResult]
"""A result, with its severity among results of the same state."""

_KNOWN: Mapping[str, str] = {"attributes": marked("attributes"), "row": marked("row")}
"""What an intruder is assumed to know, by the location of the policy."""

_NOT_IN_IT = message("Leave out who is not in it, or see how it was made")


def judged(
    scenes: Sequence[Scene], policy: Policy, wholes: Sequence[tuple[Sequence[Scene], int | None]] = ()
) -> tuple[LimitResult, ...]:
    """Return a result for each limit and each attack that it concerns, the worst of each state first.

    The limit on beliefs is also judged for all attacks together: `wholes` are scenes about the same people, with the
    number of those whom some attack of them exposes.

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
    for some, n_exposed in wholes:
        whole = limit_together([one for one in some if one.attacker.name == policy.location], n_exposed, limits)
        results += [] if whole is None else [whole]
    if limits.max_belief is not None and not results:
        reason = message("no attack ran for an intruder who knows {known}", known=message(_KNOWN[policy.location]))
        results.append((2.0, _open("max-belief", reason, limits.max_belief, location=policy.location)))
    elif limits.max_belief is not None:
        apart = [scene for scene, found in zip(here, of_scenes, strict=True) if len(scene.releases) > 1 and not found]
        results += [(2.0, _untried(scene, limits.max_belief)) for scene in apart]
    results += [(2.0, _required(name, policy, here)) for name in missing]
    if limits.max_risk is not None:
        results += _of_identity(scenes, limits, limits.max_risk)
    return tuple(one for _, one in sorted(results, key=lambda ranked: -ranked[0]))


def could_not_be_compared(one: Unplaced, among: Count) -> Message:
    """Return how many people match no group of a release, why, and what to do about it."""
    people = how_many(one.unreadable, one.partly_unreadable, among)
    n = 1 if is_one_row(one.unreadable, one.partly_unreadable) else 2
    fits = counted(
        "{people} fits no group of {release}", "{people} fit no group of {release}", n,
        people=people, release=one.release,
    )  # fmt: skip
    if not one.misfits:
        return message("{people}: none shows their combination of values. {way_out}", people=fits, way_out=_NOT_IN_IT)
    differing = [m for m in one.misfits if m.cell and not m.is_spelled_alike]
    way_out = _NOT_IN_IT
    if differing:
        option = next((m.option for m in differing if m.option), f"--hierarchy {differing[0].column}=FILE")
        way_out = message("Write both alike, or say which values a cell stands for: {option}", option=option)
    elif not all(m.cell for m in one.misfits):
        way_out = message("Where missing cells were suppressed, say --missing-policy wildcard")
    misfits = joined(_of_misfit(m, one.unreadable) for m in one.misfits)
    return message("{people}: {misfits}. {way_out}", people=fits, misfits=misfits, way_out=way_out)


def how_many(people: float, partly: PartOfRows, among: Count) -> Message:
    """Return how many people have rows in no group; of those with others in one, how many rows.

    >>> how_many(3, PartOfRows(1, 2), Count(5, 9))
    '2 of 5 people and 2 rows of 1 person with others there'
    >>> how_many(1, PartOfRows(1, 1), Count(5, 6))
    '1 row of 1 person with others there'
    """
    n = numeral(people - partly.people, ",.0f")
    wholly = message("{n} of {people}", n=n, people=among.unit.counted(among.n))
    if not partly.people:
        return wholly
    part = message(
        "{rows} of {people} with others there",
        rows=Unit.ROWS.counted(partly.rows), people=Unit.PEOPLE.counted(partly.people),
    )  # fmt: skip
    return message("{people} and {rows}", people=wholly, rows=part) if people > partly.people else part


def is_one_row(people: float, partly: PartOfRows) -> bool:
    """Whether `how_many` names one row alone, which takes a verb in the singular."""
    return 0 < partly.people == people and partly.rows == 1


def _of_misfit(one: Misfit, among: float) -> Message:
    column = repr(one.column)
    some = message("{n} of them", n=numeral(one.people, ",.0f")) if one.people < among else None
    they = some or message("they")
    if not one.cell:
        return message(
            "all cells of column {column} are missing, and {people} have a value", column=column, people=they
        )
    if one.is_spelled_alike and some:
        return message("no cell of column {column} stands for the value of {people}", column=column, people=some)
    if one.is_spelled_alike:
        return message("no cell of column {column} stands for their value", column=column)
    cell, value = repr(one.cell), repr(one.value)
    if not one.value:
        return message(
            "column {column} is published like {cell}, and {people} have no such value",
            column=column, cell=cell, people=they,
        )  # fmt: skip
    return message(
        "column {column} is published like {cell}, and {people} have values like {value}",
        column=column, cell=cell, people=they, value=value,
    )  # fmt: skip


def _open(limit: str, reason: str, threshold: float | None = None, **more: Any) -> LimitResult:  # noqa: ANN401 - fields
    change = message("An attack that runs decides: give what those named under “not run” lack")
    return LimitResult(limit, LimitState.NOT_DECIDED, reason, threshold=threshold, **{"would_change": change, **more})


def _untried(scene: Scene, max_belief: float) -> LimitResult:
    reason = message("no attack ran on {releases} together", releases=_places(scene))
    return _open("max-belief", reason, max_belief, **_named(scene))


def _required(name: str, policy: Policy, here: Sequence[Scene]) -> LimitResult:
    """Return that a required attack did not run, with the reason where one is known."""
    found = [result for scene in here for result in scene.results if result.name == name.replace("_", "-")]
    why = sorted(found, key=lambda one: one.inapplicable is Inapplicable.QUESTION)  # where it was asked tells more
    change = message("No question of this audit is one for {attack}: require another attack", attack=name)
    if why and why[0].reason:
        change = message("The attack runs where its condition is met: {condition}", condition=why[0].reason)
    return _open(
        "required-attack", message("{attack} is required, but did not run", attack=name),
        requirement=message("{attack} must run", attack=name), attack=name, location=policy.location,
        would_change=change,
    )  # fmt: skip


def _named(scene: Scene) -> dict[str, Any]:
    about = "" if scene.about.question is Question.PLACE else scene.about.name
    return {"location": scene.attacker.name, "about": about, "releases": scene.releases}


def _of_result(scene: Scene, result: AttackResult, limits: Limits) -> Iterator[_Ranked]:
    places = _places(scene)
    if result.exposure is not None:
        state = STATES[verdict([result.exposure], limits)]
        tolerated = math.floor(limits.tolerated(result.exposure.exposed.n) + TOLERANCE)
        found = _result_text(scene, result, limits, state)
        text = message("{attack} on {releases}: {finding}", attack=result.name, releases=places, finding=found)
        yield _share(result.exposure), LimitResult(
            "max-belief", state, text, exposed_at_most(tolerated, result.exposure.exposed.n, scene.unit),
            limits.max_belief, result.gate, tolerated, result.name,
            would_change=change_of_exposure(scene, result, state, tolerated), **_named(scene),
        )  # fmt: skip
    elif (result.defect or not result.converged) and limits.max_belief is not None:
        values = {"attack": result.name, "releases": places, "reason": result.reason}
        text = message("{attack} did not converge on {releases}: {reason}", **values)
        change = message("A run to the end decides: {way_out}", way_out=_longer(result))
        if result.defect:
            text = message("{attack} broke off on {releases}: {reason}", **values)
            change = message("A run to the end decides")
        yield 2.0, _open(
            "max-belief", text, limits.max_belief, attack=result.name, would_change=change, **_named(scene)
        )  # fmt: skip


def _places(scene: Scene) -> Message:
    """Return the releases of a scene: `a and b and c`."""
    first, *rest = scene.releases
    return reduce(lambda some, name: message("{first} and {last}", first=some, last=name), rest, joined([first]))


def _result_text(scene: Scene, result: AttackResult, limits: Limits, state: LimitState) -> str:
    gate = result.gate
    if _is_all_unplaced(scene, result):
        return _none_attacked(scene, result)
    if gate is None or gate.value is None:
        return _undefined(gate, result)
    own = words_of_limits(scene.own_limits)
    belief: str = numeral(limits.max_belief or 0.0, "g")
    if own:
        belief = message("{belief}, or its own limit ({limits})", belief=belief, limits=own)
    if limits.excess is not None:
        belief = message(
            "{belief}, and at least {excess} more than the control", belief=belief, excess=numeral(limits.excess, "g")
        )
    text = message(
        "some {attribute} is believed with at least {belief}, of {n} of {people}; {tolerated}",
        attribute=scene.about, belief=belief, n=numeral(gate.value, ",.0f"), people=scene.unit.counted(gate.n),
        tolerated=are_tolerated(math.floor(limits.tolerated(gate.n) + TOLERANCE)),
    )  # fmt: skip
    if state is not LimitState.NOT_DECIDED or not result.unreadable:
        return text
    return joined([text, *_unreadable(scene, result)])


def _undefined(gate: Estimate | None, result: AttackResult) -> str:
    """Return why the number of people exposed is not defined, and why a control is missing."""
    if gate is None:
        return message("not measured")
    if gate.n and not result.control and result.why_no_control:
        return message("{what}: {why}", what=gate.why, why=result.why_no_control)
    return gate.why


def words_of_limits(own_limits: Mapping[str, float]) -> Message:
    """Return the values that have their own limit, each with it.

    >>> words_of_limits({"HIV": 0.2, "flu": 0.5})
    'HIV 0.2, flu 0.5'
    """
    return joined((joined([value, numeral(limit, "g")], " ") for value, limit in own_limits.items()), ", ")


def _share(one: Exposure) -> float:
    value = one.exposed.value
    return 2.0 if value is None else (value + one.unreadable) / max(one.exposed.n, 1)


def _unreadable(scene: Scene, result: AttackResult) -> list[Message]:
    return [could_not_be_compared(one, scene.targets) for one in result.unplaced if one.unreadable]


def _is_all_unplaced(scene: Scene, result: AttackResult) -> bool:
    """Whether no target matches a group of any release: then nothing is known, which is not the same as safe."""
    return len(result.unplaced) == len(scene.releases) and all(one.all_targets for one in result.unplaced)


def _none_attacked(scene: Scene, result: AttackResult) -> Message:
    all_targets = scene.unit.counted(scene.targets.n)
    return joined([message("0 of {people} could be attacked", people=all_targets), *_unreadable(scene, result)])


def _of_identity(scenes: Sequence[Scene], limits: Limits, limit: float) -> Iterator[_Ranked]:
    """Judge identity by the largest re-identification risk: 0.09 means groups of 11, as regulators use it."""
    tried = 0
    meant = risk_meant(limit)
    asked = message("the largest re-identification risk is at most {limit}", limit=numeral(limit, "g"))
    for scene in (one for one in scenes if one.about.question is Question.PLACE):
        for result in (one for one in scene.results if one.ran and one.name != catalog.BASELINE):
            risk = result.get("max-risk")
            if _is_all_unplaced(scene, result):
                state, rank, more = LimitState.NOT_DECIDED, 1.5, [_none_attacked(scene, result)]
            elif risk.value is not None:
                more = [_of_limit(risk.value, limit)]
                state, rank = LimitState.KEPT, 1.5
                if risk.value > meant + TOLERANCE:
                    state, rank = LimitState.BROKEN, 1.5 + risk.value
                elif result.unreadable > limits.tolerated(risk.n) + TOLERANCE:
                    state = LimitState.NOT_DECIDED
                    more += _unreadable(scene, result)
            else:
                continue
            tried += 1
            text = message(
                "{attack} on {releases}: {finding}",
                attack=result.name, releases=scene.releases[0], finding=joined(more),
            )  # fmt: skip
            yield rank, LimitResult(
                "max-risk", state, text, asked, limit, risk, None, result.name,
                would_change=change_of_risk(scene, result, state, meant), **_named(scene),
            )  # fmt: skip
    if not tried:
        attacks = joined(catalog.attacks_on(Question.PLACE), " or ")
        reason = message("max-risk: {attacks} did not run", attacks=attacks)
        yield 1.5, _open("max-risk", reason, limit, requirement=asked)


def change_of_exposure(scene: Scene, result: AttackResult, state: LimitState, tolerated: float) -> str:
    """Return what would change the state of the limit on beliefs: the whole interval must lie on the other side."""
    found = result.exposure
    if found is None:
        return ""
    if change := more_or_fewer(found, state, tolerated, scene.unit):
        return change
    if result.unreadable:
        return joined(_unreadable(scene, result))
    if found.exposed.value is None:
        if result.control:
            return found.exposed.why
        if result.why_no_control == message(ONLY_GROUP):
            return message("A control decides: publish more than one group, or leave --excess out")
        return message("The control decides: write --keep FILE, as unmask sanitize makes it")
    return message(
        "An interval on one side of {limit} decides: {way_out}", limit=numeral(tolerated), way_out=_longer(result)
    )


def change_of_risk(scene: Scene, result: AttackResult, state: LimitState, limit: float) -> str:
    """Return what would change the state of the limit on re-identification risk."""
    size, person = numeral(math.ceil(1 / limit - TOLERANCE)), message(scene.unit.one)
    if state is LimitState.BROKEN:
        return message("Kept if every {person} fitted at least {n} published rows", person=person, n=size)
    if state is LimitState.KEPT:
        return message("Broken if some {person} fitted fewer than {n} published rows", person=person, n=size)
    return joined(_unreadable(scene, result))


def _longer(result: AttackResult) -> Message:
    return message(
        "draw more, by --attack-set {attack}.KEY=VALUE (unmask explain {attack} lists the keys)", attack=result.name
    )


def beside(value: float, limit: float, digits: int = 4) -> str:
    """Return a number with enough digits to distinguish it from a limit that it does not equal.

    >>> beside(0.200004, 0.2), beside(0.2, 0.2)
    ('0.200004', '0.2')
    """
    enough = (d for d in range(digits, 18) if f"{value:.{d}g}" != f"{limit:.{d}g}")
    return numeral(value, f".{digits if value == limit else next(enough, 17)}g")


def _of_limit(risk: float, limit: float) -> Message:
    meant = risk_meant(limit)
    what: str = numeral(limit, "g")
    if meant != limit and risk > limit:
        what = message("{limit}, rounded from {meant}", limit=what, meant=f"1/{round(1 / meant)}")
    return message(
        "the largest re-identification risk is {risk}; the limit is {limit}", risk=beside(risk, limit, 3), limit=what
    )
