"""Information loss by the width of cells: NCP over ranges, and ILoss over the leaves of a hierarchy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64
from unmask.masks.atoms import labels_in, mass, numbers_of, stretched
from unmask.masks.cells import Cells
from unmask.schema import UNKNOWN, Numeric, domain_values, recode
from unmask.table import Column, Table
from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.wording import message


@dataclass(frozen=True)
class NCP:
    """Charge each cell the width of its range, divided by the range of the column (normalized certainty penalty).

    An exact value costs 0, `*` costs 1. The range of a column is that of the original table, else the declared
    bounds, else that of the published cells.

    Measures
        The mean over people and quasi-identifiers of `(max − min) / (column's max − column's min)`. Listed values are
        counted in their declared order, alphabetically without one; values that do not occur are not counted. Where a
        listed column has a hierarchy: the leaves of the cell over all leaves, 0 for one leaf. A missing value is one
        more value. Suppressed people cost 1.
    Fails
        Undefined without people or quasi-identifiers.

    References
    ----------
    Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006, definition 1.
    """

    name: ClassVar[str] = "ncp"
    higher_is_better: ClassVar[bool] = False

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the mean charge, and that of each attribute."""
        del rng
        return _averaged(case, self.charges)

    def charges(self, cells: Cells, original: Table | None) -> Float64:
        """Return the charge of each cell, (cells,)."""
        if isinstance(cells.attribute.domain, Numeric):
            return _of_ranges(cells, original)
        if cells.attribute.hierarchy is not None:
            held, whole = _counted(cells, original)
            return np.where(held > 1, held / max(whole, 1.0), 0.0)
        at = _values(cells, original)
        known = np.sort(at[at >= 0])
        low, high = cells.extent
        inside = np.searchsorted(known, high, "right") - np.searchsorted(known, low, "left")
        gaps = bool((at == UNKNOWN).any())
        return _per_step(np.where(np.isfinite(low), inside, 0.0) + cells.missing * gaps, at.size)


