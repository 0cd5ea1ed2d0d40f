"""Block-wise grouping of large tables: cut into blocks by Mondrian, then grouped inside each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unmask.arrays import Int32, Int64, starts
from unmask.runtime import work
from unmask.sanitizers import _median_cuts
from unmask.wording import message


def grouped(place: Int32, least: int, group: Callable[[Int64], tuple[Int32, int]]) -> tuple[Int32, int]:
    """Return the group of each row, (rows,), and the number of groups; `group` groups the rows of one block.

    Rows have places, (rows, columns), and a block has at least `least` rows.
    """
    width = (place.max(axis=0) - place.min(axis=0)).astype(np.float64)
    cuts = _median_cuts.partition(place, least, width=width)
    rows = np.argsort(cuts.group_of, kind="stable")
    first = starts(np.bincount(cuts.group_of, minlength=cuts.n_groups))
    group_of, n_groups = np.empty(place.shape[0], np.int32), 0
    with work.step(message("grouping block by block"), cuts.n_groups) as step:
        for block in range(cuts.n_groups):
            inside = rows[first[block] : first[block + 1]]
            own, n = group(inside)
            group_of[inside] = own + n_groups
            n_groups += n
            step.advance()
    return group_of, n_groups
