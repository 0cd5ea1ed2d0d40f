"""Links: who could be in which group, by distinct profile, in blocks.

People × groups is never made: people who look alike share a row, and a row holds only the groups that fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from unmask.arrays import Bool, Float64, Ragged, frozen


@dataclass(frozen=True, slots=True)
class Linking:
    """The attacker's way of matching; filled in from the attack, never from the release.

    `background` says what the attacker takes for the distribution of the quasi-identifiers: the pooled published
    marginals, uniform inside each cell, or a uniform one.

    Where centroids are published, nobody fits or does not: the groups of the `nearest` ones are considered, and one
    that lies `bandwidth` times the usual distance between centroids farther than the first is e times less likely.
    """

    background: Literal["pooled", "uniform"] = "pooled"
    bandwidth: float = 0.5  # 0: the nearest centroid alone
    nearest: int = 10  # centroids


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """For a block of distinct profiles, the groups that each could be in.

    The weight of a group is the expected number of its members that the person could be, `size × P(shown | person) /
    P(shown)`, normalized so that a profile's weights add up to 1: only ratios within one profile mean something.
    A profile that fits no group is absent, and its row is empty.
    """

    profiles: slice  # which of the distinct profiles this block holds
    weight: Ragged  # (profiles of the block, groups)
    fits: Float64  # (entries of weight,) how many of the group's members the person could be

    def __post_init__(self) -> None:
        object.__setattr__(self, "fits", frozen(self.fits, np.float64))

    @property
    def absent(self) -> Bool:
        """Say for each profile whether no group fits it."""
        return np.asarray(np.diff(self.weight.start) == 0)
