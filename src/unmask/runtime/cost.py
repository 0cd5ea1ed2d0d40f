"""Cost limits: refuse work before it begins if its estimated time is too long."""

from __future__ import annotations

from collections.abc import Callable

from unmask.errors import CostlyError
from unmask.number_format import numeral
from unmask.wording import counted, message

MOST_SECONDS = 600.0
"""The default limit of estimated processor time, in seconds."""

_UNITS: tuple[tuple[float, Callable[[int], str]], ...] = (
    (60.0, lambda n: counted("{n} second", "{n} seconds", n, n=n)),
    (60.0, lambda n: counted("{n} minute", "{n} minutes", n, n=n)),
    (24.0, lambda n: counted("{n} hour", "{n} hours", n, n=n)),
    (365.0, lambda n: counted("{n} day", "{n} days", n, n=n)),
    (1000.0, lambda n: counted("{n} year", "{n} years", n, n=numeral(n))),
)
"""Units of time, shortest first: how many make the next one, and a number of them as text."""


def require_time(subject: str, seconds: float, way_out: str, *, most: float = MOST_SECONDS) -> None:
    """Refuse work whose estimated processor time is too long.

    Fails
        With `CostlyError` where the estimate exceeds `most` seconds.
    """
    if seconds > most:
        msg = message(
            "{subject} must take at most {most}; it would take about {seconds}. {way_out}",
            subject=subject,
            most=duration(most),
            seconds=duration(seconds),
            way_out=way_out,
        )
        raise CostlyError(msg)


def duration(seconds: float) -> str:
    """Return a duration as text in the largest unit that gives at least two, rounded roughly.

    >>> duration(600), duration(100_000), duration(1e9), duration(1e40)
    ('10 minutes', '28 hours', '32 years', 'more than 1,000 years')
    """
    amount, i = seconds, 0
    while i < len(_UNITS) - 1 and amount >= 2 * _UNITS[i][0]:
        amount /= _UNITS[i][0]
        i += 1
    if amount > 1000:  # of years
        return message("more than 1,000 years")
    return _UNITS[i][1](max(round(amount), 1))
