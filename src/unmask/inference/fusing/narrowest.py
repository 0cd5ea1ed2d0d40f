"""Which values a cell shows more often: it is the narrowest that holds a whole group, so groups sit astride its parts.

Whoever is shown as 0-99 where 0-49 and 50-99 are shown of others is likely near fifty: neither half held the group.

References
----------
Heitjan, Rubin. Ignorability and coarse data. Annals of statistics 1991 (when the cell tells more than that it holds).
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Bool, Float64, Int64
from unmask.inference.fusing.sharpening import TINY
from unmask.inference.fusing.shown import Shown

WIDTHS = (0.02, 0.04, 0.08, 0.16, 0.32, 0.64)
"""How far members of a group may lie apart, as a standard deviation in parts of the axis; or evenly over all of it."""

FINEST = 8
"""With fewer parts that cells tell apart, how wide groups are is not to be seen: four intervals of schooling are too
few, on which this predicted worse, and seventeen of age enough."""

_ROUNDS = 50


def narrowest(shown: Shown) -> Float64 | None:
    """Return how likely each value is shown as each cell, (cells, values), up to a factor for each cell.

    Assumes
        That groups are published by the narrowest cell that holds all their members, and that members are alike: each
        drawn from a normal distribution on the axis, of some center and width. How common these are is found by
        expectation maximization from the cells and sizes of all groups.
    Fails
        Not at all: None where nothing is known of groups, values have no order, cells tell fewer than eight parts
        of the axis apart, or more cells are shown than nested levels would make (so they are no levels).
    """
    if shown.share is None or shown.inside is None or not shown.ordered:
        return None
    held = shown.likelihood.dense() > 0
    seen = np.bincount(shown.cell, minlength=held.shape[0]) > 0
    parts = np.unique(held[seen].T, axis=0).shape[0]
    if parts < FINEST or np.unique(held[seen], axis=0).shape[0] > 2 * parts:
        return None
    size = np.rint(1 / shown.share).astype(np.int64)
    combo, of_row = np.unique(np.stack([shown.cell, size], axis=1), axis=0, return_inverse=True)
    people = np.bincount(of_row.ravel()).astype(np.float64)
    kinds = _kinds(shown.number)
    chance, member = _chances(kinds, held, seen, combo)
    common = _common(chance, people / combo[:, 1])
    told = np.einsum("ck,ckv->cv", chance * common, member)
    told *= (people / np.maximum(told.sum(axis=1), TINY**3))[:, None]
    joint = np.zeros(held.shape)
    np.add.at(joint, combo[:, 0], told)
    likely = joint / np.maximum(joint.sum(axis=0), TINY)
    most = likely.max(axis=1, keepdims=True)
    return np.where(most > 0, likely / np.maximum(most, TINY**2), held)


def _kinds(number: Float64) -> Float64:
    """Return how members of a group may be distributed, (kinds, values)."""
    apart = (number[None, :] - number[:, None]) / max(float(np.ptp(number)), TINY)
    found = np.concatenate([*(np.exp(-((apart / width) ** 2) / 2) for width in WIDTHS), np.ones((1, number.size))])
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _chances(kinds: Float64, held: Bool, seen: Bool, combo: Int64) -> tuple[Float64, Float64]:
    """Return how likely each kind of group of a size shows a cell, (combos, kinds), and its members, (…, values).

    A cell is shown if it holds everybody and none of its parts does: those are found first, smaller cells before.
    Members are told as the distribution of one of them, times how likely it is that the others make it that cell.
    """
    order = [int(c) for c in np.argsort(held.sum(axis=1), kind="stable") if seen[c]]
    inside = kinds @ held.T
    chance = np.zeros((combo.shape[0], kinds.shape[0]))
    member = np.zeros((combo.shape[0], *kinds.shape))
    for n in np.unique(combo[:, 1]):
        whole: dict[int, Float64] = {}
        others: dict[int, Float64] = {}
        for c in order:
            parts = [d for d in whole if (held[d] <= held[c]).all() and (held[d] < held[c]).any()]
            all_in, rest_in = inside[:, c] ** n, held[c] * (inside[:, c] ** (n - 1))[:, None]
            of_parts = np.sum([whole[d] for d in parts], axis=0) if parts else 0.0
            rest_of_parts = np.sum([others[d] for d in parts], axis=0) if parts else 0.0
            whole[c] = np.maximum(all_in - of_parts, TINY * all_in)
            others[c] = np.maximum(rest_in - rest_of_parts, TINY * rest_in)
        for i in np.flatnonzero(combo[:, 1] == n):
            chance[i] = whole[int(combo[i, 0])]
            member[i] = others[int(combo[i, 0])] * kinds
    return chance, member / np.maximum(chance, TINY**3)[:, :, None]


def _common(chance: Float64, groups: Float64) -> Float64:
    """Return how common each kind is, (kinds,), from how many groups show each cell; one more is spread evenly."""
    n = chance.shape[1]
    common = np.full(n, 1 / n)
    for _ in range(_ROUNDS):
        odds = chance * common
        odds /= np.maximum(odds.sum(axis=1, keepdims=True), TINY**3)
        common = groups @ odds + 1 / n
        common /= common.sum()
    return common
