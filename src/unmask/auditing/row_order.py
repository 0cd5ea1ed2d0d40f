"""Row order: whether the lines of a release are the rows of the table, in the table's order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.number_format import numeral
from unmask.wording import message

SHUFFLES = 99
"""Orders drawn at random that must all fail: an order that fits by chance is no finding in 99 of 100 cases."""

_STRETCHES, _STRETCH = 4, 5_000
"""How many stretches of a long release are searched for neighbors, and the lines of each."""


@dataclass(frozen=True, slots=True)
class KeptOrder:
    """An order of the table that a release keeps."""

    is_reversed: bool = False
    column: str = ""  # the order is kept inside each of its values, each of which stands in one block
    neighbors: tuple[int, int] | None = None  # where only parts keep the order: pairs of lines, and all pairs searched

    def __str__(self) -> str:
        """A finding about rows: their order."""
        if self.neighbors is not None:
            count, of = map(numeral, self.neighbors)
            return message(
                "parts of the rows are in the order of the original table: {count} of {of} pairs of neighbors are "
                "neighbors there, too",
                count=count, of=of,
            )  # fmt: skip
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
    values, (lines,) each: a stable sort by one keeps the order of the table inside its values. Where the whole is in
    another order, parts may still be in the table's: more neighbors are neighbors in the table than in random orders.

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
    shuffles = SHUFFLES * (len(tests) + 1)
    for name, blocks in tests.items():
        found = _direction(blocks, where)
        if found is None:
            continue
        shuffled: Iterator[Iterable[Int64]] = (map(rng.permutation, blocks) for _ in range(shuffles))
        if not any(map(partial(_fits, where=where), shuffled)):
            return KeptOrder(is_reversed=found == -1, column=name)
    sorted_by = _sorted_blocks([codes[known] for codes in (columns or {}).values()], lines.size)
    return _kept_neighbors(rows, lines, sorted_by, shuffles, rng)


def _kept_neighbors(
    rows: Int64, lines: Int64, block: Int64, shuffles: int, rng: np.random.Generator
) -> KeptOrder | None:
    """Return how many neighbors in a block, (lines,), are neighbors in the table, if they are fewer in all shuffles."""
    if lines.size > _STRETCHES * _STRETCH:
        starts = np.linspace(0, lines.size - _STRETCH, _STRETCHES).astype(np.int64)
        at = (starts[:, None] + np.arange(_STRETCH)).ravel()
        lines, block = lines[at], block[at] * _STRETCHES + np.repeat(np.arange(_STRETCHES), _STRETCH)
    _, kinds = np.unique(np.concatenate((rows, lines)), return_inverse=True)
    rows, lines = kinds[: rows.size].astype(np.int64), kinds[rows.size :].astype(np.int64)
    inside = np.diff(block) == 0
    n_kinds = int(kinds.max()) + 1
    ways = (_pairs(rows[:-1], rows[1:], n_kinds), _pairs(rows[1:], rows[:-1], n_kinds))

    def neighbors(lines: Int64) -> int:
        found, times = _pairs(lines[:-1][inside], lines[1:][inside], n_kinds)
        return max(_in_common(found, times, *way) for way in ways)

    kept = neighbors(lines)
    place = np.argsort(block, kind="stable")
    for _ in range(shuffles):
        shuffled = np.empty_like(lines)
        shuffled[place] = lines[np.lexsort((rng.random(lines.size), block))]
        if neighbors(shuffled) >= kept:
            return None
    return KeptOrder(neighbors=(kept, int(inside.sum())))


def _pairs(first: Int64, second: Int64, n_kinds: int) -> tuple[Int64, Int64]:
    """Return the pairs of two different kinds and how often each occurs; equal ones say nothing of an order."""
    pair = (first * n_kinds + second)[first != second]
    found, times = np.unique(pair, return_counts=True)
    return found, times.astype(np.int64)


def _in_common(found: Int64, times: Int64, others: Int64, their_times: Int64) -> int:
    _, here, there = np.intersect1d(found, others, assume_unique=True, return_indices=True)
    return int(np.minimum(times[here], their_times[there]).sum())


def _sorted_blocks(columns: Iterable[Int32 | Int64], n: int) -> Int64:
    """Return the block of each line, (lines,): lines with equal values of the columns by which they seem sorted.

    They seem so where each value stands in one block in the block of the columns before, and few lines are in each or
    codes only rise or only fall there.
    """
    block, rest = np.zeros(n, np.int64), list(columns)
    while True:
        for at, codes in enumerate(rest):
            change = (np.diff(block) != 0) | (np.diff(codes) != 0)
            finer = np.concatenate(([0], np.cumsum(change)))
            n_blocks = int(finer[-1]) + 1
            step = np.diff(codes)[np.diff(block) == 0]
            is_monotone = step.size > 0 and bool((step >= 0).all() or (step <= 0).all())
            is_grouped = n_blocks == np.unique(np.stack((block, codes)), axis=1).shape[1]
            if is_monotone or (is_grouped and n_blocks <= n / 2):
                block = finer
                del rest[at]
                break
        else:
            return block


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
