"""Groups of exact rows and lists of values, and the rows that each target may be."""

from __future__ import annotations

import numpy as np
import scipy

from unmask.arrays import Bool, Float64, Int32, Int64, Ragged, expand, starts
from unmask.attacks.shared.grouped_people import GroupedPeople, Slotted
from unmask.attacks.shared.location import left_out
from unmask.attacks.shared.pooling import reweighted
from unmask.beliefs import NOT_ATTACKED, Beliefs, unique_pairs
from unmask.errors import NotApplicableError
from unmask.links import Linking
from unmask.masks.lines import Lines, chance, excluding
from unmask.schema import Categorical, Missing
from unmask.table import Table
from unmask.view import NOT_IN_IT, View
from unmask.wording import message


def touching(row_of: Int32, weight: Ragged, slots: Int32 | Int64) -> Bool:
    """Whether each target, (targets,), may be in some slots, given its row of slot weights."""
    some = np.zeros(weight.n_columns, bool)
    some[slots] = True
    rows = np.zeros(weight.n_rows + 1, bool)
    rows[weight.row[some[weight.column]]] = True
    return np.asarray(rows[row_of])  # row -1, nowhere, is the last


def around_own(view: View, own: Int32) -> Beliefs:
    """Return each target's posterior from the neighborhood without its own group."""
    around = left_out(view, 0, view.about.name, own)
    return reweighted(view.knowledge.prior, view.release, around.row_of, around.share)[0]


def published(view: View) -> tuple[Lines, GroupedPeople]:
    """Return the published rows, and their groups as the sampler's input."""
    release = view.release
    lines = excluding(release.masked)
    counts = release.counts_of(view.about.name)
    if lines is None or release.start is None or lines.group_of_line.size != release.n_rows:
        msg = message("needs a row for each person, with a group")
        raise NotApplicableError(msg)
    times = counts.data.astype(np.int64)
    if (times != counts.data).any() or not np.array_equal(counts.sums(), release.size):
        msg = message(
            "needs the value of {about} to be counted once for each row of a group", about=repr(view.about.name)
        )
        raise NotApplicableError(msg)
    shape, cells = lines.shapes
    levels = []
    codes = cells.copy()
    for i, column in enumerate(lines.cells):
        known = 0 if column.attribute.is_numeric else len(column.attribute.values)
        levels.append(max(known, column.n))
        if column.attribute.missing is Missing.WILDCARD:
            codes[column.anything[cells[:, i]], i] = -1
    value = np.repeat(counts.column, times).astype(np.int32)
    n_values = len(release.schema[view.about.name].values)
    return lines, GroupedPeople(shape, release.start, value, codes, np.array(levels, np.int32), n_values)


def slots_of_targets(view: View, lines: Lines, slots: Slotted) -> tuple[Int32, Ragged]:
    """Return each target's row of possible slots, (rows, slots), with weights that add up to 1.

    A slot is a distinct profile in a group. A target whose row is known has one slot; a target whose group is known
    has the fitting slots of the group; others have all fitting slots, in proportion to the people in them.
    """
    release, located = view.release, view.located(0)
    known_row = view.knowledge.located[0].row if view.knowledge.located is not None else None
    row_of = np.full(located.size, NOT_ATTACKED, np.int32)
    n = slots.n
    identity = Ragged(starts(np.ones(n, np.int64)), np.arange(n, dtype=np.int32), np.ones(n), n)
    parts = [identity]
    settled = np.zeros(located.size, bool)
    if known_row is not None:
        settled = (known_row >= 0) & (located >= 0)
        row_of[settled] = slots.of_row[known_row[settled]]
    open_ = np.flatnonzero(~settled & (located != NOT_IN_IT))
    if open_.size:
        key, slot_of_entry = _entries(lines, slots)
        profile, profiles = view.knowledge.people.take(open_).profiles()
        points = lines.points(profiles)
        start, shape = lines.candidates(points)
        rarity = 1.0 / chance(lines.cell_probability(release.size, Linking()), points, start, shape)
        grouped = located[open_] >= 0
        pair_of, first, second = unique_pairs(profile[grouped], located[open_][grouped])
        inside = _in_group(lines, key, start, shape, rarity, first, second)
        anywhere = _anywhere(lines, start, shape, rarity)
        offset = n + np.where(grouped, 0, inside.n_rows)
        number = offset + profile
        number[grouped] = n + pair_of
        parts += [
            Ragged.gather(found.row, slot_of_entry[found.column], found.data, (found.n_rows, n))
            for found in (inside, anywhere)
        ]
        empty = np.diff(Ragged.stacked(parts).start)[number] == 0
        row_of[open_] = np.where(empty, NOT_ATTACKED, number)
    return row_of, Ragged.stacked(parts).normalized()


