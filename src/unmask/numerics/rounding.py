"""Equality of real numbers up to rounding, for counts of people, groups and values.

Mathematically equal numbers differ in their last digits by the order of summation, hence by the names of values and the
order of rows. No count may depend on that.
"""

from __future__ import annotations

import numpy as np

from unmask.arrays import Bool, Float64, Int32

TOLERANCE = 1e-9
"""The tolerance of equality: absolute up to 1, relative beyond."""


def slack_at(number: Float64 | float) -> Float64:
    """Return the tolerance at a number; 0 at infinity."""
    size = np.abs(np.asarray(number, np.float64))
    return np.where(np.isfinite(size), TOLERANCE * np.maximum(size, 1.0), 0.0)


def at_least(number: Float64 | float, limit: Float64 | float) -> Bool:
    """Return where numbers are at least a limit, up to rounding."""
    return np.asarray(number >= limit - slack_at(limit))


def at_most(number: Float64 | float, limit: Float64 | float) -> Bool:
    """Return where numbers are at most a limit, up to rounding."""
    return np.asarray(number <= limit + slack_at(limit))


def above(number: Float64 | float, limit: Float64 | float) -> Bool:
    """Return where numbers exceed a limit by more than rounding."""
    return np.asarray(number > limit + slack_at(limit))


def below(number: Float64 | float, limit: Float64 | float) -> Bool:
    """Return where numbers are below a limit by more than rounding."""
    return np.asarray(number < limit - slack_at(limit))


def tied(number: Float64 | float, other: Float64 | float) -> Bool:
    """Return where two numbers are equal up to rounding; NaN equals nothing."""
    return np.asarray(at_least(number, other) & at_most(number, other))


def levels(numbers: Float64) -> Int32:
    """Return the rank of each number, (numbers,), from 0; numbers tied with a neighbor share a rank."""
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    level = np.zeros(numbers.size, np.int32)
    level[order[1:]] = np.cumsum(above(ascending[1:], ascending[:-1]))
    return level
