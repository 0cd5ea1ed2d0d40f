"""Matches of targets with the groups of a release, and the distribution of values there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from unmask.arrays import DENSE_CELLS, Bool, Float64, Int32, Int64, Ragged, starts
from unmask.attacks.shared.expected_counts import people_of
from unmask.attacks.shared.pooling import pooled
from unmask.beliefs import NOT_ATTACKED, unique_pairs
from unmask.errors import NotApplicableError
from unmask.links import Linking, Links
from unmask.number_format import numeral
from unmask.release import Release
from unmask.table import Table
from unmask.view import NOT_IN_IT, View
from unmask.wording import message

ROUNDING = 1e-12
"""The relative size below which a difference counts as zero."""

MOST = 50_000_000
"""The maximum number of pairs of profile and group in memory, if more than 16 a profile: some 6 GB."""

Link: TypeAlias = Callable[[Release, Table], tuple[Ragged, Float64]]
"""An alternative to `linked`, with the same signature and result."""

NOWHERE = NOT_ATTACKED
"""The row of a target that matches no group, or is known not to be in the release."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The matching groups of each target in one release, with weights; targets share rows."""

    row_of: Int32  # (targets,) or `NOWHERE`
    weight: Ragged  # (rows, groups), each row adding up to 1
    fits: Float64  # (entries of weight,) number of the group's members that match the target

    @property
    def nowhere(self) -> Bool:
        """Whether each target matches no group, (targets,)."""
        return np.asarray(self.row_of == NOWHERE)


def places(view: View, r: int, how: Linking = Linking(), link: Link | None = None) -> Places:
    """Return the matching groups of each target: the known one, else all that fit its profile."""
    release, sought = view.releases[r], _Sought.of(view, r)
    parts, fits = [sought.known_groups], [release.people[sought.known_groups.column]]
    found = np.zeros(0, bool)
    if sought.profile.size:
        weight, fit = linked(release, sought.profiles, how) if link is None else link(release, sought.profiles)
        parts.append(weight)
        fits.append(fit)
        found = np.diff(weight.start) > 0
    return Places(sought.row_of(found), Ragged.stacked(parts), np.concatenate(fits))


@dataclass(frozen=True, slots=True, eq=False)
class _Sought:
    """Targets of known group, and targets to match by profile; the others are not in the release."""

    known: Int32  # (targets,) the row of the known group; -1: unknown
    known_groups: Ragged  # (distinct known groups, groups) a 1 each
    searched: Int64  # the targets to match
    profile: Int32  # (searched,)
    profiles: Table

    @classmethod
    def of(cls, view: View, r: int) -> _Sought:
        release, located = view.releases[r], view.located(r)
        known = located >= 0
        row = np.full(located.size, -1, np.int32)
        used, row[known] = np.unique(located[known], return_inverse=True)
        start = starts(np.ones(used.size, np.int64))
        searched = np.flatnonzero(~known & (located != NOT_IN_IT))
        profile, profiles = view.knowledge.people.take(searched).profiles()
        one_each = Ragged(start, used.astype(np.int32), np.ones(used.size), release.n_groups)
        return cls(row, one_each, searched, profile, profiles)

    def row_of(self, found: Bool) -> Int32:
        """Return the row of each target, (targets,): known groups first, then profiles; `NOWHERE` without a match."""
        row = np.where(self.known >= 0, self.known, np.int32(NOWHERE))
        if self.searched.size:
            row[self.searched] = np.where(found[self.profile], self.known_groups.n_rows + self.profile, NOWHERE)
        return row


def _links(release: Release, profiles: Table, how: Linking) -> Iterator[Links]:
    """Yield links of distinct profiles to groups, block by block; results per block should be small.

    Disclosed regions are used instead of cells: they cover the space without gaps.
    """
    where = release.masked if release.regions is None else release.regions
    return where.links(profiles, people_of(release), how)


def fitted(release: Release, people: Table) -> Bool:
    """Whether each group, (groups,), matches at least one of the people."""
    found = np.zeros(release.n_groups, bool)
    for block in _links(release, people.profiles()[1], Linking()):
        found[block.weight.column] = True
    return found


def linked(release: Release, profiles: Table, how: Linking) -> tuple[Ragged, Float64]:
    """Return the links of all distinct profiles to groups, and the number of matching members of each.

    Members are people: where a group has fewer people than rows, matching rows count in proportion.

    Fails
        With `NotApplicableError` for more than `MOST` pairs, which would not fit into memory.
    """
    blocks, n = [], 0
    for block in _links(release, profiles, how):
        n += block.weight.data.size
        if n > max(MOST, 16 * profiles.n_rows):
            msg = message(
                "needs people who could be few of the rows; more than {most} pairs of person and row are possible. "
                "Attack fewer people at a time",
                most=numeral(MOST),
            )
            raise NotApplicableError(msg)
        blocks.append(block)
    weight, fits = Ragged.stacked([block.weight for block in blocks]), np.concatenate([block.fits for block in blocks])
    return weight, in_people(release, weight, fits)


