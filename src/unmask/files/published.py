"""Assembly of a release from its published columns: cells, groups, attached values, counts."""
# Over 300 lines: the types of published parts stand beside the one assembly that uses all of them.

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from unmask.arrays import Float64, Int32, Int64, Ragged, distinct_integers, distinct_rows, distinct_tuples
from unmask.errors import InvalidInputError
from unmask.files.embedded import Embedded
from unmask.files.keys import numbered
from unmask.files.raw import Raw, RawColumn
from unmask.masks.cells import Cells
from unmask.masks.centroids import Centroids
from unmask.masks.lines import Lines
from unmask.masks.noisy_rows import NoisyRows
from unmask.masks.notation.notation import read_cells
from unmask.masks.notation.number_spellings import CellReading
from unmask.masks.notation.reading import describe
from unmask.release import Masked, Noise, Provenance, Publication, Release, arranged
from unmask.schema import UNKNOWN, Attribute, Categorical, Domain, Numeric, Role, Schema
from unmask.table import encode
from unmask.wording import message


@dataclass(frozen=True, eq=False)
class Published:
    """One published column, not yet parsed."""

    attribute: Attribute  # with an empty domain
    column: RawColumn
    domain: Domain | None = None  # the known domain; None: derived from the cells
    exact: bool = False  # every cell is a literal value, not a notation
    bounds: tuple[float | None, float | None] = (None, None)  # declared, where the domain is not
    centroid: bool = False  # every cell is a centroid
    permuted: bool = False  # values are shuffled inside groups
    noise: Noise | None = None  # noise added to every number
    level: int | None = None  # of the hierarchy, where all cells are its labels
    reading: CellReading | None = None  # how the cells are declared to be read
    undescribed: bool = False  # no release.json describes the cells, so how they were read is noted


class GroupsByLabel(Mapping[str, int]):
    """The published group of each label, computed on first use: with millions of groups the labels are large."""

    def __init__(self, find: Callable[[], dict[str, int]]) -> None:
        self._find = find

    @cached_property
    def _group_of(self) -> dict[str, int]:
        return self._find()

    def __getitem__(self, label: str) -> int:
        return self._group_of[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._group_of)

    def __len__(self) -> int:
        return len(self._group_of)


@dataclass(frozen=True, slots=True, eq=False)
class Unused:
    """A published column that is not part of the release: undeclared, or of a role that releases do not have."""

    role: Role | None
    column: RawColumn


@dataclass(frozen=True, eq=False)
class ReadRelease:
    """A release as read, with the origin of its rows and groups."""

    release: Release
    rows: Int64 | Callable[[], Int64]  # (lines of the file,) or the function that computes them at the first use
    group_column: str | None = None
    group_of: Mapping[str, int] = field(default_factory=dict)  # label of a group in the file → group
    notes: tuple[str, ...] = ()
    person_key: str | None = None  # the column of person keys
    gaps: tuple[str, ...] = ()  # quasi-identifiers with missing cells that count as a value of their own
    content: str | None = None  # SHA-256 of the files of a release folder together
    rows_declared: bool = True  # the publisher declares the unit of rows; else rows are assumed to be people
    unused: Mapping[str, Unused] = field(default_factory=dict)  # other columns of the file
    person_of: Int32 | None = None  # (lines of the file,) person
    table: Raw | None = None  # as written, where the release is one table whose columns keep their names
    embedded: tuple[Embedded, ...] | None = None  # what its file holds beside the table; None: no single file was read
    recoverable: Mapping[str, int] = field(default_factory=dict)  # column → suppressed cells that follow from totals

    @cached_property
    def row_of(self) -> Int64:
        """The published row of each line of the file, (lines,)."""
        return self.rows() if callable(self.rows) else self.rows


@dataclass(frozen=True, eq=False)
class PublishedParts:
    """All published columns of a release."""

    order: Sequence[str]  # of the columns in the schema
    columns: Sequence[Published]  # all but those in `counts`
    n_rows: int
    group: RawColumn | None = None
    counts: Mapping[str, tuple[Published, RawColumn, Float64]] = field(
        default_factory=dict
    )  # name → its values, the group of each entry, how many
    regions: Sequence[Published] = ()
    region_group: RawColumn | None = None
    alike: tuple[Int32, Int64] | None = None  # the number of each row among the distinct rows, and a row of each


