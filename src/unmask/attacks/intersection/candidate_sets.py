"""Candidate sets: the values that are possible for each person under all releases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Bool, Int32, Ragged, distinct_rows
from unmask.beliefs import NOT_ATTACKED, Beliefs

WORD = 64
"""Bits, and so values, in a word of a bitmap."""


def sets(rows: Ragged) -> NDArray[np.uint64]:
    """Return the columns that each row has entries in, as bits, (rows, words)."""
    words = max(1, -(-rows.n_columns // WORD))
    some = rows.data > 0
    column = rows.column[some].astype(np.int64)
    slot = rows.row[some] * words + column // WORD
    found = np.zeros(rows.n_rows * words, np.uint64)
    np.bitwise_or.at(found, slot, np.uint64(1) << (column % WORD).astype(np.uint64))
    return found.reshape(rows.n_rows, words)


def members(found: NDArray[np.uint64], n_values: int) -> Bool:
    """Return whether each value is in each set, (sets, values)."""
    value = np.arange(n_values)
    bits = found[:, value // WORD] >> (value % WORD).astype(np.uint64)
    return np.asarray((bits & np.uint64(1)).astype(bool))


def intersected(prior: Beliefs, rows_of: Sequence[Int32], evidence: Sequence[Ragged]) -> tuple[Beliefs, int]:
    """Return beliefs uniform on the values that prior and evidence leave possible, and how many people have none.

    `rows_of` has for each source of evidence the row of each target, (targets,), negative where there is none. Without
    evidence, or with an empty set, the prior stays. People with equal sets share a row.
    """
    keys = np.stack([prior.row_of, *rows_of], axis=1)
    number, example = distinct_rows(keys)
    combos = keys[example]
    before = np.maximum(combos[:, 0], 0)
    left = sets(prior.rows)[before]
    informed = np.zeros(example.size, bool)
    for row, rows in zip(combos[:, 1:].T, evidence, strict=True):
        seen = row >= 0
        left[seen] &= sets(rows)[row[seen]]
        informed |= seen
    empty = ~left.any(axis=1)
    kept = np.flatnonzero(informed & ~empty)
    of_set, one = distinct_rows(left[kept].view(np.int64))
    uniform = Ragged.of(members(left[kept[one]], len(prior.values)).astype(np.float64)).normalized()
    row_of = uniform.n_rows + before
    row_of[kept] = of_set
    used, numbered = np.unique(row_of, return_inverse=True)
    rows = Ragged.stacked([uniform, prior.rows]).take(used)
    attacked = prior.row_of >= 0
    of_target = np.where(attacked, numbered.ravel()[number], NOT_ATTACKED) if number.size else np.zeros(0)
    contradicted = int((informed & empty)[number[attacked]].sum()) if number.size else 0
    return Beliefs(prior.about, prior.values, of_target.astype(np.int32), rows), contradicted
