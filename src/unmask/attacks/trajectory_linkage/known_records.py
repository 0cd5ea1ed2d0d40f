"""Known records of people, and the published rows that each of them fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from unmask.arrays import Bool, Float64, Int32, Int64, Ragged, distinct_rows, distinct_tuples
from unmask.attacks.shared.expected_counts import people_of
from unmask.attacks.shared.location import MOST
from unmask.errors import NotApplicableError
from unmask.links import Linking
from unmask.masks.shifted_dates import with_published_dates
from unmask.number_format import numeral
from unmask.release import Masked, Release
from unmask.runtime import work
from unmask.table import Table
from unmask.view import IN_IT, PERHAPS, View
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class PublishedRows:
    """The published rows as atoms: rows of one pseudonym that no known record tells apart, with one value."""

    masked: Masked  # one group for each kind of row: its group and its cells
    size: Float64  # (kinds,) rows
    group: Int32  # (kinds,) of the release
    start: Int64  # (pseudonyms + 1,) atoms of each pseudonym
    kind: Int32  # (atoms,)
    value: Int32  # (atoms,) value of the row; negative where the release does not attach one
    share: Float64  # (atoms,) of the rows of the pseudonym

    @property
    def n_pseudonyms(self) -> int:
        """The number of pseudonyms."""
        return self.start.size - 1

    @property
    def pseudonym(self) -> Int64:
        """The pseudonym of each atom, (atoms,)."""
        return np.repeat(np.arange(self.n_pseudonyms), np.diff(self.start))

    @classmethod
    def of(cls, release: Release, person_of: Int32, attribute: str | None) -> PublishedRows:
        """Return the rows of a release; without an attribute, values do not count."""
        masked, size, group, kind = _kinds(release)
        attached = attribute is not None and attribute in release.columns and attribute not in release.permuted
        value = release.columns[attribute] if attribute and attached else np.full(release.n_rows, -1, np.int32)
        person, _ = distinct_rows(person_of[:, None])
        rows = np.stack([person, kind, value], axis=1)
        number, example = distinct_rows(rows)  # sorted by pseudonym
        rows, n_rows = rows[example], np.bincount(number)
        of_person = np.bincount(person)
        start = np.searchsorted(rows[:, 0], np.arange(of_person.size + 1))
        return cls(masked, size, group, start, rows[:, 1], rows[:, 2], n_rows / of_person[rows[:, 0]])


def _kinds(release: Release) -> tuple[Masked, Float64, Int32, Int32]:
    """Return rows with one group a kind, the size and the group of each kind, and the kind of each row.

    Rows of one group are of one kind, unless each row has cells of its own.
    """
    lines = release.masked.lines
    by_row = lines.group_of_line.size == release.n_rows > release.n_groups and release.regions is None
    if not by_row:
        masked = release.masked if release.regions is None else release.regions
        return masked, people_of(release), np.arange(release.n_groups, dtype=np.int32), release.group_of_row
    kind, example = distinct_tuples((lines.group_of_line, lines.shapes[0]), release.n_rows)
    masked = release.masked.regrouped(example, np.arange(example.size, dtype=np.int32), example.size)
    return masked, np.bincount(kind).astype(np.float64), lines.group_of_line[example], kind


@dataclass(frozen=True, slots=True, eq=False)
class KnownRecords:
    """Known records: of each person, the distinct ones with their number, and which rows each of them fits.

    `fits` have the probability of each record from one row of each kind, up to a factor for each record and offset.
    """

    record_of: Int32  # (targets,) the record of each target
    person: Int32  # (records,)
    times: Int64  # (records,) how often the person has it
    profile: Int32  # (records,) row of each of `fits`
    fits: tuple[Ragged, ...]  # by offset of dates, all equally likely, one where none are shifted: (profiles, kinds)
    located: Bool  # (profiles,) the group is known, so the row is published

    @classmethod
    def of(
        cls,
        view: View,
        rows: PublishedRows,
        person_of: Int32,
        how: Linking,
        lift: Float64,
        most_offsets: int = 0,
    ) -> KnownRecords:
        """Return the known records of the targets; `lift` is the prior of each group over its share of the rows.

        Up to `most_offsets` offsets of shifted dates are compared one by one.

        Fails
            With `NotApplicableError` for more than `MOST` pairs of record and row.
        """
        place = np.where(view.located(0) == PERHAPS, np.int32(IN_IT), view.located(0))
        of_target, profiles = view.knowledge.people.profiles()
        of_target = np.where(place >= 0, np.int32(-1), of_target)  # a known group counts more than the cells
        profile, example = distinct_rows(np.stack([of_target, place], axis=1))
        person, _ = distinct_rows(person_of[:, None])
        record_of, first = distinct_rows(np.stack([person, profile], axis=1))
        searched = np.flatnonzero(place[example] == IN_IT)
        known = np.flatnonzero(place[example] >= 0)
        by_group = np.argsort(rows.group, kind="stable")
        kinds = np.bincount(rows.group, minlength=lift.size)
        begin = np.concatenate([[0], np.cumsum(kinds)])
        own = place[example][known]
        row = np.repeat(known, kinds[own])
        column = np.concatenate([np.zeros(0, np.int64), *(by_group[begin[g] : begin[g + 1]] for g in own.tolist())])

        def fit(linked: Ragged) -> Ragged:
            entries = (np.append(searched[linked.row], row), np.append(linked.column, column))
            data = np.append(linked.data, np.ones(row.size))
            return Ragged.gather(*entries, data, (example.size, rows.group.size)).columns_scaled(lift[rows.group])

        fits = tuple(
            map(fit, _linked(view.release, rows, profiles.take(of_target[example][searched]), how, most_offsets))
        )
        return cls(record_of, person[first], np.bincount(record_of), profile[first], fits, place[example] >= 0)


def _linked(
    release: Release, rows: PublishedRows, profiles: Table, how: Linking, most_offsets: int
) -> Iterator[Ragged]:
    """Yield for each offset the probability of each profile from one row of each kind, (profiles, kinds).

    It is known up to a factor for each profile and offset.
    """
    n, n_atoms = 0, np.bincount(rows.kind, minlength=rows.size.size)
    dates, offsets = _offsets(release, profiles, most_offsets)
    masked = with_published_dates(rows.masked, release.date_shifts) if dates else rows.masked
    with work.step(message("linking records"), len(offsets)) as step:
        for offset in offsets:
            moved = {name: c + offset if name in dates else c for name, c in profiles.columns.items()}
            blocks = [Ragged.of(np.zeros((0, rows.size.size)))]
            for block in masked.links(replace(profiles, columns=moved) if dates else profiles, rows.size, how):
                n += int(n_atoms[block.weight.column].sum())
                if n > max(MOST, 16 * profiles.n_rows):
                    msg = message(
                        "needs people who could be few of the rows; more than {most} pairs of record and row are "
                        "possible. Attack fewer people at a time",
                        most=numeral(MOST),
                    )
                    raise NotApplicableError(msg)
                blocks.append(block.weight.columns_scaled(1 / rows.size))
            yield Ragged.stacked(blocks)
            step.advance()


def _offsets(release: Release, profiles: Table, most: int) -> tuple[tuple[str, ...], list[int]]:
    """Return the known columns of shifted dates, and the offsets to try; no column and no offset beyond `most`."""
    shifts = {
        name: shift.days
        for name, shift in release.date_shifts.items()
        if shift.in_cells and name in profiles.schema and profiles.schema[name].holds_dates
    }
    days = max(shifts.values(), default=0)
    if set(shifts.values()) != {days} or 2 * days > most:
        return (), [0]
    return tuple(shifts), [*range(-days, 0), *range(1, days + 1)]
