"""Published labels of a column: the finest label common to a group, or the range of its numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int64, distinct_rows
from unmask.errors import InvalidInputError
from unmask.masks.cells import Cells
from unmask.masks.levels import LevelLabels
from unmask.sanitizers._followed import HierarchyTree, rooted
from unmask.sanitizers._in_order import ranges
from unmask.sanitizers._k_member import ColumnAxis
from unmask.schema import Numeric
from unmask.table import Table
from unmask.wording import message

_FARTHEST = 1e300
"""The largest distance, also of infinite numbers: differences stay finite."""


@dataclass(frozen=True, slots=True, eq=False)
class LabeledColumn:
    """One column: its axis for distances, and the levels at which a group may be published."""

    people: Table
    name: str
    axis: ColumnAxis
    levels: LevelLabels | None  # None: ranges
    finest: int  # the finest level that may be published

    @classmethod
    def of(cls, people: Table, name: str, *, tree: bool, finest: int | None) -> LabeledColumn:
        """Return a column of a table, with distances along the tree of its hierarchy, or by number.

        With `tree`, a column without a hierarchy has its values and `*` as levels, else none.

        Fails
            With `InvalidInputError` for a tree whose labels are not nested, or a level that does not exist.
        """
        if tree:
            followed = HierarchyTree.of(people, name)
            levels: LevelLabels | None = followed.levels
            axis = ColumnAxis(followed.place, _heights(followed))
        else:
            levels = rooted(LevelLabels.of(people, name)) if people.schema[name].hierarchy is not None else None
            axis = _numbers(people, name)
        last = 0 if levels is None else levels.n - 1
        if finest is not None and (levels is None or not 0 <= finest <= last):
            has = (
                message("left out where it has no hierarchy")
                if levels is None
                else message("one of 0 to {last}", last=last)
            )
            msg = message(
                "the finest level of column {name} must be {has}; got {finest}", name=repr(name), has=has, finest=finest
            )
            raise InvalidInputError(msg)
        return cls(people, name, axis, levels, finest or 0)

    def cells(self, order: Int64, first: Int64) -> Cells:
        """Return the published cell of each group, (groups,).

        `order` (rows,) has the members of a group together, which begin at `first` (groups,).
        """
        if self.levels is None:
            return ranges(self.people.only([self.name]).take(order), self.name, first)
        leaf = self.levels.leaf[order]
        level = np.full(first.size, self.levels.n - 1)
        for at in range(self.levels.n - 2, self.finest - 1, -1):
            label = self.levels.label_of[at][leaf]
            level[np.minimum.reduceat(label, first) == np.maximum.reduceat(label, first)] = at
        label = np.stack(self.levels.label_of)[level, leaf[first]]
        number, example = distinct_rows(np.stack([level, label], axis=1))
        return self.levels.cells(level[example], label[example]).take(number)


def _heights(tree: HierarchyTree) -> Float64:
    """Return for each place the height of the lowest label that it shares with the next: 0 the leaf, 1 the root."""
    height = np.zeros(tree.leaf_at.size)
    for label in tree.levels.label_of:
        height[:-1] += np.diff(label[tree.leaf_at]) != 0
    return np.asarray(height / max(height.max(initial=0.0), 1.0))


def _numbers(people: Table, name: str) -> ColumnAxis:
    """Place people by number, or by the order of values; a missing value lies farther off than the column is wide.

    The width is that of the declared range, or else of the values that occur.
    """
    attribute, (code, distinct) = people.schema[name], people.ranks(name)
    at = np.clip(distinct, -_FARTHEST, _FARTHEST).astype(np.float64)
    domain = attribute.domain
    ends = [0.0, len(attribute.values) - 1.0] if not isinstance(domain, Numeric) else [domain.low, domain.high]
    known = np.clip([*at, *(end for end in ends if end is not None)] or [0.0], -_FARTHEST, _FARTHEST)
    width = float(known.max() - known.min()) or 1.0
    place = np.where(code < 0, at.size, code).astype(np.int32)
    return ColumnAxis(place, np.append(at, known.min() - 2.0 * width), width)
