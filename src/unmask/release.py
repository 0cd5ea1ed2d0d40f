"""Release: the published table. Publication: the release, and which row each input row became.

Releases are canonical: rows are sorted by group and content, groups are numbered by content. So a release has no trace
of the input's order, equality is equality of arrays, and leaving groups out is a slice.

Over 300 lines: the parts of a release and their canonical order are one contract, read together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import (
    Bool,
    Float64,
    Int32,
    Int64,
    Ragged,
    distinct_rows,
    distinct_tuples,
    frozen,
    gathered,
    occurrences,
    order_of,
    starts,
)
from unmask.errors import InvalidInputError
from unmask.links import Linking, Links
from unmask.neighboring_relation import Relation
from unmask.number_format import numeral
from unmask.partition import count
from unmask.people_counts import Headcount, people_in, repeats
from unmask.schema import Attribute, Role, Schema, recode
from unmask.table import Column, Table, convert
from unmask.unit import Count, Unit
from unmask.wording import message

if TYPE_CHECKING:  # the type alone: masks import this module
    from unmask.masks.lines import Lines

UInt64 = NDArray[np.uint64]


class Masked(Protocol):
    """The published form of the quasi-identifiers: lines of cells, each line in a group."""

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The published quasi-identifiers."""
        ...

    @property
    def lines(self) -> Lines:
        """The published cells; a centroid or a noisy number is an exact cell."""
        ...

    @property
    def noise(self) -> Mapping[str, Noise]:
        """The noise added to the numbers of each attribute; empty where there is none."""
        ...

    @property
    def is_typical(self) -> bool:
        """Whether lines are centroids: typical values of a group, not cells that contain the values of its members."""
        ...

    @property
    def is_exact(self) -> bool:
        """Whether each line has one person's own values."""
        ...

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        ...

    @property
    def group_of_line(self) -> Int32:
        """The group of each line, (lines,): a line per group for boxes, one per row for exact rows."""
        ...

    @property
    def shows_nothing(self) -> Bool:
        """Whether each group, (groups,), has nothing but `*`, while other groups have more."""
        ...

    def cell_of(self, attribute: str) -> Int32:
        """Return the distinct cell of each line, (lines,), numbered by content."""
        ...

    def likelihood(self, attribute: str, at: Column) -> Ragged:
        """Return P(published cell | true value), (cells, at), for some true values of the attribute."""
        ...

    def exact_table(self) -> Table:
        """Return the lines as a table of people, where each line has one person's own values."""
        ...

    def links(self, profiles: Table, size: Float64, how: Linking) -> Iterator[Links]:
        """Link distinct profiles to groups of these sizes, in blocks."""
        ...

    def nearest(self, profiles: Table, without: Int32) -> Ragged:
        """Return all nearest groups of each profile except `without`, (profiles, groups), equally weighted."""
        ...

    def regrouped(self, lines: Int64, group_of_line: Int32, n_groups: int) -> Masked:
        """Return some of the lines, in the given order, with new group numbers."""
        ...

    def shows_same(self, other: Masked) -> bool:
        """Return True if another mask has the same lines in the same groups, with cells of the same meaning."""
        ...


@dataclass(frozen=True, slots=True)
class Provenance:
    """The published method of a release; None where it is not published."""

    sanitizer: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    order: tuple[str, ...] | None = None  # columns that the input was sorted by, where that matters
    tail: Literal["closed", "merged", "hidden"] | None = None
    epsilon: float | None = None
    delta: float | None = None
    neighbors: Relation | None = None  # which tables ε compares

    @property
    def relation(self) -> Relation | None:
        """The tables that ε compares; from `neighbors` among the parameters (older releases) if nothing else states it.

        Where the two contradict each other, the relation that needs less noise.
        """
        change = self.parameters.get("neighbors")
        if change not in ("replace", "add-remove") or (self.neighbors is not None and change == "replace"):
            return self.neighbors
        return Relation.of(change, Unit.ROWS if self.neighbors is None else self.neighbors.unit)


