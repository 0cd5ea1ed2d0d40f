"""Algorithm constraints: conditions on values under which an algorithm publishes given groups.

An attacker who knows an algorithm keeps the worlds from which it makes the release. Where each condition is about the
values of few people, many worlds can be tested without a run of the algorithm on the whole table.
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
"""A function of value counts by cell, (worlds, cells, values): whether each world leads to the release."""


@dataclass(frozen=True, slots=True, eq=False)
class Constraint:
    """A condition on some people's values, counted by cell.

    A release shows the value counts of each group; a constraint concerns groups whose members lie in several cells.
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
    """A sanitizer that derives constraints from its groups."""

    def constraints(
        self, people: Table, group_of: Int32, attribute: Attribute, counts: Int64
    ) -> Sequence[Constraint] | None:
        """Return constraints that hold in exactly the worlds that lead to these groups, up to a common factor.

        `people` are all published people, with exact quasi-identifiers; `counts` (groups, values) are the published
        counts of the sensitive `attribute`. A world gives the members of each group these values in some order.
        None: no constraints are known for these parameters or people, and the algorithm must be run again.

        Fails
            With `NotApplicableError` where the algorithm cannot have made these groups.
        """
        ...
