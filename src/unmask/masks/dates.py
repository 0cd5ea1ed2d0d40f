"""Dates and periods: `2020`, `2020-Q1`, `2020-03`, `2020-01-15..2020-03-31`."""

from __future__ import annotations

import re
from typing import Literal

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_PERIOD = re.compile(r"(\d{4})(?:-(?:Q([1-4])|(0[1-9]|1[0-2])))?")

Period = Literal["month", "quarter", "year"]


def is_day(text: str) -> bool:
    """Whether a text is a date such as 2020-12-31."""
    return _DAY.fullmatch(text) is not None


def period_of(day: str, period: Period) -> str:
    """Return the month, quarter or year that a day lies in."""
    year, month = day[:4], int(day[5:7])
    return {"year": year, "quarter": f"{year}-Q{(month + 2) // 3}", "month": f"{year}-{month:02}"}[period]


def ends_of(label: str) -> tuple[str, str] | None:
    """Return the first and the last day of a period or a range of days; None for any other text.

    The last day of a month is its 31st: dates are compared as text.
    """
    low, dots, high = label.partition("..")
    if dots:
        low, high = low.strip(), high.strip()
        return (low, high) if is_day(low) and is_day(high) and low <= high else None
    if not (found := _PERIOD.fullmatch(label)):
        return None
    year, quarter, month = found[1], found[2], found[3]
    first, last = (int(quarter) * 3 - 2, int(quarter) * 3) if quarter else (int(month or 1), int(month or 12))
    return f"{year}-{first:02}-01", f"{year}-{last:02}-31"
