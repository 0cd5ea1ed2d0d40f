"""Links: the groups that each person may belong to, by distinct profile, in blocks.

The matrix of people × groups is never built: people with equal profiles share a row with the matching groups only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unmask.arrays import Bool, Float64, Ragged, frozen

BANDWIDTH = 0.14
"""Chosen so that beliefs about groups of 3 to 25 by microaggregation are right as often as they say (decision 18)."""


@dataclass(frozen=True, slots=True)
class Linking:
    """The attacker's matching method; set by the attack, never by the release.

    `background` is the attacker's distribution of the quasi-identifiers: the pooled published marginals, uniform inside
    each cell, or a uniform one.

    For published centroids there is no exact match: the groups of the `nearest` centroids are considered, and one that
    lies `bandwidth` times the usual distance between centroids farther than the first is e times less likely. Other
    groups are not excluded either, unless `strict`: one more person of the pooled distribution of values counts.
    """

    background: Literal["pooled", "uniform"] = "pooled"
    bandwidth: float = BANDWIDTH  # 0: the nearest centroid alone
    nearest: int = 10  # centroids
    strict: bool = False  # whether groups of centroids that are not considered are excluded


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The groups that each of a block of distinct profiles may belong to.

    The weight of a group is the expected number of its members that the person could be, `size × P(published | person)
    / P(published)`, normalized so that a profile's weights add up to 1: only ratios within one profile have a meaning.
    A profile that matches no group is absent, and its row is empty.
    """

    profiles: slice  # which of the distinct profiles this block holds
    weight: Ragged  # (profiles of the block, groups)
    fits: Float64  # (entries of weight,) how many of the group's members the person could be

    def __post_init__(self) -> None:
        object.__setattr__(self, "fits", frozen(self.fits, np.float64))

    @property
    def absent(self) -> Bool:
        """Whether each profile matches no group."""
        return np.asarray(np.diff(self.weight.start) == 0)
