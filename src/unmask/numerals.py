"""Numerals: numbers as they are written, and which of them float64 keeps apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

import numpy as np

from unmask.arrays import Float64

NUMERAL = r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""A plain numeral; a leading zero makes a code: 01234."""

LONGEST = 15
"""Digits that float64 always keeps apart: longer whole numbers are labels, compared digit by digit."""

DOUBTFUL = rf"[0-9.]{{{LONGEST + 2},}}|[0-9]{{{LONGEST + 1},}}|[eE][+-]?[0-9]{{3,}}"
"""What a numeral contains where float64 may not keep it apart from another; anything else it does keep apart."""

_PLAIN = re.compile(NUMERAL)
_DOUBTFUL = re.compile(DOUBTFUL)
_LONG = re.compile(rf"[+-]?[1-9][0-9]{{{LONGEST},}}")
_SPELLED_OUT = 400  # places before or after the decimal point


def exceed_float64(texts: Collection[str]) -> bool:
    """Whether all texts are numerals, and float64 would merge some of them or change a whole number.

    Then the numbers are labels: written in one form by `canonical`, sorted by `in_order`. A whole number is changed
    where it has more than 15 digits; decimals and powers (1e20) only count where two of them become one.
    """
    if not any(map(_DOUBTFUL.search, texts)) or not all(map(_PLAIN.fullmatch, texts)):
        return False
    if any(map(_LONG.fullmatch, texts)):
        return True
    floats = set(map(float, texts))
    if float("inf") in floats or float("-inf") in floats:
        return True
    return len(floats) < len(set(texts)) and len(floats) < len(set(map(Decimal, texts)))


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
