"""Changes of a release: a column withheld or coarser, groups left out. The result is a release in canonical form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Bool, Int32, Int64, distinct_rows
from unmask.changes.choose_levels import levels_of_cells
from unmask.changes.coarser_levels import Levels, present_level
from unmask.errors import InfeasibleError, InvalidInputError
from unmask.masks.cells import Cells
from unmask.masks.centroids import Centroids
from unmask.masks.lines import Lines
from unmask.masks.noisy_rows import NoisyRows
from unmask.number_format import numeral
from unmask.release import Masked, Noise, Provenance, Release, arranged, people_of_rows
from unmask.schema import Attribute, Role, Schema
from unmask.wording import counted, message


@dataclass(frozen=True, slots=True, eq=False)
class ChangedRelease:
    """A changed release, and which of its rows and groups those of the former release became; -1 left out.

    It declares no method: no algorithm made it as it is.
    """

    release: Release
    row_of: Int64  # (former rows,)
    group_of: Int32  # (former groups,)

    def rows(self, former: Int64) -> Int64:
        """Return former rows, -1 where there was none, as rows of the changed release."""
        return np.append(self.row_of, np.int64(-1))[former]

    def groups(self, former: Int32) -> Int32:
        """Return former groups as groups of the changed release; negative ones stay."""
        return np.where(former < 0, former, self.group_of[former]).astype(np.int32)


def withhold(release: Release, column: str) -> ChangedRelease:
    """Return the release without a column.

    Groups without a number that have equal cells now become one; numbered groups stay.

    Fails
        With `InvalidInputError` for an unknown column, the last quasi-identifier or the last sensitive column, and for
        a release without rows.
    """
    attribute = _changeable(release, column)
    same = release.schema.having(attribute.role)
    if attribute.role in {Role.QUASI_IDENTIFIER, Role.SENSITIVE} and len(same) == 1:
        msg = message(
            "column {column} must stay: it is the only {role} column of release {release}",
            column=repr(column),
            role=attribute.role,
            release=repr(release.name),
        )
        raise InvalidInputError(msg)
    schema = Schema(tuple(a for a in release.schema if a.name != column))
    columns = {name: codes for name, codes in release.columns.items() if name != column}
    headcount = release.headcount
    if headcount is not None:
        headcount = replace(headcount, holders={n: one for n, one in headcount.holders.items() if n != column})
    kept = replace(release, noise={n: noise for n, noise in release.noise.items() if n != column}, counts={
        name: counts for name, counts in release.counts.items() if name != column
    }, columns=columns, schema=schema, headcount=headcount, date_shifts={
        name: shift for name, shift in release.date_shifts.items() if name != column
    })  # fmt: skip
    if attribute.role is not Role.QUASI_IDENTIFIER:
        return _rearranged(release, kept, release.masked.lines, None)
    lines = _without(release.masked.lines, column)
    regions = None if release.regions is None else _without(release.regions.lines, column)
    return _rearranged(release, kept, lines, regions)


def coarsen(release: Release, column: str, levels: int = 1) -> ChangedRelease:
    """Return the release with the cells of a quasi-identifier some levels coarser than they are published.

    Each cell becomes the union of the labels of that level that it touches, by the column's hierarchy or else by round
    widths (`levels_of`). Groups become one as by `withhold`.

    Fails
        With `InvalidInputError` where the column has no such level: withhold it then. Also for centroids, noisy
        numbers, rows with permuted values, and a release without rows.
    """
    _changeable(release, column)
    lines = _cells_of(release, column)
    found = coarser_level(release, column, levels)
    if found is None:
        msg = counted(
            "column {column} must have cells that can be {levels} level coarser; it has none. Withhold it, "
            "or declare a hierarchy",
            "column {column} must have cells that can be {levels} levels coarser; it has none. Withhold it, "
            "or declare a hierarchy",
            levels,
            column=repr(column),
            levels=levels,
        )
        raise InvalidInputError(msg)
    ladder, level = found

    def coarser(one: Lines) -> Lines:
        at = one.column(column)
        cells, number = ladder.widened(one.cells[at], level).ordered()
        cell = one.cell.copy()
        cell[:, at] = number[cell[:, at]]
        return replace(one, cells=(*one.cells[:at], cells, *one.cells[at + 1 :]), cell=cell)

    regions = None if release.regions is None else coarser(release.regions.lines)
    return _rearranged(release, release, coarser(lines), regions)


def coarser_level(release: Release, column: str, levels: int = 1) -> tuple[Levels, int] | None:
    """Return the levels of a column, and the level that lies some above the present one; None if there is none."""
    cells = _cells_of(release, column).cells[release.masked.lines.column(column)]
    ladder = levels_of_cells(cells)
    level = 0 if ladder is None else present_level(ladder, cells) + levels
    return None if ladder is None or level > ladder.n else (ladder, level)


def leave_out(release: Release, groups: Bool, person_of: Int32 | None = None) -> ChangedRelease:
    """Return the release without some groups, (groups,); people without a row in another group count as suppressed.

    `person_of` is the person of each published row, (rows,). Where people have several rows and it is not known, as
    many people count as suppressed as can be.

    Fails
        With `InfeasibleError` where no group would be left.
    """
    kept = ~groups
    if not kept.any():
        msg = message(
            "some group of release {release} must stay; all {n_groups} are to be left out",
            release=repr(release.name),
            n_groups=numeral(release.n_groups),
        )
        raise InfeasibleError(msg)
    number = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    rows = kept[release.group_of_row]
    less = release.without(groups)
    if release.headcount is not None and person_of is not None:
        counted = people_of_rows(less.schema, less.columns, person_of[rows], less.group_of_row, less.n_groups)
        less = replace(less, headcount=counted)
    regions = release.regions
    if regions is not None:
        lines = np.flatnonzero(kept[regions.group_of_line])
        regions = regions.regrouped(lines, number[regions.group_of_line[lines]], int(kept.sum()))
    gone = round(release.n_people - less.n_people)
    gone_rows = round(float(release.size[groups].sum()))
    whole = release.suppressed_rows is None and release.headcount is None
    less = replace(
        less,
        regions=regions,
        provenance=Provenance(),
        n_suppressed=release.n_suppressed + gone,
        suppressed_rows=None if whole else release.n_suppressed_rows + gone_rows,
    )
    return ChangedRelease(less, np.where(rows, np.cumsum(rows) - 1, -1).astype(np.int64), number)


def with_stars(release: Release, attributes: Sequence[Attribute]) -> Release:
    """Return the release with unpublished quasi-identifiers as `*` for all rows, in the order of the attributes.

    So utility is measured by the same questions before and after a column is withheld.
    """
    lines = release.masked.lines
    published = {one.attribute.name: (one, lines.cell_of(one.attribute.name)) for one in lines.cells}
    stars = np.zeros(lines.group_of_line.size, np.int32)
    columns = {a.name: published.get(a.name, (Cells.star(a), stars)) for a in attributes}
    columns |= {name: one for name, one in published.items() if name not in columns}
    cell = np.stack([cell for _, cell in columns.values()], axis=1) if columns else lines.cell
    return replace(release, masked=replace(lines, cells=tuple(cells for cells, _ in columns.values()), cell=cell))


def _changeable(release: Release, column: str) -> Attribute:
    attribute = release.schema[column]
    if release.start is None:
        msg = message(
            "release {release} must publish rows for its columns to be changed; it publishes counts. "
            "Sanitize the table again",
            release=repr(release.name),
        )
        raise InvalidInputError(msg)
    return attribute


def _cells_of(release: Release, column: str) -> Lines:
    """Return the lines of a release whose cells of a column can be coarser."""
    lines = release.masked.lines
    lines.column(column)  # suggests a similar name
    what = ""
    if release.masked.is_typical:
        what = "centroids"
    elif column in release.masked.noise:
        what = message("noisy numbers")
    elif release.permuted:
        what = message("rows of their own beside permuted values")
    elif column in release.date_shifts:
        what = message("shifted dates")
    if what:
        msg = message(
            "column {column} must have cells that can be coarser; got {what}. Withhold it, or sanitize again",
            column=repr(column),
            what=what,
        )
        raise InvalidInputError(msg)
    return lines


def _without(lines: Lines, column: str) -> Lines:
    at = lines.column(column)
    return replace(lines, cells=(*lines.cells[:at], *lines.cells[at + 1 :]), cell=np.delete(lines.cell, at, axis=1))


def _rearranged(former: Release, changed: Release, lines: Lines, regions: Lines | None) -> ChangedRelease:
    """Put a release with other lines into canonical order; `changed` has its schema and columns.

    Groups that only their cells distinguish become one where these are equal.
    """
    line_of_row, group = lines.line_of(former.group_of_row), former.group_of_row
    if _only_by_cells(former):
        number, example = distinct_rows(lines.cell)
        lines = Lines(lines.cells, lines.cell[example], np.arange(example.size, dtype=np.int32), example.size)
        group = number[group]
        line_of_row = group.astype(np.int64)
    made = arranged(
        changed.schema,
        _like(former.masked, lines),
        input_row=None,
        n_input=former.n_rows,
        group_of_row=group,
        line_of_row=line_of_row,
        columns=changed.columns,
        counts={name: one for name, one in changed.counts.items() if name not in changed.columns},
        regions=regions,
        name=former.name,
    )
    row_of, release = made.row_of, made.release
    if row_of is None:
        msg = "a release with rows must have a place for each of them"
        raise TypeError(msg)
    group_of = np.full(former.n_groups, -1, np.int32)
    group_of[former.group_of_row] = release.group_of_row[row_of]
    headcount = changed.headcount
    if headcount is not None:
        order = np.empty(former.n_groups, np.int64)
        order[group_of] = np.arange(former.n_groups)
        headcount = headcount.take(order)
    release = replace(
        changed, masked=release.masked, size=release.size, start=release.start, columns=release.columns,
        counts=release.counts, regions=release.regions, headcount=headcount, provenance=Provenance(),
    )  # fmt: skip
    return ChangedRelease(release, row_of, group_of)


def _only_by_cells(release: Release) -> bool:
    """Whether only their cells distinguish the groups of a release."""
    own_lines = np.array_equal(release.masked.group_of_line, np.arange(release.n_groups))
    on_rows = all(a.name in release.columns for a in release.schema.sensitive)
    return own_lines and on_rows and release.regions is None and release.headcount is None


def _like(masked: Masked, lines: Lines) -> Masked:
    """Return lines in the published form of others: centroids, rows with noise, or cells."""
    if masked.is_typical:
        return Centroids(lines)
    noise: Mapping[str, Noise] = {
        name: one for name, one in masked.noise.items() if name in {a.name for a in lines.attributes}
    }
    return NoisyRows(lines, noise) if noise else lines
