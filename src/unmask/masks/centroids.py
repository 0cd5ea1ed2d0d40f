"""Centroids (microaggregation): a group is published with its typical values, which may be no member's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unmask.arrays import DENSE_CELLS, Float64, Int32, Int64, Ragged, distinct_rows, starts
from unmask.errors import InvalidInputError
from unmask.links import Linking, Links
from unmask.masks._form_of_lines import FormOfLines
from unmask.masks.axes import Axes
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.numerics.numerals import decimal_places
from unmask.partition import Partition
from unmask.release import Masked, Noise, Provenance, Publication, arranged
from unmask.schema import ATTACHED, Attribute, Ordered, Schema
from unmask.table import Column, Table
from unmask.wording import message

_TIE = 1e-12  # the relative difference of distances that rounding explains


@dataclass(frozen=True, eq=False)
class Centroids(FormOfLines):
    """Lines with the typical values of a group: the mean of numbers, the most frequent of listed values.

    A centroid excludes no person; it only lies nearer or farther. An attacker standardizes the published values and
    searches the nearest centroids, so the evidence is the distance, not a fit.

    Fails
        With `InvalidInputError` where a line has other than one value, or a missing one, for each attribute.
    """

    lines: Lines

    def __post_init__(self) -> None:
        if not self.lines.is_exact:
            msg = message("a centroid must show one value for each quasi-identifier; got cells that stand for several")
            raise InvalidInputError(msg)

    @property
    def noise(self) -> Mapping[str, Noise]:
        """None: centroids have no noise."""
        return {}

    @property
    def is_typical(self) -> bool:
        """True: a value may be no member's own."""
        return True

    def exact_table(self) -> Table:
        """Fail: centroids are no person's exact values."""
        msg = message("quasi-identifiers must be exact to be read as people; these are centroids of groups")
        raise InvalidInputError(msg)

    def likelihood(self, attribute: str, at: Column) -> Ragged:
        """Return P(value | true value), (cells, at), up to a factor: 1, since no person is excluded."""
        return Ragged.of(np.ones((self.lines.cells[self.lines.column(attribute)].n, at.size)))

    def regrouped(self, lines: Int64, group_of_line: Int32, n_groups: int) -> Centroids:
        """Return some of the lines, in the given order, with new group numbers."""
        return Centroids(self.lines.regrouped(lines, group_of_line, n_groups))

    def shows_same(self, other: Masked) -> bool:
        """Whether another mask has the same centroids of the same groups."""
        return isinstance(other, Centroids) and self.lines.shows_same(other.lines)

    def links(self, profiles: Table, size: Float64, how: Linking) -> Iterator[Links]:
        """Link distinct profiles to groups of these sizes, in blocks.

        Infers
            weight(g) ∝ Σ over its centroids of people · exp(−(d − d₁) / (bandwidth · spacing)), of the `nearest`
            centroids; d is the distance in published standard deviations, d₁ the least, and the spacing the median
            distance of a centroid to the next one. Members scatter around their centroid, so a nearer centroid makes a
            group likelier. With bandwidth 0, only the nearest counts, ties equally.
        """
        members = self._people(size)
        search = self._search(size)
        width = how.bandwidth * search.spacing
        step = max(1, DENSE_CELLS // 64)
        for first in range(0, max(profiles.n_rows, 1), step):
            block = slice(first, min(first + step, profiles.n_rows))
            people = self._aligned(profiles.take(np.arange(first, block.stop)))
            start, shape, distance = search.around(people, how.nearest)
            near = _nearness(distance, start, width)
            kept = near > 0
            close = shape[kept].astype(np.int32)
            profile = np.repeat(np.arange(start.size - 1), np.diff(start))[kept]
            start = starts(np.bincount(profile, minlength=start.size - 1))
            likely = Ragged(start, close, near[kept], members.n_rows)
            fits = Ragged(start, close, np.ones(profile.size), members.n_rows) @ members
            yield Links(block, (likely @ members).normalized(), fits.data)

    def nearest(self, profiles: Table, without: Int32) -> Ragged:
        """Return for each profile all groups at the least distance except one, (profiles, groups), equally weighted."""
        members = self.lines.members
        search = self._search(np.ones(self.n_groups))
        start, shape, _ = search.around(self._aligned(profiles), 1, without)
        found = members.take(shape)
        row = np.repeat(np.arange(profiles.n_rows), np.diff(start))[found.row]
        kept = found.column != without[row]
        shape_of = (profiles.n_rows, self.n_groups)
        pairs = Ragged.gather(row[kept], found.column[kept], np.ones(int(kept.sum())), shape_of)
        return Ragged(pairs.start, pairs.column, np.ones(pairs.data.size), self.n_groups).normalized()

    def nearness(self, attribute: str, at: Column, size: Float64, bandwidth: float) -> Float64:
        """Return the nearness of values of one attribute to each published value, (cells, at); 1 for the same.

        Infers
            exp(−d / (bandwidth · spacing)), as in `links`, d being the distance in that attribute alone.
        """
        cells, search = self.lines.cells[self.lines.column(attribute)], self._search(size)
        place = np.full(cells.n, np.nan)
        place[np.diff(cells.start) == 1] = cells.low
        apart = np.abs(place[:, None] - cells.coordinates(at))
        unit = next(
            (scale.unit for scale in search.axes.scales if scale.name == attribute and scale.mean is not None), None
        )
        apart = (apart > 0).astype(np.float64) if unit is None else apart * unit
        width = bandwidth * search.spacing
        near = np.exp(-apart / width) if width > 0 else (apart <= _TIE).astype(np.float64)
        return np.where(np.isnan(place)[:, None], 0.0, np.nan_to_num(near))

    @cached_property
    def _table(self) -> Table:
        """The distinct centroids as a table, (shapes,)."""
        _, example = distinct_rows(self.lines.cell)
        return self.lines.exact_table().take(example)

    def _people(self, size: Float64) -> Ragged:
        """Return the number of people of each group with each distinct centroid, (shapes, groups)."""
        lines = np.bincount(self.group_of_line, minlength=self.n_groups)
        return self.lines.members.columns_scaled(size / np.maximum(lines, 1))

    def _aligned(self, profiles: Table) -> Table:
        return profiles.aligned(Schema(self.attributes))

    def _search(self, size: Float64) -> _Search:
        """Return the distinct centroids on axes with unit spread of the published values."""
        members = self.lines.members
        alone = np.diff(members.start) == 1
        owner = np.full(alone.size, -1, np.int64)
        owner[alone] = members.column[members.start[:-1][alone]]
        return _Search(self._table, self._people(size).sums(), owner)


class _Search:
    """The index of centroids for nearest-neighbor search; compiled code is loaded on first use."""

    def __init__(self, table: Table, people: Float64, owner: Int64) -> None:
        from unmask.masks.search import point_search  # noqa: PLC0415

        self.axes = Axes.of(table, people)
        self.owner = owner  # (centroids,) the group that alone has it; -1: there are several
        self.places = self.axes.points(table)
        self.tree = point_search.build(*self.places)

    @property
    def spacing(self) -> float:
        """The median distance of a centroid to the next one; 0 where there is no other."""
        number, code = self.places
        own = np.arange(number.shape[0])
        if own.size < 2:
            return 0.0
        return float(np.median(self._nearest(number, code, 1, own, own)[0]))

    def around(self, people: Table, n: int, without: Int32 | None = None) -> tuple[Int64, Int64, Float64]:
        """Return the n nearest centroids of each person and all ties with the last of them.

        As starts (people + 1,), centroids and their distances, nearest first; those of group `without` are skipped.
        """
        if not self.owner.size:
            return np.zeros(people.n_rows + 1, np.int64), np.zeros(0, np.int64), np.zeros(0)
        number, code = self.axes.queries(people)
        passed = np.full(people.n_rows, -1, np.int64) if without is None else without.astype(np.int64)
        rows, shapes, distances = [], [], []
        left, n_seen = np.arange(people.n_rows), min(n + 4, self.owner.size)
        while left.size:
            distance, shape = self._nearest(number[left], code[left], n_seen, self.owner, passed[left])
            last = distance[:, min(n, n_seen) - 1]
            last = np.where(np.isfinite(last), last, np.max(distance, axis=1, where=np.isfinite(distance), initial=0.0))
            within = (distance <= (last * (1 + _TIE) + _TIE)[:, None]) & (shape >= 0)
            done = ~within[:, -1] | (n_seen == self.owner.size)
            row, slot = np.nonzero(within & done[:, None])
            rows.append(left[row])
            shapes.append(shape[row, slot])
            distances.append(distance[row, slot])
            left, n_seen = left[~done], min(4 * n_seen, self.owner.size)
        row = np.concatenate([*rows, np.zeros(0, np.int64)])
        order = np.argsort(row, kind="stable")
        start = starts(np.bincount(row, minlength=people.n_rows))
        nothing = np.zeros(0, np.int64), np.zeros(0)
        return start, np.concatenate([*shapes, nothing[0]])[order], np.concatenate([*distances, nothing[1]])[order]

    def _nearest(self, number: Float64, code: Int32, n: int, owner: Int64, without: Int64) -> tuple[Float64, Int64]:
        from unmask.masks.search import point_search  # noqa: PLC0415

        squared, point = point_search.nearest_of_each(self.tree, number, code, n, owner, without)
        return np.sqrt(squared), point


def _nearness(distance: Float64, start: Int64, width: float) -> Float64:
    """Return the nearness of each centroid, (entries,): 1 for the nearest of a person, less for farther ones."""
    some = np.diff(start) > 0
    behind = distance - np.repeat(distance[start[:-1][some]], np.diff(start)[some])
    if width > 0:
        return np.exp(-behind / width)
    return (behind <= _TIE * (1 + distance)).astype(np.float64)


def publish_centroids(
    table: Table, partition: Partition, provenance: Provenance, *, tell_groups: bool = False
) -> Publication:
    """Publish each row with the centroid of its group; sensitive and insensitive values stay attached to rows.

    Publishes
        For numbers the mean of those who have one (of decimals with as many places as they have, of whole numbers
        as it is, of dates the nearest day), for values in a declared order the lower median, for others the most
        frequent value (ties: the first in the column's order), a missing one included; numbers and orders are missing
        where more members lack one than have one. Groups with equal centroids become one, since they are
        indistinguishable, unless `tell_groups`: then group numbers are published too.
    """
    attributes = table.schema.quasi
    kept = np.flatnonzero(partition.group_of >= 0)
    group = partition.group_of[kept]
    columns, cell = [], np.zeros((partition.n_groups, len(attributes)), np.int32)
    for i, attribute in enumerate(attributes):
        typical = _typical(attribute, table[attribute.name][kept], group, partition.n_groups)
        cells, cell[:, i] = Cells.exact(attribute, typical)
        columns.append(cells)
    number, example = (np.arange(partition.n_groups),) * 2 if tell_groups else distinct_rows(cell)
    group = number[group].astype(np.int32)
    attached = table.schema.having(*ATTACHED)
    lines = Lines(tuple(columns), cell[example], np.arange(example.size, dtype=np.int32), example.size)
    return arranged(
        Schema((*attributes, *attached)),
        Centroids(lines),
        input_row=kept,
        n_input=table.n_rows,
        group_of_row=group,
        line_of_row=group,
        columns={a.name: table.columns[a.name][kept] for a in attached},
        provenance=provenance,
        person_of=table.person_of,
    )


def _typical(attribute: Attribute, column: Column, group: Int32, n_groups: int) -> Column:
    """Return the typical value of each group, (groups,); NaN or −1 where more members lack a value than have one."""
    absent = np.isnan(column) if attribute.is_numeric else column < 0
    known = np.flatnonzero(~absent)
    n_known = np.bincount(group[known], minlength=n_groups)
    lacking = n_known < np.bincount(group[absent], minlength=n_groups)
    order = known[np.lexsort((column[known], group[known]))]  # sums run by size, independent of the order of rows
    first = starts(n_known)[:-1]
    if attribute.is_numeric:
        running = np.append(column[order], 0.0)
        total = np.add.reduceat(running, np.minimum(first, order.size)) if n_groups else np.zeros(0)
        mean = np.divide(total, n_known, out=np.full(n_groups, np.nan), where=n_known > 0)
        places = decimal_places(column[known])
        if attribute.holds_dates and not places:
            mean = np.rint(mean)
        return np.where(lacking, np.nan, np.round(mean, places) if places else mean)
    result = np.full(n_groups, -1, np.int32)
    some = n_known > 0
    if isinstance(attribute.domain, Ordered):
        result[some] = column[order[(first + (n_known - 1) // 2)[some]]]
        return np.where(lacking, np.int32(-1), result)
    mode, times = modes(group[known], column[known], n_groups)
    beaten = np.bincount(group[absent], minlength=n_groups) > times
    return np.where(beaten, np.int32(-1), mode)


def modes(group: Int32, code: Column, n_groups: int) -> tuple[Int32, Int64]:
    """Return the most frequent code of each group, the lowest of several, and its count; −1 where there is none."""
    number, example = distinct_rows(np.stack([group, code], axis=1))
    times = np.bincount(number, minlength=example.size)
    by_group = group[example]  # pairs are in order of group and code
    best = np.lexsort((-times, by_group))
    lead = best[np.flatnonzero(np.diff(by_group[best], prepend=-1))]
    mode, most = np.full(n_groups, -1, np.int32), np.zeros(n_groups, np.int64)
    mode[by_group[lead]] = code[example][lead]
    most[by_group[lead]] = times[lead]
    return mode, most
