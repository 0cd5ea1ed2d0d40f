"""Hierarchies of dates: periods of declared levels, ages on a reference date, bins and intervals of days."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import pairwise

import numpy as np

from unmask.dates import Level, has_time, moment_number, period_of
from unmask.errors import InvalidInputError
from unmask.hierarchies import ROOT, Hierarchy
from unmask.masks.notation import date_cells
from unmask.masks.notation.number_cells import Piece
from unmask.wording import message

_EPOCH = date(1970, 1, 1)


def date_levels(name: str, labels: Iterable[str], levels: Sequence[Level], reference: date | None) -> Hierarchy:
    """Return the hierarchy of a column of dates in ISO form with the given levels, then `*`.

    Fails
        With `InvalidInputError` where a date lies after the reference date of ages.
    """
    days = {label: _day(label) for label in labels}
    if "age" in levels and reference is not None and any(day > reference for day in days.values()):
        msg = message(
            "dates of column {name} must not lie after the reference date of ages, {reference}; some do",
            name=repr(name),
            reference=reference,
        )
        raise InvalidInputError(msg)
    return Hierarchy.from_rows(
        [label, *(period_of(day, level, reference) for level in levels), ROOT] for label, day in days.items()
    )


def date_bins(name: str, labels: Sequence[str], edges: Sequence[float]) -> Hierarchy:
    """Return the hierarchy of bins that begin at the given days since 1970-01-01, then `*`: `<1950-01-01`, `1950-1959`.

    A single edge is the width of all bins in days.
    """
    if any(low >= high for low, high in pairwise(edges)):
        msg = message("the edges of the bins of column {name} must rise; they do not", name=repr(name))
        raise InvalidInputError(msg)
    if len(edges) == 1:
        return date_intervals(name, labels, edges)
    timed = any(map(has_time, labels))
    numbers = _numbers(labels)

    def label(number: float) -> str:
        at = bisect_right(edges, number)
        return _bin_text(edges[at - 1] if at else -np.inf, edges[at] if at < len(edges) else np.inf, timed=timed)

    return Hierarchy.from_rows([text, label(number), ROOT] for text, number in numbers)


def date_intervals(name: str, labels: Sequence[str], widths: Sequence[float]) -> Hierarchy:
    """Return the hierarchy of intervals of the given widths in days, counted from 1970-01-01, then `*`."""
    if not widths or any(width < 1 or width != int(width) for width in widths):
        msg = message("intervals of column {name} must be whole numbers of days, of at least 1", name=repr(name))
        raise InvalidInputError(msg)
    timed = any(map(has_time, labels))

    def label(number: float, width: float) -> str:
        low = number // width * width
        return _bin_text(low, low + width, timed=timed)

    return Hierarchy.from_rows([text, *(label(day, width) for width in widths), ROOT] for text, day in _numbers(labels))


def _numbers(labels: Iterable[str]) -> list[tuple[str, float]]:
    """Return labels in ISO form with their days since 1970-01-01, in order of time."""
    return sorted(((text, moment_number(text) or 0.0) for text in labels), key=lambda one: one[1])


def _day(label: str) -> date:
    return _EPOCH + timedelta(int((moment_number(label) or 0.0) // 1))


def _bin_text(low: float, high: float, *, timed: bool) -> str:
    """Return the text of the days from one to before another one."""
    piece = Piece(low, high, high_open=True)
    if not timed and np.isfinite([low, high]).all():
        piece = Piece(low, high - 1)
    return date_cells.text_of([piece], timed=timed)
