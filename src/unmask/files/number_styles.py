"""Number styles: the decimal sign and the thousands separator of a text column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import InvalidInputError
from unmask.wording import message

_SIGN = r"[+\-−–]?"
_MINUS = r"^[−–]"
_DIGITS = r"(?:0|[1-9][0-9]*)"  # 01234 is a code, not a number
_EXPONENT = r"(?:[eE][+-]?[0-9]+)?"
_SPACE = "[ \u00a0\u2009\u202f]"
_APOSTROPHE = "['’]"
_OF_INDIA = r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"  # 12,34,567
_IN_COMMAS = rf"^{_SIGN}[1-9][0-9]{{0,2}}(?:,[0-9]{{3}})+$"
_IN_POINTS = rf"^{_SIGN}[1-9][0-9]{{0,2}}(?:\.[0-9]{{3}})+$"


@dataclass(frozen=True, slots=True)
class Style:
    """The notation of a column's numbers."""

    decimal: str = "."
    separator: str = ""  # regular expression of the thousands separator; empty: none
    may_be_thousands: bool = False  # `1.234` is read as a decimal number, and could mean 1234

    @property
    def pattern(self) -> str:
        """The regular expression of numbers in this style."""
        grouped = rf"|[1-9][0-9]{{0,2}}(?:{self.separator}[0-9]{{3}})+" if self.separator else ""
        grouped += f"|{_OF_INDIA}" if self.separator == "," else ""
        decimals = r"(?:\.[0-9]*)?|\.[0-9]+" if self.decimal == "." else "(?:,[0-9]+)?|,[0-9]+"
        return rf"{_SIGN}(?:(?:{_DIGITS}{grouped}){decimals}){_EXPONENT}"

    def fits(self, texts: pa.Array) -> bool:
        """Whether all texts are numbers of this style."""
        return count_matches(texts, f"^{self.pattern}$") == len(texts)

    def plain(self, texts: pa.Array) -> pa.Array:
        """Return the numbers as plain numerals, (texts,): without separators, with a decimal point."""
        if self.separator:
            texts = pc.replace_substring_regex(texts, self.separator, "")
        if self.decimal == ",":
            texts = pc.replace_substring(texts, ",", ".")
        return pc.replace_substring_regex(texts, _MINUS, "-")


PLAIN = Style()
_COMMA = Style(",")
_GROUPED = tuple(
    Style(decimal, separator)
    for decimal, other in ((".", ","), (",", r"\."))
    for separator in (other, _SPACE, _APOSTROPHE)
)
_ANY = "(?:" + "|".join(style.pattern for style in (PLAIN, _COMMA, *_GROUPED)) + ")"
_UNIT = "(?:[€$£¥%‰]|EUR|USD|GBP|CHF)"
_LIKE_NUMBERS = rf"^(?:{_UNIT}?{_SPACE}*{_ANY}{_SPACE}*{_UNIT}?-?|\({_ANY}\))$"  # accounting notation: -5 as 5- or (5)


def cellwise_style(decimal: str | None) -> Style:
    """Return the one notation of numbers where no cell may decide how another is read: a point unless declared."""
    return _COMMA if decimal == "," else PLAIN


def plain_where_numbers(texts: pa.Array, style: Style) -> pa.Array:
    """Return the texts, (texts,), those that are numbers of the style as plain numerals."""
    numbers = pc.match_substring_regex(texts, f"^{style.pattern}$")
    return pc.if_else(numbers, style.plain(texts), texts)


def count_matches(texts: pa.Array, pattern: str) -> int:
    """Count the texts that match a pattern."""
    return int(pc.sum(pc.match_substring_regex(texts, pattern)).as_py() or 0)


def count_numbers(texts: pa.Array) -> int:
    """Count the texts that are numbers of any style."""
    return count_matches(texts, f"^{_ANY}$")


