"""Axes for distances between people: numbers in standard deviations, listed values equal or not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32
from unmask.schema import OUTSIDE, UNKNOWN, Attribute, Categorical, Missing
from unmask.table import Table


@dataclass(frozen=True, slots=True)
class _Scale:
    """One attribute: the mean of its numbers, and the weight of a unit; None for listed values."""

    name: str
    mean: float | None = None
    unit: float = 0.0
    gaps: bool = False  # a missing number is one more value


@dataclass(frozen=True, slots=True)
class Axes:
    """Coordinates of people such that squared distances add up, for `point_search` or a plain sum.

    Numbers and values in a declared order count in standard deviations of the people of these axes, a constant column
    not at all. Other values are equal (0) or not (1). A missing value is one more listed value; where it is a wildcard,
    or a value is unknown, the attribute is not compared.
    """

    scales: tuple[_Scale, ...]

    @classmethod
    def of(cls, table: Table, people: Float64 | None = None, *, coded: bool = False) -> Axes:
        """Return the axes of a table, its rows weighted by `people`; `coded` orders all listed values."""
        scales = []
        for attribute in table.schema:
            if isinstance(attribute.domain, Categorical) and not coded:
                scales.append(_Scale(attribute.name))
                continue
            x = _numbers(table, attribute)
            known = np.isfinite(x)
            weight = np.ones(x.size) if people is None else people
            total = weight[known].sum()
            mean = float(weight[known] @ x[known] / total) if total > 0 else 0.0
            spread = float(np.sqrt(weight[known] @ (x[known] - mean) ** 2 / total)) if total > 0 else 0.0
            unit = 1.0 / spread if spread > 1e-12 * max(abs(mean), 1e-300) else 0.0
            gaps = attribute.missing is not Missing.WILDCARD and bool(table.missing(attribute.name).any())
            scales.append(_Scale(attribute.name, mean, unit, gaps))
        return cls(tuple(scales))

    def points(self, table: Table) -> tuple[Float64, Int32]:
        """Return the people to search: numbers (rows, numbers) and listed values (rows, listed)."""
        number, code = self.queries(table)
        n_values = self._n_values(table)
        known = np.where(code < 0, np.array(n_values, np.int32), code) if n_values else code
        return np.where(np.isnan(number), 0.0, number), known.astype(np.int32)

    def queries(self, table: Table) -> tuple[Float64, Int32]:
        """Return the people to search for: as `points`, but NaN and −1 for attributes that are not compared."""
        numbers, codes = [], []
        for scale in self.scales:
            attribute = table.schema[scale.name]
            absent = table.missing(scale.name)
            compared = attribute.missing is not Missing.WILDCARD
            if scale.mean is None:
                column = table[scale.name].astype(np.int32)
                n = len(attribute.values)
                column = np.where(column == UNKNOWN, np.int32(n if compared else UNKNOWN), column)
                codes.append(np.where(column == OUTSIDE, np.int32(n + 1), column))
                continue
            x = _numbers(table, attribute)
            numbers.append(np.where(np.isfinite(x), (x - scale.mean) * scale.unit, np.nan))
            if scale.gaps:
                codes.append(np.where(absent, 1, 0) if compared else np.where(absent, UNKNOWN, 0))
        rows = table.n_rows
        return (
            np.stack(numbers, axis=1) if numbers else np.zeros((rows, 0)),
            np.stack(codes, axis=1).astype(np.int32) if codes else np.zeros((rows, 0), np.int32),
        )

    def _n_values(self, table: Table) -> list[int]:
        """Return an unused code for each listed axis: that of a missing value."""
        listed = [scale for scale in self.scales if scale.mean is None or scale.gaps]
        return [len(table.schema[s.name].values) if s.mean is None else 1 for s in listed]


def _numbers(table: Table, attribute: Attribute) -> Float64:
    """Return a column as numbers; NaN where a value is missing or unknown."""
    column = table[attribute.name]
    if attribute.is_numeric:
        return np.where(np.isfinite(column), column, np.nan)
    return np.where(column < 0, np.nan, column.astype(np.float64))
