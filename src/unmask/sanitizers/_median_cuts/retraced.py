"""The refused cuts of strict Mondrian, derived from the published groups.

The next cut to try depends on quasi-identifiers and k alone. A cut that splits no group was made, if it was reached:
its sides are unions of groups. One that splits a group was refused, or the group would not exist. So the groups
determine the sequence of cuts, and which of them were refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.sanitizers._median_cuts import groups, rule


@dataclass(frozen=True, slots=True, eq=False)
class RefusedCut:
    """A cut that was not made."""

    people: Int64  # (people,) the rows of the node
    left: Bool  # (people,) those up to the cut


def refused_cuts(codes: Int32, k: int, width: Float64, group_of: Int32) -> list[RefusedCut] | None:
    """Return the cuts that were refused on the way to some groups, (rows,); None where the rule cannot form them.

    Assumes
        The model accepts every union of groups that it accepts.
    """
    n_rows, n_attributes = codes.shape
    rows = np.empty((n_rows, n_attributes + 2), np.int32)
    rows[:, :n_attributes], rows[:, -2], rows[:, -1] = codes, group_of, np.arange(n_rows)
    low, high = codes.min(axis=0), codes.max(axis=0)
    scratch, spare = rule.scratch_for(rows)
    refusals: list[RefusedCut] = []

    def propose(start: Int64, stop: Int64, box: Int32, undecided: Int64, proposal: Int64) -> None:
        rule.propose(rows, start, stop, box, width, k, undecided, proposal, scratch)

    def refuse(start: Int64, stop: Int64, nodes: Int64, proposal: Int64) -> Bool:
        parting = np.zeros(nodes.size, np.bool_)
        for i, node in enumerate(nodes.tolist()):
            members = rows[start[node] : stop[node]]
            left = members[:, proposal[0, node]] <= proposal[1, node]
            both = np.intersect1d(members[left, -2], members[~left, -2])
            parting[i] = both.size > 0
            if both.size:
                refusals.append(RefusedCut(members[:, -1].astype(np.int64), left))
        return parting

    root = np.stack([low, high, low, high])
    start, _ = groups.by_level(rows, spare, root, (), propose, refuse)
    return refusals if start.size == np.unique(group_of).size else None
