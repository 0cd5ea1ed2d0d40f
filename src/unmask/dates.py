"""Dates as text and as days since 1970-01-01: days, date-times, periods (`1977-10`, `1980-Q1`), ages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

LIKE_A_DATE = r"^(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4})$"
"""A pattern of dates."""

_TIME = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?\s*(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
_SPACES = "\\s\u00a0\u202f"  # a narrow one stands before PM in the United States
_TWELVE_HOURS = rf"([0-9]{{1,2}})(:[0-9]{{2}}(?::[0-9]{{2}})?)[{_SPACES}]*([AaPp])\.?[Mm]\.?"
LIKE_A_MOMENT = rf"{LIKE_A_DATE[:-1]}(?:{_TIME}|[T ]{_TWELVE_HOURS})?$"
"""A pattern of dates with or without a time of day."""

Level = Literal["day", "week", "month", "quarter", "half-year", "year", "5-years", "decade", "age"]
"""A level to which dates can be generalized."""

LEVELS: tuple[Level, ...] = get_args(Level)
"""All levels, the finest first; `age` needs a reference date."""

OLDEST = 90
"""The age from which on ages are pooled."""

_SECONDS = 86400
_DAY_OF_MICROSECONDS = _SECONDS * 1_000_000
_PLAIN_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?)?")
_EPOCH = date(1970, 1, 1)
_DAY = r"(?:\d{4,7}|-\d{1,7})-\d{2}-\d{2}"  # noise may lead far away
_MOMENT = re.compile(rf"({_DAY})(?:[T ](\d{{2}}):(\d{{2}})(?::(\d{{2}}(?:\.\d+)?))?\s*(Z|[+-]\d{{2}}:?\d{{2}})?)?")
_ZONE = re.compile(r":\d{2}(?:\.\d+)?\s*(?:Z|[+-]\d{2}:?\d{2})$")
_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_WEEK = re.compile(r"(\d{4})-?W(\d{2})")
_MONTHS = (
    (re.compile(r"(\d{4})[-/](0[1-9]|1[0-2])"), 1),
    (re.compile(r"(\d{4})[- ]?Q([1-4])", re.IGNORECASE), 3),
    (re.compile(r"(\d{4})[- ]?H([12])", re.IGNORECASE), 6),
    (re.compile(r"(\d{4})()"), 12),
)
_LATE = re.compile(rf"(?<=[T ]){_TWELVE_HOURS}$")
_DECADE = re.compile(r"(\d{3})0s")
_AGE = re.compile(r"(\d{1,3})(\+)? years on (\d{4}-\d{2}-\d{2})")


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
    heads = (text.strip().partition(" ")[0] for text in texts)
    dates = [match for text in heads if (match := _YEAR_LAST.fullmatch(text)) and match[2] != "."]
    begins = any(int(match[1]) > 12 for match in dates)
    ends = any(int(match[3]) > 12 for match in dates)
    return begins if begins != ends else None


def day_number(day: date) -> float:
    """Return the days from 1970-01-01 to a day."""
    return float((day - _EPOCH).days)


def moment_number(text: str) -> float | None:
    """Return a day or a date-time in ISO form as days since 1970-01-01, in UTC; None for any other text.

    >>> moment_number("1970-01-02"), moment_number("1970-01-02T12:00:00"), moment_number("1970-01-02T01:00+01:00")
    (1.0, 1.5, 1.0)
    """
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    try:
        days = int(np.datetime64(found[1], "D").astype(np.int64))
    except ValueError:
        return None
    hours, minutes, seconds = int(found[2] or 0), int(found[3] or 0), float(found[4] or 0)
    if hours > 23 or minutes > 59 or seconds >= 60:
        return None
    micro = (hours * 3600 + minutes * 60 - _offset(found[5])) * 1_000_000 + round(seconds * 1e6)
    more, micro = divmod(micro, _DAY_OF_MICROSECONDS)
    return days + more + micro / _DAY_OF_MICROSECONDS


def moment_numbers(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """Return days or date-times in ISO form without a zone, (texts,), as `moment_number` does; None if some are others.

    Texts are parsed at once, in a twentieth of the time.
    """
    if not all(map(_PLAIN_MOMENT.fullmatch, texts)):
        return None
    try:
        micro = np.array(texts, "datetime64[us]").astype(np.int64)
    except ValueError:
        return None
    days, rest = np.divmod(micro, _DAY_OF_MICROSECONDS)
    return np.asarray(days + rest / _DAY_OF_MICROSECONDS, np.float64)


def parse_moment(text: str, *, day_first: bool | None) -> float | None:
    """Return a date of any form, with or without a time of day, as days since 1970-01-01, in UTC; None for others.

    >>> parse_moment("02.01.1970 12:00", day_first=None), parse_moment("1/2/1970 6:00 PM", day_first=False)
    (1.5, 1.75)
    """
    text = _LATE.sub(_of_day, text)
    moment = moment_number(text)
    if moment is not None:
        return moment
    head, _, tail = text.partition(" ")
    day = parse_date(head, day_first=day_first)
    return None if day is None else moment_number(f"{day} {tail}" if tail else str(day))


def _of_day(match: re.Match[str]) -> str:
    """Return a time of twelve hours as one of the day; as it is where the hour is none of 1 to 12."""
    hour = int(match[1])
    if not 1 <= hour <= 12:
        return match[0]
    return f"{hour % 12 + (12 if match[3] in 'Pp' else 0):02}{match[2]}"


def end_of_day(day: float) -> float:
    """Return the last microsecond of a day."""
    return day + 1 - 1e-6 / _SECONDS


def has_time(text: str) -> bool:
    """Whether a text in ISO form has a time of day."""
    found = _MOMENT.fullmatch(text)
    return found is not None and found[2] is not None


def has_zone(text: str) -> bool:
    """Whether a date-time of any form has a time zone."""
    return _ZONE.search(text) is not None


def _offset(zone: str | None) -> int:
    """Return the seconds by which the time of a zone is ahead of UTC."""
    if zone is None or zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    return (-1 if zone[0] == "-" else 1) * (hours * 3600 + minutes * 60)


def moment_texts(numbers: NDArray[Any], *, timed: bool) -> list[str]:
    """Return days since 1970-01-01, (numbers,), in ISO form, with the time of day if `timed`, to the microsecond.

    >>> moment_texts(np.array([1.0, 1.5]), timed=False), moment_texts(np.array([1.5]), timed=True)
    (['1970-01-02', '1970-01-02'], ['1970-01-02T12:00:00'])
    """
    days = np.floor(numbers)
    if not timed:
        return [str(text) for text in np.datetime_as_string(days.astype(np.int64).astype("datetime64[D]"))]
    micro = np.rint((np.asarray(numbers) - days) * _DAY_OF_MICROSECONDS).astype(np.int64)
    moments = days.astype(np.int64).astype("datetime64[D]").astype("datetime64[us]") + micro.astype("timedelta64[us]")
    return [str(text).rstrip("0").removesuffix(".") for text in np.datetime_as_string(moments)]


def period_ends(text: str, *, day_first: bool | None = None) -> tuple[float, float] | None:
    """Return the first moment of a day, date-time or period and the first one after it; None for any other text.

    Both in days since 1970-01-01; a date-time ends where it begins. An age without an upper limit begins at minus
    infinity.

    >>> period_ends("1970"), period_ends("1970-Q2"), period_ends("1970-02")
    ((0.0, 365.0), (90.0, 181.0), (31.0, 59.0))
    """
    moment = moment_number(text)
    if moment is not None:
        return (moment, moment) if has_time(text) else (moment, moment + 1)
    day = parse_date(text, day_first=day_first)
    if day is not None:
        return day_number(day), day_number(day) + 1
    for pattern, months in _MONTHS:
        if found := pattern.fullmatch(text):
            year, first = int(found[1]), (int(found[2] or 1) - 1) * months
            return (_first_day(year, first), _first_day(year, first + months)) if year else None
    if found := _DECADE.fullmatch(text):
        year = int(found[1]) * 10
        return (_first_day(year, 0), _first_day(year + 10, 0)) if year else None
    if found := _WEEK.fullmatch(text):
        try:
            monday = day_number(date.fromisocalendar(int(found[1]), int(found[2]), 1))
        except ValueError:
            return None
        return monday, monday + 7
    found = _AGE.fullmatch(text)
    return None if found is None else _ends_of_age(int(found[1]), found[3], pooled=found[2] is not None)


def _ends_of_age(years: int, on: str, *, pooled: bool) -> tuple[float, float] | None:
    try:
        reference = date.fromisoformat(on)
        last = _last_birthday(reference, years)
        before = None if pooled else _last_birthday(reference, years + 1)
    except ValueError:
        return None
    return -np.inf if before is None else day_number(before) + 1, day_number(last) + 1


def _last_birthday(reference: date, years: int) -> date:
    """Return the last day of birth of people who are at least so many years old on the reference date."""
    return _date(reference.year - years, reference.month, reference.day) or date(reference.year - years, 2, 28)


def _first_day(year: int, month: int) -> float:
    """Return the first day of a month, counted from 0 and across years."""
    return float(np.datetime64(f"{year + month // 12:04}-{month % 12 + 1:02}-01", "D").astype(np.int64))


def period_of(day: date, level: Level, reference: date | None = None) -> str:
    """Return the period of a level that a day lies in; ages are those on the reference date.

    >>> [period_of(date(1977, 10, 5), level) for level in ("week", "quarter", "half-year", "5-years", "decade")]
    ['1977-W40', '1977-Q4', '1977-H2', '1975-1979', '1970-1979']
    >>> period_of(date(1977, 10, 5), "age", date(2020, 10, 4))
    '42 years on 2020-10-04'
    """
    return _PERIODS[level](day, reference)


def _years(day: date, width: int) -> str:
    first = day.year // width * width
    return f"{first:04}-{first + width - 1:04}"


def _week(day: date, _: date | None) -> str:
    found = day.isocalendar()
    return f"{found.year:04}-W{found.week:02}"


def _age(day: date, reference: date | None) -> str:
    if reference is None:
        msg = "an age must have a reference date"
        raise ValueError(msg)
    years = reference.year - day.year - ((reference.month, reference.day) < (day.month, day.day))
    return age_text(years, reference)


def age_text(years: int, reference: date) -> str:
    """Return an age on a reference date; those of 90 and more are one."""
    return f"{OLDEST}+ years on {reference}" if years >= OLDEST else f"{years} years on {reference}"


_PERIODS: dict[Level, Callable[[date, date | None], str]] = {
    "day": lambda day, _: day.isoformat(),
    "week": _week,
    "month": lambda day, _: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day, _: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "half-year": lambda day, _: f"{day.year:04}-H{(day.month + 5) // 6}",
    "year": lambda day, _: f"{day.year:04}",
    "5-years": lambda day, _: _years(day, 5),
    "decade": lambda day, _: _years(day, 10),
    "age": _age,
}


def period_text(first: float, last: float) -> str | None:
    """Return the period of whole days with exactly this first and last day; None where there is none.

    >>> period_text(0, 364), period_text(0, 89), period_text(0, 729), period_text(1, 5)
    ('1970', '1970-Q1', '1970-1971', None)
    """
    try:
        low, end = _EPOCH + timedelta(int(first)), _EPOCH + timedelta(int(last) + 1)
    except OverflowError:
        return None
    if low.day == end.day == 1:
        months = (end.year - low.year) * 12 + end.month - low.month
        if months % 12 == 0 and low.month == 1:
            return f"{low.year:04}" if months == 12 else f"{low.year:04}-{end.year - 1:04}"
        for level, length in (("month", 1), ("quarter", 3), ("half-year", 6)):
            if months == length and (low.month - 1) % length == 0:
                return period_of(low, level)  # type: ignore[arg-type]  # one of the levels
    return period_of(low, "week") if (end - low).days == 7 and low.weekday() == 0 else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
