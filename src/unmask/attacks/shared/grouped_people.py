"""Published groups of people with detached values, and the slots that share a posterior.

All people of one profile in one group have the same posterior: a *slot*. Identical groups share their slots, so beliefs
about ten million people have one row for each distinct slot.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, expand, starts
from unmask.attacks.shared.group_layout import Layout, Shapes, lay_out
from unmask.errors import InvalidInputError
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class GroupedPeople:
    """People's profiles by group, and each group's values in no order."""

    profile_of: Int32  # (rows,) in group order
    start: Int64  # (groups + 1,)
    value: Int32  # (rows,) the values of each group
    codes: Int32  # (profiles, attributes) the levels of a profile, -1 where missing: ignored
    levels: Int32  # (attributes,) number of levels
    n_values: int
    times: Int64 | None = None  # (groups,) number of identical groups that each stands for; None: one each

    def __post_init__(self) -> None:
        rows = self.profile_of.size
        if self.start[0] != 0 or self.start[-1] != rows or (np.diff(self.start) < 0).any() or self.value.size != rows:
            raise InvalidInputError(
                message(
                    "groups must have as many values as rows; got {rows} rows, {size} values, and groups that end at "
                    "{start}",
                    rows=rows,
                    size=self.value.size,
                    start=self.start[-1],
                )
            )
        if rows and not (self.profile_of.min() >= 0 and self.profile_of.max() < self.codes.shape[0]):
            raise InvalidInputError(message("profiles must lie in 0 to {shape}", shape=self.codes.shape[0] - 1))
        if rows and not (self.value.min() >= 0 and self.value.max() < self.n_values):
            raise InvalidInputError(
                message(
                    "values must lie in 0 to {n_values}; a missing one belongs to no group", n_values=self.n_values - 1
                )
            )
        if self.codes.shape[1] != self.levels.size or (self.codes < -1).any() or (self.codes >= self.levels).any():
            raise InvalidInputError(message("the codes of an attribute must lie below its number of levels, or be -1"))
        if self.times is not None and (self.times.size != self.start.size - 1 or (self.times < 1).any()):
            raise InvalidInputError(message("each group must stand for at least one"))

    def take(self, chosen: Int64) -> GroupedPeople:
        """Return some of the groups, in the given order, with the profiles of all."""
        rows, _ = expand(self.start, chosen)
        return replace(
            self,
            profile_of=self.profile_of[rows],
            start=starts(np.diff(self.start)[chosen]),
            value=self.value[rows],
            times=None if self.times is None else self.times[chosen],
        )


class Slotted(Protocol):
    """An assignment of rows to slots."""

    @property
    def of_row(self) -> Int32:
        """The slot of each row, (rows,); people of one profile in one group share it."""
        ...

    @property
    def n(self) -> int:
        """The number of slots."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """The index of probabilities: by slot, over the distinct values of its group.

    An *entry* is a slot and a value. The kernels order the values of a group by multiplicity; `order` sorts them.
    """

    of_row: Int32  # (rows,) the slots of a type are neighbors
    type_of_group: Int32  # (groups,)
    start: Int64  # (slots + 1,) entries of a slot
    column: Int32  # (entries,) values, sorted within a slot
    order: Int64  # (entries,) from kernels' entries to these
    equal: Float64  # (kernels' entries,) the posterior of random worlds
    constant: Bool  # (kernels' entries,) all arrangements are equivalent: nothing is learned
    people: Int64  # (slots,) number of people, over all groups of its type
    layout: Layout
    shapes: Shapes

    @property
    def n(self) -> int:
        """The number of slots."""
        return self.start.size - 1


def slots_of(groups: GroupedPeople) -> Slots:
    """Return the slots of the groups."""
    layout, shapes, type_of_group, slot_of_row = lay_out(
        groups.profile_of, groups.start, groups.value, groups.codes, groups.levels, groups.n_values, groups.times
    )
    slots_in = np.diff(layout.slot_start)
    owner = np.repeat(np.arange(slots_in.size), slots_in)
    width = np.diff(layout.support_start)[owner]
    slot = np.repeat(np.arange(owner.size), width)
    start = starts(width)
    supported = layout.support_start[owner][slot] + np.arange(slot.size) - start[:-1][slot]
    constant = np.ones(slots_in.size, bool)
    for some in (layout.pairs, layout.exact, layout.large):
        constant[some] = False
    column = layout.support[supported]
    order = np.argsort(slot * np.int64(groups.n_values) + column)  # no two are equal
    return Slots(
        of_row=slot_of_row,
        type_of_group=type_of_group,
        start=start,
        column=column[order],
        order=order,
        equal=layout.copies[supported] / np.diff(layout.start)[owner][slot],
        constant=constant[owner][slot],
        people=layout.slot_size * layout.times[owner],
        layout=layout,
        shapes=shapes,
    )
