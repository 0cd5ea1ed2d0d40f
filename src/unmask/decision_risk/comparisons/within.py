"""Tolerance comparisons of numbers and of dates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.decision_risk.comparison import DistinctValues, MatchingValues, near, same_text
from unmask.errors import InvalidInputError
from unmask.number_format import numeral
from unmask.wording import message


@dataclass(frozen=True)
class Within:
    """Match if both numbers differ by at most `tolerance`; other text matches equal text only.

    Fails
        With `InvalidInputError` for a tolerance that is negative or no number.
    """

    name: ClassVar[str] = "within"
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        _require("tolerance", self.tolerance)

    def alike(self, ours: DistinctValues, theirs: DistinctValues) -> MatchingValues:
        """Return for each number of the records those of the dictionary that are near."""
        return _near(ours, theirs, ours.numbers, theirs.numbers, self.tolerance)


@dataclass(frozen=True)
class WithinDays:
    """Match if both dates (2020-12-31 or 20201231) differ by at most `days`; other text matches equal text only.

    Fails
        With `InvalidInputError` for a number of days that is negative or no number.
    """

    name: ClassVar[str] = "within-days"
    days: float = 0.0

    def __post_init__(self) -> None:
        _require("days", self.days)

    def alike(self, ours: DistinctValues, theirs: DistinctValues) -> MatchingValues:
        """Return for each date of the records those of the dictionary that are near."""
        return _near(ours, theirs, _days(ours), _days(theirs), self.days)


def _require(name: str, tolerance: float) -> None:
    if not tolerance >= 0 or np.isinf(tolerance):
        msg = message("{name} must be a number of at least 0; got {tolerance}", name=name, tolerance=tolerance)
        raise InvalidInputError(msg)


def _near(ours: DistinctValues, theirs: DistinctValues, a: Float64, b: Float64, tolerance: float) -> MatchingValues:
    found = [same_text(ours, theirs), *near(a, b, tolerance)]
    first, second = (np.concatenate(part) for part in zip(*found, strict=True))
    unread = int(np.isnan(a).sum() + np.isnan(b).sum())
    note = ""
    if unread:
        note = message("{n} distinct values cannot be read, and fit only what is written alike", n=numeral(unread))
    return MatchingValues.pairs(first, second, ours.n, note)


def _days(values: DistinctValues) -> Float64:
    return np.array([_day(label) for label in values.labels], np.float64)


def _day(label: str) -> float:
    try:
        return float(date.fromisoformat(label).toordinal())
    except ValueError:
        return np.nan
