"""Array types, read-only arrays, distinct rows, and sparse rows."""
# Over 300 lines: sparse rows are gathered, and distinct rows expanded, by the same few functions.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from unmask.errors import InvalidInputError
from unmask.wording import message

Bool: TypeAlias = NDArray[np.bool_]
Int32: TypeAlias = NDArray[np.int32]
Int64: TypeAlias = NDArray[np.int64]
Float64: TypeAlias = NDArray[np.float64]

DENSE_CELLS = 1 << 22
"""The largest number of cells of a dense block of a sparse matrix: 32 MiB of float64."""

SAMPLED = 1 << 16
"""The number of integers that decides whether they are hashed; fewer are sorted."""

SORTED_BY_HALVES = 1 << 22
"""The largest number of rows whose order is computed in two steps of 16 bits: sooner than SciPy is loaded."""

BLOCK = 1 << 16
"""The number of rows that are computed at once, so that what is computed of them stays in the processor's cache."""


def blocks(rows: int) -> Iterator[slice]:
    """Yield runs of rows."""
    for first in range(0, rows, BLOCK):
        yield slice(first, min(first + BLOCK, rows))


def occurrences(codes: NDArray[Any], n: int) -> Int64:
    """Count how often each code from -1 to `n` - 1 occurs, (n + 1,)."""
    if n > BLOCK:
        return np.bincount(codes.astype(np.int64) + 1, minlength=n + 1)
    result = np.zeros(n + 1, np.int64)
    for block in blocks(codes.size):
        result += np.bincount(codes[block].astype(np.int64) + 1, minlength=n + 1)
    return result


def gathered(table: NDArray[Any], codes: NDArray[Any]) -> NDArray[Any]:
    """Return the entry of each code, (rows,); code -1 is the last entry."""
    result = np.empty(codes.size, table.dtype)
    for block in blocks(codes.size):
        table.take(codes[block], out=result[block], mode="wrap")
    return result


def frozen(array: NDArray[Any], dtype: DTypeLike | None = None) -> NDArray[Any]:
    """Return the array, contiguous and read-only; copied if it is a view of a writable array."""
    result = np.ascontiguousarray(array, dtype=dtype)
    if result is array and array.flags.writeable:
        result = array.copy()
    result.setflags(write=False)
    return result


def starts(counts: NDArray[Any]) -> Int64:
    """Return the start of each run, and the total, from the lengths of the runs."""
    start = np.zeros(counts.size + 1, np.int64)
    np.cumsum(counts, out=start[1:])
    return start


def expand(start: Int64, rows: NDArray[Any]) -> tuple[Int64, Int64]:
    """Return the entries of some sparse rows, and the position in `rows` of each entry."""
    length = start[rows + 1] - start[rows]
    position = np.repeat(np.arange(rows.size, dtype=np.int64), length)
    offset = np.arange(position.size, dtype=np.int64) - np.repeat(starts(length)[:-1], length)
    return start[rows][position] + offset, position


def distinct_rows(matrix: NDArray[Any]) -> tuple[Int32, Int64]:
    """Return the number of each row among the sorted distinct rows, and the first row with each number."""
    rows = matrix.shape[0]
    if matrix.shape[1] == 0:
        return np.zeros(rows, np.int32), np.zeros(min(rows, 1), np.int64)
    if rows and np.issubdtype(matrix.dtype, np.integer):
        return distinct_tuples(matrix.T, rows)
    order = np.lexsort(matrix.T[::-1])
    ordered = matrix[order]
    new = np.ones(rows, bool)
    if rows:
        changed = ordered[1:] != ordered[:-1]
        if np.issubdtype(matrix.dtype, np.floating):  # missing numbers are equal
            changed &= ~(np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))
        new[1:] = changed.any(axis=1)
    return _by_order(order, new)


def distinct_tuples(columns: Iterable[NDArray[Any]], rows: int) -> tuple[Int32, Int64]:
    """Return the same for rows given as columns of integers, (rows,) each, which are not kept together."""
    if not rows:
        return np.zeros(0, np.int32), np.zeros(0, np.int64)
    return distinct_integers(_packed(columns, rows))


