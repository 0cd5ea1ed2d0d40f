"""Distinct values of a column and the place of each row among them, by counting instead of sorting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unmask.arrays import Bool, Float64, Int32
from unmask.compiled_code import njit
from unmask.schema import UNKNOWN
from unmask.table import Column, Table


def places(people: Table, name: str) -> tuple[Callable[[Int32], Int32], Column, bool]:
    """Return a function that spreads entries of distinct values (the missing last) over the rows, and these values.

    The last result is whether a value is missing. Listed values, and whole numbers in a narrow range, are counted; only
    others are sorted.
    """
    column = people[name]
    low = 0.0
    if people.schema[name].is_numeric:
        numbers = np.asarray(column, np.float64)
        low, span = _range(numbers)
        codes = _shifted(numbers, low) if span else np.zeros(0, np.int32)
    else:
        codes = np.asarray(column, np.int32)
        span = len(people.schema[name].values) if codes.size and codes.min() >= UNKNOWN else 0
    if not span:
        rank, distinct = people.ranks(name)
        return lambda of_value: of_value[rank], distinct, bool(people.missing(name).any())
    occurs = _occurrence(codes, span)
    present = np.flatnonzero(occurs[1:])

    def spread(of_value: Int32) -> Int32:
        lookup = np.full(span + 1, of_value[-1], np.int32)
        lookup[present + 1] = of_value[:-1]
        return _spread(codes, lookup)

    distinct = low + present if people.schema[name].is_numeric else present.astype(np.int32)
    return spread, distinct, bool(occurs[0])


@njit(cache=True, nogil=True)
def _range(numbers: Float64) -> tuple[float, int]:
    """Return the least number, and the count of whole ones up to the largest; 0: too many, or some not whole."""
    if not numbers.size:
        return 0.0, 0
    low = high = numbers[0]
    for number in numbers:
        if np.floor(number) != number or np.isinf(number):  # NaN differs from itself
            return 0.0, 0
        low, high = min(low, number), max(high, number)
    return low, (int(high - low) + 1 if high - low < numbers.size else 0)


@njit(cache=True, nogil=True)
def _shifted(numbers: Float64, low: float) -> Int32:
    result = np.empty(numbers.size, np.int32)
    for i in range(numbers.size):
        result[i] = np.int32(numbers[i] - low)
    return result


@njit(cache=True, nogil=True)
def _occurrence(codes: Int32, n: int) -> Bool:
    """Return whether each code, from -1 to n - 1, occurs."""
    result = np.zeros(n + 1, np.bool_)
    for code in codes:
        result[code + 1] = True
    return result


@njit(cache=True, nogil=True)
def _spread(codes: Int32, lookup: Int32) -> Int32:
    """Return the entry of each row, whose code is -1 or more."""
    result = np.empty(codes.size, np.int32)
    for i in range(codes.size):
        result[i] = lookup[codes[i] + 1]
    return result
