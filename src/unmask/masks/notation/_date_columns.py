"""Parser of a column of dates, periods and ranges of dates, and of people who give a day, a period or an age."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.dates import begin_with_day, has_time
from unmask.masks.notation import date_cells, number_cells
from unmask.masks.notation._columns import CellsRead, Column, assembled
from unmask.masks.notation._number_columns import numeric, pieces_of
from unmask.masks.notation.number_cells import Piece
from unmask.masks.notation.number_spellings import tidy
from unmask.schema import Categorical, Domain, Numeric


def dated(column: Column, domain: Domain | None) -> CellsRead | None:
    """Parse a column of dates: days since 1970-01-01, or listed dates if people give periods; None for another column.

    Without a domain, a column has dates if its cells and people all are dates, and some of them are no numbers.
    """
    known = isinstance(domain, Numeric) and domain.dates
    if domain is not None and not known:
        return None
    dates = replace(column, dates=True)
    bodies, people = column.distinct_bodies, sorted(column.also)
    if not known and not all(body in column.declared or _may_be_date(body) for body in bodies[:1]):
        return None  # fast path: most columns have other cells
    day_first = begin_with_day(people)  # cells alone do not decide how people's dates are read
    pieces = [date_cells.parse(text.strip(), day_first=day_first) for text in people]
    readable = all(pieces) and bool(bodies)
    if not known:
        hierarchy = column.attribute.hierarchy
        leaves = [] if hierarchy is None else [leaf for leaf in hierarchy.leaves if leaf != column.attribute.mark]
        if not readable or not all(dates.parse(text) for text in leaves):
            return None
        if not all(pieces_of(dates, body) for body in bodies):
            return None
        texts = [*bodies, *people, *leaves]
        if all(number_cells.parse(tidy(text)) is not None for text in texts):
            return None  # years are numbers
        domain = Numeric(step=None if any(map(has_time, bodies)) else 1.0, dates=True)
    timed = isinstance(domain, Numeric) and domain.timed
    if readable and not all(own is not None and _is_value(own, timed=timed) for own in pieces):
        return _listed(dates, people, [own or [] for own in pieces])
    return numeric(column, domain) if not known and isinstance(domain, Numeric) else None


def _may_be_date(text: str) -> bool:
    """Whether a text is a date, whichever of day and month comes first."""
    return any(date_cells.parse(text, day_first=first) is not None for first in (True, False))


def _is_value(pieces: Sequence[Piece], *, timed: bool) -> bool:
    """Whether a date is a single value: a day, or a date-time; on a day, any."""
    width = sum(piece.high - piece.low for piece in pieces)
    return len(pieces) == 1 and (width == 0 or (width == 1 and not timed))


def _listed(column: Column, people: Sequence[str], dates: Sequence[Sequence[Piece]]) -> CellsRead:
    """Parse cells as the dates of people that they overlap; a cell without any is a date of its own."""
    order = sorted(range(len(people)), key=lambda i: (dates[i][0].low, dates[i][-1].high, people[i]))
    values = [people[i] for i in order]
    ends = [(piece, at) for at, i in enumerate(order) for piece in dates[i]]
    at = np.array([place for _, place in ends], np.int64)
    low, high = (np.array([piece[side] for piece, _ in ends], np.float64) for side in (0, 1))
    high_open = np.array([piece.high_open for piece, _ in ends], bool)
    read: dict[str, list[Piece]] = {}
    for body in column.distinct_bodies:
        inside: set[int] = set()
        for piece in pieces_of(column, body) or ():
            inside.update(at[_overlap(piece, low, high, high_open)].tolist())
        if not inside:
            inside.add(len(values))
            values.append(body)
        read[body] = number_cells.merged((Piece(float(code), float(code)) for code in inside), 1.0)
    attribute = replace(column.attribute, domain=Categorical(tuple(values)), hierarchy=None)
    return assembled(column, attribute, read, label=set(read).difference(values))


def _overlap(piece: Piece, low: Float64, high: Float64, high_open: Bool) -> Bool:
    """Whether a piece has a moment in common with each of some periods, (periods,)."""
    first, last = np.maximum(piece.low, low), np.minimum(piece.high, high)
    closed = ~((piece.low_open & (first == piece.low)) | (piece.high_open & (first == piece.high)))
    return np.asarray((first < last) | ((first == last) & closed & ~(high_open & (first == high))))