def assemble(
    parts: PublishedParts,
    name: str,
    *,
    also: Mapping[str, Iterable[str]] | None = None,
    decimal: str = ".",
    provenance: Provenance = Provenance(),
    rows: Literal["people", "synthetic", "none"] = "people",
    suppressed: int = 0,
    group_column: str | None = None,
    person_of: Int32 | None = None,
) -> ReadRelease:
    """Assemble a canonical release from its published parts.

    Groups are those of the group column; without one they are the distinct combinations of cells. Where sensitive
    values are attached to rows, rows of a group with different cells become separate groups, as for an attacker.
    Values that were shuffled inside a group are not attached to rows.

    Fails
        With `InvalidInputError` where groups and counts do not belong together.
    """
    quasi = [p for p in parts.columns if p.attribute.role is Role.QUASI_IDENTIFIER]
    also = also or {}
    kind_of_row, kinds = _alike(parts) or (None, np.arange(parts.n_rows))
    profile, example = distinct_tuples((p.column.codes[kinds] for p in quasi), kinds.size)
    columns, cell, notes = _lines(quasi, kinds[example], also, decimal)
    shape = distinct_rows(cell)[0][profile]
    attached = [_attached(p, kinds) for p in parts.columns if p.attribute.role is not Role.QUASI_IDENTIFIER]
    group = shape
    by_group = bool(parts.counts) or any(p.permuted for p in parts.columns)  # sensitive values are known by group only
    if by_group and not parts.counts and parts.group is None:
        msg = message(
            "release {name} must have a group column, since values are permuted inside groups; it has none",
            name=repr(name),
        )
        raise InvalidInputError(msg)
    if parts.group is not None:
        group = parts.group.codes[kinds].astype(np.int32)
        if parts.group.has_missing:
            msg = message(
                "every row of release {name} must name its group; some do not. Complete the group column",
                name=repr(name),
            )
            raise InvalidInputError(msg)
        if not by_group:
            pair = distinct_tuples([group, shape], kinds.size)[0]
            if int(pair.max(initial=-1)) + 1 > len(parts.group.labels):
                notes.append(
                    message("rows of one group show different cells: each combination counts as a group of its own")
                )
            group = pair
    n_groups = int(group.max(initial=-1)) + 1
    counts = {key: _counts(key, given, parts.group, group, name) for key, given in parts.counts.items()}
    if by_group:
        lines, line_of_row, group_of_line = cell[profile], np.arange(kinds.size, dtype=np.int32), group
    else:
        _, first = distinct_integers(group.astype(np.int64))
        lines, line_of_row, group_of_line = cell[profile[first]], group, np.arange(n_groups, dtype=np.int32)
    schema = _schema(parts.order, columns, attached, counts)
    masked = _masked(quasi, Lines(tuple(columns), lines, group_of_line, n_groups))
    publication = arranged(
        schema,
        masked,
        input_row=None,
        n_input=parts.n_rows,
        group_of_row=group.astype(np.int32),
        line_of_row=line_of_row,
        columns={attribute.name: codes for attribute, codes in attached},
        counts={key: table for key, (_, table) in counts.items()},
        regions=_regions(parts, group, n_groups, also, decimal),
        provenance=provenance,
        name=name,
        person_of=person_of,
        kind_of_row=kind_of_row,
    )
    release = replace(publication.release, n_suppressed=suppressed, rows=rows)
    group_of = GroupsByLabel(lambda: _groups_by_label(parts.group, publication))
    return ReadRelease(release, lambda: _lines_as_rows(publication), group_column, group_of, tuple(notes))


def person_key(columns: Sequence[Published], name: str) -> tuple[str | None, Int32 | None]:
    """Return the published person key, and the person of each line, (lines,); None without one.

    Fails
        With `InvalidInputError` where release `name` has several.
    """
    keys = [one for one in columns if one.attribute.role is Role.PERSON_KEY]
    if len(keys) > 1:
        both = ", ".join(one.attribute.name for one in keys)
        msg = message(
            "release {name} must have one person-key column; got {both}. Keep one", name=repr(name), both=both
        )
        raise InvalidInputError(msg)
    return (keys[0].attribute.name, numbered(keys[0].column)) if keys else (None, None)


def _lines_as_rows(publication: Publication) -> Int64:
    return np.zeros(0, np.int64) if publication.row_of is None else publication.row_of


