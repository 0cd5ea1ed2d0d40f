"""Spellings of numbers and ranges: words, units, money, thousands, other scripts; each as the notation of cells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from unmask.numerics.numerals import NUMERAL as _N

_PLAIN_NUMERAL = re.compile(_N)
_AND = r"(?:and|or|&|und|oder|et|ou|\by\b|\bo\b|\be\b)"
_BELOW = (
    "under|below|less than|fewer than|younger than|lower than|unter|weniger als|jünger als|moins de|menos de|meno di"
)

_SPELLINGS = (  # words, signs; `#` is a numeral, a blank any blanks
    (r"(?:between|from|zwischen|von|entre|de|da|tra) # (?:and|to|und|bis|et|à|\by\b|\ba\b|\be\b) #", r"\1..\2"),
    (rf"(?:>=|from)? # (?:-|to|bis|and|und|à)? (?:<|{_BELOW}) #", r"[\1, \2)"),
    (r"# <= [a-z]+ <= #", r"[\1, \2]"),
    (r"# <= [a-z]+ < #", r"[\1, \2)"),
    (r"# < [a-z]+ <= #", r"(\1, \2]"),
    (r"# (?:to|through|thru|bis|à|hasta|\ba\b) #", r"\1..\2"),
    (rf"(?:{_BELOW}) #", r"<\1"),
    (r"(?:up to|at most|no more than|not more than|bis(?: zu)?|höchstens|jusqu'à|au plus|hasta|fino a) #", r"<=\1"),
    (r"(?:over|above|more than|older than|greater than|über|mehr als|älter als|plus de|más de|più di|oltre) #", r">\1"),
    (r"(?:at least|from|no less than|ab|mindestens|au moins|à partir de|dès|desde|al menos|almeno) #", r">=\1"),
    (rf"# {_AND} (?:over|above|older|more|up|upwards|greater|higher|älter|mehr|darüber|plus|más|più)", r">=\1"),
    (r"# plus", r">=\1"),
    (rf"# {_AND} (?:under|below|younger|less|fewer|lower|jünger|weniger|darunter|moins|menos|meno)", r"<=\1"),
    (r"# (?:or|oder|ou|\bo\b) #", r"{\1, \2}"),
    (r"# , # ,? (?:or|oder|ou|\bo\b) #", r"{\1, \2, \3}"),
)  # fmt: skip
_PATTERNS = tuple(
    (re.compile(words.replace(" ", r"\s*").replace("#", rf"({_N})"), re.IGNORECASE), signs)
    for words, signs in _SPELLINGS
)

_UNITS = {
    "years": "year|years|year old|years old|years of age|yr|yrs|yrs.|jahr|jahre|jahren|an|ans|año|años|anni|jaar",
    "months": "month|months|monat|monate|monaten|mois|mes|meses",
    "weeks": "week|weeks|woche|wochen|semaine|semaines|semana|semanas",
    "days": "day|days|tag|tage|tagen|jour|jours|día|días",
    "hours": "hour|hours|hr|hrs|stunde|stunden|heure|heures|hora|horas",
    "minutes": "minute|minutes|min|mins|minuten",
    "kg": "kg",
    "cm": "cm",
    "km": "km",
    "miles": "mile|miles",
    "persons": "person|persons|people|personen|personnes|personas",
    "children": "child|children|kind|kinder",
    "percent": "%|percent|prozent",
    "dollars": "$|usd",
    "euros": "€|eur|euro|euros",
    "pounds": "£|gbp",
    "yen": "¥|jpy",
    "francs": "chf",
}
_KIND_OF = {spelling: kind for kind, spellings in _UNITS.items() for spelling in spellings.split("|")}


def _any_of(spellings: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))


_MONEY = _any_of("|".join(_UNITS[kind] for kind in ("dollars", "euros", "pounds", "yen", "francs")).split("|"))
_AFTER = re.compile(rf"(?<=[\dkKM+])\s*({_any_of(_KIND_OF)})(?![^\W_])", re.IGNORECASE)
_BEFORE = re.compile(rf"(?<![^\W_])({_MONEY})\s*(?=[+-]?\d)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_VOCABULARY = frozenset(
    _WORD.findall(" ".join([*_KIND_OF, *(words for words, _ in _SPELLINGS)]).replace(r"\b", " "))
).union(("k", "m", "s", "e", "inf", "infinity", "age", "aged", "ages"))
_AGED = re.compile(r"^(?:aged?|ages)\s+(?=\S)", re.IGNORECASE)
_MULTIPLIED = re.compile(rf"(?<![\w.])({_N})([kKM])(?![^\W_])")
_ONE_MULTIPLIED = re.compile(rf"^({_N})(\s*(?:-|\.\.|to)\s*)({_N})([kKM])$")
_LOOSE = re.compile(rf"({_N})\s*[/_]\s*({_N})")
_CLOSED = re.compile(rf"({_N})\s*(?:-|\.\.)\s*({_N})")
_TIMES = {"k": 1000, "K": 1000, "M": 1000000}
_SIMPLE = re.compile(r"(?:[\d.+\-<>=;*|]| (?!\d{3}))*")
"""A text without letters, units or thousands; a comma may be decimal."""

_GROUPED = {
    ",": re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|[1-9]\d?(?:,\d{2})+,\d{3}"),
    ".": re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?"),
}
_ONE_GROUP = re.compile(r"[1-9]\d{0,2},\d{3}")
_NUMERALS = re.compile(r"\d+(?:[.,]\d+)*")
_SPACED = re.compile(r"(?<![\d,])(?<!\d\.)[1-9]\d{0,2}(?:[ '’]\d{3})+(?!\d)")
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_TYPOGRAPHY = {"≤": "<=", "≥": ">=", "\uff5e": "..", "\u301c": "..", "…": ".."}


CellReading = Literal["bands", "half-open", "labels"]
"""How cells are declared to be read: as numbers where possible, as numbers without the upper end of bands, as text."""


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How the numbers of a column are written."""

    decimal: str = "."
    grouping: str = ""  # the sign between thousands, comma or point; blanks and apostrophes need no declaration
    one_unit: bool = True  # all numbers have the same unit, so it can be left out
    loose: bool = False  # also what may mean something else: `20/29`, `20_29`, `5-10k`
    half_open: bool = False  # `20-30` is without 30

    @classmethod
    def of(
        cls, texts: Collection[str], decimal: str, values: Iterable[str] = (), cells: CellReading | None = None
    ) -> tuple[NumberStyle, NumberStyle]:
        """Return the style of the texts of cells, and another one that they allow: 1,000 and 1.000 may be a thousand.

        `values` are those of people: they may have a unit as well. Both styles are the same where there is no choice.
        """
        one_unit = len(units([*texts, *values])) <= 1
        other = "," if decimal == "." else "."
        grouping = other if _match(_GROUPED[other], texts, other) else ""
        usual = cls(decimal, grouping, one_unit, loose=cells is not None, half_open=cells == "half-open")
        if decimal == "." and usual.grouping and _match(_ONE_GROUP, texts, ","):
            return usual, replace(usual, decimal=",", grouping="")
        if decimal == "." and not usual.grouping and _match(_GROUPED["."], texts, "."):
            return usual, replace(usual, decimal=",", grouping=".")
        return usual, usual

    def of_value(self, value: str) -> NumberStyle:
        """Return the style of a value of people: plain where it is a plain numeral, as in a column of numbers."""
        return PLAIN if _PLAIN_NUMERAL.fullmatch(value.strip()) else self


