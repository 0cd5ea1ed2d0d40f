"""Counting queries: the true count over the people, and the estimated count over the published cells.

Few people are counted by NumPy, in the time that compiled kernels take to load.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Bool, Float64, Int32, Int64, Ragged, expand, starts
from unmask.compiled_code import njit

FEW = 5_000
"""The most distinct people or shapes that NumPy counts."""


def counted(place: Int32, accepted: Mapping[int, Bool], weight: Float64) -> float:
    """Count the people, whose places are (attributes, people), that satisfy every predicate.

    `accepted` has for each attribute that is asked about which places it accepts; negative (unknown) ones it does not.
    """
    if weight.size > FEW:
        accepts, first = _joined([one.astype(np.float64) for one in accepted.values()])
        return float(_counted(place, np.array(list(accepted)), accepts, first, weight))
    fits = np.ones(weight.size, bool)
    for attribute, own in accepted.items():
        fits &= np.append(own, False)[place[attribute]]
    return float(weight[fits].sum())


def expected(cell: Int32, share: Mapping[int, Float64], people: Ragged, accepts: Float64) -> float:
    """Estimate the same count from shapes, whose cells are (attributes, shapes), and their people by value.

    `share` has for each attribute that is asked about the accepted share of every cell; of values, `accepts` (values,).
    """
    if cell.shape[1] > FEW:
        shares, first = _joined(list(share.values()))
        asked, wanted = np.array(list(share)), (people.start, people.column, people.data, accepts)
        return float(_expected(cell, asked, shares, first, *wanted))
    part = np.ones(cell.shape[1])
    for attribute, of_cell in share.items():
        part *= of_cell[cell[attribute]]
    kept = np.flatnonzero(part)
    entries, shape = expand(people.start, kept)
    return float(part[kept][shape] @ (people.data[entries] * accepts[people.column[entries]]))


def _joined(parts: Sequence[NDArray[Any]]) -> tuple[Float64, Int64]:
    """Return arrays one after another, and where each begins."""
    return np.concatenate(parts), starts(np.array([part.size for part in parts]))


@njit(cache=True, nogil=True)
def _counted(place: Int32, asked: Int64, accepts: Float64, first: Int64, weight: Float64) -> float:
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
def _expected(
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
