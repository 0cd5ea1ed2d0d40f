"""Row order: whether the lines of a release are the rows of the table, in the table's order."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Int64

SHUFFLES = 99
"""Orders drawn at random that must all fail: an order that fits by chance is no finding in 99 of 100 cases."""


def keeps_order(original: Int64, published: Int64, rng: np.random.Generator) -> bool:
    """Return True if published rows can be rows of the table in its order, and rows in a random order cannot.

    `original`, (rows,), and `published`, (lines,), are types: a line can only be a row of its type. Both are negative
    where a row was published in no class, or a line is of no row; these do not count.

    Assumes
        Rows may be missing in the release, none is added. Under the hypothesis the lines are in a random order.
    """
    rows, lines = original[original >= 0], published[published >= 0]
    if lines.size < 2 or lines.size < 0.9 * published.size or lines.size > rows.size:
        return False
    where = {int(key): places for key, places in _places(rows).items()}
    if not _is_subsequence(lines, where):
        return False
    return not any(_is_subsequence(rng.permutation(lines), where) for _ in range(SHUFFLES))


def _places(rows: Int64) -> dict[int, Int64]:
    """Return the places of each type, ascending."""
    order = np.argsort(rows, kind="stable")
    kinds, start = np.unique(rows[order], return_index=True)
    return dict(zip(kinds.tolist(), np.split(order, start[1:]), strict=True))


def _is_subsequence(lines: Int64, where: dict[int, Int64]) -> bool:
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