PLAIN = NumberStyle()


def _match(pattern: re.Pattern[str], texts: Iterable[str], sign: str) -> bool:
    """Whether a sign occurs in the numerals of texts, and all numerals with it match a pattern."""
    found = [
        numeral
        for text in texts
        if sign in text and not _separates_ends(text)
        for numeral in _NUMERALS.findall(plain_signs(text))
        if sign in numeral
    ]
    return bool(found) and all(map(pattern.fullmatch, found))


def _separates_ends(text: str) -> bool:
    """Whether the only comma of a text separates the ends of an interval: R writes `(20,30]`."""
    return text[:1] in {"[", "(", "]"} and text.count(",") == 1 and ";" not in text


def units(texts: Iterable[str]) -> set[str]:
    """Return the units that follow or precede the numbers of texts."""
    found: set[str] = set()
    for text in texts:
        if not _SIMPLE.fullmatch(text) and _may_be_number(plain := plain_signs(text)):
            found.update(_KIND_OF[unit.casefold()] for unit in (*_AFTER.findall(plain), *_BEFORE.findall(plain)))
    return found


def _may_be_number(text: str) -> bool:
    """Whether all words of a text are words of numbers, or it has a name between signs: `20 <= x < 30`."""
    return "<" in text or _VOCABULARY.issuperset(_WORD.findall(text.casefold()))


