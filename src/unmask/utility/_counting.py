"""Counting queries: the true count over the people, and the estimated count over the published cells."""

from __future__ import annotations

from unmask.arrays import Float64, Int32, Int64
from unmask.compiled_code import njit


@njit(cache=True, nogil=True)
def counted(place: Int32, asked: Int64, accepts: Float64, first: Int64, weight: Float64) -> float:
    """Count the people, (attributes, people), that satisfy every predicate; `accepts` is 1 where a place is accepted.

    The places of predicate p begin at `first[p]`; no predicate accepts a negative (unknown) place.
    """
    total = 0.0
    for person in range(weight.size):
        fits = True
        for p in range(asked.size):
            here = place[asked[p], person]
            if here < 0 or accepts[first[p] + here] == 0.0:
                fits = False
                break
        if fits:
            total += weight[person]
    return total


@njit(cache=True, nogil=True)
def expected(
    cell: Int32,
    asked: Int64,
    share: Float64,
    first: Int64,
    start: Int64,
    value: Int32,
    people: Float64,
    accepts: Float64,
) -> float:
    """Estimate the same count from shapes, (attributes, shapes), and the people of each shape by value, (entries,).

    A predicate accepts a share of every cell; those of predicate p begin at `first[p]`.
    """
    total = 0.0
    for shape in range(cell.shape[1]):
        part = 1.0
        for p in range(asked.size):
            part *= share[first[p] + cell[asked[p], shape]]
            if part == 0.0:
                break
        if part > 0.0:
            here = 0.0
            for entry in range(start[shape], start[shape + 1]):
                here += people[entry] * accepts[value[entry]]
            total += part * here
    return total
