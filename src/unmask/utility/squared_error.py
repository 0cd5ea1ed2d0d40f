"""Squared error of published values, relative to the variance of the column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.masks.cells import Cells
from unmask.schema import Categorical
from unmask.table import Column, convert
from unmask.utility.utility_measure import PublishedTable, Quality
from unmask.wording import message


@dataclass(frozen=True)
class SquaredError:
    """Compute the squared error of published values, relative to publishing the mean for all people.

    Microaggregation loses the variance within groups and keeps that between groups. Its usual measure is therefore
    the squared error over the total sum of squares (SSE/SST): 0 for exact values, 1 for the mean in every row.

    Measures
        The mean over quasi-identifiers of `Σ (published − true)² / Σ (true − mean)²`; ordered values count as their
        ranks, a range as its middle. For unordered values: the expected number of misclassified people, if each gets a
        random value of the published cell, divided by the number without the majority value. Suppressed people, `*`
        and missing cells count as the mean, or the majority value. Missing true values are left out. A constant column
        loses nothing.
    Fails
        Undefined where the published cells of each person are unknown, and without people or quasi-identifiers.

    References
    ----------
    Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control. IEEE
    Transactions on Knowledge and Data Engineering 2002, section 2.
    """

    name: ClassVar[str] = "squared-error"
    higher_is_better: ClassVar[bool] = False

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the mean relative error, and that of each attribute."""
        del rng
        lines, line_of, original = case.published, case.line_of, case.original
        if original is None or line_of is None:
            return Quality.undefined(case.why_unknown)
        if not original.n_rows or not lines.cells:
            return Quality.undefined(message("the table has no people, or no quasi-identifier"))
        parts = {}
        for cells, cell in zip(lines.cells, lines.cell.T, strict=True):
            attribute = cells.attribute
            true = convert(original[attribute.name], original.schema[attribute.name], attribute)
            published = np.append(cell, np.int32(cells.n))[line_of]  # one more cell, for suppressed people
            error = _unlike if isinstance(attribute.domain, Categorical) else _squared
            parts[attribute.name] = error(cells, published, true)
        return Quality.mean(parts, original.n_rows)


def _squared(cells: Cells, published: Int32, true: Column) -> float:
    """Return the squared error over that of the mean."""
    real = true if cells.attribute.is_numeric else np.where(true < 0, np.nan, true.astype(np.float64))
    known = np.isfinite(real)
    if not known.any():
        return 0.0
    middle = np.append(_middles(cells), np.nan)[published[known]]
    mean = real[known].mean()
    spread = float(((real[known] - mean) ** 2).sum())
    error = np.where(np.isfinite(middle), middle, mean) - real[known]
    return float((error**2).sum()) / spread if spread > 0 else 0.0


def _middles(cells: Cells) -> Float64:
    """Return the middle of each cell, (cells,); NaN for a suppressed cell, or a range without an end."""
    low, high = cells.extent
    bounded = np.isfinite(low) & np.isfinite(high)
    return np.where(bounded, (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0)) / 2, np.nan)


def _unlike(cells: Cells, published: Int32, true: Column) -> float:
    """Return the expected number of misclassified people, divided by the number without the majority value."""
    known = np.flatnonzero(true >= 0)
    if not known.size:
        return 0.0
    times = np.bincount(true[known])
    usual = int(times.argmax())
    owner = np.repeat(np.arange(cells.n), np.diff(cells.start))
    n_values = np.bincount(owner, cells.high - cells.low + 1, cells.n)
    informative = np.append((n_values > 0) & ~cells.anything, False)[published[known]]
    right = (true[known] == usual).astype(np.float64)
    cell, value = published[known][informative], true[known][informative].astype(np.float64)
    right[informative] = cells.fit(cell, value) / n_values[cell]
    others = known.size - int(times.max())
    return float((1.0 - right).sum()) / others if others else 0.0


EXAMPLES = (SquaredError(),)
