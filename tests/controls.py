"""The left-out control, computed slowly: one person at a time, on the release without their group."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite, isnan
from typing import Any

import numpy as np

from tests import oracle
from unmask.arrays import Int32
from unmask.beliefs import Beliefs
from unmask.view import NOT_IN_IT, View

Float = np.ndarray[Any, np.dtype[np.float64]]


def left_out(beliefs: Beliefs, *own: Int32) -> Beliefs:
    """Return the attacker's posterior without each target's own group in each release."""
    assert beliefs.left_out is not None
    return beliefs.left_out(own)


def fits_somewhere(view: View, person: int) -> bool:
    """Whether some line of the only release matches a person."""
    unlocated = View(view.releases, replace(view.knowledge, located=None))
    lines_read = oracle._read(view.releases[0], view.about.name)
    return any(oracle._chances(unlocated, 0, lines_read, person, row_level=False))


def shares_and_counts(view: View, r: int) -> tuple[Float, Float]:
    """Return the share and the count of each value in each group, (groups, values); blanks may be anything."""
    values = view.knowledge.prior.values
    groups = oracle._read(view.releases[r], view.about.name).groups
    everywhere = oracle._everywhere([oracle._read(release, view.about.name) for release in view.releases])
    anybody = np.array([float(everywhere.get(v, 0)) for v in values])
    counts = np.array([[group.count(v) for v in values] for group in groups], float).reshape(len(groups), len(values))
    filled = counts + np.array([group.count(oracle.FREE) for group in groups])[:, None] * anybody
    return filled / filled.sum(axis=1, keepdims=True), counts


def chances_elsewhere(view: View, r: int, person: int, own: int) -> Float:
    """Return the weight of each group of a release for a person, (groups,), without their own group.

    In proportion to the linking weights of what still fits; else all groups that are nearest, equally.
    """
    release = view.releases[r]
    if view.knowledge.located is not None and view.knowledge.located[r].group[person] == NOT_IN_IT:
        return np.zeros(release.n_groups)
    unlocated = View(view.releases, replace(view.knowledge, located=None))
    lines_read = oracle._read(release, view.about.name)
    weight = np.zeros(release.n_groups)
    for line, chance in enumerate(oracle._chances(unlocated, r, lines_read, person, row_level=False)):
        weight[lines_read.group_of[line]] += float(chance)
    weight[own] *= own < 0
    if weight.any():
        return np.asarray(weight / weight.sum())
    distance = np.full(release.n_groups, inf)
    for line, group in enumerate(lines_read.group_of):
        if group != own:
            distance[group] = min(distance[group], _distance(view, r, lines_read, line, person))
    others = np.arange(release.n_groups) != own
    near = others & (distance <= distance[others].min(initial=inf) * (1 + 1e-12))
    return np.asarray(near / max(near.sum(), 1))


def _distance(view: View, r: int, lines_read: oracle._PublishedRelease, line: int, person: int) -> float:
    """Return the distance of a person from a line: relative to the published range; 1 for a mismatch."""
    total = 0.0
    place = oracle._coordinates(view, r, person)
    for i, cells in enumerate(view.releases[r].masked.cells):  # type: ignore[attr-defined]
        cell = lines_read.lines[line][i]
        if isnan(place[i]) or not isfinite(place[i]) or cell.anything:
            continue
        ends = [end for other in lines_read.lines for piece in other[i].pieces for end in piece[:2]]
        span = (max(ends) - min(ends)) if ends else 0
        low = min((piece[0] for piece in cell.pieces), default=-inf)
        high = max((piece[1] for piece in cell.pieces), default=-inf)
        outside = max(low - place[i], place[i] - high, 0)
        if type(cells.attribute.domain).__name__ == "Categorical":
            total += outside > 0
        else:
            total += outside / (span or 1)
    return total
