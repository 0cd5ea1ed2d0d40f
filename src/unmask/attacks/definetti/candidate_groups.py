"""The groups that each target may be in, and sums over them in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32, Int64, starts
from unmask.attacks.shared.location import linked
from unmask.beliefs import NOT_ATTACKED, unique_pairs
from unmask.links import Linking
from unmask.view import NOT_IN_IT, View


@dataclass(frozen=True, slots=True, eq=False)
class CandidateGroups:
    """Rows of entries, each a profile and a group; targets share rows."""

    row_of: Int32  # (targets,) or `NOT_ATTACKED`
    start: Int64  # (rows + 1,)
    profile: Int32  # (entries,)
    group: Int32  # (entries,)
    weight: Float64  # (entries,) of the link; 1 for a known group
    n_known: int  # the first rows, whose group is known

    @classmethod
    def of(cls, view: View) -> CandidateGroups:
        """Return the groups that each target may be in: the known one, else all that match."""
        release, located = view.release, view.located(0)
        profile, profiles = view.knowledge.people.profiles()
        row_of = np.full(located.size, NOT_ATTACKED, np.int32)
        known = located >= 0
        pair_of, first, second = unique_pairs(profile[known], located[known])
        row_of[known] = pair_of
        open_ = np.flatnonzero(~known & (located != NOT_IN_IT))
        used, number = np.unique(profile[open_], return_inverse=True)
        fits = linked(release, profiles.take(used), Linking())[0]
        row_of[open_] = np.where(np.diff(fits.start)[number] > 0, first.size + number, NOT_ATTACKED)
        return cls(
            row_of,
            starts(np.concatenate([np.ones(first.size, np.int64), np.diff(fits.start)])),
            np.concatenate([first, used[fits.row]]).astype(np.int32),
            np.concatenate([second, fits.column]).astype(np.int32),
            np.concatenate([np.ones(first.size), fits.data]),
            first.size,
        )

    def blocks(self, most: int) -> Iterator[slice]:
        """Yield ranges of rows with at most `most` entries, or single rows."""
        first = 0
        while first < self.start.size - 1:
            end = max(int(np.searchsorted(self.start, self.start[first] + most, "right")) - 1, first + 1)
            yield slice(first, end)
            first = end


def likely(log_likelihood: Float64) -> Float64:
    """Return exponentials scaled to a maximum of 1 in each row; all −∞ become zero."""
    top = log_likelihood.max(axis=1, keepdims=True, initial=-np.inf)
    return np.asarray(np.exp(log_likelihood - np.where(np.isfinite(top), top, 0.0)))
