"""Hierarchies of dates by calendar periods."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from unmask.dates import Level, moment_number, period_of
from unmask.hierarchies import ROOT, Hierarchy

PERIODS: tuple[Level, ...] = ("month", "quarter", "year", "decade")
"""The levels of dates, finest first; each period is a part of one of the next level."""

_EPOCH = date(1970, 1, 1)


def periods(values: Iterable[str]) -> Hierarchy:
    """Return months, quarters, years and decades of dates in ISO form, in order of time.

    Fails
        With `ValueError` where a value is no date.
    """
    moments = {value: moment_number(value) for value in values}
    days = {value: _EPOCH + timedelta(number // 1) for value, number in moments.items() if number is not None}
    if len(days) < len(moments):
        msg = "some values are no dates"
        raise ValueError(msg)
    in_order = sorted(days, key=lambda value: moments[value] or 0.0)
    return Hierarchy.from_rows(
        [value, *(period_of(days[value], level) for level in PERIODS), ROOT] for value in in_order
    )
