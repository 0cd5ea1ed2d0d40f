"""Numerals: numbers as they are written, and which of them float64 keeps apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.errors import InvalidInputError

NUMERAL = r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""A plain numeral; a leading zero makes a code: 01234."""

LONGEST = 15
"""Digits that float64 always keeps apart: longer whole numbers are labels, compared digit by digit."""

LARGEST = 1e100
"""Numbers beyond it, or nearer to 0 than its inverse, are labels, too: their squares and sums would leave float64."""

DOUBTFUL = rf"[0-9.]{{{LONGEST + 2},}}|[0-9]{{{LONGEST + 1},}}|[eE][+-]?[0-9]{{3,}}"
"""What a numeral contains where float64 may not keep it apart from another; anything else it does keep apart."""

_PLAIN = re.compile(NUMERAL)
_DOUBTFUL = re.compile(DOUBTFUL)
_LONG = re.compile(rf"[+-]?[1-9][0-9]{{{LONGEST},}}")
_EXACT = 2.0**53  # up to here float64 holds every whole number
_SPELLED_OUT = 400  # places before or after the decimal point


def exceed_float64(texts: Collection[str]) -> bool:
    """Whether all texts are numerals, and float64 would merge some of them or change a whole number.

    Then the numbers are labels: written in one form by `canonical`, sorted by `in_order`. A whole number is changed
    where it has more than 15 digits; decimals and powers (1e20) only count where two of them become one, or one is
    too extreme to be computed with.
    """
    if not any(map(_DOUBTFUL.search, texts)) or not all(map(_PLAIN.fullmatch, texts)):
        return False
    if any(map(_LONG.fullmatch, texts)):
        return True
    floats = set(map(float, texts))
    if extreme(np.array(list(floats))).any():
        return True
    return len(floats) < len(set(texts)) and len(floats) < len(set(map(Decimal, texts)))


def extreme(numbers: Float64) -> Bool:
    """Whether numbers are so large, or so near to 0, that they can only be compared."""
    size = np.abs(numbers)
    return np.asarray((size > LARGEST) | ((size > 0) & (size < 1 / LARGEST)))


def are_whole(numbers: Float64) -> bool:
    """Whether numbers are whole, and so few steps of 1 from 0 that float64 keeps them apart."""
    return bool((numbers == np.rint(numbers)).all()) and not (np.abs(numbers) > _EXACT).any()


def require_steps(name: str, numbers: Float64, step: float | None) -> None:
    """Fail where a column's numbers are so many steps from 0 that float64 does not keep the steps apart."""
    largest = float(np.abs(numbers).max(initial=0.0))
    if step is not None and largest > step * _EXACT:
        msg = (
            f"the step of column {name!r} must be at least {largest / _EXACT:.2g}, since its numbers go up to "
            f"{largest:.3g}; got {step:g}. Raise it, or leave it out"
        )
        raise InvalidInputError(msg)


def canonical(numeral: str) -> str:
    """Write a number in the one form that stands for it, at any length: `+5.0` and `5` are `5`."""
    number = Decimal(numeral)
    if not number:
        return "0"
    number = number.normalize(Context(len(numeral), Emin=MIN_EMIN, Emax=MAX_EMAX))
    return f"{number:f}" if abs(number.adjusted()) <= _SPELLED_OUT else str(number)


def decimal_places(numbers: Float64) -> int:
    """Return how many decimal places numbers are written with, those of the one with most."""
    with np.errstate(over="ignore", invalid="ignore"):
        return next((n for n in range(LONGEST) if (np.round(numbers, n) == numbers).all()), LONGEST)


def in_order(labels: Iterable[str]) -> list[str]:
    """Sort labels by code points, or by size where they are numbers too long for float64."""
    listed = list(labels)
    return sorted(listed, key=Decimal) if exceed_float64(listed) else sorted(listed)
