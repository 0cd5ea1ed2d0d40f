"""Rounding: which real numbers count as equal wherever people, groups or values are counted by them.

Numbers that are equal on paper differ in their last digits by the order in which they were summed up, and so by how
values are named and rows are sorted. No count may depend on that.
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Bool, Float64, Int32

TOLERANCE = 1e-9
"""Numbers that differ by less are equal: absolutely up to 1, relatively beyond."""


def slack_at(number: Float64 | float) -> Float64:
    """Return by how much others may differ from a number by rounding alone; nothing differs from infinity by that."""
    size = np.abs(np.asarray(number, np.float64))
    return np.where(np.isfinite(size), TOLERANCE * np.maximum(size, 1.0), 0.0)


def at_least(number: Float64 | float, limit: Float64 | float) -> Bool:
    """Return where numbers reach a limit, or equal it but for rounding."""
    return np.asarray(number >= limit - slack_at(limit))


def at_most(number: Float64 | float, limit: Float64 | float) -> Bool:
    """Return where numbers keep to a limit, or equal it but for rounding."""
    return np.asarray(number <= limit + slack_at(limit))


def above(number: Float64 | float, limit: Float64 | float) -> Bool:
    """Return where numbers exceed a limit by more than rounding."""
    return np.asarray(number > limit + slack_at(limit))


def below(number: Float64 | float, limit: Float64 | float) -> Bool:
    """Return where numbers stay under a limit by more than rounding."""
    return np.asarray(number < limit - slack_at(limit))


def tied(number: Float64 | float, other: Float64 | float) -> Bool:
    """Return where two numbers are equal but for rounding; NaN equals nothing."""
    return np.asarray(at_least(number, other) & at_most(number, other))


def levels(numbers: Float64) -> Int32:
    """Number the distinct numbers from the least on, (numbers,); those that are tied with a neighbor share a number."""
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    level = np.zeros(numbers.size, np.int32)
    level[order[1:]] = np.cumsum(above(ascending[1:], ascending[:-1]))
    return level
