"""Likelihood of values in the narrowest cell that contains a group, which spans several of the cell's parts.

A row with 0-99 is likely near fifty if others have 0-49 and 50-99: neither half contained its group.

References
----------
Heitjan, Rubin. Ignorability and coarse data. Annals of statistics 1991 (cells that are not coarsened at random).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int64
from unmask.attacks.fusion.rules.published_cells import PublishedCells, proper
from unmask.attacks.fusion.rules.sharpening import TINY

WIDTHS = (0.02, 0.04, 0.08, 0.16, 0.32, 0.64)
"""Candidate widths of a group, as a standard deviation in parts of the axis; one more is uniform over all of it."""

FINEST = 8
"""The least number of distinct parts of cells to estimate widths of groups: four intervals of education are too few,
and gave worse predictions; seventeen of age are enough."""

CENTERS = 100
"""The largest number of candidate centers of a group: each value, or grid points a hundredth of the axis apart."""

_ROUNDS = 50


def narrowest(cells: PublishedCells) -> Float64 | None:
    """Return the likelihood of each value for each cell, (cells, values), up to a factor for each cell.

    Assumes
        That groups are published by the narrowest cell that contains all members, and that members are similar: each
        is drawn from a normal distribution on the axis, with some center and width. The distribution of centers and
        widths is estimated by expectation maximization from the cells and sizes of all groups.
    Fails
        Never: returns None if groups are unknown, values have no order, cells have fewer than eight distinct parts,
        or there are more cells than nested levels would have (so they are no levels).
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
    """Return candidate distributions of a group's members, (kinds, values), around each center."""
    center = number[np.rint(np.linspace(0, number.size - 1, min(number.size, CENTERS))).astype(np.int64)]
    apart = (number[None, :] - center[:, None]) / max(float(np.ptp(number)), TINY)
    found = np.concatenate([*(np.exp(-((apart / width) ** 2) / 2) for width in WIDTHS), np.ones((1, number.size))])
    return np.asarray(found / found.sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Levels:
    """Published cells, smaller ones first: each is published if it contains the group and none of its parts does.

    The probability of a cell given one member depends only on the member's part of the axis, so it is kept by part.
    """

    inside: Float64  # (kinds, cells) probability of one member in a cell
    below: dict[int, list[int]]  # the proper parts of each cell
    places: dict[int, Int64]  # rising parts of the axis in each cell
    part_of: Int64  # (values,)

    @classmethod
    def of(cls, held: Bool, seen: Bool, inside: Float64, part_of: Int64) -> _Levels:
        """Return the cells with their proper parts."""
        order = [int(c) for c in np.argsort(held.sum(axis=1), kind="stable") if seen[c]]
        smaller = proper(held)
        below = {c: [d for d in order[:i] if smaller[c, d]] for i, c in enumerate(order)}
        return cls(inside, below, {c: np.unique(part_of[held[c]]) for c in order}, part_of)

    def whole(self, n: int) -> dict[int, Float64]:
        """Return the probability of each cell for each kind of group of a size, (kinds,)."""
        found: dict[int, Float64] = {}
        for c, parts in self.below.items():
            all_in = self.inside[:, c] ** n
            of_parts = np.sum([found[d] for d in parts], axis=0) if parts else 0.0
            found[c] = np.maximum(all_in - of_parts, TINY * all_in)
        return found

    def others(self, n: int) -> dict[int, Float64]:
        """Return the probability of each cell given the part of one member, (kinds, parts)."""
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
        """Return the distribution of members of groups with a cell, (values,), summed over weighted kinds."""
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
    """Return the share of each kind, (kinds,), from the number of groups of each cell, with a uniform prior of one."""
    n = chance.shape[1]
    common = np.full(n, 1 / n)
    for _ in range(_ROUNDS):
        odds = chance * common
        odds /= np.maximum(odds.sum(axis=1, keepdims=True), TINY**3)
        common = groups @ odds + 1 / n
        common /= common.sum()
    return common
