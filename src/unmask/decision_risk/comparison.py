"""Comparison protocols: which values of a dictionary match a value of a record.

Only distinct values are compared. A missing value matches everything, and is never passed to a comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Bool, Float64, Int32, Int64, frozen, starts
from unmask.schema import OUTSIDE, Attribute, labels_of
from unmask.table import Column, Table

MISSING = -1
"""The number of a missing value: it matches everything."""

UNLIKE = -2
"""The number of a record's value outside its domain: it matches no entry."""

ELSEWHERE = -3
"""The number of a value of the dictionary that no record has."""


@dataclass(frozen=True, eq=False)
class DistinctValues:
    """The distinct values of a column, missing ones left out."""

    attribute: Attribute
    column: Column  # (values,) numbers, or codes of the attribute's domain

    @classmethod
    def of(cls, table: Table, name: str) -> tuple[DistinctValues, Int32]:
        """Return the distinct values of a column, and for each row, (rows,), the number of its own.

        An empty label is missing, and so is the mark of a missing value where it is listed as one more.
        """
        attribute, column = table.schema[name], table[name]
        number = np.full(column.size, MISSING, np.int32)
        if attribute.is_numeric:
            known = np.isfinite(column)
            distinct, inverse = np.unique(column[known], return_inverse=True)
            number[known] = inverse
            number[np.isinf(column)] = UNLIKE
            return cls(attribute, frozen(distinct)), number
        named = np.array([bool(label.strip()) and label != attribute.mark for label in attribute.values], bool)
        used = np.flatnonzero(np.bincount(column[column >= 0], minlength=named.size)[: named.size] * named)
        place = np.full(named.size + 2, MISSING, np.int32)  # the last two places are those of `OUTSIDE` and `UNKNOWN`
        place[used] = np.arange(used.size)
        place[OUTSIDE] = UNLIKE
        return cls(attribute, frozen(used, np.int32)), place[column]

    @property
    def n(self) -> int:
        """How many there are."""
        return int(self.column.size)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The values as text, without blanks around them, (values,)."""
        return tuple(label.strip() for label in labels_of(self.attribute.domain, self.column))

    @cached_property
    def numbers(self) -> Float64:
        """The values as numbers, (values,); NaN where a value is none."""
        if self.attribute.is_numeric:
            return self.column
        return np.array([_number(label) for label in self.labels], np.float64)


def _number(label: str) -> float:
    try:
        number = float(label)
    except ValueError:
        return np.nan
    return number if np.isfinite(number) else np.nan


@dataclass(frozen=True, slots=True, eq=False)
class MatchingValues:
    """For each value of the records, the matching values of the dictionary."""

    start: Int64  # (values of the records + 1,)
    column: Int32  # (pairs,) values of the dictionary, rising within a row
    note: str = ""  # a note for the user on how they were found

    @classmethod
    def gathered(cls, blocks: Iterable[Bool], note: str = "") -> MatchingValues:
        """Collect the matching pairs from blocks of rows, (values of the block, values of the dictionary) each."""
        counts, columns = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
        for block in blocks:
            counts.append(block.sum(axis=1))
            columns.append(np.nonzero(block)[1].astype(np.int32))
        return cls(starts(np.concatenate(counts)), np.concatenate(columns), note)

    @classmethod
    def pairs(cls, ours: NDArray[np.integer], theirs: NDArray[np.integer], n: int, note: str = "") -> MatchingValues:
        """Collect given pairs, each once; `n` is the number of values of the records."""
        width = int(theirs.max(initial=0)) + 1
        key = np.unique(ours.astype(np.int64) * width + theirs)
        return cls(starts(np.bincount(key // width, minlength=n)), (key % width).astype(np.int32), note)

    def has(self, ours: Int32, theirs: Int32) -> Bool:
        """Whether the values of each pair match, (pairs,); numbers below 0 never do."""
        width = max(int(self.column.max(initial=0)), int(theirs.max(initial=0))) + 1
        row = np.repeat(np.arange(self.start.size - 1, dtype=np.int64), np.diff(self.start))
        key = row * width + self.column
        wanted = ours.astype(np.int64) * width + theirs
        place = np.minimum(np.searchsorted(key, wanted), max(key.size - 1, 0))
        found = key[place] == wanted if key.size else np.zeros(wanted.size, bool)
        return np.asarray(found & (ours >= 0) & (theirs >= 0))


@runtime_checkable
class Keyed(Protocol):
    """A comparison by key: values match if their keys are equal, so entries are counted instead of compared."""

    name: ClassVar[str]

    def key(self, values: DistinctValues) -> list[str]:
        """Return the key of each value, (values,)."""


@runtime_checkable
class Paired(Protocol):
    """A comparison of pairs: matching need not be an equivalence."""

    name: ClassVar[str]

    def alike(self, ours: DistinctValues, theirs: DistinctValues) -> MatchingValues:
        """Return for each value of the records the matching values of the dictionary."""


Comparison: TypeAlias = Keyed | Paired


def same_text(ours: DistinctValues, theirs: DistinctValues) -> tuple[Int64, Int64]:
    """Return the pairs of values with equal text: the fallback for values that cannot be parsed."""
    place = {label: i for i, label in enumerate(theirs.labels)}
    pairs = [(i, place[label]) for i, label in enumerate(ours.labels) if label in place]
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    return first, second


def near(ours: Float64, theirs: Float64, tolerance: float) -> Iterator[tuple[Int64, Int64]]:
    """Yield the pairs of numbers at most `tolerance` apart, in runs; NaN is near to nothing."""
    order = np.argsort(theirs, kind="stable")  # NaN last
    ordered = theirs[order][: int((~np.isnan(theirs)).sum())]
    reach = tolerance + 1e-9 * max(tolerance, 1e-3)  # 0.3 is 0.1 from 0.2, whatever floating point says
    left = np.searchsorted(ordered, ours - reach, "left")
    right = np.where(np.isnan(ours), left, np.searchsorted(ordered, ours + reach, "right"))
    for i in np.flatnonzero(right > left):
        found = order[left[i] : right[i]]
        yield np.full(found.size, i, np.int64), found