@dataclass(frozen=True)
class InformationLoss:
    """Charge each cell by the number of values that it may stand for.

    A cell of m of a column's n values costs `(m − 1) / (n − 1)`: 0 for one value, 1 for all. One minus this loss is
    also called granularity.

    Measures
        The mean of that over people and quasi-identifiers. The n values are the leaves of the hierarchy; without one
        those that occur in the original table, else those of the published domain; of numbers without a hierarchy the
        length of the range counts, in steps where they have one. A missing value is one more value. Suppressed people
        cost 1.
    Fails
        Undefined without people or quasi-identifiers.

    References
    ----------
    Iyengar. Transforming data to satisfy privacy constraints. KDD 2002, section 4. Xiao, Tao. Personalized privacy
    preservation. SIGMOD 2006, section 5.
    """

    name: ClassVar[str] = "information-loss"
    higher_is_better: ClassVar[bool] = False

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the mean charge, and that of each attribute."""
        del rng
        return _averaged(case, self.charges)

    def charges(self, cells: Cells, original: Table | None) -> Float64:
        """Return the charge of each cell, (cells,)."""
        if isinstance(cells.attribute.domain, Numeric) and cells.attribute.hierarchy is None:
            return _of_lengths(cells, original)
        return _per_step(*_counted(cells, original))


def _averaged(case: PublishedTable, charges: Callable[[Cells, Table | None], Float64]) -> Quality:
    lines, people = case.lines, case.people
    if not lines.cells or case.n <= 0:
        return Quality.undefined(message("the table has no people, or no quasi-identifier"))
    parts = {}
    for cells, cell in zip(lines.cells, lines.cell.T, strict=True):
        charge = np.where(cells.anything, 1.0, np.clip(charges(cells, case.original), 0.0, 1.0))
        parts[cells.attribute.name] = float((charge[cell] @ people + case.release.n_suppressed_rows) / case.n)
    return Quality.mean(parts, case.n)


def _per_step(held: Float64, whole: float) -> Float64:
    """Return (m − 1) / (n − 1); 0 where a column has one value."""
    return np.asarray(np.maximum(held - 1, 0.0) / max(whole - 1, 1.0))


def _counted(cells: Cells, original: Table | None) -> tuple[Float64, float]:
    """Return the number of values of each cell, (cells,), and of the whole column."""
    at = _values(cells, original)
    return mass(cells, at, np.ones(at.size)), float(at.size)


def _values(cells: Cells, original: Table | None) -> Column:
    """Return the distinct values of a column in the domain of its cells, the missing value included."""
    attribute = cells.attribute
    known = original if original is not None and attribute.name in original.schema else None
    has_missing = bool(cells.missing.any() if known is None else known.missing(attribute.name).any())
    if attribute.hierarchy is not None:
        leaves = attribute.hierarchy.leaves
        at: Column = domain_values(attribute.domain, leaves)
    elif known is not None:
        at = recode(labels_in(known, attribute.name), attribute.values)
    else:
        at = np.arange(len(attribute.values), dtype=np.int32)
    if has_missing:
        at = np.append(at, np.array([np.nan if attribute.is_numeric else UNKNOWN], at.dtype))
    return at


def _bounds(cells: Cells, original: Table | None) -> tuple[float, float]:
    """Return the ends of the range of a column of numbers."""
    attribute = cells.attribute
    domain = attribute.domain
    if original is not None and attribute.name in original.schema:
        values = numbers_of(original, attribute.name)
    else:
        values = np.concatenate(cells.extent)
        if isinstance(domain, Numeric) and domain.low is not None and domain.high is not None:
            return domain.low, domain.high
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)


def _of_ranges(cells: Cells, original: Table | None) -> Float64:
    """Return the range of each cell of numbers over that of the column, (cells,)."""
    low, high = _closed(cells)
    ranges = np.isfinite(low) & np.isfinite(high)  # only a missing value, or anything, has none
    return _over_range(cells, np.subtract(high, low, out=np.zeros(cells.n), where=ranges), original)


def _of_lengths(cells: Cells, original: Table | None) -> Float64:
    """Return the length of each cell of numbers over the range of the column, (cells,); a cell may have gaps."""
    domain = cells.attribute.domain
    step = domain.step if isinstance(domain, Numeric) else None
    low, high = stretched(cells)
    owner = np.repeat(np.arange(cells.n), np.diff(cells.start))
    length = np.bincount(owner, high - low, cells.n)
    return _over_range(cells, np.maximum(length - (step or 0.0), 0.0), original)


def _over_range(cells: Cells, width: Float64, original: Table | None) -> Float64:
    """Divide widths by the range of the column; a missing value that a range may hide is one more step."""
    domain = cells.attribute.domain
    step = (domain.step if isinstance(domain, Numeric) else None) or 0.0
    least, greatest = _bounds(cells, original)
    known = original if original is not None and cells.attribute.name in original.schema else None
    gaps = bool(cells.missing.any() if known is None else known.missing(cells.attribute.name).any())
    width = width + step * (cells.missing & (np.diff(cells.start) > 0))
    whole = greatest - least + step * gaps
    return np.asarray(width / whole if whole > 0 else np.zeros(cells.n))


def _closed(cells: Cells) -> tuple[Float64, Float64]:
    """Return the least and greatest number that each cell may stand for, (cells,)."""
    domain = cells.attribute.domain
    if not isinstance(domain, Numeric) or domain.step is None:
        return cells.extent
    low, high = stretched(cells)
    owner = np.repeat(np.arange(cells.n), np.diff(cells.start))
    least, greatest = np.full(cells.n, np.inf), np.full(cells.n, -np.inf)
    np.minimum.at(least, owner, low + domain.step / 2)
    np.maximum.at(greatest, owner, high - domain.step / 2)
    return least, greatest


EXAMPLES = (NCP(), InformationLoss())
