"""Clues: what values must be like for an algorithm to have published the groups that it did. Protocol LeavesClues.

Whoever knows an algorithm can ask why it stopped where it did. Where the answer is about the values of a few people at
a time, it need not be run again on the whole table to be asked of many imagined ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from unmask.arrays import Bool, Int32, Int64, frozen
from unmask.schema import Attribute
from unmask.table import Table

Agrees: TypeAlias = Callable[[Int64, np.random.Generator], Bool]
"""From how often each value stands in each cell, (worlds, cells, values): which worlds lead to the release."""


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """Some people's values, counted by cell, and which counts lead to the release.

    Whoever publishes groups as they are has told how often each value stands among all members of a group; a clue is
    about people of groups that lie in several cells.
    """

    people: Int64  # (people,) all members of the groups concerned, as rows
    cell: Int32  # (people,) from 0
    agrees: Agrees
    costly: bool = False  # each world costs a run of the algorithm

    def __post_init__(self) -> None:
        object.__setattr__(self, "people", frozen(self.people, np.int64))
        object.__setattr__(self, "cell", frozen(self.cell, np.int32))


@runtime_checkable
class ConstraintSource(Protocol):
    """A sanitizer that can be asked what its groups say of the values behind them."""

    def constraints(
        self, people: Table, group_of: Int32, attribute: Attribute, counts: Int64
    ) -> Sequence[Constraint] | None:
        """Return clues that hold in exactly those worlds in which these groups come out, up to a common factor.

        `people` are all who are published, with exact quasi-identifiers; `counts` (groups, values) is what is
        published of the sensitive `attribute`. A world gives the members of each group these values in some order.
        None: with these settings or these people no clues are known, and the algorithm must be run again.

        Fails
            With `NotApplicableError` where the algorithm cannot have made these groups.
        """
        ...
