"""Numbers as a person reads them, with the separators of the reader's language."""

from __future__ import annotations

import re
from collections.abc import Iterable

from unmask.wording import Message, joined, marked, message, text

EXAMPLE = marked("1,234.5")
"""A number whose translation has the separators of a language, as `1.234,5`; `1234,5` has none of thousands."""

_SEPARATORS = re.compile(r"1(.?)234(.)5")


class Numeral(Message):
    """A number as English writes it, which can still be shown with the separators of another language."""

    __slots__ = ()

    def translated(self) -> str:
        """Return the number in the reader's language."""
        thousands, decimal = separators()
        return self.translate({ord(","): thousands, ord("."): decimal})


def numeral(value: float, form: str = ",") -> Numeral:
    """Return a number in a form of Python's `format`, for a reader who is not known yet; `text` shows it.

    >>> numeral(30162), numeral(0.1234, ".1%")
    ('30,162', '12.3%')
    """
    return Numeral((format(value, form),))


class NumeralList(Message):
    """Numbers with commas between; with semicolons where the reader's language has decimal commas."""

    __slots__ = ()

    def translated(self) -> str:
        """Return the numbers in the reader's language."""
        between = "; " if separators()[1] == "," else ", "
        return between.join(text(str(value)) for value in self.values.values())


def numerals(values: Iterable[float], form: str = ",") -> NumeralList:
    """Return numbers in a form of Python's `format`, with commas between, for a reader who is not known yet.

    >>> numerals([0.25, 12], ".1f")
    '0.2, 12.0'
    """
    made = joined((numeral(value, form) for value in values), ", ")
    return NumeralList(made.forms, 1, made.values)


def percentage(share: float, *, short: bool = False) -> Message:
    """Return a share in per cent: one digit after the point, none where `short` and large, more where it is small.

    A share between 0 and 1 is never rounded to either.

    >>> percentage(0.585), percentage(0.324, short=True), percentage(0.0004), percentage(0.00001), percentage(0.9999)
    ('58.5 %', '32 %', '0.04 %', 'under 0.01 %', 'over 99.9 %')
    """
    part = 100 * share
    if 0 < part < 0.01:
        return message("under {share} %", share=numeral(0.01, "g"))
    if 99.9 < part < 100:
        return message("over {share} %", share=numeral(99.9, "g"))
    digits = 0 if share in {0, 1} else 2 if part < 0.1 else 0 if short and 9.5 <= part <= 99.5 else 1
    return message("{share} %", share=numeral(part, f".{digits}f"))


def separators() -> tuple[str, str]:
    """Return the reader's separators of thousands and of decimals.

    >>> separators()
    (',', '.')
    """
    found = _SEPARATORS.fullmatch(text(EXAMPLE))
    return (found[1], found[2]) if found else (",", ".")
