"""Feature encodings of published rows: cells as codes, as indicators, as categories, or as pairs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from unmask.arrays import Float64, Int32, distinct_rows
from unmask.attacks.fusion.miners.training_data import Lesson

Reading: TypeAlias = Literal["codes", "indicators", "marks", "categories", "pairs"]
"""`codes`: a number a column. `indicators`: a column a cell, and standardized numbers. `marks`: a column a cell, or a
range of numbers. `categories`: numbered cells and ranges. `pairs`: two columns at a time, as categories."""

RANGES = 8  # quantile ranges of numbers


def read(lesson: Lesson, reading: Reading, *, dense: bool = False) -> Any:  # noqa: ANN401 - a matrix, dense or sparse
    """Return the encoded features of all rows, (rows, features).

    The encoding uses all published rows, since the features of held-out rows are known, too.
    """
    if reading == "codes":
        return np.where(np.isnan(lesson.features), np.where(lesson.listed, -1.0, _means(lesson)), lesson.features)
    if reading == "categories":
        return _categories(lesson)
    if reading == "pairs":
        columns = _categories(lesson)
        pairs = [distinct_rows(columns[:, pair])[0] for pair in combinations(range(columns.shape[1]), 2)]
        return np.stack(pairs, axis=1) if pairs else columns
    blocks = [_marked(column) for column in _categories(lesson, numbers=reading == "marks").T]
    numbers = _scaled(lesson)
    if reading == "indicators" and numbers.shape[1]:
        blocks.append(sparse.csr_array(numbers))
    result = sparse.csr_array(sparse.hstack(blocks, dtype=np.float32) if blocks else np.zeros((lesson.n_rows, 0)))
    for name in ("indices", "indptr"):  # models need 32-bit ones
        setattr(result, name, getattr(result, name).astype(np.int32))
    return result.toarray() if dense else result


def width(lesson: Lesson, reading: Reading) -> Int32:
    """Return the number of categories of each column, (columns,), including those without training rows."""
    read_as = read(lesson, reading)
    return np.asarray(read_as.max(axis=0, initial=-1) + 1, np.int32)


def _categories(lesson: Lesson, *, numbers: bool = True) -> Int32:
    """Return the values of each column numbered from 0, (rows, columns): cells, ranges of numbers, missing values."""
    columns = [_cut(column, listed=bool(listed)) for column, listed in _columns(lesson) if numbers or listed]
    return np.stack(columns, axis=1) if columns else np.zeros((lesson.n_rows, 0), np.int32)


def _columns(lesson: Lesson) -> Iterator[tuple[Float64, np.bool_]]:
    return zip(lesson.features.T, lesson.listed, strict=True)


def _cut(column: Float64, *, listed: bool) -> Int32:
    known = column[~np.isnan(column)]
    if not listed and known.size:
        edges = np.unique(np.quantile(known, np.arange(1, RANGES) / RANGES))
        column = np.where(np.isnan(column), np.nan, np.searchsorted(edges, column, "right"))
    return distinct_rows(column[:, None])[0]  # missing values have the last number


def _marked(number: Int32) -> Any:  # noqa: ANN401 - scipy has no types
    rows = number.size
    ones = np.ones(rows, np.float32)
    return sparse.csr_array((ones, number, np.arange(rows + 1)), (rows, int(number.max(initial=-1)) + 1))


def _means(lesson: Lesson) -> Float64:
    """Return the mean of the known values of each column, (columns,)."""
    known = ~np.isnan(lesson.features)
    total = np.where(known, lesson.features, 0.0).sum(axis=0)
    return np.asarray(total / np.maximum(known.sum(axis=0), 1))


def _scaled(lesson: Lesson) -> NDArray[np.float64]:
    """Return the numbers with mean 0 and deviation 1, (rows, numbers); 0 where missing."""
    columns = []
    for column, listed in _columns(lesson):
        if not listed:
            known = ~np.isnan(column)
            middle = column[known].mean() if known.any() else 0.0
            spread = column[known].std() if known.any() else 0.0
            columns.append(np.where(known, (column - middle) / (spread if spread > 0 else 1.0), 0.0))
    return np.stack(columns, axis=1) if columns else np.zeros((lesson.n_rows, 0))
