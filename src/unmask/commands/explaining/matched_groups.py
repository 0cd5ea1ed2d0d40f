"""The groups that a person may be in, with their published cells and counts of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unmask.attacks.shared.location import NOWHERE, places
from unmask.beliefs import Question
from unmask.commands.explaining.explained import MatchedGroup
from unmask.files.published import ReadRelease
from unmask.masks.notation.notation import write_cells
from unmask.release import Release
from unmask.view import View

MOST = 3
"""The largest number of groups of a release that are listed."""


@dataclass(frozen=True, slots=True)
class MatchedGroups:
    """The number of groups that fit a person in each release, and the likeliest of them."""

    fitting: Mapping[str, int]
    groups: tuple[MatchedGroup, ...]


def matched_groups(seen: View, releases: Sequence[ReadRelease]) -> MatchedGroups:
    """Return the groups of each release that fit the first target of a view of one person."""
    fitting, groups = {}, list[MatchedGroup]()
    for r, (release, read) in enumerate(zip(seen.releases, releases, strict=True)):
        where = places(seen, r)
        row = int(where.row_of[0])
        entries = (
            slice(0, 0) if row == NOWHERE else slice(int(where.weight.start[row]), int(where.weight.start[row + 1]))
        )
        column, weight = where.weight.column[entries], where.weight.data[entries]
        fitting[release.name] = int(column.size)
        names = _names(read)
        for i in np.argsort(-weight, kind="stable")[:MOST].tolist():
            group = int(column[i])
            groups.append(_group(seen, r, group, names(group), float(weight[i])))
    return MatchedGroups(fitting, tuple(groups))


def _names(read: ReadRelease) -> Callable[[int], str]:
    """Return the function that names a group as the release's files do."""
    if read.group_column is None:
        return str
    label_of = {group: label for label, group in reversed(list(read.group_of.items()))}
    return lambda group: label_of.get(group, str(group))


def _group(seen: View, r: int, group: int, name: str, weight: float) -> MatchedGroup:
    release, about = seen.releases[r], seen.about
    counts: dict[str, float] = {}
    if about.question is Question.ATTRIBUTE and about.name in release.counts:
        data = release.people_with(about.name).dense(np.array([group]))[0]
        values = release.schema[about.name].values
        counts = {values[i]: float(data[i]) for i in np.argsort(-data, kind="stable").tolist() if data[i] != 0}
    cells = dict(_cells(release, group, _row_of(seen, r)))
    return MatchedGroup(
        release.name, name, cells, float(release.people[group]), weight, counts, about.name in release.noise
    )


def _row_of(seen: View, r: int) -> int | None:
    """Return the published row of the person, where the attacker knows it."""
    located = seen.knowledge.located
    row = None if located is None else located[r].row
    return None if row is None or row[0] < 0 else int(row[0])


def _cells(release: Release, group: int, row: int | None) -> Iterator[tuple[str, str]]:
    """Yield the published cells of a group, or of a row in it; none of columns in which its lines differ."""
    lines = release.masked.lines
    own = np.flatnonzero(lines.group_of_line == group)
    if row is not None and release.start is not None:
        own = lines.line_of(release.group_of_row)[[row]]
    for i, cells in enumerate(lines.cells):
        distinct = np.unique(lines.cell[own, i])
        if distinct.size == 1:
            yield cells.attribute.name, write_cells(cells.take(distinct))[0]