@dataclass(frozen=True, slots=True)
class Noise:
    """Noise added to each number independently; its scale is published, since the numbers are unusable without it.

    Fails
        With `InvalidInputError` for an unknown family, or a scale that is not above 0.
    """

    family: Literal["laplace", "discrete-laplace"]
    scale: float

    def __post_init__(self) -> None:
        if self.family not in {"laplace", "discrete-laplace"}:
            raise InvalidInputError.unknown_name(
                message("family of noise"), self.family, ("laplace", "discrete-laplace")
            )
        if not (self.scale > 0 and np.isfinite(self.scale)):
            msg = message("the scale of noise must be a number above 0; got {scale}", scale=self.scale)
            raise InvalidInputError(msg)

    @property
    def variance(self) -> float:
        """The variance of the noise of one number."""
        if self.family == "laplace":
            return 2 * self.scale**2
        return float(1 / (2 * np.sinh(1 / (2 * self.scale)) ** 2))


@dataclass(frozen=True, slots=True)
class DateShift:
    """The dates of a person moved by one unknown offset: up to so many days, in either direction.

    Fails
        With `InvalidInputError` for less than a day, or more than a century.
    """

    most: ClassVar[int] = 36_525
    days: int
    in_cells: bool = False  # the cells are of true dates already: extended by these days

    def __post_init__(self) -> None:
        if not 1 <= self.days <= self.most:
            msg = message(
                "dates must be shifted by at least 1 and at most {most} days; got {days}",
                most=numeral(self.most),
                days=self.days,
            )
            raise InvalidInputError(msg)


