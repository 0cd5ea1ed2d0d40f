"""Anatomy's grouping: rows taken from the fullest buckets.

Put the rows into one bucket for each value. As long as `l` buckets hold a row, make a group of one row from each of the
`l` fullest. This leaves at most one row in any bucket, and these few rows join groups that lack their value.

References
----------
Xiao and Tao. Anatomy: simple and effective privacy preservation. VLDB 2006, figure 3.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from unmask.arrays import Int32, Int64, order_of, starts
from unmask.compiled_code import njit
from unmask.errors import InfeasibleError
from unmask.wording import message

Ties: TypeAlias = Literal["random", "stable"]


@njit(cache=True, nogil=True)
def _fill(left: Int64, order: Int64, l: int, stable: bool, rng: np.random.Generator) -> Int32:  # noqa: FBT001
    """Return the buckets that each group takes a row from, (groups, l).

    `order` holds the buckets, fullest first, and stays sorted: buckets of equal count are neighbors, and those taken
    from move to the end of their run, where the next smaller count begins. So a step costs `l`, for any number of
    values.
    """
    at_least = np.zeros(left.max() + 2, np.int64)  # how many buckets hold so many rows
    for count in left:
        at_least[count] += 1
    for count in range(left.max() - 1, -1, -1):
        at_least[count] += at_least[count + 1]
    groups = np.empty((left.sum() // l, l), np.int32)
    run = np.empty(order.size, np.int64)
    for group in range(groups.shape[0]):
        tied = left[order[l - 1]]  # the count at which not all buckets are needed
        first, end = at_least[tied + 1], at_least[tied]
        wanted = l - first
        if stable:
            run[: end - first] = order[first:end]
            order[first : end - wanted] = run[wanted : end - first]
            order[end - wanted : end] = run[:wanted]
        else:
            for place in range(end - 1, end - wanted - 1, -1):
                other = rng.integers(first, place + 1)
                order[place], order[other] = order[other], order[place]
        groups[group, :first] = order[:first]
        groups[group, first:] = order[end - wanted : end]
        for bucket in groups[group]:
            at_least[left[bucket]] -= 1
            left[bucket] -= 1
    return groups


def buckets(values: Int32, n_values: int, l: int, ties: Ties, rng: np.random.Generator) -> Int32:
    """Return the group of each row: every group holds at least `l` rows, all of different values.

    The row that leaves a bucket is random. Among equally full buckets the choice is random too, or `stable`: a list of
    the values, at first in the order of their codes, is sorted again by the remaining counts after each group.

    Fails
        With `InfeasibleError` where one value belongs to more than one in `l` rows.
    """
    rows = values.size
    count = np.bincount(values, minlength=n_values)
    if count.max(initial=0) > rows // l:
        raise InfeasibleError(
            message(
                "the most frequent value must belong to at most {rows} of {all} rows (one in {l}); got {max}. "
                "Lower l, or let suppression leave people out",
                rows=rows // l,
                all=rows,
                l=l,
                max=count.max(),
            )
        )
    if rows == 0:
        return np.empty(0, np.int32)
    shuffled = rng.permutation(rows)
    shuffled = shuffled[order_of(values[shuffled])]
    taken = _fill(count.copy(), np.argsort(-count, kind="stable"), l, ties == "stable", rng)

    # A bucket's rows, in their random order, go to the groups that took from it; a last one may be over.
    took = taken.ravel()
    group_of_take = order_of(took) // l
    n_taken = np.bincount(took, minlength=n_values)
    nth = np.arange(rows) - np.repeat(starts(count)[:-1], count)
    within = nth < np.repeat(n_taken, count)
    group_of = np.empty(rows, np.int32)
    group_of[shuffled[within]] = group_of_take
    for row in shuffled[~within]:
        free = np.ones(taken.shape[0], bool)
        free[group_of[shuffled[within & (values[shuffled] == values[row])]]] = False
        group_of[row] = rng.choice(np.flatnonzero(free))
    return group_of
