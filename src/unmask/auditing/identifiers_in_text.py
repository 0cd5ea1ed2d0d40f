"""Direct identifiers inside longer texts: addresses, numbers and names that a cell holds beside other words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from unmask.auditing.direct_identifiers import Identifier, is_iban

LONGEST_NAME = 4
"""Words of the longest name of a person that is looked up in texts."""

_PATTERNS: dict[Identifier, re.Pattern[str]] = {
    Identifier.EMAIL: re.compile(r"[\w.+-]@[\w-]+\.[\w.-]*\w"),
    Identifier.NATIONAL_ID: re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])"),
    Identifier.PHONE: re.compile(
        r"(?:(?<!\w)(?:tel|phone|fax|mobil|mobile|handy)[^\w\s]?\s*[+(]?|(?<!\w)\+|\(0)\d(?:[\s()/.-]?\d){6,14}(?!\d)",
        re.IGNORECASE,
    ),
    Identifier.DEVICE: re.compile(
        r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])"
        r"|(?<!\w)(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}(?!\w)"
    ),
    Identifier.NAME: re.compile(
        r"(?<!\w)(?:Mr|Mrs|Ms|Miss|Herrn?|Frau|Mme|Monsieur|Madame|Señora?|Sra?|Dra?|Doctor|Prof)\.?\s+"
        r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ'’-]+"
    ),
}
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}(?!\w)")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


MOST_READ = 100_000
"""Distinct texts of a column that are looked at: evenly spaced where there are more, so counts are lower bounds."""


def identifiers_in(values: Sequence[str]) -> dict[Identifier, list[int]]:
    """Return which texts hold an identifier of a kind, by their place among the values.

    >>> identifiers_in(["seen by Dr. Meyer", "no cough", "call +43 1 58801 or ada@example.org"])
    {<Identifier.EMAIL: 'e-mail addresses'>: [2], <Identifier.PHONE: 'phone numbers'>: [2], \
<Identifier.NAME: 'names of people'>: [0]}
    """
    found: dict[Identifier, list[int]] = {}
    read = [(i, values[i]) for i in _read(len(values))]
    for kind, pattern in _PATTERNS.items():
        places = [i for i, text in read if pattern.search(text)]
        if places:
            found[kind] = places
    accounts = [i for i, text in read if any(is_iban(part) for part in _IBAN.findall(text))]
    return found | {Identifier.ACCOUNT: accounts} if accounts else found


def texts_that_name(values: Sequence[str], names: Iterable[str]) -> list[int]:
    """Return the places of texts with several words, some of which are one of these names.

    A name has at least four letters, and at most `LONGEST_NAME` words. Case does not count.

    >>> texts_that_name(["Lovelace came in", "came in", "Lovelace"], ["lovelace"])
    [0]
    """
    known = {" ".join(words) for words in map(_words, names) if 0 < len(words) <= LONGEST_NAME}
    known = {name for name in known if sum(letter.isalpha() for letter in name) >= 4}
    return [i for i in _read(len(values)) if known and _names_one(_words(values[i]), known)]


def _read(n: int) -> Iterable[int]:
    """Return the places of the texts that are looked at."""
    return range(n) if n <= MOST_READ else (i * n // MOST_READ for i in range(MOST_READ))


def _names_one(words: list[str], known: set[str]) -> bool:
    if len(words) < 2:
        return False
    lengths = range(1, LONGEST_NAME + 1)
    return any(" ".join(words[i : i + n]) in known for i in range(len(words)) for n in lengths)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