Rows: TypeAlias = Literal["people", "synthetic", "none"]
"""What a published row stands for; `none` where a release has no rows."""


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """A published table in canonical form.

    Assumes
        Made by `arranged`, which puts it into canonical form. Counts of an attribute that is also attached to rows are
        those of its rows; they are counted where they are not given.
    Fails
        With `InvalidInputError` where its parts do not belong together.
    """

    schema: Schema
    masked: Masked
    size: Float64  # (groups,) rows, each a person unless there is a `headcount`; not whole where noisy
    start: Int64 | None  # (groups + 1,) rows of a group; None where no rows are published
    columns: Mapping[str, Int32]  # (rows,) values attached to rows
    counts: Mapping[str, Ragged]  # sensitive attribute → (groups, values)
    regions: Masked | None = None
    rows: Rows = "people"
    n_suppressed: int = 0  # people without a published row
    provenance: Provenance = Provenance()
    name: str = "release"
    headcount: Headcount | None = None  # the number of people, where some have several rows
    suppressed_rows: int | None = None  # None: equal to the suppressed people
    noise: Mapping[str, Noise] = field(default_factory=dict)  # sensitive attribute → noise of its counts
    unit: Unit = Unit.ROWS  # people: there is a person key
    date_shifts: Mapping[str, DateShift] = field(default_factory=dict)  # column of dates → its largest offset

    def __post_init__(self) -> None:
        if self.headcount is not None:
            object.__setattr__(self, "unit", Unit.PEOPLE)
        object.__setattr__(self, "size", frozen(self.size, np.float64))
        if self.start is not None:
            object.__setattr__(self, "start", frozen(self.start, np.int64))
        columns = {name: frozen(column, np.int32) for name, column in self.columns.items()}
        object.__setattr__(self, "columns", columns)
        counts = dict(self.counts)
        for attribute in self.schema.sensitive:
            if attribute.name in self.columns and attribute.name not in counts and self.start is not None:
                shape = (self.n_groups, len(attribute.values))
                counts[attribute.name] = count(self.group_of_row, self.columns[attribute.name], shape)
        object.__setattr__(self, "counts", counts)
        if self.masked.n_groups != self.n_groups:
            msg = message(
                "a release must mask each of its {n_groups} groups; got {got}",
                n_groups=self.n_groups,
                got=self.masked.n_groups,
            )
            raise InvalidInputError(msg)
        if self.headcount is not None and self.headcount.of_group.size != self.n_groups:
            msg = message(
                "people must be counted in each of {n_groups} groups; got {size}",
                n_groups=self.n_groups,
                size=self.headcount.of_group.size,
            )
            raise InvalidInputError(msg)
        exact = [name for name in self.noise if name not in counts or name in self.columns]
        if exact:
            msg = message("noise must be on counts that are published; column {exact} has none", exact=repr(exact[0]))
            raise InvalidInputError(msg)

    def __repr__(self) -> str:
        return f"<Release {self.name}: {self.size.sum():,.0f} rows in {self.n_groups:,} groups>"

    @property
    def is_synthetic(self) -> bool:
        """Whether the rows are declared synthetic: then no row is a person's, and no identity is at risk."""
        return self.rows == "synthetic"

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return self.size.size

    @property
    def n_people(self) -> float:
        """The number of people published: of different people, where some are known to have several rows."""
        return float(self.size.sum()) if self.headcount is None else self.headcount.total

    @property
    def people(self) -> Float64:
        """The number of people of each group, (groups,)."""
        return self.size if self.headcount is None else self.headcount.of_group

    @property
    def as_targets(self) -> Count:
        """The number of people to attack row by row: rows only, where some people have several."""
        unit = Unit.ROWS if self.headcount is not None else self.unit
        return Count(self.n_rows, self.n_rows, unit)

    @property
    def n_suppressed_rows(self) -> int:
        """The number of rows that are not published."""
        return self.n_suppressed if self.suppressed_rows is None else self.suppressed_rows

    @property
    def starred(self) -> Bool:
        """Whether each group, (groups,), consists of suppressed records: all their cells are `*`.

        A release that declares its sanitizer also declares how many people are suppressed: its rows of `*` are a group
        of published people.
        """
        declared = self.provenance.sanitizer is not None
        return np.zeros(self.n_groups, bool) if declared else self.masked.shows_nothing

    @property
    def permuted(self) -> frozenset[str]:
        """The sensitive attributes whose values were shuffled inside each group: a row's value is not its person's.

        Rows with their own quasi-identifiers need groups only for shuffled values.
        """
        if self.start is None or not self.masked.is_exact or self.masked.group_of_line.size == self.n_groups:
            return frozenset()
        return frozenset(a.name for a in self.schema.sensitive if a.name in self.columns)

    @property
    def person_key(self) -> str | None:
        """The published column whose values link the rows of a person (pseudonyms); None without one."""
        return next((a.name for a in self.schema.having(Role.PERSON_KEY) if a.name in self.columns), None)

    @property
    def person_of(self) -> Int32 | None:
        """The person of each published row, (rows,), by the published person key; a row without one has its own."""
        if self.person_key is None:
            return None
        codes = self.columns[self.person_key].copy()
        alone = np.flatnonzero(codes < 0)
        codes[alone] = len(self.schema[self.person_key].values) + np.arange(alone.size, dtype=np.int32)
        return codes

    @property
    def n_rows(self) -> int:
        """The number of rows published; 0 where only counts are."""
        return 0 if self.start is None else int(self.start[-1])

    @property
    def group_of_row(self) -> Int32:
        """The group of each published row, (rows,)."""
        if self.start is None:
            return np.zeros(0, np.int32)
        return np.repeat(np.arange(self.n_groups, dtype=np.int32), np.diff(self.start))

    def counts_of(self, attribute: str) -> Ragged:
        """Return the count of each value of a sensitive attribute in each group, (groups, values)."""
        if attribute not in self.counts:
            raise InvalidInputError.unknown_name(message("sensitive attribute"), attribute, self.counts)
        return self.counts[attribute]

    def people_with(self, attribute: str) -> Ragged:
        """Return the number of people of each group with each value, (groups, values); rows if people are unknown."""
        rows, n = self.counts_of(attribute), len(self.schema[attribute].values)
        holders = None if self.headcount is None else self.headcount.holders.get(attribute)
        return rows if holders is None else holders.counts.narrowed(n)

    def people_without(self, attribute: str) -> Float64:
        """Return the number of people of each group, (groups,), with a row whose value is unknown."""
        holders = None if self.headcount is None else self.headcount.holders.get(attribute)
        if holders is None:
            return np.asarray(self.size - self.counts_of(attribute).sums())
        return holders.counts.dense_column(len(self.schema[attribute].values))

    def people_by_value(self, attribute: str) -> Float64:
        """Return the number of people of the release with each value, (values,); rows if people are unknown."""
        holders = None if self.headcount is None else self.headcount.holders.get(attribute)
        if holders is None:
            return self.counts_of(attribute).column_sums()
        return holders.overall[: len(self.schema[attribute].values)]

    def same_content(self, other: Release) -> bool:
        """Return True if two releases publish the same, regardless of names and methods.

        Values are compared by label, and cells by what they may stand for: codes and numbers of cells have no meaning.
        """
        if self.schema.names != other.schema.names or self.n_groups != other.n_groups or self.n_rows != other.n_rows:
            return False
        if self.columns.keys() != other.columns.keys() or self.counts.keys() != other.counts.keys():
            return False
        columns = {n: convert(c, other.schema[n], self.schema[n]) for n, c in other.columns.items()}
        return (
            np.array_equal(self.size, other.size)
            and self.noise == other.noise
            and (other.headcount is None if self.headcount is None else self.headcount.same(other.headcount))
            and self.masked.shows_same(other.masked)
            and (self.regions is None) == (other.regions is None)
            and (self.regions is None or other.regions is None or self.regions.shows_same(other.regions))
            and all(np.array_equal(column, columns[name]) for name, column in self.columns.items())
            and all(self._same_counts(other, name) for name in self.counts)
        )

    def _same_counts(self, other: Release, name: str) -> bool:
        ours, theirs = self.counts[name], other.counts[name]
        code = recode(other.schema[name].values, self.schema[name].values)[theirs.column]
        if (code < 0).any() or ours.data.size != theirs.data.size:
            return False
        return bool((ours.at(theirs.row, code) == theirs.data).all())

    def without(self, groups: Bool) -> Release:
        """Return the release as if some groups, (groups,), had not been published."""
        kept = ~groups
        number = np.cumsum(kept, dtype=np.int32) - 1
        lines = np.flatnonzero(kept[self.masked.group_of_line])
        masked = self.masked.regrouped(lines, number[self.masked.group_of_line[lines]], int(kept.sum()))
        start, columns = None, {}
        if self.start is not None:
            start = starts(np.diff(self.start)[kept])
            rows = kept[self.group_of_row]
            columns = {name: column[rows] for name, column in self.columns.items()}
        counts = {name: table.take(np.flatnonzero(kept)) for name, table in self.counts.items()}
        return replace(
            self,
            masked=masked,
            regions=None,
            size=self.size[kept],
            start=start,
            columns=columns,
            counts=counts,
            headcount=None if self.headcount is None else self.headcount.without(np.flatnonzero(kept)),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Publication:
    """A release, and which published row each input row became: -1 suppressed; None where rows are not of people.

    Where only counts are published, `counted_in` is the group in which each input row was counted.
    """

    release: Release
    rows: Int64 | Callable[[], Int64] | None  # (input rows,) or the function that computes them at the first use
    counted_in: Int32 | None = None  # (input rows,) where no rows are published; -1: in none

    def __post_init__(self) -> None:
        if self.counted_in is not None:
            object.__setattr__(self, "counted_in", frozen(self.counted_in, np.int32))

    def __repr__(self) -> str:
        return f"<Publication of {self.release!r}>"

    @cached_property
    def row_of(self) -> Int64 | None:
        """The published row of each input row, (input rows,)."""
        rows = self.rows() if callable(self.rows) else self.rows
        return None if rows is None else frozen(rows, np.int64)

    @property
    def group_of(self) -> Int32:
        """The group of each input row, (input rows,); -1 suppressed."""
        if self.counted_in is not None:
            return self.counted_in
        if self.row_of is None:
            msg = message("a person must have a published row to have a group; got a release without rows of people")
            raise InvalidInputError(msg)
        group = np.append(self.release.group_of_row, np.int32(-1))
        return group[self.row_of]


SYNTHETIC = message("rows are declared synthetic: no row is a person's, so none is found")
"""Why measures of identity are undefined where rows were made up."""


class Sanitizer(Protocol):
    """An algorithm that turns a table into a release; its fields are plain values, so that they can be published."""

    name: ClassVar[str]
    read_by: ClassVar[str | None]  # the attack that infers exactly what its groups disclose about values
    outcomes: ClassVar[tuple[str, ...]]  # published outcomes of a run, beside its parameters

    @property
    def needs_values(self) -> bool:
        """Whether it reads sensitive values; if not, its groups disclose nothing about them."""
        ...

    def sanitize(self, table: Table, rng: np.random.Generator) -> Publication:
        """Publish the table."""
        ...


@runtime_checkable
class EstimatesMemory(Protocol):
    """A sanitizer whose memory grows with the cells of its table, as measured."""

    name: ClassVar[str]

    @property
    def bytes_per_cell(self) -> float:
        """The bytes of memory for each cell of the table, with reading it and writing the release."""
        ...


def arranged(  # noqa: PLR0913
    schema: Schema,
    masked: Masked,
    *,
    input_row: Int64 | None,
    n_input: int,
    group_of_row: Int32,
    line_of_row: Int32 | Int64,
    columns: Mapping[str, Int32],
    counts: Mapping[str, Ragged] | None = None,
    regions: Masked | None = None,
    provenance: Provenance = Provenance(),
    name: str = "release",
    person_of: Int32 | None = None,
    kind_of_row: Int32 | None = None,
) -> Publication:
    """Put the parts of a release into canonical order, and keep which published row each input row became.

    Rows are sorted by group and by content, groups by their first row, their size, and the rest of their content:
    nothing else decides, so two tables with the same people in another order give equal arrays. The rows given are
    `input_row`, (rows,), of a table of `n_input`: the others count as suppressed; None: all rows. Where `person_of`,
    (input rows,), gives people several rows, the release has the number of people of its groups. Where rows repeat,
    groups, lines and columns may be given once for each kind of row, and the kind of each row, (rows,).
    """
    counts = dict(counts or {})
    n_groups = masked.n_groups
    cells = (
        np.stack([masked.cell_of(a.name) for a in masked.attributes], axis=1)
        if masked.attributes
        else (np.zeros((masked.group_of_line.size, 0), np.int32))
    )
    attached = [columns[n] for n in sorted(columns)]
    shape = distinct_rows(cells)[0]
    number, example = distinct_tuples((group_of_row, shape[line_of_row], *attached), group_of_row.size)
    rows = number.size if kind_of_row is None else kind_of_row.size
    distinct = np.concatenate([cells[line_of_row[example]], *(one[example][:, None] for one in attached)], axis=1)
    rows_of_kind = None if kind_of_row is None else occurrences(kind_of_row, number.size)[1:]
    times = np.bincount(number, rows_of_kind, example.size).astype(np.int64)
    size = np.bincount(group_of_row[example], times, n_groups).astype(np.int64)
    start = starts(np.bincount(group_of_row[example], minlength=n_groups))  # of the distinct rows of a group
    content = _totals(_mixed(distinct) * times.astype(np.uint64), start)
    for table in counts.values():
        entry = np.stack([table.column.astype(np.int64), table.data.view(np.int64)], axis=1)
        content = content * np.uint64(3) + _totals(_mixed(entry), table.start)
    headcount, gone = _counted(schema, columns, person_of, input_row, group_of_row, n_groups, kind_of_row)
    if headcount is not None:
        content = content * np.uint64(3) + headcount.of_group.astype(np.uint64)
    first = distinct_tuples((*distinct[start[:-1]].T, size), n_groups)[0]
    by_size = np.argsort(content, kind="stable")
    by_content = by_size[order_of(first[by_size])]
    new_group = np.empty(n_groups, np.int32)
    new_group[by_content] = np.arange(n_groups, dtype=np.int32)
    by_place = order_of(new_group[group_of_row[example]])  # the distinct rows in canonical order
    place = np.empty(example.size, np.int32)
    place[by_place] = np.arange(example.size, dtype=np.int32)
    group = new_group[group_of_row[example]][by_place]
    by_row = {n: (column[example][by_place], times[by_place]) for n, column in columns.items()}
    own = {
        a.name: count(group, by_row[a.name][0], (n_groups, len(a.values)), by_row[a.name][1])
        for a in schema.sensitive
        if a.name in columns
    }

    def order() -> Int64:
        of_row = place[number]
        return order_of(of_row if kind_of_row is None else gathered(of_row, kind_of_row))

    def published() -> Int64:
        result = np.full(n_input, -1, np.int64)
        result[order() if input_row is None else input_row[order()]] = np.arange(rows)
        return result

    def regrouped(lines_of: Masked) -> Masked:
        if lines_of.group_of_line.size == rows and np.array_equal(line_of_row, np.arange(rows)):
            by_row = order()
            return lines_of.regrouped(by_row, new_group[group_of_row][by_row], n_groups)
        group = new_group[lines_of.group_of_line]
        lines = np.lexsort((*(lines_of.cell_of(a.name) for a in reversed(lines_of.attributes)), group))
        return lines_of.regrouped(lines, group[lines], n_groups)

    release = Release(
        schema=schema,
        masked=regrouped(masked),
        size=size[by_content].astype(np.float64),
        start=starts(size[by_content]),
        columns={n: np.repeat(*column) for n, column in by_row.items()},
        counts={n: table.take(by_content) for n, table in counts.items()} | own,
        regions=None if regions is None else regrouped(regions),
        n_suppressed=n_input - rows if gone is None else gone,
        provenance=provenance,
        name=name,
        headcount=None if headcount is None else headcount.take(by_content),
        suppressed_rows=None if gone is None else n_input - rows,
        unit=Unit.of(person_of),
    )
    return Publication(release, published)


def _counted(
    schema: Schema,
    columns: Mapping[str, Int32],
    person_of: Int32 | None,
    input_row: Int64 | None,
    group_of_row: Int32,
    n_groups: int,
    kind_of_row: Int32 | None,
) -> tuple[Headcount | None, int | None]:
    """Count the people of each group, and the suppressed people; None where all people have one row."""
    if person_of is None or not repeats(person_of):
        return None, None
    if kind_of_row is not None:
        group_of_row, columns = group_of_row[kind_of_row], {n: one[kind_of_row] for n, one in columns.items()}
    published = person_of if input_row is None else person_of[input_row]
    gone = people_in(person_of, person_of.size) - people_in(published, published.size)
    headcount = people_of_rows(schema, columns, published, group_of_row, n_groups)
    if not headcount.repeated and headcount.total == published.size:
        return None, gone
    return headcount, gone


def people_of_rows(
    schema: Schema, columns: Mapping[str, Int32], person_of: Int32, group_of_row: Int32, n_groups: int
) -> Headcount:
    """Count the people of each group, and with each sensitive value attached to rows, from the person of each row."""
    attached = {}
    for attribute in schema.sensitive:
        if attribute.name in columns:
            mark = attribute.values.index(attribute.mark) if attribute.mark in attribute.values else None
            attached[attribute.name] = (columns[attribute.name], len(attribute.values), mark)
    return Headcount.of(person_of, group_of_row, n_groups, attached)


def _totals(entries: UInt64, start: Int64) -> UInt64:
    """Add up runs of hashes, modulo 2^64: exact, and independent of the order inside a run."""
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(entries, dtype=np.uint64)])
    return np.asarray(running[start[1:]] - running[start[:-1]])


def _mixed(content: Int32 | Int64) -> UInt64:
    """Hash each row of numbers to 64 bits: equal rows are equal, others almost surely not."""
    mixed = np.full(content.shape[0], 0x9E3779B97F4A7C15, np.uint64)
    for column in content.T:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    return np.asarray(mixed * np.uint64(0x94D049BB133111EB))
