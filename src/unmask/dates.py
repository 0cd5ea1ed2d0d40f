"""Parsers of written dates: 2020-01-15, 15.01.2020, 15/01/2020, 01/15/2020."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

LIKE_A_DATE = r"^(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4})$"
"""A pattern of dates."""

_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")


def parse_date(text: str, *, day_first: bool | None) -> date | None:
    """Return the date of a text; None if it is not a date, or is ambiguous and `day_first` is None.

    >>> parse_date("15/01/2020", day_first=True), parse_date("03/04/2020", day_first=None)
    (datetime.date(2020, 1, 15), None)
    """
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = (int(part) for part in match.groups())
        return _date(year, month, day)
    match = _YEAR_LAST.fullmatch(text)
    if match is None:
        return None
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if match[2] == "." or first == second or day_first:  # with points the day is always first
        return _date(year, second, first)
    return None if day_first is None else _date(year, first, second)


def begin_with_day(texts: Iterable[str]) -> bool | None:
    """Whether dates with slashes or hyphens begin with the day; None: ambiguous or inconsistent."""
    dates = [match for text in texts if (match := _YEAR_LAST.fullmatch(text.strip())) and match[2] != "."]
    begins = any(int(match[1]) > 12 for match in dates)
    ends = any(int(match[3]) > 12 for match in dates)
    return begins if begins != ends else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
