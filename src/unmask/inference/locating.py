"""Where each target may be in a release, and what is believed of people there: the start of every attack."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from unmask.arrays import Float64, Int32, Ragged, starts
from unmask.beliefs import NOT_ATTACKED, unique_pairs
from unmask.links import Linking
from unmask.release import Release
from unmask.table import Table
from unmask.view import NOT_IN_IT, View

NOWHERE = NOT_ATTACKED
"""The row of a target that fits no group, or is known not to be in the release: it learns nothing about them."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """For each target, the groups of one release that it may be in, with weights; targets share rows."""

    row_of: Int32  # (targets,) or `NOWHERE`
    weight: Ragged  # (rows, groups), each row adding up to 1
    fits: Float64  # (entries of weight,) how many of the group's members the target could be

    @property
    def n_nowhere(self) -> int:
        """How many targets fit nowhere."""
        return int((self.row_of == NOWHERE).sum())

    def shares(self, release: Release, attribute: str) -> tuple[Ragged, Ragged]:
        """Return the expected share of each value around each row, (rows, values), and the expected count.

        Infers
            `share(v) = Σ_g weight(g) · count_g(v) / Σ_v' count_g(v')`, and the same without the division.
        """
        counts = release.counts_of(attribute)
        return product(self.weight, counts.normalized()), product(self.weight, counts)


def product(a: Ragged, b: Ragged) -> Ragged:
    """Multiply two matrices of sparse rows."""
    left = sparse.csr_array((a.data, a.column, a.start), (a.n_rows, a.n_columns))
    right = sparse.csr_array((b.data, b.column, b.start), (b.n_rows, b.n_columns))
    result = left @ right
    result.sort_indices()
    return Ragged(result.indptr, result.indices, result.data, b.n_columns)


def places(view: View, r: int, how: Linking = Linking()) -> Places:
    """Find the groups that each target may be in: the known one, else all that fit what is known of them."""
    release, located = view.releases[r], view.located(r)
    row_of = np.full(located.size, NOWHERE, np.int32)
    known = located >= 0
    used, number = np.unique(located[known], return_inverse=True)
    row_of[known] = number.ravel()
    one_each = Ragged(starts(np.ones(used.size, np.int64)), used.astype(np.int32), np.ones(used.size), release.n_groups)
    parts, fits = [one_each], [release.size[used]]
    searched = np.flatnonzero(~known & (located != NOT_IN_IT))
    if searched.size:
        profile, profiles = view.knowledge.people.take(searched).profiles()
        weight, fit = linked(release, profiles, how)
        row_of[searched] = np.where(np.diff(weight.start)[profile] > 0, used.size + profile, NOWHERE)
        parts.append(weight)
        fits.append(fit)
    return Places(row_of, Ragged.stacked(parts), np.concatenate(fits))


def linked(release: Release, profiles: Table, how: Linking) -> tuple[Ragged, Float64]:
    """Link all distinct profiles to groups; also return how many of each group's members they could be."""
    blocks = list(release.masked.links(profiles, release.size, how))
    return Ragged.stacked([block.weight for block in blocks]), np.concatenate([block.fits for block in blocks])


def left_out(view: View, r: int, own: Int32, how: Linking = Linking()) -> Places:
    """Find where each target would be looked for had its own group not been published.

    What fits on the rest of the release; where nothing does, all groups at the least distance, equally. The own group
    of each target, (targets,), is known to the auditor, never to the attacker: this is a control, not an attack.
    """
    release = view.releases[r]
    profile, profiles = view.knowledge.people.profiles()
    weight, _ = linked(release, profiles, how)
    pair_of, first, second = unique_pairs(profile, own + 1)
    rows = weight.take(first)
    without = (second - 1).astype(np.int32)
    kept = rows.column != without[rows.row]
    start = starts(np.bincount(rows.row[kept], minlength=rows.n_rows))
    rest = Ragged(start, rows.column[kept], rows.data[kept], release.n_groups).normalized()
    lost = np.flatnonzero(np.diff(rest.start) == 0)
    if lost.size and release.n_groups > 1:
        nearest = release.masked.nearest(profiles.take(first[lost]), without[lost])
        order = np.arange(rest.n_rows)
        order[lost] = rest.n_rows + np.arange(lost.size)
        rest = Ragged.stacked([rest, nearest]).take(order)
    row_of = np.where(np.diff(rest.start)[pair_of] > 0, pair_of, NOWHERE).astype(np.int32)
    return Places(row_of, rest, np.ones(rest.data.size))
