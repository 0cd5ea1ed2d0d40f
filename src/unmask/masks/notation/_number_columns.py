"""Parser of a column of numbers and intervals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from unmask.arrays import Float64, starts
from unmask.dates import has_time, moment_number
from unmask.errors import InvalidInputError, quoted
from unmask.masks.cells import Cells
from unmask.masks.notation import number_cells
from unmask.masks.notation._columns import CellsRead, Column, assembled
from unmask.masks.notation.number_cells import Piece
from unmask.masks.notation.number_spellings import tidy
from unmask.numerics.numerals import are_whole, require_steps
from unmask.schema import Attribute, Numeric
from unmask.wording import message

_UP_TO = re.compile(r"[-\u2013\u2212] ?(\d+(?:\.\d+)?)")
"""A band without a lower end, or a negative number."""


def pieces_of(column: Column, body: str) -> list[Piece] | None:
    """Return the pieces of a cell: a label of the hierarchy over numbers, else numbers or dates; None for neither."""
    place = column.declared.get(body)
    if place is None or column.number_labels is None:
        return column.parse(body)
    pieces = column.number_labels.pieces(*place)
    return pieces if pieces or body in column.hiding else None


def step_of(column: Column, numbers: Iterable[Piece]) -> float | None:
    """Return 1 where cells and people have integers only."""
    ends = number_cells.ends(numbers) | {number for number in column.people if number is not None}
    return 1.0 if are_whole(np.array(sorted(ends))) else None


def numeric(column: Column, domain: Numeric) -> CellsRead:
    """Parse a column of numbers or intervals, or of dates and periods."""
    column = _with_lowest_band(replace(column, dates=domain.dates), domain)
    attribute = replace(column.attribute, domain=domain)
    plain = _plain(column, attribute, domain) if not column.declared else None
    if plain is not None:
        return plain
    read: dict[str, list[Piece]] = {}
    wrong = 0
    for body in column.distinct_bodies:
        mask = None if domain.dates or body in column.declared else number_cells.of_mask(body)
        pieces = [mask] if mask is not None else pieces_of(column, body)
        wrong += pieces is None
        read[body] = pieces or []
    if wrong:
        what = message("dates or ranges of dates" if domain.dates else "numbers or intervals")
        msg = message(
            "cells of column {attribute} must be {what}; {wrong} of its {n} distinct cells are not. Set type "
            '= "category" for it in roles.toml, or give the hierarchy with its labels',
            attribute=repr(attribute.name),
            what=what,
            wrong=wrong,
            n=len(read),
        )
        raise InvalidInputError(msg)
    notes = []
    for body in column.declared:
        read[body] = number_cells.settled(read[body], *_extremes(column, domain), domain.step)
    open_ended = {body for body, pieces in read.items() if any(not np.isfinite(piece[:2]).all() for piece in pieces)}
    if open_ended:
        low, high, gap = _bounds(column, domain, (piece for pieces in read.values() for piece in pieces))
        read = {body: number_cells.bounded(pieces, low, high, gap) for body, pieces in read.items()}
        if domain.low is None or domain.high is None:
            extremes = message("earliest and latest date" if domain.dates else "smallest and largest number")
            note = message(
                "column {column}: open ends run to the {extremes} in its cells and among people; "
                "declare low and high in roles.toml to change that",
                column=repr(attribute.name),
                extremes=extremes,
            )
            notes.append(note)
    ends = np.array(sorted(number_cells.ends(piece for pieces in read.values() for piece in pieces)))
    require_steps(attribute.name, ends, domain.step)
    for body, pieces in read.items():
        if body in column.declared:
            continue
        inner = pieces if domain.step is None else number_cells.stepped(pieces, domain.step)
        if pieces and not inner:
            name, step = attribute.name, domain.step
            msg = message(
                "cell {body} of column {name} must hold a multiple of {step}; it holds none",
                body=quoted(body),
                name=repr(name),
                step=f"{step:g}",
            )
            raise InvalidInputError(msg)
        read[body] = number_cells.merged(inner, domain.step)
    return assembled(column, attribute, read, *notes, label=open_ended.union(column.declared))


def _with_lowest_band(column: Column, domain: Numeric) -> Column:
    """Return a column of numbers declared to be at least 0 with `-29` as up to 29, if its other cells are above it.

    A code like -99 among numbers, or beside lower ranges, stays what it is.
    """
    if domain.dates or column.declared or domain.low is None or domain.low < 0:
        return column
    bands = {body: match[1] for body in column.distinct_bodies if (match := _UP_TO.fullmatch(body))}
    read = [column.parse(body) or () for body in column.distinct_bodies if body and body not in bands]
    ranges = any(low < high for pieces in read for low, high, *_ in pieces)
    ends = number_cells.ends(piece for pieces in read for piece in pieces)
    if len(bands) != 1 or not ranges or not float(next(iter(bands.values()))) < min(ends):
        return column
    return replace(column, bodies=tuple(f"<={bands[body]}" if body in bands else body for body in column.bodies))


def _plain(column: Column, attribute: Attribute, domain: Numeric) -> CellsRead | None:
    """Parse a column of exact numbers or dates at once; None for any other cell."""
    exact = _exact_dates(column.bodies, timed=domain.timed) if domain.dates else _exact_numbers(column)
    if exact is None:
        return None
    numbers, step = exact, domain.step
    known = numbers[~np.isnan(numbers)]
    require_steps(attribute.name, known, step)
    if step is not None and (np.abs(known / step - np.rint(known / step)) > 1e-9).any():
        return None
    start = starts((~np.isnan(numbers)).astype(np.int64))
    closed, missing, anything = np.zeros(known.size, bool), np.array(column.missing), np.array(column.anything)
    cells, cell_of = Cells(attribute, start, known, known, closed, closed, missing, anything).ordered()
    return CellsRead(cells, cell_of)


def _exact_numbers(column: Column) -> Float64 | None:
    """Return cells as numbers, (texts,), NaN where there is none; None where one is no number."""
    tidied = [tidy(body, column.style) for body in column.bodies]
    if not all(not body or number_cells.NUMBER.fullmatch(body) for body in tidied):
        return None
    return np.array([float(body) if body else np.nan for body in tidied], np.float64)


def _exact_dates(bodies: Iterable[str], *, timed: bool) -> Float64 | None:
    """Return cells as days since 1970-01-01, (texts,), NaN where there is none; None where one is a period."""
    numbers = []
    for body in bodies:
        number = moment_number(body) if body and has_time(body) is timed else None
        if body and number is None:
            return None
        numbers.append(np.nan if number is None else number)
    return np.array(numbers, np.float64)


def _bounds(column: Column, domain: Numeric, pieces: Iterable[Piece]) -> tuple[float, float, float]:
    """Return the bounds of open ends, and the gap beyond them where no value is known there."""
    seen = sorted(number_cells.ends(pieces) | {number for number in column.people if number is not None})
    gaps = np.diff(seen)
    gap = domain.step or (float(gaps.min()) if gaps.size else 1.0)
    low = seen[0] if domain.low is None else domain.low
    return low, seen[-1] if domain.high is None else domain.high, gap


def _extremes(column: Column, domain: Numeric) -> tuple[float, float]:
    """Return the bounds of open ends of declared labels: the declared ones, else the extreme leaf or person."""
    leaves = np.zeros(0) if column.number_labels is None else column.number_labels.at
    known = [*leaves[~np.isnan(leaves)].tolist(), *(number for number in column.people if number is not None)] or [0.0]
    return min(known) if domain.low is None else domain.low, max(known) if domain.high is None else domain.high