def _entries(lines: Lines, slots: Slotted) -> tuple[Int64, Int32]:
    """Return the sorted key (shape, group) of the entries of `members`, and the slot of each."""
    members = lines.members
    key = members.row * lines.n_groups + members.column
    place = np.searchsorted(key, lines.shapes[0].astype(np.int64) * lines.n_groups + lines.group_of_line)
    slot_of_entry = np.zeros(key.size, np.int32)
    slot_of_entry[place] = slots.of_row
    return key, slot_of_entry


def _in_group(
    lines: Lines, key: Int64, start: Int64, shape: Int32, rarity: Float64, profile: Int32, group: Int32
) -> Ragged:
    """Return the weights of the entries of `members` that fit a profile in one group, (pairs, entries)."""
    candidate, pair = expand(start, profile)
    wanted = shape[candidate].astype(np.int64) * lines.n_groups + group[pair]
    entry = np.minimum(np.searchsorted(key, wanted), max(key.size - 1, 0))
    found = key[entry] == wanted if key.size else np.zeros(0, bool)
    weight = lines.members.data[entry[found]] * rarity[candidate[found]]
    return Ragged.gather(pair[found], entry[found], weight, (profile.size, key.size))


def _anywhere(lines: Lines, start: Int64, shape: Int32, rarity: Float64) -> Ragged:
    """Return the weights of the entries of `members` that fit a profile in any group, (profiles, entries)."""
    n = start.size - 1
    members = lines.members
    fits = scipy.sparse.csr_array((rarity, shape, start), (n, members.n_rows))
    entries = scipy.sparse.csr_array((members.data, np.arange(members.data.size), members.start))
    entries.resize((members.n_rows, members.data.size))
    found = fits @ entries
    found.sort_indices()
    return Ragged(found.indptr, found.indices, found.data, members.data.size)


def codes_of(lines: Lines, profiles: Table) -> Int32:
    """Return the published cell of each profile's value, (profiles, attributes); -1 if none, or unknown."""
    points = lines.points(profiles)
    codes = np.full(points.shape, -1, np.int32)
    for i, column in enumerate(lines.cells):
        low, _ = column.hull
        order = np.argsort(low, kind="stable")
        at = np.minimum(np.searchsorted(low[order], points[:, i]), max(low.size - 1, 0))
        hit = low[order][at] == points[:, i]
        codes[hit, i] = order[at[hit]]
    return codes


def features_of(lines: Lines, profiles: Table | None = None) -> Float64:
    """Return the published profiles, or those of given people, as numbers and codes, (profiles, attributes).

    NaN where a value is missing, or outside the domain.
    """
    if profiles is None:
        _, cells = lines.shapes
        points_by_column = [column.extent[0][cells[:, i]] for i, column in enumerate(lines.cells)]
        points = np.stack(points_by_column, axis=1) if points_by_column else np.zeros((cells.shape[0], 0))
    else:
        points = lines.points(profiles)
    return np.where(np.isfinite(points), points, np.nan)


def listed(lines: Lines) -> Bool:
    """Whether each attribute has unordered codes, (attributes,)."""
    return np.array([isinstance(attribute.domain, Categorical) for attribute in lines.attributes], bool)