def plain_signs(text: str) -> str:
    """Return a text with ASCII digits, hyphens, blanks and signs, and composed letters."""
    if text.isascii():
        return text
    return "".join(map(_plain_sign, unicodedata.normalize("NFC", text)))


def _plain_sign(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter in _TYPOGRAPHY:
        return _TYPOGRAPHY[letter]
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    if letter.isspace():
        return " "
    if unicodedata.category(letter) == "Pd" or letter == "−":
        return "-"
    return chr(ord(letter) - 0xFEE0) if "\uff01" <= letter <= "\uff5e" else letter


def plain_numeral(text: str, decimal: str) -> str:
    """Return a value of people with plain signs and a decimal point; it may still be anything else than a numeral."""
    text = plain_signs(text.strip())
    return _DECIMAL_COMMA.sub(".", text) if decimal == "," else text


def tidy(text: str, style: NumberStyle = PLAIN) -> str:
    """Return a text with plain signs and plain numerals: no thousands separators, units or money, and a decimal point.

    The only comma of an interval separates its ends, even with decimal commas: R writes `(20,30]`.
    """
    text = plain_signs(text)
    if not style.grouping and not style.half_open and _SIMPLE.fullmatch(text):
        return text  # fast path: most numbers
    if not _may_be_number(text):
        return text  # fast path: most words
    between = _separates_ends(text)
    if style.grouping and not between:
        text = _NUMERALS.sub(lambda numeral: _ungrouped(numeral[0], style.grouping), text)
    if style.decimal == "," and not between:
        text = _DECIMAL_COMMA.sub(".", text)
    text = _SPACED.sub(lambda numeral: re.sub(r"\D", "", numeral[0]), text)
    if style.one_unit and not (text[:1] == "{" or text.isalpha()):
        text = _BEFORE.sub("", _AFTER.sub("", _AGED.sub("", text)))
    text = _multiplied(text, loose=style.loose)
    if style.loose and (found := _LOOSE.fullmatch(text)):
        text = found.expand(r"\1..\2")
    if style.half_open and (found := _CLOSED.fullmatch(in_signs(text))):
        text = found.expand(r"[\1, \2)")
    return text


def _ungrouped(numeral: str, sign: str) -> str:
    return numeral.replace(sign, "") if _GROUPED[sign].fullmatch(numeral) else numeral


def _multiplied(text: str, *, loose: bool) -> str:
    """Return `£5k to £10k` with thousands written out; `5-10k` stays, since it may begin at 5 or at 5000.

    Loosely read, it begins at 5000.
    """
    if loose:
        text = _ONE_MULTIPLIED.sub(r"\1\4\2\3\4", text)
    if "k" not in text and "K" not in text and "M" not in text:
        return text
    if re.search("[1-9]", _MULTIPLIED.sub("", text)):
        return text
    return _MULTIPLIED.sub(lambda found: f"{Decimal(found[1]) * _TIMES[found[2]]:f}", text)


def in_signs(text: str) -> str:
    """Return a range in words in signs: `under 18` as `<18`, `20 to 29` as `20..29`, `1 or 2` as `{1, 2}`."""
    if "<" not in text and not (_WORD.search(text) and _may_be_number(text)):
        return text  # fast path: most cells
    for words, signs in _PATTERNS:
        if found := words.fullmatch(text):
            return found.expand(signs)
    return text
