"""Conversion of a small release into the rows and value lists that inference methods take."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise

import numpy as np

from unmask.errors import NotApplicableError
from unmask.reasoning.possible_worlds import SmallTable
from unmask.release import Masked, Release
from unmask.wording import message


def small_table(release: Release, about: str) -> SmallTable:
    """Return the rows of a release with their published cells, and each group's list of one attribute's values.

    Cells are levels: `20-29` is a level of its own, regardless of overlaps; `*` beside other cells, and a missing value
    of any kind, is unknown. A categorical attribute has its declared number of levels where cells are exact, else the
    number of distinct cells.

    Fails
        With `NotApplicableError` where no rows are published or counts of the attribute are not whole numbers; with
        `ResourceError` for too many worlds.
    """
    masked = release.masked
    counts = release.counts_of(about)
    if release.start is None or (counts.data != np.round(counts.data)).any() or (counts.data < 0).any():
        msg = message(
            "needs published rows, and the values of {about} counted in whole numbers for each group", about=repr(about)
        )
        raise NotApplicableError(msg)
    if masked.group_of_line.size == release.n_rows:
        line_of_row = np.arange(release.n_rows)
    else:  # a line for each group
        line_of_row = np.argsort(masked.group_of_line, kind="stable")[release.group_of_row]
    published: list[list[int | None]] = []
    levels = []
    for attribute in masked.attributes:
        cells: list[int | None] = masked.cell_of(attribute.name)[line_of_row].tolist()
        unknown = _anything(masked, attribute.name)
        if not unknown.issuperset(cells):  # a fully suppressed column is one common level
            cells = [None if cell in unknown else cell for cell in cells]
        listed = 0 if attribute.is_numeric or not masked.is_exact else len(attribute.values)
        levels.append(max(listed, len(set(cells) - {None}), 1))
        published.append(cells)
    profiles: list[tuple[Hashable, ...]] = [tuple(cells) for cells in zip(*published, strict=True)]
    start = release.start.tolist()
    lists = []
    for group in range(release.n_groups):
        entries = slice(int(counts.start[group]), int(counts.start[group + 1]))
        lists.append(tuple(np.repeat(counts.column[entries], counts.data[entries].astype(np.int64)).tolist()))
    return SmallTable(
        tuple(profiles) if profiles else ((),) * release.n_rows,
        tuple(tuple(range(first, end)) for first, end in pairwise(start)),
        tuple(lists),
        release.schema[about].values,
        tuple(levels),
    )


def _anything(masked: Masked, attribute: str) -> set[int | None]:
    """Return the cells that contain every value; none with noise or centroids."""
    if masked.noise or masked.is_typical:
        return set()
    return set(np.flatnonzero(masked.lines.cells[masked.lines.column(attribute)].anything).tolist())