def _alike(parts: PublishedParts) -> tuple[Int32, Int64] | None:
    """Return the kind of each row, and a row of each kind; None where few are equal, or equal codes differ otherwise.

    A suppressed cell may be coded as a missing one; counts, regions and permuted values are read row by row.
    """
    by_row = bool(parts.counts) or bool(parts.regions) or any(p.permuted for p in parts.columns)
    if by_row or any(p.column.suppressed.size for p in parts.columns):
        return None
    group = () if parts.group is None else (parts.group.codes,)
    number, first = parts.alike or distinct_tuples((*(p.column.codes for p in parts.columns), *group), parts.n_rows)
    return (number, first) if 2 * first.size < parts.n_rows else None


def tabulate(
    parts: PublishedParts,
    size: Float64,
    name: str,
    *,
    also: Mapping[str, Iterable[str]] | None = None,
    provenance: Provenance = Provenance(),
    suppressed: int = 0,
) -> ReadRelease:
    """Assemble a release without rows: a line for each group, with its number of people, (lines,)."""
    columns, cell, notes = _lines(parts.columns, np.arange(parts.n_rows), also or {}, ".")
    order = np.lexsort((size, *cell.T[::-1]))
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    counts = {key: _counts(key, given, parts.group, place, name) for key, given in parts.counts.items()}
    release = Release(
        schema=_schema(parts.order, columns, [], counts),
        masked=_masked(
            parts.columns, Lines(tuple(columns), cell[order], np.arange(order.size, dtype=np.int32), order.size)
        ),
        size=size[order],
        start=None,
        columns={},
        counts={key: table for key, (_, table) in counts.items()},
        rows="none",
        n_suppressed=suppressed,
        provenance=provenance,
        name=name,
    )
    return ReadRelease(release, place, notes=tuple(notes))


def _lines(
    quasi: Sequence[Published], rows: Int64, also: Mapping[str, Iterable[str]], decimal: str
) -> tuple[list[Cells], Int32, list[str]]:
    """Parse the cells of quasi-identifiers; also return the cell of each of some rows, (rows, attributes), and notes.

    The rows must have every distinct cell.
    """
    columns: list[Cells] = []
    notes: list[str] = []
    cell = np.zeros((rows.size, len(quasi)), np.int32)
    for i, published in enumerate(quasi):
        attribute, column = published.attribute, published.column
        numeric = isinstance(published.domain, Numeric) or (published.domain is None and column.is_numeric)
        literal = published.exact and not numeric
        read = read_cells(
            attribute,
            [*(_literal(label) if literal else label for label in column.labels), attribute.mark],
            domain=_on_the_way(published),
            bounds=published.bounds,
            also=() if _is_near_dates(published) else also.get(attribute.name, ()),
            decimal=decimal,
            level=published.level,
            reading=published.reading,
        )
        number = read.cell_of[column.codes[rows]]  # a missing cell is the last text: the mark
        used = np.bincount(number, minlength=read.cells.n) > 0
        cell[:, i] = (np.cumsum(used) - 1)[number]
        cells = read.cells.take(np.flatnonzero(used))
        if _on_the_way(published) is not published.domain and isinstance(published.domain, Numeric):
            cells = replace(cells, attribute=replace(cells.attribute, domain=published.domain))
        columns.append(cells)
        notes += filter(None, [describe(read)] if published.undescribed else [])
        notes += read.notes
    return columns, cell, notes


def cells_of(published: Published) -> tuple[Cells, Int32]:
    """Parse the cells of one published quasi-identifier; also return the cell of each of its rows, (rows,)."""
    columns, cell, _ = _lines([published], np.arange(published.column.codes.size), {}, ".")
    return columns[0], cell[:, 0]


def _masked(quasi: Sequence[Published], lines: Lines) -> Masked:
    """Return the masked form of lines of cells; if any column has centroids, all lines are centroids."""
    noise = {published.attribute.name: published.noise for published in quasi if published.noise is not None}
    if any(published.centroid for published in quasi):
        if noise:
            msg = message(
                "columns must be centroids or have noise, not both; got noise on {noise}", noise=repr(next(iter(noise)))
            )
            raise InvalidInputError(msg)
        return Centroids(lines)
    return NoisyRows(lines, noise) if noise else lines


def _on_the_way(published: Published) -> Domain | None:
    """Return the domain for parsing cells: without its step for centroids and continuous noise."""
    domain = published.domain
    if isinstance(domain, Numeric) and domain.dates:
        return domain  # whole days stay whole
    whole = not published.centroid and (published.noise is None or published.noise.family == "discrete-laplace")
    return domain if whole or not isinstance(domain, Numeric) else replace(domain, step=None)


def _is_near_dates(published: Published) -> bool:
    """Whether cells are dates with noise or centroids, which are numbers whatever people give."""
    domain = published.domain
    return isinstance(domain, Numeric) and domain.dates and (published.noise is not None or published.centroid)


