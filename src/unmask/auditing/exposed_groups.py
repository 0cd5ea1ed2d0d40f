"""The groups of a release that exposed people are in, in numbers: no group is named."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32


@dataclass(frozen=True, slots=True)
class ExposedGroups:
    """How many groups of a release have exposed people, and how large these groups are."""

    release: str
    n: int  # groups with an exposed person
    of: int  # groups of the release
    smallest: float  # people in the smallest of the `n` groups
    median: float
    largest: float

    @classmethod
    def of_marks(cls, release: str, size: Float64, group_of: Int32, exposed: Bool) -> ExposedGroups | None:
        """Return the groups of exposed targets; None where none of them is in a group.

        `size` has the people of each group, (groups,), `group_of` the group of each target, negative outside,
        and `exposed` whether each target is, (targets,).
        """
        groups = np.unique(group_of[exposed & (group_of >= 0)])
        if not groups.size:
            return None
        sizes = size[groups]
        return cls(
            release, int(groups.size), int(size.size), float(sizes.min()), float(np.median(sizes)), float(sizes.max())
        )