def in_people(release: Release, weight: Ragged, fits: Float64) -> Float64:
    """Return the number of people behind some rows of each group, (entries of weight,)."""
    if release.headcount is None:
        return fits
    of_row = release.people / np.maximum(release.size, 1.0)
    return np.maximum(fits * of_row[weight.column], 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Neighborhood:
    """Shares and counts of values in the matching groups of each target; targets share rows."""

    row_of: Int32  # (targets,) or `NOWHERE`
    share: Ragged  # (rows, values) each row adding up to 1
    count: Ragged  # (rows, values) expected people

    @property
    def nowhere(self) -> Bool:
        """Whether each target matches no group, (targets,)."""
        return np.asarray(self.row_of == NOWHERE)


def neighborhood(view: View, r: int, attribute: str, how: Linking = Linking()) -> Neighborhood:
    """Return the distribution of values in each target's matching groups of one release.

    Infers
        `share(v) = Σ_g weight(g) · share_g(v)`, over the matching groups, and `count(v)` likewise from counts. Where
        centroids were searched, one more person of the pooled distribution counts in the share: they exclude no one.
    """
    sought, tables = _Sought.of(view, r), (shares(view, r, attribute), view.releases[r].people_with(attribute))
    parts, found = [[sought.known_groups @ rows] for rows in tables], [np.zeros(0, bool)]
    if sought.profile.size:
        for block in _links(view.releases[r], sought.profiles, how):
            found.append(~block.absent)
            for part, rows in zip(parts, tables, strict=True):
                part.append(block.weight @ rows)
            parts[0][-1] = _with_one_more(view.releases[r], attribute, parts[0][-1], how)
    share, count = (Ragged.stacked(part) for part in parts)
    return Neighborhood(sought.row_of(np.concatenate(found)), share, count)


def _with_one_more(release: Release, attribute: str, share: Ragged, how: Linking) -> Ragged:
    """Mix one person of the pooled distribution into shares of groups found by centroids, (rows, values)."""
    if how.strict or not release.masked.is_typical or not share.n_columns:
        return share
    one = 1.0 / (float(release.people.sum()) + 1.0)
    everywhere = pooled([release], attribute, release.schema[attribute].values)
    found = np.diff(share.start) > 0
    step = max(1, DENSE_CELLS // share.n_columns)
    parts = []
    for first in range(0, max(share.n_rows, 1), step):
        rows = slice(first, first + step)
        mixed = (1.0 - one) * share.dense(rows) + one * everywhere
        parts.append(Ragged.of(np.where(found[rows, None], mixed, 0.0)))
    return Ragged.stacked(parts)


def shares(view: View, r: int, attribute: str) -> Ragged:
    """Return the share of each value in each group, (groups, values).

    A member without a published value has the pooled distribution; else a group of blanks would seem to disclose its
    only value. If the release gives numbers of people, a person with a value on several rows counts once.
    """
    release = view.releases[r]
    counts, unknown = release.people_with(attribute), release.people_without(attribute)
    blank = np.where(unknown > ROUNDING, unknown, 0.0)
    groups = np.flatnonzero(blank)
    if release.start is None or not groups.size:
        return counts.normalized()
    baseline = pooled(view.releases, attribute, release.schema[attribute].values)
    row, column = np.repeat(groups, baseline.size), np.tile(np.arange(baseline.size), groups.size)
    filled = Ragged.gather(
        np.concatenate([counts.row, row]),
        np.concatenate([counts.column, column]),
        np.concatenate([counts.data, np.outer(blank[groups], baseline).ravel()]),
        (counts.n_rows, counts.n_columns),
    )
    return filled.normalized()


def left_out(view: View, r: int, attribute: str, own: Int32, how: Linking = Linking()) -> Neighborhood:
    """Return the left-out control: each target's neighborhood without its own group.

    It uses the matches in the rest of the release, or, without any, the nearest groups, equally weighted. Targets known
    not to be in the release are not matched, as in the attack. The own group of each target, (targets,), is known to
    the auditor, never to the attacker: this is a control, not an attack.

    Assumes
        `P(shown)` and ranges stay those of the whole release. Where one profile fits boxes of different sizes this is
        approximate: leaving out a group changes a published marginal by at most the group's share of all people.
    Infers
        `share = (mixture − weight(own) · share_own) / (1 − weight(own))`: one subtraction for each distinct pair of
        profile and own group, so nothing grows with people × groups.
    """
    release = view.releases[r]
    tables = (shares(view, r, attribute), release.people_with(attribute))
    profile, profiles = view.knowledge.people.profiles()
    pair_of, first, second = unique_pairs(profile, (own + 1).astype(np.int32))
    without = (second - 1).astype(np.int32)
    inside, found = np.zeros(first.size), np.zeros(profiles.n_rows, bool)
    mixtures: tuple[list[Ragged], list[Ragged]] = ([], [])
    for block in _links(release, profiles, how):
        here = np.flatnonzero((first >= block.profiles.start) & (first < block.profiles.stop))
        inside[here] = block.weight.at(first[here] - block.profiles.start, without[here])
        found[block.profiles] = ~block.absent
        for mixture, rows in zip(mixtures, tables, strict=True):
            mixture.append(block.weight @ rows)
    rest = 1.0 - inside
    gone = ~found[first] | (rest <= ROUNDING)
    keep = np.divide(1.0, rest, out=np.zeros(rest.size), where=~gone)
    lost = np.flatnonzero(gone)
    order = np.arange(first.size)
    order[lost] = first.size + np.arange(lost.size)
    parts = []
    nearest = Ragged.of(np.zeros((0, release.n_groups)))
    if lost.size:
        nearest = release.masked.nearest(profiles.take(first[lost]), without[lost])
    for mixture, rows in zip(mixtures, tables, strict=True):
        mixed = difference(Ragged.stacked(mixture), first, keep, rows, np.maximum(without, 0), inside * keep)
        near = nearest @ rows if nearest.n_rows else Ragged.of(np.zeros((lost.size, rows.n_columns)))
        parts.append(Ragged.stacked([mixed, near]).take(order))
    share = _with_one_more(release, attribute, parts[0].normalized(), how)
    matched = (np.diff(share.start)[pair_of] > 0) & (view.located(r) != NOT_IN_IT)
    return Neighborhood(np.where(matched, pair_of, NOWHERE).astype(np.int32), share, parts[1])


def best_match_without(
    view: View, r: int, own: Int32, how: Linking = Linking(), link: Link | None = None
) -> tuple[Int32, Float64, Float64]:
    """Return the best match of each target without its own group: any such match is false.

    Returns each target's pair of profile and own group, and for each pair the probability of the group with the best
    match and the number of its matching people. Without a match, the nearest groups are used, equally weighted.
    """
    release = view.releases[r]
    profile, profiles = view.knowledge.people.profiles()
    weight, fits = linked(release, profiles, how) if link is None else link(release, profiles)
    pair_of, first, second = unique_pairs(profile, (own + 1).astype(np.int32))
    without = (second - 1).astype(np.int32)
    nothing = weight.data.size  # one more entry, for profiles without a match
    column, data, fits = np.append(weight.column, -1), np.append(weight.data, 0.0), np.append(fits, 1.0)
    order = np.append(np.lexsort((-weight.data / fits[:-1], weight.row)), nothing)
    length = np.diff(weight.start)[first]
    best = order[np.minimum(weight.start[first], nothing)]
    runner_up = order[np.minimum(weight.start[first] + 1, nothing)]
    mine = (length > 0) & (column[best] == without)
    entry = np.where(mine, runner_up, best)
    found = length > mine
    rest = 1.0 - weight.at(first, without)
    probability = np.where(found & (rest > ROUNDING), data[entry] / np.maximum(rest, ROUNDING), 0.0)
    ways = np.where(found, fits[entry], 1.0)
    lost = np.flatnonzero(~found)
    if lost.size and release.n_groups > 1:
        nearest = release.masked.nearest(profiles.take(first[lost]), without[lost])
        smallest = np.full(lost.size, np.inf)
        np.minimum.at(smallest, nearest.row, release.people[nearest.column])
        probability[lost] = nearest.maxima()
        ways[lost] = np.where(np.isfinite(smallest), smallest, 1.0)
    return pair_of, np.minimum(probability, 1.0), ways


def difference(a: Ragged, rows_a: Int32, times_a: Float64, b: Ragged, rows_b: Int32, times_b: Float64) -> Ragged:
    """Return `times_a · a[rows_a] − times_b · b[rows_b]`, row by row; rounding errors become zero."""
    parts = []
    step = max(1, DENSE_CELLS // max(1, a.n_columns))
    for begin in range(0, max(rows_a.size, 1), step):
        block = slice(begin, begin + step)
        left = a.dense(rows_a[block]) * times_a[block, None]
        result = left - b.dense(rows_b[block]) * times_b[block, None]
        parts.append(Ragged.of(np.where(result > ROUNDING * np.maximum(left, 1e-300), result, 0.0)))
    return Ragged.stacked(parts)
