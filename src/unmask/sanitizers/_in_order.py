"""Columns cut by order: places of rows, ranges of groups, and regions between cuts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unmask.arrays import Float64, Int32, Int64
from unmask.hierarchies import multiples
from unmask.masks.cells import Cells
from unmask.schema import Numeric
from unmask.table import Table


def axis(people: Table, name: str) -> Int32:
    """Return the places of rows on a whole-numbered axis, (rows,), for cuts and ranges; missing lies lowest, at 0.

    Numbers keep their distances where they are multiples of some power of ten; all else is ranked.
    """
    codes, distinct = people.ranks(name)
    if people.schema[name].is_numeric and distinct.size:
        for digits in range(7):
            steps = (distinct - distinct[0]) * 10.0**digits
            if np.allclose(steps, np.round(steps), rtol=0, atol=1e-6) and steps[-1] < np.iinfo(np.int32).max - 2:
                placed = np.append(np.round(steps).astype(np.int32) + 1, np.int32(0))
                return np.asarray(placed[codes])  # code -1, missing, is the last
    return (codes + 1).astype(np.int32)


def ranges(people: Table, name: str, first: Int64) -> Cells:
    """Return the range of each group, (groups,), from the least to the greatest value of its members.

    The members of a group stand together, and begin at `first` (groups,).
    """
    column, absent = people[name].astype(np.float64), people.missing(name)
    least = np.minimum.reduceat(np.where(absent, np.inf, column), first)
    greatest = np.maximum.reduceat(np.where(absent, -np.inf, column), first)
    lacking = np.logical_or.reduceat(absent, first)
    return Cells.runs(people.schema[name], np.where(np.isposinf(least), np.nan, least), greatest, lacking)


def half_spaces(people: Table, name: str, place: Int32, low: Int32, high: Int32) -> Cells:
    """Return the cells between cuts, (groups,), for rows with places, (rows,), where missing is 0.

    A cut lies just above the last value of its lower side. The outermost regions reach to the first and the last
    listed value, or to the declared bounds of a number; without bounds to the least and greatest number of the table.
    """
    attribute, column = people.schema[name], people[name].astype(np.float64)
    absent = people.missing(name)
    step: float | None = 1.0
    least, greatest = 0.0, float(len(attribute.values) - 1) if not attribute.is_numeric else 0.0
    if isinstance(attribute.domain, Numeric):
        known, step = column[~absent], attribute.domain.step
        least, greatest = (known.min(), known.max()) if known.size else (np.nan, np.nan)
        least = least if attribute.domain.low is None else min(least, attribute.domain.low)
        greatest = greatest if attribute.domain.high is None else max(greatest, attribute.domain.high)
    places, example = np.unique(place[~absent], return_index=True)
    values = np.append(column[~absent][example], np.nan)
    end = np.searchsorted(places, high, "right") - 1  # the last occurring value in it
    cut = np.searchsorted(places, low - 1, "right") - 1  # the last one below it; -1: none
    upper = np.where(end == places.size - 1, greatest, values[end])
    lower = np.where(cut < 0, least, _next(values, step)[cut])
    nothing = end < 0  # only missing values
    open_ = (cut >= 0) & ~nothing & (step is None)
    cells = Cells.runs(attribute, np.where(nothing, np.nan, lower), upper, (low <= 0) & absent.any())
    return replace(cells, low_open=open_[~np.isnan(np.where(nothing, np.nan, lower))])


def _next(values: Float64, step: float | None) -> Float64:
    """Return the number one step above each, (values,): the nearest to the exact decimal where it is a multiple."""
    if step is None:
        return values
    counted = np.rint(values / step)
    return np.where(np.abs(values / step - counted) < 1e-9, multiples(step, counted + 1), values + step)


__all__ = ["axis", "half_spaces", "ranges"]
