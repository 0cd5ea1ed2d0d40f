"""Numbers as a person reads them, with the separators of the reader's language."""

from __future__ import annotations

import re
from collections.abc import Iterable

from unmask.wording import Message, joined, marked, text

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


def separators() -> tuple[str, str]:
    """Return the reader's separators of thousands and of decimals.

    >>> separators()
    (',', '.')
    """
    found = _SEPARATORS.fullmatch(text(EXAMPLE))
    return (found[1], found[2]) if found else (",", ".")
