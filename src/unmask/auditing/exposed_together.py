"""The limit on beliefs judged for all attacks together: a person is exposed when some attack exposes them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from unmask.auditing.findings import AttackResult, Scene
from unmask.auditing.limit_results import STATES, LimitResult, LimitState
from unmask.auditing.policy import Exposure, Limits, verdict
from unmask.estimate import Estimate
from unmask.number_format import numeral
from unmask.numerics.rounding import TOLERANCE
from unmask.unit import Unit
from unmask.wording import Message, counted, marked, message

_DRAW = marked("An interval on one side of {limit} decides: see what would change the limit of each attack")

_COMPARE = marked("{people} fit no group and could be exposed: see what would change the limit of each attack")


def exposed_together(found: Sequence[Exposure], n_exposed: int, unreadable: float = 0.0) -> Exposure:
    """Return the people exposed by at least one of several attacks: by the estimates, `n_exposed`.

    Each attack whose number is uncertain may add or remove as many people as its interval allows, so the interval
    holds whenever those of all attacks do. `unreadable` people could not be compared.

    >>> found = [Exposure(Estimate(10, 8, 13, 100, "monte carlo")), Exposure(Estimate.exact(7, 100))]
    >>> whole = exposed_together(found, 15).exposed
    >>> whole.low, whole.value, whole.high
    (13, 15, 18)
    """
    n = max(one.exposed.n for one in found)
    values = [one.exposed.value or 0.0 for one in found]
    fewer = sum(value - min(one.least, value) for value, one in zip(values, found, strict=True))
    more = sum(max(one.most - one.unreadable - value, 0.0) for value, one in zip(values, found, strict=True))
    least = max([n_exposed - fewer, *(one.least for one in found)])
    most = min(n_exposed + more, n)
    uncertain = next((one.exposed for one in found if one.exposed.source != "exact"), found[0].exposed)
    return Exposure(Estimate(n_exposed, least, most, n, uncertain.source), unreadable)


def limit_together(scenes: Sequence[Scene], n_exposed: int | None, limits: Limits) -> tuple[float, LimitResult] | None:
    """Return the limit on beliefs for all attacks of scenes, and the share of people that it judges.

    None where it says no more than that of one attack: where one attack exposes all who are exposed, and no interval
    leaves more open.
    """
    pairs = [(scene, one) for scene in scenes for one in scene.results if one.exposure is not None]
    found = [one.exposure for _, one in pairs if one.exposure is not None]
    if n_exposed is None or len(found) < 2 or limits.max_belief is None:
        return None
    whole = exposed_together(found, n_exposed, _unreadable(pairs))
    state, alone = STATES[verdict([whole], limits)], STATES[verdict(found, limits)]
    if state is alone and n_exposed <= max(one.exposed.value or 0.0 for one in found):
        return None
    unit, n = pairs[0][0].unit, whole.exposed.n
    tolerated = math.floor(limits.tolerated(n) + TOLERANCE)
    people = unit.counted(n)
    text = counted(
        "{n} of {people} is exposed by some attack; {tolerated}",
        "{n} of {people} are exposed by some attack; {tolerated}",
        int(n), n=numeral(n_exposed, ",.0f"), people=people, tolerated=are_tolerated(tolerated),
    )  # fmt: skip
    attributes = dict.fromkeys(scene.about.name for scene, _ in pairs)
    share = (n_exposed + whole.unreadable) / max(n, 1)
    return share, LimitResult(
        "max-belief", state, text, exposed_at_most(tolerated, n, unit),
        limits.max_belief, whole.exposed, tolerated, location=pairs[0][0].attacker.name,
        about=next(iter(attributes)) if len(attributes) == 1 else "",
        releases=tuple(dict.fromkeys(name for scene, _ in pairs for name in scene.releases)),
        would_change=more_or_fewer(whole, state, tolerated, unit) or _decides(whole, tolerated, unit),
    )  # fmt: skip


def are_tolerated(n: float) -> Message:
    """Return how many exposed people are tolerated.

    >>> are_tolerated(1), are_tolerated(1200)
    ('1 is tolerated', '1,200 are tolerated')
    """
    return counted("{n} is tolerated", "{n} are tolerated", n, n=numeral(n))


def exposed_at_most(tolerated: float, n: float, unit: Unit) -> Message:
    """Return what the limit on beliefs asks for.

    >>> exposed_at_most(25, 3000, Unit.PEOPLE)
    'at most 25 of 3,000 people are exposed'
    """
    return counted(
        "at most {n} of {people} is exposed", "at most {n} of {people} are exposed", int(n),
        n=numeral(tolerated), people=unit.counted(n),
    )  # fmt: skip


def more_or_fewer(found: Exposure, state: LimitState, tolerated: float, unit: Unit) -> Message | None:
    """Return what would change a limit that is kept or broken: the whole interval must lie on the other side."""
    people = message(unit)
    if state is LimitState.BROKEN:
        fewer = math.ceil(found.most - TOLERANCE) - tolerated
        return message("Kept if {n} fewer {people} were exposed", n=numeral(fewer, ",.0f"), people=people)
    if state is LimitState.KEPT and tolerated >= found.exposed.n:
        n = numeral(tolerated)
        return message("Nothing breaks it: {n} are tolerated, and there are no more {people}", n=n, people=people)
    if state is LimitState.KEPT:
        more = tolerated - math.floor(found.least + TOLERANCE) + 1
        return message("Broken if {n} more {people} were exposed", n=numeral(more, ",.0f"), people=people)
    return None


def _decides(whole: Exposure, tolerated: float, unit: Unit) -> Message:
    """Return what decides a limit that is open: people who could not be compared, or an interval that straddles it."""
    if whole.unreadable and whole.most - whole.unreadable <= tolerated + TOLERANCE:
        return message(_COMPARE, people=unit.counted(whole.unreadable))
    return message(_DRAW, limit=numeral(tolerated))


def _unreadable(pairs: Sequence[tuple[Scene, AttackResult]]) -> float:
    """Return the most people who could not be compared: those of a release are the same for all attacks on it."""
    of_sets: dict[tuple[str, ...], float] = defaultdict(float)
    of_releases: dict[str, float] = defaultdict(float)
    for scene, one in pairs:
        of_sets[scene.releases] = max(of_sets[scene.releases], one.unreadable)
        for part in one.unplaced:
            of_releases[part.release] = max(of_releases[part.release], part.unreadable)
    return min(sum(of_sets.values()), sum(of_releases.values()))
