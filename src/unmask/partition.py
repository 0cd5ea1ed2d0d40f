"""Partition: the group of each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Int32, Int64, Ragged, distinct_integers, frozen, starts
from unmask.errors import InvalidInputError
from unmask.wording import message

SUPPRESSED = -1
"""The group of a row that is not published."""


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The group of each row; suppressed rows have none.

    Fails
        With `InvalidInputError` where a group number is out of range or a group is empty.
    """

    group_of: Int32  # (rows,)
    n_groups: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "group_of", frozen(self.group_of, np.int32))
        if self.group_of.size and (self.group_of.min() < SUPPRESSED or self.group_of.max() >= self.n_groups):
            msg = message(
                "group numbers must lie between 0 and {last}, or be {suppressed} for a suppressed row",
                last=self.n_groups - 1,
                suppressed=SUPPRESSED,
            )
            raise InvalidInputError(msg)
        if (self.size == 0).any():
            msg = message(
                "every group must have a row; {empty} of {n_groups} are empty",
                empty=(self.size == 0).sum(),
                n_groups=self.n_groups,
            )
            raise InvalidInputError(msg)

    @property
    def size(self) -> Int64:
        """The number of rows of each group, (groups,)."""
        return np.bincount(self.group_of[self.group_of >= 0], minlength=self.n_groups)

    @property
    def n_suppressed(self) -> int:
        """The number of rows that have no group."""
        return int((self.group_of == SUPPRESSED).sum())

    def counts(self, codes: Int32, n_values: int) -> Ragged:
        """Count the values of each group, (groups, values); a negative code (missing, as a wildcard) is not counted."""
        kept = self.group_of >= 0
        return count(self.group_of[kept], codes[kept], (self.n_groups, n_values))


def count(group: Int32 | Int64, codes: Int32, shape: tuple[int, int], times: Int64 | None = None) -> Ragged:
    """Count pairs of group and value, (groups, values), each as often as `times` says; negative codes do not count."""
    known = codes >= 0
    if not known.all():
        group, codes, times = group[known], codes[known], None if times is None else times[known]
    key = group.astype(np.int64)
    key *= shape[1]
    key += codes
    number, first = distinct_integers(key)
    row, column = np.divmod(key[first], max(shape[1], 1))
    start = starts(np.bincount(row, minlength=shape[0]))
    return Ragged(start, column.astype(np.int32), np.bincount(number, times).astype(np.float64), shape[1])
