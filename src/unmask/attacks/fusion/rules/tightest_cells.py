"""Which values a cell shows more often: it is the narrowest that holds a whole group, so groups sit astride its parts.

Whoever is shown as 0-99 where 0-49 and 50-99 are shown of others is likely near fifty: neither half held the group.

References
----------
Heitjan, Rubin. Ignorability and coarse data. Annals of statistics 1991 (when the cell tells more than that it holds).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int64
from unmask.attacks.fusion.rules.published_cells import PublishedCells, proper
from unmask.attacks.fusion.rules.sharpening import TINY

WIDTHS = (0.02, 0.04, 0.08, 0.16, 0.32, 0.64)
"""How far members of a group may lie apart, as a standard deviation in parts of the axis; or evenly over all of it."""

FINEST = 8
"""With fewer parts that cells tell apart, how wide groups are is not to be seen: four intervals of schooling are too
few, on which this predicted worse, and seventeen of age enough."""

CENTERS = 100
"""Where groups may have their center: at each value; of more values at so many, a hundredth of the axis apart."""

_ROUNDS = 50


def narrowest(cells: PublishedCells) -> Float64 | None:
    """Return how likely each value is shown as each cell, (cells, values), up to a factor for each cell.

    Assumes
        That groups are published by the narrowest cell that holds all their members, and that members are alike: each
        drawn from a normal distribution on the axis, of some center and width. How common these are is found by
        expectation maximization from the cells and sizes of all groups.
    Fails
        Not at all: None where nothing is known of groups, values have no order, cells tell fewer than eight parts
        of the axis apart, or more cells are shown than nested levels would make (so they are no levels).
    """
    if cells.group_of is None or cells.inside is None or not cells.ordered:
        return None
    held = cells.likelihood.dense() > 0
    seen = np.bincount(cells.cell, minlength=held.shape[0]) > 0
    parts, part_of = np.unique(held[seen].T, axis=0, return_inverse=True)
    if parts.shape[0] < FINEST or np.unique(held[seen], axis=0).shape[0] > 2 * parts.shape[0]:
        return None
    size = np.rint(1 / cells.share).astype(np.int64)
    combo, of_row = np.unique(np.stack([cells.cell, size], axis=1), axis=0, return_inverse=True)
    people = np.bincount(of_row.ravel()).astype(np.float64)
    kinds = _kinds(cells.number)
    levels = _Levels.of(held, seen, kinds @ held.T, part_of.ravel())
    whole = {int(n): levels.whole(int(n)) for n in np.unique(combo[:, 1])}
    chance = np.stack([whole[int(n)][int(c)] for c, n in combo])
    common = _common(chance, people / combo[:, 1])
    joint = np.zeros(held.shape)
    for n in whole:
        others = levels.others(n)
        for i in np.flatnonzero(combo[:, 1] == n):
            members = levels.members(kinds, others, int(combo[i, 0]), common * chance[i], chance[i])
            joint[combo[i, 0]] += members * (people[i] / max(float(members.sum()), TINY**3))
    likely = joint / np.maximum(joint.sum(axis=0), TINY)
    most = likely.max(axis=1, keepdims=True)
    return np.where(most > 0, likely / np.maximum(most, TINY**2), held)


def _kinds(number: Float64) -> Float64:
    """Return how members of a group may be distributed, (kinds, values): around each value, or every so many."""
    center = number[np.rint(np.linspace(0, number.size - 1, min(number.size, CENTERS))).astype(np.int64)]
    apart = (number[None, :] - center[:, None]) / max(float(np.ptp(number)), TINY)
    found = np.concatenate([*(np.exp(-((apart / width) ** 2) / 2) for width in WIDTHS), np.ones((1, number.size))])
    return np.asarray(found / found.sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Levels:
    """Cells that are shown, smaller ones first: each is shown if it holds everybody and none of its parts does.

    What others make of a member depends on which part of the axis it is in, so it is told by parts, not by values.
    """

    inside: Float64  # (kinds, cells) how likely one member is in a cell
    below: dict[int, list[int]]  # of each cell those that are proper parts of it
    places: dict[int, Int64]  # of each cell which parts of the axis it holds, which rise
    part_of: Int64  # (values,)

    @classmethod
    def of(cls, held: Bool, seen: Bool, inside: Float64, part_of: Int64) -> _Levels:
        """Find which cells are parts of which."""
        order = [int(c) for c in np.argsort(held.sum(axis=1), kind="stable") if seen[c]]
        smaller = proper(held)
        below = {c: [d for d in order[:i] if smaller[c, d]] for i, c in enumerate(order)}
        return cls(inside, below, {c: np.unique(part_of[held[c]]) for c in order}, part_of)

    def whole(self, n: int) -> dict[int, Float64]:
        """Return how likely each kind of group of a size shows each cell, (kinds,)."""
        found: dict[int, Float64] = {}
        for c, parts in self.below.items():
            all_in = self.inside[:, c] ** n
            of_parts = np.sum([found[d] for d in parts], axis=0) if parts else 0.0
            found[c] = np.maximum(all_in - of_parts, TINY * all_in)
        return found

    def others(self, n: int) -> dict[int, Float64]:
        """Return how likely the others make it that cell if one member is in a part of it, (kinds, parts)."""
        found: dict[int, Float64] = {}
        for c, parts in self.below.items():
            rest_in = (self.inside[:, c] ** (n - 1))[:, None]
            of_parts = np.zeros((rest_in.shape[0], self.places[c].size))
            for d in parts:
                of_parts[:, np.searchsorted(self.places[c], self.places[d])] += found[d]
            found[c] = np.maximum(rest_in - of_parts, TINY * rest_in)
        return found

    def members(
        self, kinds: Float64, others: dict[int, Float64], cell: int, weight: Float64, chance: Float64
    ) -> Float64:
        """Return where members of groups that show a cell are, (values,), each kind by its weight."""
        found = np.zeros(self.part_of.size)
        here = np.flatnonzero(np.isin(self.part_of, self.places[cell]))
        at = np.searchsorted(self.places[cell], self.part_of[here])
        step = max(1, DENSE_CELLS // (4 * kinds.shape[0]))
        for first in range(0, here.size, step):
            values, place = here[first : first + step], at[first : first + step]
            member = np.take(others[cell], place, axis=1) * np.take(kinds, values, axis=1)
            member /= np.maximum(chance, TINY**3)[:, None]
            found[values] = np.einsum("k,kv->v", weight, member)
        return found


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
