"""Cost: work that would not end in reasonable time is refused before it begins, with what it would take."""

from __future__ import annotations

from unmask.errors import CostlyError

MOST_SECONDS = 600.0
"""Work that is estimated to take more processor time than this is refused, unless a module states its own limit."""

_UNITS = ((60.0, "second"), (60.0, "minute"), (24.0, "hour"), (365.0, "day"), (1000.0, "year"))


def require_time(subject: str, seconds: float, way_out: str, *, most: float = MOST_SECONDS) -> None:
    """Refuse work by its estimated processor time: steps times what a step was measured to take.

    Fails
        With `CostlyError` where it is more than `most` seconds.
    """
    if seconds > most:
        msg = f"{subject} must take at most {duration(most)}; it would take about {duration(seconds)}. {way_out}"
        raise CostlyError(msg)


def duration(seconds: float) -> str:
    """Write a duration in the largest unit of which it has at least two, as roughly as it is known.

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
