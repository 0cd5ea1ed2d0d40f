"""What the cells of a published column stand for: one value as it is written, numbers between two ends, or a list.

A release is public, so its distinct cells of text are read and parsed here, as from a file. Values of people are not:
they are compared with the parsed cells inside the engine. Cells of numbers and dates are compared as they are stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlglot import exp

from unmask.arrays import Float64, Int32
from unmask.masks.cells import Cells
from unmask.masks.search.background import cell_probability
from unmask.warehouse.cells import EngineCells
from unmask.warehouse.engine import CellType
from unmask.warehouse.expressions import (
    INFINITE,
    as_real,
    as_text,
    case,
    column,
    grouped,
    is_null,
    named,
    select,
    table,
    text,
    total,
)
from unmask.warehouse.queries import Queries
from unmask.warehouse.release_source import CellParser
from unmask.wording import message

MOST_CELLS = 5_000
"""The largest number of distinct texts of a published column that are parsed; of more, each is one value."""

TEXT = "t"
"""The name of the column of texts in the query of distinct cells."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of one published column, and how values of people are compared with it."""

    i: int
    people: CellType  # of the column of people
    released: CellType
    missing_fits_all: bool = False  # a cell without any value
    texts: tuple[str, ...] = ()  # that were parsed
    cells: Cells | None = None  # None: each cell is one value, as it is written
    cell_of: Int32 | None = None  # (texts + 1,) the last: of a missing cell

    @property
    def is_number(self) -> bool:
        """Whether distances are those of numbers; else values are equal or not."""
        if self.cells is not None:
            return self.cells.attribute.is_numeric
        return self.released.is_number or self.released is CellType.DATE

    @property
    def is_list(self) -> bool:
        """Whether cells are lists of values."""
        return self.cells is not None and not self.cells.attribute.is_numeric

    def key(self, one: exp.Expression, of: CellType) -> exp.Expression:
        """Return a value as a text that begins with `=`, equal where values are; empty where it is missing."""
        mixed = (
            self.cells is None and self.people.is_number and self.released.is_number and self.people != self.released
        )
        value = as_real(one.copy()) if mixed and of is not CellType.REAL else one.copy()
        known = exp.DPipe(this=text("="), expression=as_text(value), safe=True)
        return case(is_null(one), text(""), known)

    def place(self, one: exp.Expression, of: CellType) -> exp.Expression:
        """Return a value as a number: days since 1970 for a date; NULL where it is missing or no number."""
        if not self.is_number:
            return as_real(exp.Null())
        if of is CellType.DATE:
            start = exp.Cast(this=text("1970-01-01"), to=exp.DataType(this=exp.DType.DATE))
            return as_real(exp.DateDiff(this=one, expression=start, unit=exp.var("DAY")))
        return as_real(one) if of.is_number else exp.TryCast(this=one, to=exp.DataType(this=exp.DType.DOUBLE))

    def parsed(self) -> list[tuple[float | str | None, ...]]:
        """Return each parsed text with its cell: number, whether it fits all, whether it is `*`, its ends."""
        if self.cells is None or self.cell_of is None:
            return []
        low, high = self.cells.extent
        place = zip((*(f"={one}" for one in self.texts), ""), self.cell_of.tolist(), strict=True)
        empty = self.cells.missing & (np.diff(self.cells.start) == 0) & self.missing_fits_all
        wild, star = self.cells.fits_all | empty, self.cells.anything | empty
        return [(t, float(c), float(wild[c]), float(star[c]), *_hull(float(low[c]), float(high[c]))) for t, c in place]

    def odds(self, cell: Float64, people: Float64) -> Float64:
        """Return 1 over the probability of some parsed cells, (cells,), from the people published in each, (cells,)."""
        if self.cells is None:
            return np.ones(cell.size)
        of_cell = np.bincount(cell.astype(np.int64), people, self.cells.n)
        numbers = np.arange(self.cells.n, dtype=np.int32)
        share = cell_probability(self.cells, numbers, of_cell.astype(np.float64), pooled=True)
        return np.asarray(1.0 / share[cell.astype(np.int64)])

    def contents(self, *, hull: bool = False) -> list[tuple[float | str | None, ...]]:
        """Return what parsed cells contain: cell, low, high, whether the ends are open; for a list cell and value.

        `hull`: all values between the first and the last of a list.
        """
        cells = self.cells
        if cells is None:
            return []
        values, n = cells.attribute.values if self.is_list else (), np.diff(cells.start)
        pieces = zip(np.repeat(np.arange(cells.n), n), cells.low, cells.high, strict=True)
        if not self.is_list:
            opened = zip(cells.low_open, cells.high_open, strict=True)
            ends = zip(pieces, opened, strict=True)
            return [(float(c), _end(a), _end(b), float(x), float(y)) for (c, a, b), (x, y) in ends]
        if hull:
            low, high = cells.extent
            pieces = zip(np.flatnonzero(n > 0), low[n > 0], high[n > 0], strict=True)
        last = len(values) - 1.0
        return [
            (float(c), f"={values[v]}") for c, a, b in pieces for v in range(int(max(a, 0.0)), int(min(b, last)) + 1)
        ]

    @property
    def fits_missing(self) -> list[float]:
        """The parsed cells that a missing value fits, besides those that fit all."""
        return (
            []
            if self.cells is None
            else np.flatnonzero(self.cells.missing & ~self.cells.fits_all).astype(float).tolist()
        )


def meaning_of(
    queries: Queries, counted: str, i: int, name: str, people: CellType, cells: EngineCells, parse: CellParser
) -> Meaning:
    """Return the meaning of a published column, from its distinct cells if they are text.

    Fails
        With `InvalidInputError` where a cell does not fit its column.
    """
    released = cells.source.columns[name]
    plain = Meaning(i, people, released, cells.missing_matches)
    if not released.is_text:
        return plain
    q = column(f"q{i}")
    distinct = grouped(
        select(named(as_text(q), TEXT), named(total(column("n")), "n")).from_(table(counted), copy=False), [q]
    )
    found = queries.rows(
        message("distinct cells of published column {i}", i=i + 1), distinct.limit(MOST_CELLS + 1, copy=False)
    )
    texts = tuple(sorted(one[TEXT] for one in found if one[TEXT] is not None))
    if len(found) > MOST_CELLS or not texts:
        return plain
    parsed, cell_of = parse(name, texts)
    if _is_literal(parsed, texts, cell_of):
        return plain
    return replace(plain, texts=texts, cells=parsed, cell_of=cell_of)


def _is_literal(cells: Cells, texts: Sequence[str], cell_of: Int32) -> bool:
    """Whether each text is one value, as it is written, or `*`."""
    if cells.attribute.is_numeric:
        return False
    values = cells.labels()
    return all(
        cells.anything[c] or (values[c] == {text_} and not cells.missing[c])
        for text_, c in zip(texts, cell_of[: len(texts)].tolist(), strict=True)
    )


def _hull(low: float, high: float) -> tuple[float | None, float | None]:
    """Return the ends of a cell; none for one without a number, infinite ends as a large number for one of all."""
    return (None, None) if high == -np.inf else (_end(low), _end(high))


def _end(number: float) -> float:
    return float(np.clip(number, -INFINITE, INFINITE))