def has_other_numbers(texts: pa.Array) -> bool:
    """Whether some texts are numbers, but not plain numerals."""
    return count_numbers(texts) > count_matches(texts, f"^{PLAIN.pattern}$")


def look_like_numbers(texts: pa.Array) -> bool:
    """Whether some texts are numbers of any style, or such numbers beside a unit of money or share."""
    return count_matches(texts, _LIKE_NUMBERS) > 0


def like_numbers(texts: pa.Array) -> list[str]:
    """Return the texts that are numbers of any style, or such numbers beside a unit of money or share."""
    found: list[str] = texts.filter(pc.match_substring_regex(texts, _LIKE_NUMBERS)).to_pylist()
    return found


def style_of(name: str, texts: pa.Array, decimal: str | None) -> Style | None:
    """Return the number style of a column's distinct texts; None: some of them are not numbers.

    `decimal` is the declared decimal sign. With a declared one, numbers of another style are text.

    Fails
        With `InvalidInputError` where a comma may be decimal or group thousands, and where all texts are numbers
        of different styles.
    """
    if PLAIN.fits(texts):
        return _with_points(texts, decimal)
    if count_numbers(texts) < len(texts):
        return None
    if decimal != "." and _COMMA.fits(texts):
        if decimal is None and _are_thousands(texts, ",", _IN_COMMAS):
            msg = message(
                "column {name} must say what its commas mean: 1,234 may be a decimal number or a thousand. Give "
                "--decimal , or --decimal .",
                name=repr(name),
            )
            raise InvalidInputError(msg)
        return _COMMA
    styles = [style for style in _GROUPED if decimal in {None, style.decimal} and style.fits(texts)]
    if len({tuple(style.plain(texts).to_pylist()) for style in styles}) == 1:
        return styles[0]
    if styles or decimal is None:
        msg = message(
            "column {name} must write its numbers in one form; its commas and points have several meanings. "
            "Write them in one form, or give --decimal , or --decimal . to leave cells of another form as "
            "text",
            name=repr(name),
        )
        raise InvalidInputError(msg)
    return None


def _with_points(texts: pa.Array, decimal: str | None) -> Style:
    """Return the style of plain numerals; if the declared decimal sign is a comma, points group thousands."""
    if not _are_thousands(texts, ".", _IN_POINTS):
        return PLAIN
    return Style(",", r"\.") if decimal == "," else Style(may_be_thousands=decimal is None)


def _are_thousands(texts: pa.Array, sign: str, pattern: str) -> bool:
    """Whether some texts contain the sign, and all of these could be thousands."""
    signed = int(pc.sum(pc.match_substring(texts, sign)).as_py() or 0)
    return signed > 0 and count_matches(texts, pattern) == signed


def notes_on_styles(styles: dict[str, Style], decimal: str | None) -> Iterator[str]:
    """Yield notes on columns whose numbers are not plain numerals.

    Fails
        With `InvalidInputError` where `1.234` may mean 1234, since other columns have a decimal comma.
    """
    commas = [name for name, style in styles.items() if style.decimal == ","]
    doubtful = [name for name, style in styles.items() if style.may_be_thousands]
    if commas and doubtful:
        msg = message(
            "column {doubtful} must say what its points mean: 1.234 may be a decimal number or, since column "
            "{commas} has a decimal comma, a thousand. Give --decimal , for thousands; else write decimals "
            "in one form",
            doubtful=repr(doubtful[0]),
            commas=repr(commas[0]),
        )
        raise InvalidInputError(msg)
    if commas and decimal is None:
        yield message("decimal comma in {commas}; --decimal . would make it text", commas=", ".join(commas))
    grouped = [name for name, style in styles.items() if style.separator]
    if grouped:
        yield message("thousands separators in {grouped}: not part of the numbers", grouped=", ".join(grouped))
    if doubtful:
        yield message(
            "1.234 is a decimal number in {doubtful}; --decimal , would make it a thousand",
            doubtful=", ".join(doubtful),
        )
