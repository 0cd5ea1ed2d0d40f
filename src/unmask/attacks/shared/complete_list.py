"""Groups of named people from a complete list and generalized cells, as in a release by Anatomy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Int32, Int64, Ragged, expand, starts
from unmask.attacks.shared.forced_assignments import Placement, place
from unmask.attacks.shared.grouped_people import Slotted
from unmask.beliefs import unique_pairs
from unmask.errors import NotApplicableError
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines, excluding
from unmask.number_format import numeral
from unmask.release import Release
from unmask.runtime import work
from unmask.schema import OUTSIDE, Attribute, Numeric, Schema, labels_of
from unmask.table import Table
from unmask.view import NOT_IN_IT, View
from unmask.wording import counted, message

WAY_OUT = message("Give each person's group, or attack without the list (leave complete out)")

_ANYWHERE, _NOWHERE = -1, -2


@dataclass(frozen=True, slots=True, eq=False)
class ListedPeople:
    """A release with a complete list of people: exact quasi-identifiers by group, and lists of values."""

    view: View  # the same question about a release with a row for each person of a group
    kind_of: Int32  # (targets,) people of one profile and one known place
    rows: Ragged  # (kinds, rows) one row for each group that holds some of the kind, by their share
    n_left_out: int  # people on the list who are in no group

    def slots_of_targets(self, slots: Slotted) -> tuple[Int32, Ragged]:
        """Return each target's row of possible slots, (rows, slots); -1 where it is in no group."""
        shape = (self.rows.n_rows, slots.n)
        found = Ragged.gather(self.rows.row, slots.of_row[self.rows.column], self.rows.data, shape)
        gone = np.diff(found.start) == 0
        return np.where(gone[self.kind_of], -1, self.kind_of).astype(np.int32), found


def has_complete_list(view: View) -> bool:
    """Whether the list of people is complete and the release does not publish exact rows already."""
    release = view.release
    exact = release.masked.is_exact and release.masked.group_of_line.size == release.n_rows
    return view.knowledge.complete and not exact


def anatomized(view: View) -> ListedPeople:
    """Assign the people of a complete list to the groups.

    A person who fits one group is in it. A person who fits several is in the one that group sizes leave. People beyond
    those published are in no group: they fit none, or only groups that others fill.

    Assumes
        Each published person is on the list once, with the publisher's values. A known group wins over cells.
    Fails
        With `NotApplicableError` where group sizes are not whole numbers; where the list is too short, or cannot fill
        the groups; and where sizes do not determine the assignment.
    """
    known, located = view.knowledge.people, view.located(0)
    place_of = np.where(located >= 0, located, np.where(located == NOT_IN_IT, _NOWHERE, _ANYWHERE)).astype(np.int32)
    place_of[known.excluded() & (located < 0)] = _NOWHERE  # publishers exclude people who lack such a value
    inputs = (view.release, known, view.knowledge.located)
    found = work.kept("listed", inputs, view.about, lambda: _found(view.release, known, place_of))
    release, kind_of, rows, n_left_out = found
    seen = View((release,), replace(view.knowledge, located=None, complete=False))
    return ListedPeople(seen, kind_of, rows, n_left_out)


def _found(release: Release, people: Table, place_of: Int32) -> tuple[Release, Int32, Ragged, int]:
    """Return the release of exact rows, the kind of each person, their possible rows, and the number in no group."""
    lines, size = _whole(release)
    n, beyond = int(size.sum()), people.n_rows - int(size.sum())
    if beyond < 0:
        msg = message(
            "needs a line for each of the {n} published rows; the list has {n_rows}. {way_out}",
            n=numeral(n),
            n_rows=numeral(people.n_rows),
            way_out=WAY_OUT,
        )
        raise NotApplicableError(msg)
    profile, profiles = people.profiles()
    kind_of, first, second = unique_pairs(profile, (place_of - _NOWHERE).astype(np.int32))
    where = second + _NOWHERE
    cells = _Places.of(lines, size)
    start, fits = cells.of_kinds(lines, profiles, first, where, outside=beyond > 0)
    n_each = np.bincount(kind_of, minlength=first.size).astype(np.int64)
    room = np.append(cells.room, beyond)
    found = place(n_each, start, fits, room)
    if found.n < people.n_rows:
        missing = people.n_rows - found.n
        msg = message(
            "needs a list that can fill the groups; however its {n_rows} people are assigned, {missing} of the {n} "
            "published rows stay empty. {way_out}",
            n_rows=numeral(people.n_rows),
            missing=numeral(missing),
            n=numeral(n),
            way_out=WAY_OUT,
        )
        raise NotApplicableError(msg)
    kind = np.repeat(np.arange(first.size), np.diff(start))
    group = np.append(cells.group, lines.n_groups)[fits]
    inside = (found.people > 0) & (group < lines.n_groups)
    n_inside = np.bincount(kind[inside], found.people[inside], first.size).astype(np.int64)
    _require_settled(found, n_each, n_inside, cells, beyond)
    held = Ragged.gather(kind[inside], group[inside], found.people[inside], (first.size, lines.n_groups))
    made, row = _of_own_cells(release, profiles, first[held.row], held)
    return made, kind_of, replace(held, column=row, n_columns=n).normalized(), beyond


