"""Numerals: written numbers, and whether float64 distinguishes them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.wording import message

NUMERAL = r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
"""A plain numeral; a leading zero makes a code: 01234."""

LONGEST = 15
"""The number of digits that float64 always distinguishes; longer integers are labels, compared digit by digit."""

LARGEST = 1e100
"""The largest computable number; larger ones, or smaller than its inverse, are labels, since squares would overflow."""

DOUBTFUL = rf"[0-9.]{{{LONGEST + 2},}}|[0-9]{{{LONGEST + 1},}}|[eE][+-]?[0-9]{{3,}}"
"""A pattern in numerals that float64 may fail to distinguish; it distinguishes all others."""

_PLAIN = re.compile(NUMERAL)
_COMMA_DECIMAL = re.compile(r"[+−–-]?[0-9]*,(?:[0-9]{1,2}|[0-9]{4,})")  # three decimals may be thousands
_GROUPED = re.compile(r"[+−–-]?[1-9][0-9]{0,2}(?:[,.'’ \u00a0\u2009\u202f][0-9]{3})+(?:[.,][0-9]+)?")
_DOUBTFUL = re.compile(DOUBTFUL)
_LONG = re.compile(rf"[+-]?[1-9][0-9]{{{LONGEST},}}")
_EXACT = 2.0**53  # float64 represents all integers up to here
_SPELLED_OUT = 400  # places before or after the decimal point


def exceed_float64(texts: Collection[str]) -> bool:
    """Whether all texts are numerals, and float64 would merge some of them or change an integer.

    Then the numbers are labels: normalized by `canonical`, sorted by `in_order`. Integers of more than 15 digits count
    as changed; decimals and powers (1e20) only if two of them are merged, or one is too extreme for arithmetic.
    """
    if not any(map(_DOUBTFUL.search, texts)) or not all(map(_PLAIN.fullmatch, texts)):
        return False
    if any(map(_LONG.fullmatch, texts)):
        return True
    floats = set(map(float, texts))
    if extreme(np.array(list(floats))).any():
        return True
    return len(floats) < len(set(texts)) and len(floats) < len(set(map(Decimal, texts)))


def make_numbers(texts: Collection[str]) -> str:
    """Return the way out, as a sentence, where a column must hold numbers and some texts are none."""
    if any(map(_COMMA_DECIMAL.fullmatch, texts)):
        return message("Give --decimal , if 1,5 is a number")
    if any(_GROUPED.fullmatch(text) and not _PLAIN.fullmatch(text) for text in texts):
        return message("Write thousands without a sign between them, as 1000")
    return message("List them with --missing")


def rounds(text: str) -> bool:
    """Whether a text is a numeral that a column of computable numbers may contain, written with too many digits."""
    return bool(_DOUBTFUL.search(text) and _PLAIN.fullmatch(text)) and not exceed_float64([text])


def extreme(numbers: Float64) -> Bool:
    """Whether numbers are too large or too near to 0 for arithmetic."""
    size = np.abs(numbers)
    return np.asarray((size > LARGEST) | ((size > 0) & (size < 1 / LARGEST)))


def are_whole(numbers: Float64) -> bool:
    """Whether numbers are integers that float64 represents exactly."""
    return bool((numbers == np.rint(numbers)).all()) and not (np.abs(numbers) > _EXACT).any()


def require_steps(name: str, numbers: Float64, step: float | None) -> None:
    """Fail where a column's numbers are too many steps from 0 for float64 to distinguish the steps."""
    largest = float(np.abs(numbers).max(initial=0.0))
    if step is not None and largest > step * _EXACT:
        msg = message(
            "the step of column {name} must be at least {least}, since its numbers go up to {most}; "
            "got {step}. Raise it, or leave it out",
            name=repr(name),
            least=numeral(largest / _EXACT, ".2g"),
            most=numeral(largest, ".3g"),
            step=numeral(step, "g"),
        )
        raise InvalidInputError(msg)


def canonical(numeral: str) -> str:
    """Return the normal form of a numeral of any length: `+5.0` and `5` are `5`."""
    number = Decimal(numeral)
    if not number:
        return "0"
    number = number.normalize(Context(len(numeral), Emin=MIN_EMIN, Emax=MAX_EMAX))
    return f"{number:f}" if abs(number.adjusted()) <= _SPELLED_OUT else str(number)


def decimal_places(numbers: Float64) -> int:
    """Return the largest number of decimal places among numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        return next((n for n in range(LONGEST) if (np.round(numbers, n) == numbers).all()), LONGEST)


def in_order(labels: Iterable[str]) -> list[str]:
    """Return labels sorted by code points, or by size if they are numbers too long for float64."""
    listed = list(labels)
    return sorted(listed, key=Decimal) if exceed_float64(listed) else sorted(listed)
