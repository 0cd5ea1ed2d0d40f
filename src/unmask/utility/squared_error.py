"""How far published values lie from the true ones: the part of the spread that is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.masks.cells import Cells
from unmask.schema import Categorical
from unmask.table import Column, convert
from unmask.utility.utility_measure import PublishedTable, Quality


@dataclass(frozen=True)
class SquaredError:
    """Compare each person's published value with the true one, and the error with that of one value for everybody.

    What groups of people near each other lose is what they differ by inside; what differs between groups stays. So the
    squared error over the total spread is the usual measure of microaggregation: 0 where everybody is shown as they
    are, 1 where all are shown with the mean.

    Measures
        The mean over quasi-identifiers of `Σ (shown − true)² / Σ (true − mean)²`, values in a declared order counting
        as their places in it; a range is taken at its middle. Of other listed values: how many people are expected to
        be taken for another value than theirs, a random one of the published cell, over those who have another than
        the most frequent one. Who was left out or is shown as missing or `*` counts as shown with the mean, or the most
        frequent value. A true value that is missing is compared with nothing. A column without spread loses nothing.
    Fails
        Undefined where it is not known what was published of whom, and without people or quasi-identifiers.

    References
    ----------
    Domingo-Ferrer, Mateo-Sanz. Practical data-oriented microaggregation for statistical disclosure control. IEEE
    Transactions on Knowledge and Data Engineering 2002, section 2.
    """

    name: ClassVar[str] = "squared-error"
    higher_is_better: ClassVar[bool] = False

    def measure(self, case: PublishedTable, rng: np.random.Generator) -> Quality:
        """Return the mean part that is lost, and that of each attribute."""
        del rng
        lines, line_of, original = case.published, case.line_of, case.original
        if original is None or line_of is None:
            return Quality.undefined(case.why_unknown)
        if not original.n_rows or not lines.cells:
            return Quality.undefined("there is nobody, or no quasi-identifier")
        parts = {}
        for cells, cell in zip(lines.cells, lines.cell.T, strict=True):
            attribute = cells.attribute
            true = convert(original[attribute.name], original.schema[attribute.name], attribute)
            published = np.append(cell, np.int32(cells.n))[line_of]  # one more cell, for those left out
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
    """Return the middle of each cell, (cells,); NaN where nothing is told, or a range has no end."""
    low, high = cells.extent
    bounded = np.isfinite(low) & np.isfinite(high)
    return np.where(bounded, (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0)) / 2, np.nan)


def _unlike(cells: Cells, published: Int32, true: Column) -> float:
    """Return how many are expected to be taken for others, over those who have another than the usual value."""
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
