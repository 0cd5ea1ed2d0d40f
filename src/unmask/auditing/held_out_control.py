"""The held-out control: the same attack on people of no release, and its excess over them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unmask.arrays import Int64
from unmask.attacks.shared.location import linked
from unmask.auditing.findings import AttackMeasure, AttackResult
from unmask.auditing.measuring import OF_RIGHT_MATCHES
from unmask.beliefs import About, Question
from unmask.estimate import NORMAL_95, Estimate
from unmask.links import Linking
from unmask.masks.cells import Cells
from unmask.masks.lines import excluding
from unmask.metrics.accuracy import Accuracy
from unmask.metrics.excess import Excess
from unmask.release import Release
from unmask.schema import UNKNOWN, Schema
from unmask.table import Column, Table
from unmask.wording import message


def with_places(release: Release, people: Table, rng: np.random.Generator) -> Table:
    """Return people of no release so that each fits some group, as each member does: others move to the nearest one.

    A person who fits no group has the values of the nearest point of a nearest group; of several at equal distance one
    is drawn. Without this, that members fit their own boxes, drawn around them, would count as a leak. Releases with
    regions, centroids or noise have a place for all.
    """
    lines = excluding(release.masked)
    if lines is None:
        return people
    profile, profiles = people.visible(None).profiles()
    weight, _ = linked(release, profiles, Linking())
    lost = np.flatnonzero(np.diff(weight.start) == 0)
    if not lost.size:
        return people
    moved = profiles.take(lost)
    nearest = release.masked.nearest(moved, np.full(lost.size, -1, np.int32))
    count = np.diff(nearest.start)
    group = nearest.column[nearest.start[:-1] + np.minimum((rng.random(lost.size) * count).astype(np.int64), count - 1)]
    line = np.zeros(lines.n_groups, np.int64)
    line[lines.group_of_line[::-1]] = np.arange(lines.group_of_line.size)[::-1]  # the first line of each group
    schema = Schema(lines.attributes)
    every, at = people.aligned(schema), np.full(profiles.n_rows, -1, np.int64)
    at[lost] = np.arange(lost.size)
    place, near = at[profile], moved.aligned(schema)
    columns: dict[str, Column] = {}
    for i, cells in enumerate(lines.cells):
        name = cells.attribute.name
        inside = _nearest_value(cells, lines.cell[line[group], i].astype(np.int64), near.columns[name])
        columns[name] = np.where(place >= 0, inside[np.maximum(place, 0)], every.columns[name]).astype(inside.dtype)
    return Table(schema, columns, people.n_rows, person_of=people.person_of, household_of=people.household_of)


def _nearest_value(cells: Cells, cell: Int64, values: Column) -> Column:
    """Return for each value, (values,), the nearest one that its cell contains."""
    fits = cells.fit(cell, cells.coordinates(values))
    if cells.attribute.is_numeric:
        low, high = (end[cell] for end in cells.extent)
        clipped = np.clip(np.where(np.isfinite(values), values, low), low, high)
        open_end = ~cells.fit(cell, cells.coordinates(clipped))
        clipped = np.where(open_end & np.isfinite(low) & np.isfinite(high), (low + high) / 2, clipped)
        return np.where(fits, values, clipped)
    empty = np.diff(cells.start)[cell] == 0  # only a missing value fits
    first = cells.low[np.minimum(cells.start[cell], max(cells.low.size - 1, 0))] if cells.low.size else np.zeros(1)
    inside = np.where(empty, UNKNOWN, first).astype(np.int32)
    return np.where(fits, values, inside).astype(np.int32)


def with_held_out(result: AttackResult, outside: AttackResult, about: About) -> AttackResult:
    """Return a result with the measures on people held out as its control, and the excess over them.

    Of rows there is no excess, and no measure of right matches: each match of a person of no release is false.
    """
    place = about.question is Question.PLACE
    control = tuple(one for one in outside.measures if not (place and one.metric in OF_RIGHT_MATCHES))
    result = replace(result, control=control, why_no_control="", control_of="held-out")
    if place or result.get(Accuracy.name).value is None:
        return result
    excess = held_out_excess(result.get(Accuracy.name), result.get(Accuracy.name, control=True))
    return replace(result, measures=(*result.measures, excess))


def held_out_excess(attack: Estimate, control: Estimate) -> AttackMeasure:
    """Return the excess of the attack's accuracy over that on people held out.

    Infers
        The difference of two independent shares, with Newcombe's hybrid of their Wilson intervals; the randomness of
        the attack on both sides is added as a variance.

    References
    ----------
    Newcombe. Interval estimation for the difference between independent proportions. Statistics in Medicine 1998,
    method 10.
    """
    if attack.value is None or control.value is None or not attack.n or not control.n:
        why = attack.why or control.why or message("no target was attacked")
        return AttackMeasure(Excess.name, None, Estimate.undefined(why, attack.n), higher_is_worse=True)
    low, high = newcombe((attack.value, attack.n), (control.value, control.n))
    value = attack.value - control.value
    drawn = float(np.hypot(_half(attack), _half(control)))
    low, high = value - float(np.hypot(value - low, drawn)), value + float(np.hypot(high - value, drawn))
    estimate = Estimate(value, low, high, attack.n, "people")
    return AttackMeasure(Excess.name, None, estimate, higher_is_worse=True)


def newcombe(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two shares, each given with its number of people.

    >>> [round(end, 4) for end in newcombe((56 / 70, 70), (48 / 80, 80))]
    [0.0524, 0.3339]
    """
    (one, n), (other, m) = first, second
    (low, high), (below, above) = _wilson(one, n), _wilson(other, m)
    down, up = np.hypot(one - low, above - other), np.hypot(high - one, other - below)
    return float(one - other - down), float(one - other + up)


def _wilson(share: float, n: float) -> tuple[float, float]:
    z = NORMAL_95
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return float(middle - half), float(middle + half)


def _half(estimate: Estimate) -> float:
    return 0.0 if estimate.low is None or estimate.high is None else (estimate.high - estimate.low) / 2