def distinct_integers(numbers: Int64) -> tuple[Int32, Int64]:
    """Return the number of each integer among the sorted distinct ones, and the first row with each number.

    Runs of equal integers count as one. Integers of a narrow range are counted. Where each occurs several times, they
    are hashed, and only the distinct ones are sorted.
    """
    begins = numbers[1:] != numbers[:-1]
    if numbers.size >= SAMPLED and 2 * np.count_nonzero(begins) < numbers.size - 1:
        run = np.append(0, np.flatnonzero(begins) + 1)
        number, first = distinct_integers(numbers[run])
        return np.repeat(number, np.diff(run, append=numbers.size)), run[first]
    least = int(numbers.min()) if numbers.size else 0
    if numbers.size >= SAMPLED and int(numbers.max()) - least < BLOCK:
        step = np.subtract(numbers, least, dtype=np.int64).astype(np.int32)
        present = occurrences(step, int(step.max()) + 1)[1:] > 0
        return gathered(np.cumsum(present, dtype=np.int32) - 1, step), _first_rows(step, present.size)[present]
    if numbers.size < SAMPLED or not _repeat(numbers):
        order = np.argsort(numbers, kind="stable")
        return _by_order(order, np.append([True], np.diff(numbers[order]) != 0)[: numbers.size])
    import pyarrow as pa  # noqa: PLC0415 - only for large arrays

    coded = pa.array(numbers).dictionary_encode()
    distinct = np.frombuffer(coded.dictionary.buffers()[1], np.int64, len(coded.dictionary))
    code = np.frombuffer(coded.indices.buffers()[1], np.int32, numbers.size)  # by first occurrence
    order = np.argsort(distinct)
    rank = np.empty(order.size, np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    return gathered(rank, code), _first_rows(code, order.size)[order]


def _repeat(numbers: Int64) -> bool:
    """Return whether a sample of many integers suggests that each occurs several times."""
    part = numbers[:: max(numbers.size // SAMPLED, 1)]
    again = part.size - np.unique(part).size  # about part² / (2 distinct)
    return (again + 1) * numbers.size >= 2 * part.size**2


def _first_rows(codes: Int32, n: int) -> Int64:
    """Return the first row with each code, (n,); 0 for a code that does not occur."""
    first = np.zeros(n, np.int64)
    for block in reversed([*blocks(codes.size)]):  # the last assignment stays: that of the first row
        first[codes[block][::-1]] = np.arange(block.start, block.stop)[::-1]
    return first


def _by_order(order: Int64, new: Bool) -> tuple[Int32, Int64]:
    """Return the number and the first row of each run of a stable order, (rows,); `new` is where a run begins."""
    number = np.empty(order.size, np.int32)
    number[order] = np.cumsum(new, dtype=np.int32) - 1
    return number, np.asarray(order[new], np.int64)


def order_of(number: Int32) -> Int64:
    """Return the stable order of numbers from 0, (rows,), in linear time."""
    n = number.size
    if n == 0 or number.max() <= 0xFFFF:
        return np.argsort(number.astype(np.uint16), kind="stable")  # 16 bits: a radix sort
    if n <= SORTED_BY_HALVES:
        order = np.argsort(number.astype(np.uint16), kind="stable")
        return np.asarray(order[np.argsort((number >> 16).astype(np.uint16)[order], kind="stable")])
    from scipy import sparse  # noqa: PLC0415 - only for large arrays

    entries = np.ones(n, np.int8), number, np.arange(n + 1, dtype=np.int32)  # one in each row: by column, it is sorted
    return np.asarray(sparse.csr_array(entries, (n, int(number.max()) + 1)).tocsc().indices, np.int64)


def distinct_numbers(numbers: Float64) -> tuple[Float64, Int32]:
    """Return the sorted distinct numbers, and the code of each number; none may be missing."""
    if numbers.size and (least := numbers.min()) > numbers.max() - numbers.size:  # steps of 1 are counted, not sorted
        step = (numbers - least).astype(np.int64)
        if np.array_equal(step + least, numbers):
            present = np.bincount(step) > 0
            return np.flatnonzero(present) + least, (np.cumsum(present, dtype=np.int32) - 1)[step]
    distinct, number = np.unique(numbers, return_inverse=True)
    return distinct, number.ravel().astype(np.int32)


def sorted_rows(matrix: NDArray[Any]) -> Int64:
    """Return the order that sorts the rows of a matrix of integers, (rows,); it is stable."""
    if not matrix.size:
        return np.arange(matrix.shape[0])
    packed = _packed(matrix.T, matrix.shape[0])
    return np.argsort(packed, kind="stable") if packed.size < SAMPLED else order_of(distinct_integers(packed)[0])


def _packed(columns: Iterable[NDArray[Any]], rows: int) -> Int64:
    """Return each row of integers as one integer of the same order; ranks replace columns if 62 bits do not suffice."""
    packed, room = np.zeros(rows, np.int64), 1
    for column in columns:
        least = int(column.min())
        width = int(column.max()) - least + 1
        if room * width >= 1 << 62:
            number, first = distinct_integers(packed)
            packed, room = number.astype(np.int64), first.size
        if room * width >= 1 << 62:
            number, first = distinct_integers(column.astype(np.int64))
            least, width = 0, first.size
            column = number  # noqa: PLW2901 - the same column, written with fewer numbers
        for block in blocks(rows):
            part = packed[block]
            part *= width
            part += column[block]
            part -= least
        room *= width
    return packed


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Sparse rows of numbers; a missing entry is exactly 0.

    Fails
        With `InvalidInputError` where the three arrays do not belong together.
    """

    start: Int64  # (rows + 1,)
    column: Int32  # (entries,)
    data: Float64  # (entries,)
    n_columns: int

    def __post_init__(self) -> None:
        for name, kind in (("start", np.int64), ("column", np.int32), ("data", np.float64)):
            array = np.ascontiguousarray(getattr(self, name), dtype=kind)
            array.setflags(write=False)  # in place, not copied: the arrays are not used elsewhere
            object.__setattr__(self, name, array)
        ends = self.start.size > 0 and self.start[0] == 0 and self.start[-1] == self.column.size
        if not ends or (np.diff(self.start) < 0).any():
            msg = message("the row starts of sparse rows must rise from 0 to {size} entries", size=self.column.size)
            raise InvalidInputError(msg)
        if self.data.shape != self.column.shape:
            msg = message(
                "sparse rows must have one number an entry; got {size} for {entries}",
                size=self.data.size,
                entries=self.column.size,
            )
            raise InvalidInputError(msg)
        if self.column.size and (self.column.min() < 0 or self.column.max() >= self.n_columns):
            msg = message("columns of sparse rows must lie below {n_columns}", n_columns=self.n_columns)
            raise InvalidInputError(msg)

    @classmethod
    def of(cls, dense: NDArray[Any]) -> Ragged:
        """Return the sparse rows of a dense matrix."""
        width = max(dense.shape[1], 1)
        place = np.flatnonzero(dense)
        start = np.searchsorted(place, np.arange(dense.shape[0] + 1) * width)
        return cls(start, (place % width).astype(np.int32), dense.ravel()[place].astype(np.float64), dense.shape[1])

    @classmethod
    def gather(cls, row: NDArray[Any], column: NDArray[Any], data: NDArray[Any], shape: tuple[int, int]) -> Ragged:
        """Return the sums of entries in any order; sums of exactly 0 are left out."""
        key = row.astype(np.int64) * shape[1] + column
        number, first = distinct_integers(key)
        distinct = key[first]
        total = np.bincount(number, weights=data, minlength=distinct.size)
        distinct, total = distinct[total != 0], total[total != 0]
        start = starts(np.bincount(distinct // max(shape[1], 1), minlength=shape[0]))
        return cls(start, (distinct % max(shape[1], 1)).astype(np.int32), total, shape[1])

    @classmethod
    def stacked(cls, parts: Sequence[Ragged]) -> Ragged:
        """Concatenate sparse rows of equal width; at least one part."""
        offset, start = 0, [np.zeros(1, np.int64)]
        for part in parts:
            start.append(part.start[1:] + offset)
            offset += int(part.start[-1])
        columns, data = [part.column for part in parts], [part.data for part in parts]
        return cls(np.concatenate(start), np.concatenate(columns), np.concatenate(data), parts[0].n_columns)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.start.size - 1

    @property
    def row(self) -> Int64:
        """The row of each entry."""
        return np.repeat(np.arange(self.n_rows, dtype=np.int64), np.diff(self.start))

    def take(self, rows: NDArray[Any]) -> Ragged:
        """Return the selected rows, in the given order."""
        entries, _ = expand(self.start, rows)
        return Ragged(starts(np.diff(self.start)[rows]), self.column[entries], self.data[entries], self.n_columns)

    def __matmul__(self, other: Ragged) -> Ragged:
        """Return the product with sparse rows, one of these for each column; sums of exactly 0 are left out."""
        pairs = np.diff(other.start)[self.column].sum()
        if pairs <= SAMPLED:
            entries, place = expand(other.start, self.column)
            terms = self.data[place] * other.data[entries]
            return Ragged.gather(self.row[place], other.column[entries], terms, (self.n_rows, other.n_columns))
        from scipy import sparse  # noqa: PLC0415 - only for large products

        left = sparse.csr_array((self.data, self.column, self.start), (self.n_rows, self.n_columns))
        result = left @ sparse.csr_array((other.data, other.column, other.start), (other.n_rows, other.n_columns))
        result.eliminate_zeros()
        result.sort_indices()
        return Ragged(result.indptr, result.indices, result.data, other.n_columns)

    def __add__(self, other: Ragged) -> Ragged:
        """Return the sum with sparse rows of the same shape; sums of exactly 0 are left out."""
        shape = (self.n_rows, self.n_columns)
        if self.data.size + other.data.size <= SAMPLED:
            row, column = np.concatenate([self.row, other.row]), np.concatenate([self.column, other.column])
            return Ragged.gather(row, column, np.concatenate([self.data, other.data]), shape)
        from scipy import sparse  # noqa: PLC0415 - only for large sums

        one, two = (sparse.csr_array((part.data, part.column, part.start), shape) for part in (self, other))
        result = one + two
        result.sort_indices()
        return Ragged(result.indptr, result.indices, result.data, self.n_columns)

    def times(self, factor: float) -> Ragged:
        """Return the rows multiplied by a number above 0."""
        return Ragged(self.start, self.column, self.data * factor, self.n_columns)

    def narrowed(self, n_columns: int) -> Ragged:
        """Return the first columns."""
        kept = self.column < n_columns
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
        return Ragged(before[self.start], self.column[kept], self.data[kept], n_columns)

    def dense(self, rows: NDArray[Any] | slice | None = None) -> Float64:
        """Return rows as a dense matrix; all of them by default."""
        wanted = np.arange(self.n_rows)[rows] if isinstance(rows, slice) else rows
        wanted = np.arange(self.n_rows) if wanted is None else wanted
        entries, position = expand(self.start, wanted)
        result = np.zeros(wanted.size * self.n_columns)
        result[position * self.n_columns + self.column[entries]] = self.data[entries]
        return result.reshape(wanted.size, self.n_columns)

    def compact(self, rows: slice) -> tuple[Float64, Int32]:
        """Return a run of rows as a dense matrix of its non-empty columns, and these columns."""
        entries = slice(int(self.start[rows.start]), int(self.start[rows.stop]))
        columns, place = np.unique(self.column[entries], return_inverse=True)
        result = np.zeros((rows.stop - rows.start, columns.size))
        row = np.repeat(np.arange(result.shape[0]), np.diff(self.start[rows.start : rows.stop + 1]))
        result[row, place.ravel()] = self.data[entries]
        return result, columns.astype(np.int32)

    def dense_column(self, column: int) -> Float64:
        """Return one column as a dense array, (rows,)."""
        here = self.column == column
        return np.bincount(self.row[here], weights=self.data[here], minlength=self.n_rows).astype(np.float64)

    def at(self, rows: NDArray[Any], columns: NDArray[Any]) -> Float64:
        """Return single entries, (rows,), by search; 0 for a negative column."""
        key = self.row * self.n_columns + self.column
        if key.size == 0:
            return np.zeros(rows.size)
        order = None if (key[1:] >= key[:-1]).all() else np.argsort(key, kind="stable")
        wanted = rows.astype(np.int64) * self.n_columns + columns
        place = np.minimum(np.searchsorted(key if order is None else key[order], wanted), key.size - 1)
        entry = place if order is None else order[place]
        return np.where((key[entry] == wanted) & (columns >= 0), self.data[entry], 0.0)

    def compact_blocks(self, cells: int) -> Iterator[slice]:
        """Yield runs of rows with at most that many cells in compact form, or single rows."""
        first = 0
        while first < self.n_rows:
            low, high = first + 1, self.n_rows  # longer runs have more cells: bisection gives the longest
            while low < high:
                end = (low + high + 1) // 2
                entries = int(self.start[end] - self.start[first])
                low, high = (end, high) if (end - first) * (entries + 1) <= cells else (low, end - 1)
            yield slice(first, low)
            first = low

    def blocks(self) -> Iterator[slice]:
        """Yield runs of rows that are small enough for a dense matrix."""
        step = max(1, DENSE_CELLS // max(1, self.n_columns))
        for first in range(0, self.n_rows, step):
            yield slice(first, min(first + step, self.n_rows))

    def sums(self) -> Float64:
        """Return the total of each row."""
        return np.bincount(self.row, weights=self.data, minlength=self.n_rows).astype(np.float64)

    def column_sums(self) -> Float64:
        """Return the total of each column."""
        return np.bincount(self.column, weights=self.data, minlength=self.n_columns).astype(np.float64)

    def maxima(self) -> Float64:
        """Return the largest entry of each row; 0 for a row without entries."""
        result = np.zeros(self.n_rows)
        np.maximum.at(result, self.row, self.data)
        return result

    def scaled(self, factor: Float64) -> Ragged:
        """Return the rows multiplied by their factors."""
        return Ragged(self.start, self.column, self.data * factor[self.row], self.n_columns)

    def columns_scaled(self, factor: Float64) -> Ragged:
        """Return the rows with each column multiplied by its factor; entries that become 0 are left out."""
        data = self.data * factor[self.column]
        kept = data != 0
        start = starts(np.bincount(self.row[kept], minlength=self.n_rows))
        return Ragged(start, self.column[kept], data[kept], self.n_columns)

    def normalized(self) -> Ragged:
        """Return the rows divided by their totals; rows with total 0 are unchanged."""
        total = self.sums()
        return self.scaled(np.divide(1.0, total, out=np.ones_like(total), where=total != 0))