def _literal(value: str) -> str:
    """Quote a value, so that it is not parsed as a notation."""
    return '"' + value.replace('"', '""') + '"'


def _attached(published: Published, rows: Int64) -> tuple[Attribute, Int32]:
    """Code values that are attached to some rows, by the rules of `encode`."""
    attribute, column, domain = published.attribute, published.column, published.domain
    order = None if domain is None or isinstance(domain, Numeric) or not domain.values else domain.values
    distinct: list[float | str | None] = list(column.labels)
    if column.numbers is not None and order is None and not isinstance(domain, Categorical):
        distinct = [int(n) if n.is_integer() else n for n in column.numbers.tolist()]
    if column.has_gaps:
        distinct.append(None)
    coded, codes = encode(attribute.name, attribute.role, distinct, order, attribute.missing, attribute.mark)
    if isinstance(domain, Categorical) and domain.values:
        coded = replace(coded, domain=replace(domain, values=coded.values))
    codes = codes if column.has_gaps else np.append(codes, np.int32(UNKNOWN))
    each = codes[column.codes[rows]]
    if column.suppressed.size:  # suppressed, not missing
        each[np.isin(rows, column.suppressed)] = UNKNOWN
    return replace(attribute, domain=coded.domain), each


def _counts(
    key: str,
    given: tuple[Published, RawColumn, Float64],
    group: RawColumn | None,
    group_of_row: Int32 | Int64,
    name: str,
) -> tuple[Attribute, Ragged]:
    """Return the counted attribute, and the count of each value in each group."""
    published, entry_group, count = given
    attribute, codes = _attached(published, np.arange(published.column.codes.size))
    if group is None:
        msg = message(
            "release {name} must have a group column, since {key} is counted by group; it has none",
            name=repr(name),
            key=repr(key),
        )
        raise InvalidInputError(msg)
    number = np.full(group.n + 1, -1, np.int64)  # published group of each label; the last is for unknown labels
    number[group.codes] = group_of_row
    number[-1] = -1
    place = np.append(number[entry_group.places_in(group)], -1)[entry_group.codes]
    if (place < 0).any():
        msg = message(
            "counts of {key} in release {name} must be of its own groups; {sum} entries are not",
            key=repr(key),
            name=repr(name),
            sum=(place < 0).sum(),
        )
        raise InvalidInputError(msg)
    known = codes >= 0
    shape = (int(group_of_row.max(initial=-1)) + 1, len(attribute.values))
    return attribute, Ragged.gather(place[known], codes[known], count[known], shape)


def _schema(
    order: Sequence[str],
    columns: Sequence[Cells],
    attached: Sequence[tuple[Attribute, Int32]],
    counts: Mapping[str, tuple[Attribute, Ragged]],
) -> Schema:
    attributes = [*(cells.attribute for cells in columns), *(a for a, _ in attached), *(a for a, _ in counts.values())]
    by_name = {attribute.name: attribute for attribute in attributes}
    return Schema(tuple(by_name[name] for name in order))


def _regions(
    parts: PublishedParts, group: Int32, n_groups: int, also: Mapping[str, Iterable[str]], decimal: str
) -> Lines | None:
    if not parts.regions or parts.region_group is None or parts.group is None:
        return None
    n = parts.region_group.codes.size
    columns, cell, _ = _lines(parts.regions, np.arange(n), also, decimal)
    codes, first = np.unique(parts.group.codes, return_index=True)
    number = {parts.group.labels[code]: int(group[row]) for code, row in zip(codes, first, strict=True)}
    label = [parts.region_group.labels[code] for code in parts.region_group.codes]
    if sorted(label) != sorted(number):
        msg = message("regions must be given once for each group of the release; they are not")
        raise InvalidInputError(msg)
    group_of_line = np.array([number[text] for text in label], np.int32)
    return Lines(tuple(columns), cell, group_of_line, n_groups)


def _groups_by_label(group: RawColumn | None, publication: Publication) -> dict[str, int]:
    """Return the published group of each label; labels with rows in several groups are left out."""
    if group is None or publication.row_of is None:
        return {}
    pairs = np.unique(np.stack([group.codes, publication.group_of], axis=1), axis=0)
    labels, first, times = np.unique(pairs[:, 0], return_index=True, return_counts=True)
    return {group.labels[label]: int(pairs[at, 1]) for label, at, n in zip(labels, first, times, strict=True) if n == 1}
