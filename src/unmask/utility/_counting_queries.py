"""Random counting queries, and how many people they accept: queries about the same attributes are counted together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int32, Int64, Ragged, distinct_rows, starts

_PER_ENTRY, _PER_CELL, _PER_PRODUCT = 10.0, 1.0, 0.4
"""Measured nanoseconds to sum one entry into a table, to make one of its cells, and to multiply it for one query."""

_PER_SHAPE = 4.0
"""Measured nanoseconds to weigh one shape, or one of its entries, for one query."""


@dataclass(frozen=True, slots=True, eq=False)
class CountingQueries:
    """Queries: each accepts some values of a few attributes, the last of which may be a sensitive one."""

    asked: Int64  # (queries, predicates) the attributes, in increasing order
    accepts: tuple[Bool, ...]  # of each attribute, (queries, values); nothing where it is not asked about

    @classmethod
    def drawn(
        cls, queries: int, predicates: int, quasi: Sequence[int], sensitive: Sequence[int], ordered: Sequence[bool],
        selectivity: float, rng: np.random.Generator,
    ) -> Self:  # fmt: skip
        """Draw queries about quasi-identifiers, and one sensitive attribute if there is one.

        `quasi` and `sensitive` are the numbers of values of the attributes, `ordered` is whether they have an order:
        then a run of values is accepted, else a set. Each predicate accepts `selectivity^(1 / predicates)` of them.
        """
        sizes = (*quasi, *sensitive)
        width = selectivity ** (1 / (predicates + bool(sensitive)))
        asked = np.zeros((queries, predicates + bool(sensitive)), np.int64)
        accepts = tuple(np.zeros((queries, n), bool) for n in sizes)
        for q in range(queries):
            chosen = rng.choice(len(quasi), predicates, replace=False)
            asked[q, :predicates] = np.sort(chosen)
            for i in chosen:
                _accept(accepts[i][q], width, rng, ordered=ordered[i])
            if sensitive:
                i = len(quasi) + int(rng.integers(len(sensitive)))
                asked[q, predicates] = i
                _accept(accepts[i][q], width, rng, ordered=ordered[i])
        return cls(asked, accepts)

    def alike(self) -> Iterator[tuple[list[int], Int64]]:
        """Yield attributes, and the queries about exactly these, (queries,)."""
        number, example = distinct_rows(self.asked)
        order = np.argsort(number, kind="stable")
        for first, queries in zip(example, np.split(order, starts(np.bincount(number))[1:-1]), strict=True):
            yield self.asked[first].tolist(), queries


def _accept(accepts: NDArray[np.bool_], width: float, rng: np.random.Generator, *, ordered: bool) -> None:
    """Mark which values a query accepts, (values,)."""
    n = accepts.size
    many = min(n, math.ceil(n * width - 1e-9))
    if ordered:
        first = int(rng.integers(n - many + 1))
        accepts[first : first + many] = True
    else:
        accepts[rng.choice(n, many, replace=False)] = True


def accepted_shares(spread: Ragged, accepts: Bool | Float64) -> Float64:
    """Return how much of each row queries accept, (queries, rows), from its parts by value."""
    shares = np.zeros((accepts.shape[0], spread.n_rows))
    full = np.flatnonzero(np.diff(spread.start))
    if full.size:
        shares[:, full] = np.add.reduceat(accepts[:, spread.column] * spread.data, spread.start[full], axis=1)
    return shares


def counted(place: Sequence[Int32], people: Ragged, shares: Sequence[Float64], accepts: Float64) -> Float64:
    """Return the number of people that each query accepts, (queries,).

    `place` is the place of each shape on each attribute asked about, (shapes,) each, and `people` (shapes, values) are
    the people of a shape by value. A query accepts a share of each place, `shares` (queries, places), and of each
    value, `accepts` (queries, values).
    """
    n, cells = accepts.shape[0], math.prod(one.shape[1] for one in (*shares, accepts))
    by_table = _PER_ENTRY * people.data.size + (_PER_CELL + _PER_PRODUCT * n) * cells
    if cells <= DENSE_CELLS and by_table < _PER_SHAPE * n * (people.n_rows + people.data.size):
        return _by_table(place, people, shares, accepts)
    return _by_shape(place, people, shares, accepts)


def _by_table(place: Sequence[Int32], people: Ragged, shares: Sequence[Float64], accepts: Float64) -> Float64:
    """Count by the table of people by place on every attribute and by value."""
    at = np.zeros(people.n_rows, np.int64)
    for where, share in zip(place, shares, strict=True):
        at = at * share.shape[1] + where
    factors = (*shares, accepts)
    cells = math.prod(one.shape[1] for one in factors)
    table = np.bincount(at[people.row] * people.n_columns + people.column, people.data, cells)
    first = factors[0].shape[1]
    found = []
    for some in np.array_split(np.arange(accepts.shape[0]), 1 + accepts.shape[0] * (cells // first) // DENSE_CELLS):
        rest = factors[0][some] @ table.reshape(first, -1)
        for one in factors[1:]:
            rest = np.einsum("qp,qpr->qr", one[some], rest.reshape(some.size, one.shape[1], -1))
        found.append(rest[:, 0])
    return np.concatenate(found)


def _by_shape(place: Sequence[Int32], people: Ragged, shares: Sequence[Float64], accepts: Float64) -> Float64:
    """Count shape by shape, without shapes that no query accepts."""
    found = []
    for some in np.array_split(np.arange(accepts.shape[0]), 1 + accepts.shape[0] * people.data.size // DENSE_CELLS):
        part = np.ones((some.size, people.n_rows))
        for where, share in zip(place, shares, strict=True):
            part *= share[some][:, where]
        kept = np.flatnonzero(part.any(axis=0))
        found.append((part[:, kept] * accepted_shares(people.take(kept), accepts[some])).sum(axis=1))
    return np.concatenate(found)


__all__ = ["CountingQueries", "accepted_shares", "counted"]
