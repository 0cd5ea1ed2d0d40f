"""The axis of an attribute cut into atoms: listed values, or short intervals of numbers, and the missing value.

A cell of a release is spread evenly over its atoms, the usual assumption in the analysis of generalized tables. The
axis is that of the original table where it is known, else of the published cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32, Ragged, frozen
from unmask.masks.cells import Cells
from unmask.schema import UNKNOWN, Attribute, Numeric, labels_of, parse_numbers, recode
from unmask.table import Column, Table

MOST = 64
"""The largest number of atoms of an axis of numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """The atoms of one attribute, the missing value last if there is any."""

    attribute: Attribute  # as published
    labels: tuple[str, ...]  # of the listed values; empty for numbers
    edges: Float64  # (atoms + 1,) of numbers; empty for listed values
    unit: float  # the length of a number's axis with the same weight as a missing value
    has_missing: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "edges", frozen(self.edges, np.float64))

    @classmethod
    def of(cls, cells: Cells, original: Table | None = None, most: int = MOST) -> Atoms:
        """Return the axis cut at every value of the original table; into `most` intervals for more numbers."""
        attribute = cells.attribute
        name, domain = attribute.name, attribute.domain
        known = original if original is not None and name in original.schema else None
        has_missing = bool(cells.missing.any() if known is None else known.missing(name).any())
        if not isinstance(domain, Numeric):
            labels = attribute.values if known is None else labels_in(known, name)
            return cls(attribute, labels, np.zeros(0), 1.0, has_missing)
        values = np.concatenate(cells.extent) if known is None else numbers_of(known, name)
        values = values[np.isfinite(values)]
        edges = _edges(values, domain.step, most)
        unit = domain.step if domain.step is not None else float(np.ptp(edges)) / most if edges.size else 1.0
        return cls(attribute, (), edges, unit, has_missing)

    @property
    def n(self) -> int:
        """The number of atoms."""
        return self.n_known + self.has_missing

    @property
    def n_known(self) -> int:
        """The number of atoms without the missing value."""
        return max(self.edges.size - 1, 0) + len(self.labels)

    def place(self, table: Table) -> Int32:
        """Return the atom of each row of a table, (rows,); -1 where it lies on none."""
        name = self.attribute.name
        absent = self.n_known if self.has_missing else -1
        if self.edges.size:
            number = numbers_of(table, name)
            atom = np.searchsorted(self.edges, number, "right") - 1
            atom = np.where(number == self.edges[-1], self.n_known - 1, atom)
            atom = np.where((atom >= 0) & (atom < self.n_known), atom, -1)
            return np.where(table.missing(name), absent, atom).astype(np.int32)
        index = {label: i for i, label in enumerate(self.labels)}
        place = [index.get(label, -1) for label in labels_in(table, name)]
        return np.array([*place, absent], np.int32)[table.ranks(name)[0]]

    def spread(self, cells: Cells) -> Ragged:
        """Return the share of each cell on each atom, (cells, atoms): a row sums to 1, or is empty."""
        measure = np.diff(self.edges) if self.edges.size else np.ones(len(self.labels))
        row, column, data = self._overlaps(cells) if self.edges.size else self._listed(cells)
        if self.has_missing:
            measure = np.append(measure, self.unit)
            gaps = np.flatnonzero(cells.missing & ~cells.anything)
            row = np.concatenate([row, gaps])
            column = np.concatenate([column, np.full(gaps.size, self.n_known)])
            data = np.concatenate([data, np.full(gaps.size, self.unit)])
        wild = np.flatnonzero(cells.anything)
        kept = ~cells.anything[row]
        row = np.concatenate([row[kept], np.repeat(wild, self.n)])
        column = np.concatenate([column[kept], np.tile(np.arange(self.n), wild.size)])
        data = np.concatenate([data[kept], np.tile(measure, wild.size)])
        return Ragged.gather(row, column, data, (cells.n, self.n)).normalized()

    def even(self) -> Float64:
        """Return the share of `*` on each atom, (atoms,): spread evenly over all."""
        measure = np.diff(self.edges) if self.edges.size else np.ones(len(self.labels))
        measure = np.append(measure, [self.unit] * self.has_missing)
        return np.asarray(measure / max(measure.sum(), np.finfo(float).tiny))

    def _listed(self, cells: Cells) -> tuple[Column, Column, Float64]:
        if self.attribute.is_numeric:  # no number is known, so the axis has no piece
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        fits = cells.likelihood(recode(self.labels, self.attribute.values))
        return fits.row, fits.column, fits.data

    def _overlaps(self, cells: Cells) -> tuple[Column, Column, Float64]:
        """Return cell, atom and length of every overlap of a piece and an atom."""
        low, high = stretched(cells)
        owner = np.repeat(np.arange(cells.n), np.diff(cells.start))
        n = self.n_known
        first = np.clip(np.searchsorted(self.edges, low, "right") - 1, 0, n - 1)
        last = np.clip(np.searchsorted(self.edges, high, "left") - 1, first, n - 1)
        touches = (high >= self.edges[0]) & (low <= self.edges[-1])
        count = np.where(touches, last - first + 1, 0)
        piece = np.repeat(np.arange(low.size), count)
        atom = first[piece] + np.arange(piece.size) - np.repeat(np.cumsum(count) - count, count)
        length = np.minimum(high[piece], self.edges[atom + 1]) - np.maximum(low[piece], self.edges[atom])
        total = np.bincount(owner[piece], np.maximum(length, 0.0), cells.n)
        flat = total[owner[piece]] <= 0  # points on a continuous axis have no length: each counts as one
        return owner[piece], atom, np.where(flat, 1.0, np.maximum(length, 0.0))