def _whole(release: Release) -> tuple[Lines, Int64]:
    """Return the lines, and the group sizes as whole numbers."""
    lines = excluding(release.masked)
    size = release.size.astype(np.int64)
    if lines is None:
        msg = message(
            "needs cells that a person fits or does not fit; release {release} has none", release=repr(release.name)
        )
        raise NotApplicableError(msg)
    if release.is_synthetic or (size != release.size).any() or (size < 0).any():
        msg = message("needs groups of whole people; sizes are noisy here, or rows are synthetic")
        raise NotApplicableError(msg)
    return lines, size


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """Equal lines of a group, and their number of people."""

    start: Int64  # (shapes + 1,) places with equal cells
    group: Int32  # (places,)
    room: Int64  # (places,)
    by_group: tuple[Int64, Int64]  # places in the order of groups, and where each group begins

    @classmethod
    def of(cls, lines: Lines, size: Int64) -> _Places:
        """Count the room of each place: one per line if a group has a line for each row."""
        members = lines.members
        per_line = size / np.maximum(np.bincount(lines.group_of_line, minlength=lines.n_groups), 1)
        room = members.data * per_line[members.column]
        if (room % 1).any():
            msg = message("needs equal lines in a group, or one for each row")
            raise NotApplicableError(msg)
        order = np.argsort(members.column, kind="stable")
        first = starts(np.bincount(members.column, minlength=lines.n_groups))
        return cls(members.start, members.column, room.astype(np.int64), (order, first))

    def of_kinds(
        self, lines: Lines, profiles: Table, profile: Int32, where: Int32, *, outside: bool
    ) -> tuple[Int64, Int32]:
        """Return the possible places of each kind, as starts and places; the last place is outside of all groups."""
        out = np.int32(self.room.size)
        free, located, gone = (np.flatnonzero(here) for here in (where == _ANYWHERE, where >= 0, where == _NOWHERE))
        used, number = np.unique(profile[free], return_inverse=True)
        begin, shape = lines.candidates(lines.points(profiles.take(used)))
        candidate, nth = expand(begin, number.ravel())
        entry, position = expand(self.start, shape[candidate])
        order, first = self.by_group
        in_group, owner = expand(first, where[located])
        leaving = free if outside else free[:0]
        kinds = np.concatenate([free[nth][position], located[owner], gone, leaving])
        fits = np.concatenate([entry, order[in_group], np.full(gone.size + leaving.size, out)])
        by_kind = np.argsort(kinds, kind="stable")
        return starts(np.bincount(kinds, minlength=profile.size)), fits[by_kind].astype(np.int32)


def _require_settled(found: Placement, n_each: Int64, n_inside: Int64, cells: _Places, beyond: int) -> None:
    """Fail unless each person's group is determined, and all or none of each kind are in groups."""
    n_out = n_each - n_inside
    some = found.open_kinds | ((n_out > 0) & (n_inside > 0))
    if not some.any():
        return
    n_groups = np.unique(cells.group[found.open_places[:-1]]).size
    msg = message(
        "needs each person's group; that of {n_each} people on the list is not determined",
        n_each=numeral(int(n_each[some].sum())),
    )
    if n_groups:
        msg = counted("{lack}, in {n} group", "{lack}, in {n} groups", n_groups, lack=msg, n=numeral(n_groups))
    if (n_out[some] > 0).any():
        msg = message("{lack}, since it is unknown which {n} of the list are in no group", lack=msg, n=numeral(beyond))
    raise NotApplicableError(message("{msg}. {way_out}", msg=msg, way_out=WAY_OUT))


def _of_own_cells(release: Release, profiles: Table, profile: Int32, held: Ragged) -> tuple[Release, Int32]:
    """Return the release of exact rows by group, and one row for each entry of `held` (kinds, groups)."""
    key = held.column.astype(np.int64) * max(profiles.n_rows, 1) + profile
    entry, nth = np.unique(key, return_inverse=True)
    times = np.bincount(nth.ravel(), weights=held.data, minlength=entry.size).astype(np.int64)
    group, exact = entry // max(profiles.n_rows, 1), entry % max(profiles.n_rows, 1)
    used, number = np.unique(exact, return_inverse=True)
    schema = Schema(tuple(_extended(attribute, profiles) for attribute in release.masked.attributes))
    seen = profiles.take(used).aligned(schema)
    columns, cell = [], np.zeros((used.size, len(schema.attributes)), np.int32)
    for i, attribute in enumerate(seen.schema):
        cells, cell[:, i] = Cells.exact(attribute, seen.columns[attribute.name])
        columns.append(cells)
    of_row = np.repeat(np.arange(entry.size), times)
    masked = Lines(tuple(columns), cell[number.ravel()[of_row]], group[of_row].astype(np.int32), release.n_groups)
    rest = tuple(a for a in release.schema if a.name not in schema)
    made = replace(
        release,
        schema=Schema((*seen.schema, *rest)),
        masked=masked,
        regions=None,
        start=starts(release.size.astype(np.int64)),
        columns={},
        n_suppressed=0,
        headcount=None,
        suppressed_rows=None,
    )
    return made, starts(times)[:-1][nth.ravel()].astype(np.int32)


def _extended(theirs: Attribute, people: Table) -> Attribute:
    """Return an attribute with the list's additional values: distinct, and fitting only `*`."""
    domain = theirs.domain
    if isinstance(domain, Numeric) or theirs.name not in people.schema:
        return theirs
    ours, column = people.schema[theirs.name], people.columns[theirs.name]
    known = np.unique(column[~people.missing(theirs.name)])
    labels = labels_of(ours.domain, known if ours.is_numeric else known[known > OUTSIDE])
    more = tuple(label for label in labels if label not in set(domain.values))
    return replace(theirs, domain=replace(domain, values=(*domain.values, *more))) if more else theirs
