"""The distinct cells of one published column, each a set of possible values.

A cell has listed values as codes, numbers as closed or half-open intervals, and whether it may be a missing value. `*`
stands for any value, also outside the domain. Where missing values are a wildcard, a cell that may be a missing value
fits all people, since any of them may be the one with the missing value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, Ragged, distinct_numbers, distinct_rows, expand, frozen, starts
from unmask.errors import InvalidInputError
from unmask.schema import OUTSIDE, UNKNOWN, Attribute, Missing
from unmask.table import Column
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The distinct cells of one attribute, in an order that depends on their content alone.

    A cell is a union of pieces. For listed values a piece is a run of codes, `low` to `high` inclusive; for numbers an
    interval whose ends belong to it unless `low_open` or `high_open`. A cell may have no piece: then only a missing
    value fits it.

    Fails
        With `InvalidInputError` where a piece ends before it begins.
    """

    attribute: Attribute
    start: Int64  # (cells + 1,) pieces of a cell
    low: Float64  # (pieces,)
    high: Float64  # (pieces,)
    low_open: Bool  # (pieces,)
    high_open: Bool  # (pieces,)
    missing: Bool  # (cells,) the cell may be a missing value
    anything: Bool  # (cells,) `*`
    label: tuple[str, ...] = ()  # (cells,) the declared label that a cell is published as, or ""; () where none is

    def __post_init__(self) -> None:
        for name, kind in (("start", np.int64), ("low", float), ("high", float)):
            object.__setattr__(self, name, frozen(getattr(self, name), kind))
        for name in ("low_open", "high_open", "missing", "anything"):
            object.__setattr__(self, name, frozen(getattr(self, name), bool))
        if self.label and len(self.label) != self.n:
            msg = message(
                "column {attribute} must have a label for each of its {n} cells or none",
                attribute=repr(self.attribute.name),
                n=self.n,
            )
            raise InvalidInputError(msg)
        if (self.low > self.high).any():
            msg = message(
                "a cell of column {attribute} must not end before it begins", attribute=repr(self.attribute.name)
            )
            raise InvalidInputError(msg)

    @classmethod
    def runs(cls, attribute: Attribute, low: Float64, high: Float64, missing: Bool) -> Cells:
        """Return cells of one closed piece each; with `low` NaN, of none: only missing values fit, or anything."""
        has = ~np.isnan(low)
        n = int(has.sum())
        anything = ~has & (attribute.missing is Missing.WILDCARD)
        return cls(attribute, starts(has.astype(np.int64)), low[has], high[has], np.zeros(n, bool), np.zeros(n, bool),
                   missing, anything)  # fmt: skip

    @classmethod
    def exact(cls, attribute: Attribute, values: Column) -> tuple[Cells, Int32]:
        """Return a cell for each distinct value of a column, and the cell of each row."""
        if attribute.is_numeric:
            absent = np.isnan(values)
            distinct, place = distinct_numbers(values[~absent])
            number = np.full(values.size, distinct.size, np.int32)  # a missing number comes last
            number[~absent], content = place, np.append(distinct, np.full(int(absent.any()), np.nan))
        else:
            codes = np.flatnonzero(np.bincount(values - OUTSIDE)) + OUTSIDE  # codes are counted, not sorted
            codes = np.append(codes[codes != UNKNOWN], codes[codes == UNKNOWN])  # a missing value comes last here too
            place = np.zeros(codes.max(initial=OUTSIDE) - OUTSIDE + 1, np.int32)
            place[codes - OUTSIDE] = np.arange(codes.size)
            number, content = place[values - OUTSIDE], np.where(codes == UNKNOWN, np.nan, codes)
        return cls.runs(attribute, content, content, np.isnan(content)), number

    @classmethod
    def star(cls, attribute: Attribute) -> Cells:
        """Return the single cell `*`."""
        empty, shut = np.zeros(0), np.zeros(0, bool)
        return cls(attribute, np.zeros(2, np.int64), empty, empty, shut, shut, np.zeros(1, bool), np.ones(1, bool))

    @property
    def n(self) -> int:
        """The number of distinct cells."""
        return self.start.size - 1

    @property
    def fits_all(self) -> Bool:
        """Whether each cell, (cells,), fits all people, whatever their value."""
        wildcard = self.attribute.missing is Missing.WILDCARD
        return np.asarray(self.anything | self.missing) if wildcard else self.anything

    @property
    def extent(self) -> tuple[Float64, Float64]:
        """The least and greatest value of each cell, (cells,); minus infinity where it has no piece."""
        low, high = np.full(self.n, np.inf), np.full(self.n, -np.inf)
        owner = np.repeat(np.arange(self.n), np.diff(self.start))
        np.minimum.at(low, owner, self.low)
        np.maximum.at(high, owner, self.high)
        low[(np.diff(self.start) == 0) | self.anything] = -np.inf
        return low, np.where(self.anything, np.inf, high)

    @property
    def hull(self) -> tuple[Float64, Float64]:
        """The extent of each cell, (cells,), extended to minus infinity where it may be a missing value.

        A cell that fits all people reaches from minus to plus infinity.
        """
        low, high = self.extent
        return np.where(self.missing | self.fits_all, -np.inf, low), np.where(self.fits_all, np.inf, high)

    def coordinates(self, at: Column) -> Float64:
        """Return true values on the axis of `hull`: missing is minus infinity, or NaN (fits anywhere) as a wildcard.

        A value outside the domain is plus infinity, which only `*` contains.
        """
        wildcard = self.attribute.missing is Missing.WILDCARD
        absent = np.nan if wildcard else -np.inf
        if self.attribute.is_numeric:
            return np.where(np.isnan(at), absent, at)
        placed = np.where(at == UNKNOWN, absent, at.astype(np.float64))
        return np.where(at == OUTSIDE, np.inf, placed)

    def fit(self, cell: Int32 | Int64, place: Float64) -> Bool:
        """Return whether the cell of each pair, (pairs,), contains the pair's place on the axis."""
        entries, pair = expand(self.start, cell)
        x = place[pair]
        inside = np.where(self.low_open[entries], x > self.low[entries], x >= self.low[entries])
        inside &= np.where(self.high_open[entries], x < self.high[entries], x <= self.high[entries])
        result = (np.bincount(pair, weights=inside, minlength=cell.size) > 0) & np.isfinite(place)
        result |= np.isneginf(place) & self.missing[cell]
        return np.asarray(result | np.isnan(place) | self.fits_all[cell])

    def likelihood(self, at: Column) -> Ragged:
        """Return P(cell | true value), (cells, at): 1 where the cell contains the value, else 0."""
        place = self.coordinates(at)
        order = np.argsort(place, kind="stable")  # NaN last, then cut off
        ordered = place[order]
        finite = np.flatnonzero(np.isfinite(ordered))
        base, inner = (int(finite[0]), ordered[finite]) if finite.size else (0, ordered[:0])
        left = np.where(
            self.low_open, np.searchsorted(inner, self.low, "right"), np.searchsorted(inner, self.low, "left")
        )
        right = np.where(
            self.high_open, np.searchsorted(inner, self.high, "left"), np.searchsorted(inner, self.high, "right")
        )
        length = np.maximum(right - left, 0)
        piece = np.repeat(np.arange(self.low.size), length)
        position = base + np.repeat(left, length) + np.arange(piece.size) - np.repeat(starts(length)[:-1], length)
        owner = np.repeat(np.arange(self.n), np.diff(self.start))
        rows, columns = [owner[piece]], [order[position]]
        everywhere = np.flatnonzero(np.isnan(place))
        for cells, values in (
            (np.flatnonzero(self.missing), np.flatnonzero(np.isneginf(place))),
            (np.arange(self.n), everywhere),
            (np.flatnonzero(self.fits_all), np.arange(at.size)),
        ):
            rows.append(np.repeat(cells, values.size))
            columns.append(np.tile(values, cells.size))
        row, column = np.concatenate(rows), np.concatenate(columns)
        key = np.unique(row.astype(np.int64) * max(at.size, 1) + column)
        start = starts(np.bincount(key // max(at.size, 1), minlength=self.n))
        return Ragged(start, (key % max(at.size, 1)).astype(np.int32), np.ones(key.size), at.size)

    def ordered(self, *, by_label: bool = False) -> tuple[Cells, Int32]:
        """Return the distinct cells in content order, and the number there of each present cell, (cells,).

        Labels with the same content are one cell, which has the alphabetically last of them; `by_label` keeps them
        separate, as a reader of the release can.
        """
        pieces = np.diff(self.start)
        width = int(pieces.max(initial=0))
        table = np.full((self.n, 4 * width), np.nan)
        owner = np.repeat(np.arange(self.n), pieces)
        slot = np.arange(self.low.size) - np.repeat(self.start[:-1], pieces)
        for i, column in enumerate((self.low, self.high, self.low_open, self.high_open)):
            table[owner, 4 * slot + i] = column
        key = np.column_stack([self.anything, self.missing, table])
        if by_label and self.label:
            key = np.column_stack([key, np.unique(np.array(self.label), return_inverse=True)[1]])
        number, example = distinct_rows(key)
        if not self.label or by_label:
            return self.take(example), number
        label = [""] * example.size
        for cell, text in zip(number.tolist(), self.label, strict=True):
            label[cell] = max(label[cell], text)
        return replace(self.take(example), label=tuple(label)), number

    def same(self, other: Cells) -> bool:
        """Whether other cells contain the same values, one by one: by label, where values are listed."""
        if not (np.array_equal(self.missing, other.missing) and np.array_equal(self.anything, other.anything)):
            return False
        ours, theirs = self.attribute, other.attribute
        if ours.is_numeric != theirs.is_numeric:
            return False
        if not ours.is_numeric and ours.values != theirs.values:
            return self.labels() == other.labels()
        pieces = ("start", "low", "high", "low_open", "high_open")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in pieces)

    def labels(self) -> list[frozenset[str]]:
        """Return the listed values of each cell; none for `*`."""
        values = self.attribute.values
        inside = self.likelihood(np.arange(len(values), dtype=np.int32))
        named = [frozenset(values[c] for c in inside.column[a:b]) for a, b in pairwise(inside.start)]
        return [frozenset() if any_ else labels for any_, labels in zip(self.anything, named, strict=True)]

    def take(self, cells: Int64 | Int32) -> Cells:
        """Return some of the cells, in the given order."""
        entries, _ = expand(self.start, cells)
        return Cells(
            self.attribute,
            starts(np.diff(self.start)[cells]),
            self.low[entries],
            self.high[entries],
            self.low_open[entries],
            self.high_open[entries],
            self.missing[cells],
            self.anything[cells],
            tuple(self.label[cell] for cell in cells.tolist()) if self.label else (),
        )
