"""Published columns that are more exact than declared: beside a generalized cell, or below a declared level."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.auditing.leaks import Leak, LeakFinding
from unmask.commands.published_columns import BesideColumn
from unmask.dates import moment_number
from unmask.errors import InvalidInputError
from unmask.files.attributes import named_hierarchy
from unmask.files.published import ReadRelease
from unmask.files.published_level import level_number
from unmask.files.roles import Roles
from unmask.masks.cells import Cells
from unmask.numerics.numerals import NUMERAL
from unmask.runtime.streams import stream
from unmask.schema import Numeric
from unmask.wording import message

_LEAST_OUTSIDE = 5
"""Rows outside of their cells by chance: with fewer, that all are inside says nothing."""

_LEAST_KNOWN = 0.9  # the share of rows with a value

_PLAIN = re.compile(NUMERAL)


def numbers_of(values: Sequence[str], *, dates: bool = False) -> Float64:
    """Return texts as numbers, (values,), dates as days since 1970; NaN for other texts."""
    if dates:
        return np.array([np.nan if (day := moment_number(text)) is None else day for text in values], np.float64)
    return np.array([float(text) if _PLAIN.fullmatch(text) else np.nan for text in values], np.float64)


def finer_than_cells(found: ReadRelease, beside: Mapping[str, BesideColumn]) -> Iterator[LeakFinding]:
    """Yield the columns whose value lies in the published cell of one quasi-identifier, in every row.

    A column is left out unless at least `_LEAST_OUTSIDE` rows lie outside where its values are shuffled.
    """
    release = found.release
    if release.start is None or release.is_synthetic:
        return
    lines = release.masked.lines
    line = lines.line_of(release.group_of_row)
    rng = stream(0, "finer columns", release.name)
    for cells in (one for one in lines.cells if one.attribute.name not in release.masked.noise):
        cell = lines.cell_of(cells.attribute.name)[line]
        for name, one in beside.items():
            fit = _fit(cells, one.values)
            if fit is not None and _always_inside(fit, cell, one.codes, rng):
                n = one.codes.size
                known = int((one.codes >= 0).sum())
                detail = message(
                    "has the exact value of each cell of column {column}", column=repr(cells.attribute.name)
                )
                yield LeakFinding(Leak.MORE_EXACT, name, known, n, message("rows"), detail)


Fit: TypeAlias = Callable[[Int64, Int64], Bool]
"""A function from the cells and the values of some pairs, (pairs,), to whether each cell contains its value."""


def _fit(cells: Cells, values: Sequence[str]) -> Fit | None:
    """Return whether values lie in cells; None where they cannot be compared, or no cell has several values.

    Numbers and dates are compared by size, texts with masks such as `130**`.
    """
    domain = cells.attribute.domain
    if isinstance(domain, Numeric):
        low, high = cells.extent
        numbers = numbers_of(values, dates=domain.dates)
        if np.isnan(numbers).any() or not (np.isfinite(low) & np.isfinite(high) & (low < high)).any():
            return None
        return lambda cell, value: (low[cell] <= numbers[value]) & (numbers[value] <= high[cell])
    texts = [next(iter(listed)) if len(listed) == 1 else "" for listed in cells.labels()]
    if not any("*" in text and text.strip("*") for text in texts):
        return None
    patterns = [re.compile(re.escape(text).replace(r"\*", "."), re.DOTALL) for text in texts]

    def matches(cell: Int64, value: Int64) -> Bool:
        pairs = zip(cell.tolist(), value.tolist(), strict=True)
        return np.array([bool(cells.anything[c] or patterns[c].fullmatch(values[v])) for c, v in pairs], bool)

    return matches


def _always_inside(fit: Fit, cell: Int32 | Int64, codes: Int32, rng: np.random.Generator) -> bool:
    known = codes >= 0
    if not known.any() or known.mean() < _LEAST_KNOWN:
        return False
    ours, theirs = cell[known], codes[known]
    if not fit(*_pairs(ours, theirs)[:2]).all():
        return False
    *pairs, times = _pairs(ours, rng.permutation(theirs))
    return int(times[~fit(*pairs)].sum()) >= _LEAST_OUTSIDE


def _pairs(cell: Int32 | Int64, codes: Int32) -> tuple[Int64, Int64, Int64]:
    """Return the distinct pairs of cell and value, and how many rows have each, (pairs,)."""
    both, times = np.unique(cell.astype(np.int64) << 32 | codes.astype(np.int64), return_counts=True)
    return both >> 32, both & 0xFFFFFFFF, times


def finer_than_level(found: ReadRelease, roles: Roles) -> Iterator[LeakFinding]:
    """Yield the sensitive columns with values below the level at which they are declared to be published."""
    release = found.release
    for attribute in release.schema.sensitive:
        declared = roles.of_column(attribute.name)
        if declared.level is None or declared.hierarchy is None:
            continue
        try:
            hierarchy = named_hierarchy(declared.hierarchy, roles, attribute.values)
            level = level_number(attribute.name, declared, hierarchy)
        except InvalidInputError:  # labels of the level, which the hierarchy does not know as values: as declared
            continue
        upper = set(hierarchy.labels[level - 1])
        leaves = set(hierarchy.leaves)
        below = [i for i, value in enumerate(attribute.values) if value in leaves and value not in upper]
        codes = release.columns.get(attribute.name)
        if below:
            count, of, unit = len(below), len(attribute.values), message("values")
            if codes is not None:
                count, of, unit = int(np.isin(codes, below).sum()), codes.size, message("rows")
            detail = message("has values below its declared level {level}", level=declared.level)
            yield LeakFinding(Leak.MORE_EXACT, attribute.name, count, of, unit, detail)
