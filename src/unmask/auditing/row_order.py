"""Row order: whether the lines of a release are the rows of the table, in the table's order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.wording import message

SHUFFLES = 99
"""Orders drawn at random that must all fail: an order that fits by chance is no finding in 99 of 100 cases."""


@dataclass(frozen=True, slots=True)
class KeptOrder:
    """An order of the table that a release keeps."""

    is_reversed: bool = False
    column: str = ""  # the order is kept inside each of its values, each of which stands in one block

    def __str__(self) -> str:
        """A finding about rows: their order."""
        order = message("rows are in the order of the original table")
        if self.is_reversed:
            order = message("rows are in the reversed order of the original table")
        if not self.column:
            return order
        return message("{order} inside each value of column {column}", order=order, column=repr(self.column))


def kept_order(
    original: Int64, published: Int64, rng: np.random.Generator, columns: Mapping[str, Int32 | Int64] | None = None
) -> KeptOrder | None:
    """Return the order of the table that published rows can be in, where rows in a random order cannot; else None.

    `original`, (rows,), and `published`, (lines,), are types: a line can only be a row of its type. Both are negative
    where a row was published in no class, or a line is of no row; these do not count. `columns` are codes of published
    values, (lines,) each: a stable sort by one keeps the order of the table inside its values.

    Assumes
        Rows may be missing in the release, none is added. Under the hypothesis the lines are in a random order, inside
        each value for a column by which they are sorted; then an order is returned in at most one of 100 cases.
    """
    known = published >= 0
    rows, lines = original[original >= 0], published[known]
    if lines.size < 2 or lines.size < 0.9 * published.size or lines.size > rows.size:
        return None
    where = {int(key): places for key, places in _places(rows).items()}
    named = {name: _blocks(lines, codes[known]) for name, codes in (columns or {}).items()}
    tests = {"": [lines]} | {name: blocks for name, blocks in named.items() if 1 < len(blocks) <= lines.size / 2}
    for name, blocks in tests.items():
        found = _direction(blocks, where)
        if found is None:
            continue
        shuffled: Iterator[Iterable[Int64]] = (map(rng.permutation, blocks) for _ in range(SHUFFLES * len(tests)))
        if not any(map(partial(_fits, where=where), shuffled)):
            return KeptOrder(is_reversed=found == -1, column=name)
    return None


def _blocks(lines: Int64, codes: Int32 | Int64) -> list[Int64]:
    """Return the lines of each value; nothing where a value has several blocks."""
    starts = np.flatnonzero(np.diff(codes)) + 1
    blocks = np.split(lines, starts)
    return blocks if len(blocks) == np.unique(codes).size else []


def _fits(blocks: Iterable[Int64], where: Mapping[int, Int64]) -> bool:
    return _direction(blocks, where) is not None


def _direction(blocks: Iterable[Int64], where: Mapping[int, Int64]) -> int | None:
    """Return 1 where the lines of each block follow the table, -1 where they follow it backwards; else None."""
    possible = [1, -1]
    for lines in blocks:
        possible = [way for way in possible if _is_subsequence(lines[::way], where)]
        if not possible:
            return None
    return possible[0]


def _places(rows: Int64) -> dict[int, Int64]:
    """Return the places of each type, ascending."""
    order = np.argsort(rows, kind="stable")
    kinds, start = np.unique(rows[order], return_index=True)
    return dict(zip(kinds.tolist(), np.split(order, start[1:]), strict=True))


def _is_subsequence(lines: Int64, where: Mapping[int, Int64]) -> bool:
    """Return True if the lines occur in the table one after another: each takes the next row of its type."""
    at = -1
    for kind in lines.tolist():
        places = where.get(kind)
        if places is None:
            return False
        following = int(np.searchsorted(places, at, side="right"))
        if following == places.size:
            return False
        at = int(places[following])
    return True
