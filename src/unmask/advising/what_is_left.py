"""What is left of a table in a release: shares of exact, coarser and suppressed cells, and the error of queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64
from unmask.changes.release_changes import with_stars
from unmask.estimate import Estimate
from unmask.release import Release
from unmask.table import Table
from unmask.utility.utility_measure import PublishedTable


@dataclass(frozen=True, slots=True)
class CellShares:
    """The shares of the published cells of quasi-identifiers; they sum to 1."""

    exact: float
    coarser: float
    stars: float


@dataclass(frozen=True, slots=True)
class WhatIsLeft:
    """What is left of a table in its release."""

    groups: int
    people: float  # published
    suppressed: int
    cells: CellShares | None  # None: quasi-identifiers are published as centroids or with noise
    starred: tuple[str, ...]  # columns that are `*` for all
    withheld: tuple[str, ...]  # quasi-identifiers that are not published
    query_error: Estimate  # median relative error of counting queries; higher is worse


def what_is_left(release: Release, original: Table, rng: np.random.Generator) -> WhatIsLeft:
    """Measure what is left of a table in its release; a withheld column answers queries like a suppressed one."""
    from unmask.utility.query_error import QueryError  # noqa: PLC0415 - an audit imports this module, and measures none

    lines = release.masked.lines
    case = PublishedTable(with_stars(release, original.schema.quasi), original)
    published = {a.name for a in lines.attributes}
    people = PublishedTable(release).people
    total, exact = float(people.sum()), []
    stars = _stars(release, people)
    for cells, cell in zip(lines.cells, lines.cell.T, strict=True):
        single = (np.diff(cells.start) + cells.missing) == 1
        ends = np.zeros(cells.n, bool)
        ends[np.repeat(np.arange(cells.n), np.diff(cells.start))] = cells.low < cells.high
        exact.append(float((single & ~ends & ~cells.anything)[cell] @ people))
    typical = release.masked.is_typical or bool(release.masked.noise)
    shares = None
    if lines.cells and total > 0 and not typical:
        n = total * len(lines.cells)
        shares = CellShares(sum(exact) / n, 1 - (sum(exact) + sum(stars)) / n, sum(stars) / n)
    return WhatIsLeft(
        release.n_groups,
        release.n_people,
        release.n_suppressed,
        shares,
        _for_all(release, stars, total),
        tuple(a.name for a in original.schema.quasi if a.name not in published),
        QueryError().measure(case, rng).value,
    )


def starred_for_all(release: Release) -> tuple[str, ...]:
    """Return the quasi-identifiers that are `*` for all people of a release."""
    people = PublishedTable(release).people
    return _for_all(release, _stars(release, people), float(people.sum()))


def _for_all(release: Release, stars: list[float], total: float) -> tuple[str, ...]:
    each = zip(release.masked.lines.attributes, stars, strict=True)
    return tuple(a.name for a, starred in each if total > 0 and starred >= total)


def _stars(release: Release, people: Float64) -> list[float]:
    """Return the number of people with `*` in each column of lines."""
    lines = release.masked.lines
    return [float(cells.anything[cell] @ people) for cells, cell in zip(lines.cells, lines.cell.T, strict=True)]