def stretched(cells: Cells) -> tuple[Float64, Float64]:
    """Return the ends of each piece of numbers, (pieces,), extended by half a step where there are steps."""
    domain = cells.attribute.domain
    step = domain.step if isinstance(domain, Numeric) else 1.0
    if step is None:
        return cells.low, cells.high
    first, last = np.ceil(cells.low / step - 1e-9), np.floor(cells.high / step + 1e-9)
    first += cells.low_open & (np.abs(first - cells.low / step) < 1e-9)
    last -= cells.high_open & (np.abs(last - cells.high / step) < 1e-9)
    return np.asarray((first - 0.5) * step), np.asarray((np.maximum(last, first) + 0.5) * step)


def numbers_of(table: Table, name: str) -> Float64:
    """Return a column as numbers, (rows,); NaN where it is missing, infinity where it is no number."""
    if table.schema[name].is_numeric:
        return np.asarray(table[name], np.float64)
    codes, distinct = table.ranks(name)
    return np.append(parse_numbers(labels_of(table.schema[name].domain, distinct)), np.nan)[codes]


def labels_in(table: Table, name: str) -> tuple[str, ...]:
    """Return the labels of the distinct values of a column, in their order."""
    return labels_of(table.schema[name].domain, table.ranks(name)[1])


def _edges(values: Float64, step: float | None, most: int) -> Float64:
    """Return the edges of at most `most` intervals over the range of some numbers; none without numbers."""
    if not values.size:
        return np.zeros(0)
    low, high = float(values.min()), float(values.max())
    if step is None:
        return np.linspace(low, high, most + 1) if high > low else np.array([low - 0.5, low + 0.5])
    points = round((high - low) / step) + 1
    cuts = np.unique(np.round(np.linspace(0, points, min(points, most) + 1)))
    return np.asarray(low + (cuts - 0.5) * step, np.float64)


def mass(cells: Cells, at: Column, weight: Float64) -> Float64:
    """Return the total weight of the values in each cell, (cells,); of all values for `*`.

    `at` are true values in the domain of the cells, (values,), each once; a missing one is a separate value.
    """
    absent = np.isnan(at) if cells.attribute.is_numeric else at == UNKNOWN
    place = cells.coordinates(at)
    finite = np.isfinite(place) & ~absent
    order = np.argsort(place[finite], kind="stable")
    axis = place[finite][order]
    running = np.concatenate([np.zeros(1), np.cumsum(weight[finite][order])])
    left = np.where(cells.low_open, np.searchsorted(axis, cells.low, "right"), np.searchsorted(axis, cells.low, "left"))
    right = np.where(
        cells.high_open, np.searchsorted(axis, cells.high, "left"), np.searchsorted(axis, cells.high, "right")
    )
    owner = np.repeat(np.arange(cells.n), np.diff(cells.start))
    held = np.bincount(owner, running[np.maximum(right, left)] - running[left], cells.n).astype(np.float64)
    held = held + cells.missing * weight[absent].sum()
    return np.asarray(np.where(cells.anything, weight.sum(), held), np.float64)
