"""Suppressed cells that follow from published totals: one gap in a sum is the total less the other parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from unmask.arrays import Bool, Float64, distinct_rows
from unmask.auditing.direct_identifiers import words_of
from unmask.files.raw import Kind, Raw, RawColumn

TOTALS = frozenset(
    {"total", "totals", "all", "sum", "overall", "both", "gesamt", "summe", "insgesamt", "alle", "zusammen", "ensemble",
     "totale", "tous", "somme", "todos", "suma", "totaal", "totalt", "ogolem", "razem"}
)  # fmt: skip
"""How totals are called: lower case, without accents."""

_TOLERANCE = 1e-6  # relative: a sum of rounded numbers is not exact
_MOST_CATEGORIES = 10_000  # of a column with totals


def recoverable_cells(raw: Raw) -> dict[str, int]:
    """Return how many suppressed cells of each numeric column follow from a published total.

    A total is a row whose category is called so (`Total`, `Gesamt`), beside rows with equal other categories; or a
    column that is called so, and equals the sum of the other numeric columns wherever all are published. Missing cells
    count as suppressed.
    """
    columns = {
        name: column.without_suppressed() if column.has_stars else column for name, column in raw.columns.items()
    }
    numbers = {name: _numbers(column) for name, column in columns.items() if column.kind in {Kind.INTEGER, Kind.NUMBER}}
    if not any(np.isnan(one).any() for one in numbers.values()):
        return {}
    found = {name: np.zeros(raw.n_rows, bool) for name in numbers}
    for name, cells in (*_by_rows(columns, numbers, raw.n_rows), *_by_columns(numbers)):
        found[name] |= cells
    return {name: int(cells.sum()) for name, cells in found.items() if cells.any()}


def _numbers(column: RawColumn) -> Float64:
    assert column.numbers is not None  # noqa: S101 - by its kind
    return np.append(column.numbers, np.nan)[column.codes]


def _by_rows(columns: dict[str, RawColumn], numbers: dict[str, Float64], n_rows: int) -> Iterator[tuple[str, Bool]]:
    """Yield for a numeric column the cells that follow from a row with the total."""
    texts = {name: column for name, column in columns.items() if name not in numbers}
    for name, column in ((name, column) for name, column in texts.items() if column.n <= _MOST_CATEGORIES):
        total = [words_of(label) in TOTALS for label in column.labels]
        is_total = np.array([*total, False])[column.codes]
        if not is_total.any() or is_total.all():
            continue
        others = [one.codes.astype(np.int64) for other, one in texts.items() if other != name]
        block = distinct_rows(np.stack(others, axis=1))[0] if others else np.zeros(n_rows, np.int64)
        n = int(block.max()) + 1
        for of, values in numbers.items():
            gap = np.isnan(values) & ~is_total
            known = np.bincount(block[is_total & ~np.isnan(values)], minlength=n) == 1
            one = np.bincount(block[gap], minlength=n) == 1
            several = np.bincount(block[~is_total], minlength=n) > 1
            sums = np.bincount(block[~is_total], np.nan_to_num(values[~is_total]), n)
            totals = np.bincount(block[is_total], np.nan_to_num(values[is_total]), n)
            yield of, gap & (known & one & several & (sums <= totals * (1 + _TOLERANCE)))[block]


def _by_columns(numbers: dict[str, Float64]) -> Iterator[tuple[str, Bool]]:
    """Yield for a numeric column the cells that follow from a column with the total."""
    for name, total in numbers.items():
        parts = [other for other in numbers if other != name]
        if words_of(name) not in TOTALS or len(parts) < 2:
            continue
        values = np.stack([numbers[part] for part in parts], axis=1)
        gaps = np.isnan(values)
        whole = ~gaps.any(axis=1) & ~np.isnan(total)
        if not whole.any() or not np.allclose(values[whole].sum(axis=1), total[whole], rtol=_TOLERANCE, atol=0):
            continue
        one = (gaps.sum(axis=1) == 1) & ~np.isnan(total)
        for i, part in enumerate(parts):
            yield part, one & gaps[:, i]
