"""Cost limits: refuse work before it begins if its estimated time is too long."""

from __future__ import annotations

from unmask.errors import CostlyError
from unmask.wording import message

MOST_SECONDS = 600.0
"""The default limit of estimated processor time, in seconds."""

_UNITS = ((60.0, "second"), (60.0, "minute"), (24.0, "hour"), (365.0, "day"), (1000.0, "year"))


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
    amount = seconds
    for size, unit in _UNITS:
        if amount < 2 * size or unit == "year":
            break
        amount /= size
    if amount > 1000:  # of years
        return "more than 1,000 years"
    number = max(round(amount), 1)
    return f"{number:,} {unit}{'s'[: number != 1]}"
