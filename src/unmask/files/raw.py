"""Raw tables: columns as distinct values and a code per row, with a detected kind."""
# Over 300 lines: a column and its coding refer to each other (a column without suppressed cells is coded again).

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from unmask.arrays import (
    Bool,
    Float64,
    Int32,
    Int64,
    distinct_integers,
    distinct_tuples,
    frozen,
    gathered,
    occurrences,
)
from unmask.dates import (
    LIKE_A_DATE,
    LIKE_A_MOMENT,
    begin_with_day,
    has_zone,
    moment_numbers,
    moment_texts,
    parse_date,
    parse_moment,
)
from unmask.errors import InvalidInputError
from unmask.files.embedded import Embedded
from unmask.files.number_styles import (
    PLAIN,
    Style,
    cellwise_style,
    count_matches,
    has_other_numbers,
    look_like_numbers,
    notes_on_styles,
    plain_where_numbers,
    style_of,
)
from unmask.files.python_values import arrow_of
from unmask.hierarchies import number_text
from unmask.number_format import numeral
from unmask.numerics.numerals import DOUBTFUL, LONGEST, canonical, exceed_float64, extreme, in_order, rounds
from unmask.schema import UNKNOWN
from unmask.visible_text import visible
from unmask.wording import marked, message

MISSING = ("", "?", "NA", "NULL")
"""The default marks of a missing value; an empty cell is always missing."""

SUPPRESSED = "*"
"""The mark of a suppressed cell, in columns of every role."""

AMBIGUOUS = message("have an ambiguous order of day and month")
"""The words for columns whose dates may be two."""

IMPOSSIBLE = message("name no such day")
"""The words for dates that no calendar has, as 30 February."""

_FARTHEST = 32767 * 365 * 86400
"""Seconds between 1970 and times that Arrow can write: the year has 16 bits."""

_ISO_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*[1-9])?$"
_ISO_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


Codes: TypeAlias = NDArray[np.int8] | NDArray[np.int16] | NDArray[np.int32]
"""Codes in the smallest type that has room for one more than the number of distinct values."""


@dataclass(frozen=True, slots=True)
class CellFormat:
    """How the cells of a column are read."""

    marks: frozenset[str] = frozenset(MISSING)  # of a missing value
    decimal: str | None = None  # the decimal sign; None: detected, or a point if cellwise
    dates: bool = True  # otherwise texts that look like dates stay as written
    cellwise: bool = False  # no cell decides how another is read


class Kind(StrEnum):
    """The detected type of a column's values."""

    INTEGER = marked("integer")
    NUMBER = marked("number")
    LONG = marked("long number")  # too long for float64: labels, compared digit by digit, in order of size
    DATE = marked("date")
    MOMENT = marked("date-time")
    TEXT = marked("text")


def _codes_for(n: int) -> np.dtype[Any]:
    """Return the smallest type of codes for this many distinct values."""
    return np.min_scalar_type(-n - 2)


@dataclass(frozen=True, eq=False)
class RawColumn:
    """The sorted distinct values of a column, and the code of each row."""

    codes: Codes  # (rows,) index into the distinct values; `UNKNOWN` is missing
    kind: Kind
    texts: pa.Array | None  # (distinct,) as written; None where the values came as numbers, or are not written plainly
    numbers: Float64 | None  # (distinct,) where the kind is a number
    mixed: bool = False  # both numbers and other text
    style: Style = PLAIN  # notation of the numbers
    day_first: bool | None = None  # order of dates with slashes or hyphens; None: no such dates
    doubtful_dates: bool = False  # dates with an ambiguous order, read as text
    zoned: bool = False  # date-times with time zones, read in UTC
    marks: Mapping[str, int] = field(default_factory=dict)  # mark of a missing value → number of cells
    suppressed: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))  # rows whose cell is `*`

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", frozen(self.codes, _codes_for(self.n)))
        object.__setattr__(self, "suppressed", frozen(self.suppressed, np.int64))

    @cached_property
    def n_impossible(self) -> int:
        """The number of distinct dates that no calendar has, whichever of day and month comes first."""
        if not self.doubtful_dates:
            return 0
        orders = (True, False)
        return sum(all(parse_moment(label, day_first=first) is None for first in orders) for label in self.labels)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The distinct values as text, (distinct,)."""
        return self.values if self.texts is None else tuple(self.texts.to_pylist())

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The distinct values as text, numbers in one form, (distinct,): 1 and 1.0 are one number."""
        if self.numbers is not None:
            return tuple(map(number_text, self.numbers.tolist()))
        return () if self.texts is None else self.labels

    @property
    def n(self) -> int:
        """The number of distinct values."""
        return len(self.numbers) if self.numbers is not None else len(self.texts) if self.texts is not None else 0

    @property
    def has_stars(self) -> bool:
        """Whether `*` is one of the values."""
        return self.texts is not None and pc.index(self.texts, SUPPRESSED).as_py() >= 0

    def places_in(self, other: RawColumn) -> Int64:
        """Return the code in another column of each distinct value, (distinct,); -1: it is not there."""
        written = (
            self.texts is not None or other.texts is not None
        )  # 1 and 1.0 are equal as numbers, different as texts
        if written or self.numbers is None or other.numbers is None:
            place = {label: i for i, label in enumerate(other.labels)}
            return np.array([place.get(label, -1) for label in self.labels], np.int64)
        order = np.argsort(other.numbers, kind="stable")
        at = np.searchsorted(other.numbers[order], self.numbers)
        at = order[np.minimum(at, max(order.size - 1, 0))] if order.size else np.full(self.numbers.size, -1)
        return np.where(other.numbers[at] == self.numbers, at, -1) if order.size else at

    def take(self, rows: Bool) -> RawColumn:
        """Return the column with the selected rows."""
        gone = np.zeros(self.codes.size, bool)
        gone[self.suppressed] = True
        return replace(self, codes=self.codes[rows], suppressed=np.flatnonzero(gone[rows]))

    def without_suppressed(self, *, dates: bool = True) -> RawColumn:
        """Return the column with `*` as a missing cell; the remaining values determine its kind."""
        if self.texts is None or SUPPRESSED not in self.labels:
            return self
        star = self.labels.index(SUPPRESSED)
        kept = np.arange(self.n) != star
        number = np.where(kept, np.cumsum(kept) - 1, UNKNOWN)
        codes = np.append(number, UNKNOWN)[self.codes].astype(np.int32)
        cells = CellFormat(decimal=".", dates=dates)
        column = _kinded("", codes, self.texts.filter(pa.array(kept)), self.marks, cells)
        return replace(column, suppressed=np.flatnonzero(self.codes == star))

    def relabeled(self, texts: Sequence[str]) -> RawColumn:
        """Return the column with other texts for its distinct values, (distinct,), which are no numbers."""
        codes, distinct = _distinct(self.codes, pa.array(texts, pa.string()))
        return RawColumn(codes, Kind.TEXT, distinct, None, marks=self.marks, suppressed=self.suppressed)

    @property
    def holds_dates(self) -> bool:
        """Whether the values are dates, with or without a time of day."""
        return self.kind in {Kind.DATE, Kind.MOMENT}

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.numbers is not None

    @property
    def has_missing(self) -> bool:
        """Whether some row lacks a value."""
        return bool((self.codes == UNKNOWN).any())

    @property
    def has_gaps(self) -> bool:
        """Whether some row lacks a value and is not suppressed."""
        return int((self.codes == UNKNOWN).sum()) > self.suppressed.size


@dataclass(frozen=True, eq=False, repr=False)
class Raw:
    """A table before columns have roles, with notes on how it was read."""

    name: str
    columns: Mapping[str, RawColumn]
    n_rows: int
    notes: tuple[str, ...] = ()
    decimal: str = "."
    index: tuple[str, ...] = ()  # columns with numbers or names of rows, by R or pandas
    asides: tuple[str, ...] = ()  # notes for no report: it is the same for all formats of the same cells
    embedded: tuple[Embedded, ...] = ()  # what its file holds beside it
    is_file: bool = False  # it was read from a file, not from a data frame, a database or memory

    def __repr__(self) -> str:
        return f"<Raw {visible(self.name)}: {self.n_rows:,} rows of {', '.join(map(visible, self.columns))}>"

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], name: str = "table") -> Raw:
        """Return a raw table of Python columns of text or numbers; None is missing."""
        return cls.from_arrow(pa.table({key: arrow_of(values) for key, values in columns.items()}), name)

    @classmethod
    def from_arrow(cls, table: pa.Table, name: str, cells: CellFormat | None = None) -> Raw:
        """Code every column of an Arrow table.

        Fails
            With `InvalidInputError` for a table without rows, duplicate column names, nested or damaged values, zero
            characters, and where a comma or a point may be decimal or group thousands.
        """
        return cls.from_columns(table.column_names, table.num_rows, table.column, name, cells or CellFormat())

    @classmethod
    def from_columns(
        cls,
        written: Sequence[str],
        n_rows: int,
        column_at: Callable[[int], pa.ChunkedArray],
        name: str,
        cells: CellFormat,
    ) -> Raw:
        """Code columns one after another, each given by its place; `written` are their names in the file."""
        names = [trimmed(column) for column in written]
        require_names(name, names)
        if n_rows == 0:
            msg = message("{name} must have at least one row; it has none below its header", name=repr(name))
            raise InvalidInputError(msg)
        columns = {key: _without_zeros(key, coded(key, column_at(i), cells)) for i, key in enumerate(names)}
        comma = cells.decimal == "," or any(column.style.decimal == "," for column in columns.values())
        return cls(name, columns, n_rows, tuple(_notes(columns, cells)), "," if comma else ".")

    @cached_property
    def distinct_rows(self) -> tuple[Int32, Int64]:
        """The number of each row among the distinct rows, (rows,), and the first row with each number."""
        number, first = distinct_tuples((column.codes for column in self.columns.values()), self.n_rows)
        return frozen(number), first

    @property
    def repeats(self) -> bool:
        """Whether most rows repeat another row."""
        return 2 * self.distinct_rows[1].size < self.n_rows

    def __getitem__(self, column: str) -> RawColumn:
        if column not in self.columns:
            raise InvalidInputError.unknown_name("column", column, self.columns)
        return self.columns[column]


def trimmed(name: str) -> str:
    """Return the name of a column without white space and byte order marks around it."""
    return name.strip().strip("\ufeff").strip()


def require_names(name: str, names: Sequence[str]) -> None:
    """Fail where two columns have the same name."""
    if len(set(names)) < len(names):
        twice = next(column for i, column in enumerate(names) if column in names[:i])
        msg = message(
            "column names of {name} must be distinct; {twice} stands there twice. Rename one of them",
            name=repr(name),
            twice=repr(twice),
        )
        raise InvalidInputError(msg)


def _without_zeros(name: str, column: RawColumn) -> RawColumn:
    """Return the column; fail where a text has a zero character, which no CSV file may hold."""
    if "\0" in name or (column.texts is not None and pc.any(pc.match_substring(column.texts, "\0")).as_py()):
        msg = message(
            "column {name} must be text without zero characters, its name included. Remove them", name=repr(name)
        )
        raise InvalidInputError(msg)
    return column


def _notes(columns: Mapping[str, RawColumn], cells: CellFormat) -> Iterable[str]:
    mixed = {key: column.texts for key, column in columns.items() if cells.cellwise and column.mixed}
    others = [key for key, texts in mixed.items() if has_other_numbers(texts)]
    if others:
        yield message(
            "numbers of another form in {others} are text: where noise is added, the decimal sign is a point "
            "unless --decimal , is given, and no sign groups thousands, since one cell must not decide how "
            "others are read",
            others=", ".join(others),
        )
    yield from notes_on_styles({name: column.style for name, column in columns.items()}, cells.decimal)
    marks: dict[str, int] = {}
    for column in columns.values():
        for mark, count in column.marks.items():
            marks[mark] = marks.get(mark, 0) + count
    if marks:
        counts = ", ".join(f"{count:,} {mark or 'empty'}" for mark, count in sorted(marks.items()))
        yield message("cells that count as missing: {counts}; --missing changes that", counts=counts)
    for first in (True, False):
        read = [name for name, column in columns.items() if column.day_first is first]
        if read:
            yield message(
                "dates of {columns} read day first: 15/01/2020 is in January"
                if first
                else "dates of {columns} read month first: 01/15/2020 is in January",
                columns=", ".join(read),
            )
    zoned = [name for name, column in columns.items() if column.zoned]
    if zoned:
        yield message("date-times of {zoned} have time zones: read in UTC", zoned=", ".join(zoned))
    yield from notes_on_ambiguity(columns)


def notes_on_ambiguity(columns: Mapping[str, RawColumn]) -> Iterable[str]:
    """Yield notes on the columns whose dates are read as text: some do not exist, or may be two."""
    for name, column in columns.items():
        if column.n_impossible:
            yield message(
                "{n_impossible} of {n} distinct dates of {name} {impossible}, or no such time: read as text, "
                "without order. Correct them, or leave their cells empty",
                n_impossible=numeral(column.n_impossible),
                n=numeral(column.n),
                name=name,
                impossible=IMPOSSIBLE,
            )
    doubtful = [name for name, column in columns.items() if column.doubtful_dates and not column.n_impossible]
    if doubtful:
        yield message(
            "dates of {doubtful} {ambiguous}, or some are not dates: read as text, without order. Set "
            "day_first = true or false in roles.toml, or write them YYYY-MM-DD",
            doubtful=", ".join(doubtful),
            ambiguous=AMBIGUOUS,
        )


def coded(name: str, array: pa.ChunkedArray, cells: CellFormat) -> RawColumn:
    """Code one Arrow column by its distinct values."""
    try:
        return _coded(name, array, cells)
    except pa.ArrowInvalid as error:  # an unknown time zone, bytes that are not UTF-8
        msg = message(
            "column {name} must hold numbers, text or dates; Arrow cannot read its {type}. Leave it out",
            name=repr(name),
            type=array.type,
        )
        raise InvalidInputError(msg) from error


def _coded(name: str, array: pa.ChunkedArray, cells: CellFormat) -> RawColumn:
    kind = array.type
    if pa.types.is_dictionary(kind) and not isinstance(kind.value_type, pa.BaseExtensionType):
        if kind.value_type == pa.string() and not any(chunk.dictionary.null_count for chunk in array.chunks):
            return _texts(name, array, cells)
        array = pc.cast(array, kind.value_type)
        kind = kind.value_type
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        array = pc.cast(array, pa.string())
    elif pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        _require_writable(name, array)
        zoned = pa.types.is_timestamp(kind) and kind.tz is not None
        if zoned:
            pc.local_timestamp(array.slice(0, 1))  # fails where the zone is unknown
            array = pc.cast(array, pa.timestamp(kind.unit))  # in UTC
        array = _dates_as_text(array, cellwise=cells.cellwise)
        return replace(_texts(name, pc.cast(array, pa.string()), cells), zoned=zoned)
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _numbers(array, cells)
    elif not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        msg = message(
            "column {name} must hold numbers, text or dates; got {kind}. Leave it out, or write it as text",
            name=repr(name),
            kind=kind,
        )
        raise InvalidInputError(msg)
    return _texts(name, pc.cast(array, pa.string()), cells)


def _numbers(array: pa.ChunkedArray, cells: CellFormat) -> RawColumn:
    cells = replace(cells, decimal=".", dates=True)  # where they become text
    if not pa.types.is_floating(array.type) and _may_be_long(array):
        column = _texts("", pc.cast(array, pa.string()), cells)
        numbers = column.numbers
        return column if numbers is None else _of_numbers(column.codes, numbers, column.marks)
    values = array.to_numpy()  # null becomes NaN
    known = np.isfinite(values) if values.dtype.kind == "f" else np.ones(values.size, bool)
    inverse: Int32 | Int64
    if values.dtype.kind in "iu":
        inverse, first = distinct_integers(values.astype(np.int64, copy=False))
        distinct = values[first]
    else:
        distinct, inverse = np.unique(values[known], return_inverse=True)
    if distinct.dtype in {np.dtype(np.float16), np.dtype(np.float32)}:
        distinct = distinct.astype(str)  # the shortest decimal that is this number: 0.1, not 0.10000000149011612
    codes = inverse.astype(np.int32, copy=False).ravel()
    if not known.all():
        codes = np.full(values.size, UNKNOWN, np.int32)
        codes[known] = inverse.ravel()
    numbers = distinct.astype(np.float64)
    absent = int(np.isnan(values).sum()) if values.dtype.kind == "f" else 0
    counted = {"": absent, "inf": int((~known).sum()) - absent}
    if extreme(numbers).any():
        labels = pa.array(map(number_text, numbers.tolist())).take(pa.array(codes, mask=codes == UNKNOWN))
        column = _texts("", pa.chunked_array([labels]), replace(cells, cellwise=False))
        return replace(column, marks=Counter(column.marks) - Counter({"": int((~known).sum())}) + Counter(counted))
    for mark in cells.marks:
        hits = numbers == _as_number(mark)
        if hits.any():
            marked = np.append(hits, False)[codes]
            counted[mark] = int(marked.sum())
            codes[marked] = UNKNOWN
    return _of_numbers(codes, numbers, {mark: n for mark, n in counted.items() if n})


def _may_be_long(array: pa.ChunkedArray) -> bool:
    """Whether the type has integers or decimals that float64 cannot distinguish."""
    if pa.types.is_decimal(array.type):
        return True
    ends = pc.min_max(array).as_py().values()
    return any(end is not None and abs(end) >= 10**LONGEST for end in ends)


def _of_numbers(codes: Codes, numbers: Float64, marks: Mapping[str, int]) -> RawColumn:
    """Return a column of numbers, (distinct,), with one code per row; equal numbers are merged."""
    used = np.flatnonzero(occurrences(codes, numbers.size)[1:])
    distinct, place = np.unique(numbers[used], return_inverse=True)
    code = np.full(numbers.size + 1, UNKNOWN, _codes_for(distinct.size))
    code[used] = place.ravel()
    return RawColumn(gathered(code, codes), _kind_of(distinct), None, frozen(distinct, np.float64), marks=marks)


def _kind_of(numbers: Float64) -> Kind:
    return Kind.INTEGER if bool((numbers == np.rint(numbers)).all()) else Kind.NUMBER


def _as_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def _require_writable(name: str, array: pa.ChunkedArray) -> None:
    """Fail where a date or time is so far away that Arrow writes another one."""
    seconds = pc.cast(pc.cast(array, pa.timestamp("s"), safe=False), pa.int64())
    if pc.any(pc.greater(pc.abs(seconds), _FARTHEST)).as_py():
        msg = message(
            "column {name} must hold times of the years -30000 to 30000; it has others. Leave it out", name=repr(name)
        )
        raise InvalidInputError(msg)


def _dates_as_text(array: pa.ChunkedArray, *, cellwise: bool) -> pa.ChunkedArray:
    """Return dates as YYYY-MM-DD; all with the time of day if some have one, or if `cellwise`, only these."""
    if pa.types.is_timestamp(array.type):
        timed = pc.not_equal(array, pc.floor_temporal(array, unit="day"))
        if cellwise or pc.any(timed).as_py():
            times = pc.strftime(array, "%Y-%m-%dT%H:%M:%S")  # its fraction has as many digits as the type, 0 to 9
            for zeros, kept in ((r"\.0+$", ""), (r"(\.\d*[1-9])0+$", r"\1")):
                times = pc.replace_substring_regex(times, zeros, kept)
            return pc.if_else(timed, times, pc.strftime(array, "%Y-%m-%d")) if cellwise else times
    return pc.strftime(array, "%Y-%m-%d")


def _texts(name: str, array: pa.ChunkedArray, cells: CellFormat) -> RawColumn:
    given = pa.types.is_dictionary(array.type)
    encoded = (array.unify_dictionaries() if given else array.dictionary_encode()).combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    raw = pc.fill_null(pc.cast(encoded.indices, pa.int32()), UNKNOWN).to_numpy()
    trimmed = pc.utf8_trim_whitespace(encoded.dictionary)
    gone = pc.is_in(trimmed, pa.array(sorted(cells.marks | {""}))).to_numpy(zero_copy_only=False).astype(bool)
    counts = occurrences(raw, len(trimmed))
    counted = {"": int(counts[0])} if counts[0] else {}
    for i in np.flatnonzero(gone & (counts[1:] > 0)):
        mark = trimmed[int(i)].as_py()
        counted[mark] = counted.get(mark, 0) + int(counts[i + 1])
    texts = pc.unique(trimmed.filter(pa.array(~gone & (counts[1:] > 0))))  # a given dictionary may have unused texts
    texts = texts.take(pc.sort_indices(texts))  # by code points, independent of the order of rows
    number = pc.fill_null(pc.index_in(trimmed, texts), UNKNOWN).to_numpy(zero_copy_only=False)
    codes = gathered(np.append(number, UNKNOWN).astype(_codes_for(len(texts))), raw)
    if cells.cellwise:
        column = _cellwise(codes, texts, counted, cells.decimal)
    else:
        column = _kinded(name, codes, texts, counted, cells)
    if SUPPRESSED not in counted:
        return column
    star = np.append(pc.equal(trimmed, SUPPRESSED).to_numpy(zero_copy_only=False).astype(bool), [False])
    return replace(column, suppressed=np.flatnonzero(star[raw]))


def _kinded(name: str, codes: Int32, texts: pa.Array, marks: Mapping[str, int], cells: CellFormat) -> RawColumn:
    """Return a column of texts with its detected kind."""
    n = len(texts)
    if n == 0:
        return RawColumn(codes, Kind.TEXT, texts, None, marks=marks)
    known = texts.filter(pc.not_equal(texts, SUPPRESSED))
    style = style_of(name, known, cells.decimal) if len(known) else None
    if style is not None and len(known) == n:
        return _in_style(codes, texts, style, marks)
    if style is not None:  # numbers beside suppressed cells
        codes, texts = _distinct(codes, style.plain(texts))
        return RawColumn(codes, Kind.TEXT, texts, None, mixed=True, style=style, marks=marks)
    iso = _iso(texts) if cells.dates else None
    if iso is not None:
        days, day_first = iso
        codes, texts = _distinct(codes, days)
        return RawColumn(codes, Kind.DATE, texts, None, day_first=day_first, marks=marks)
    doubtful = cells.dates and count_matches(texts, LIKE_A_MOMENT) == n
    column = RawColumn(
        codes, Kind.TEXT, texts, None, mixed=look_like_numbers(texts), doubtful_dates=doubtful, marks=marks
    )
    return (as_dates(column, day_first=None) if doubtful else None) or column


def as_dates(column: RawColumn, *, day_first: bool | None) -> RawColumn | None:
    """Return a column of texts as dates or date-times, with the day first as declared or detected; None for others."""
    texts: pa.Array = column.texts
    moments = _moments(texts, day_first=day_first)
    if moments is None:
        return None
    written, first, zoned = moments
    codes, distinct = _distinct(column.codes, written)
    return replace(
        column,
        codes=codes,
        kind=Kind.MOMENT if pc.any(pc.match_substring(written, "T")).as_py() else Kind.DATE,
        texts=distinct,
        mixed=False,
        day_first=first,
        doubtful_dates=False,
        zoned=zoned,
    )


def _cellwise(codes: Int32, texts: pa.Array, marks: Mapping[str, int], decimal: str | None) -> RawColumn:
    """Return a column of texts; each number is written plainly, whatever the other cells are."""
    style = cellwise_style(decimal)
    are_numbers = len(texts) > 0 and style.fits(texts)
    codes, texts = _distinct(codes, _iso_where_dates(_rounded(plain_where_numbers(texts, style))))
    if are_numbers:
        column = replace(_in_style(codes, texts, PLAIN, marks), style=style)
        return replace(column, codes=codes, texts=texts) if column.kind is Kind.LONG else column  # 1 and 1.0 stay apart
    kind = Kind.DATE if len(texts) and _are_iso(texts) else Kind.TEXT
    return RawColumn(codes, kind, texts, None, mixed=look_like_numbers(texts), marks=marks)


def _rounded(texts: pa.Array) -> pa.Array:
    """Return the texts, (texts,), those that float64 rounds as the rounded numbers.

    Else two near numbers, or one that float64 cannot hold, would decide whether the others are rounded.
    """
    if not count_matches(texts, DOUBTFUL):
        return texts
    return pa.array([number_text(float(t)) if rounds(t) else t for t in texts.to_pylist()], pa.string())


def _iso_where_dates(texts: pa.Array) -> pa.Array:
    """Return the texts, (texts,), those that can only be one date as YYYY-MM-DD."""
    if not count_matches(texts, LIKE_A_DATE):
        return texts
    days = (parse_date(text, day_first=None) for text in texts.to_pylist())
    return pa.array([text if day is None else str(day) for text, day in zip(texts.to_pylist(), days, strict=True)])


def _distinct(codes: Codes, texts: pa.Array) -> tuple[Int32, pa.Array]:
    """Return the codes and the sorted distinct texts, after some texts have become equal."""
    distinct = pc.unique(texts)
    distinct = distinct.take(pc.sort_indices(distinct))
    place = np.append(pc.index_in(texts, distinct).to_numpy().astype(np.int32), np.int32(UNKNOWN))
    return place[codes], distinct


def _in_style(codes: Int32, texts: pa.Array, style: Style, marks: Mapping[str, int]) -> RawColumn:
    """Return a column of numbers in the given style."""
    plain = style.plain(texts)
    if count_matches(plain, DOUBTFUL) and exceed_float64(written := plain.to_pylist()):
        labels = [canonical(numeral) for numeral in written]
        distinct = in_order(dict.fromkeys(labels))
        place = {label: code for code, label in enumerate(distinct)}
        code = np.array([*(place[label] for label in labels), UNKNOWN], np.int32)
        return RawColumn(code[codes], Kind.LONG, pa.array(distinct, pa.string()), None, style=style, marks=marks)
    numbers = _parsed(plain)
    if plain.equals(texts):
        return RawColumn(codes, _kind_of(numbers), texts, numbers, style=style, marks=marks)
    return replace(_of_numbers(codes, numbers, marks), style=style)


def _parsed(texts: pa.Array) -> Float64:
    try:
        numbers = pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:  # +5, 1. and .5 are numbers, too
        numbers = np.array([float(text) for text in texts.to_pylist()])
    return frozen(numbers, np.float64)


def _iso(texts: pa.Array) -> tuple[pa.Array, bool | None] | None:
    """Return dates as YYYY-MM-DD, and whether the day is first in those with slashes; None: some text is no date."""
    n = len(texts)
    if count_matches(texts, _ISO_DATE) < n:
        if count_matches(texts, LIKE_A_DATE) < n:
            return None
        written = texts.to_pylist()
        day_first = begin_with_day(written)
        days = [parse_date(text, day_first=day_first) for text in written]
        return None if None in days else (pa.array([str(day) for day in days]), day_first)
    return (texts, None) if _are_iso(texts) else None


def _moments(texts: pa.Array, *, day_first: bool | None) -> tuple[pa.Array, bool | None, bool] | None:
    """Return date-times in ISO form, whether the day is first, and whether they have time zones; None: others.

    They are days where none has a time of day.

    Either all have a time zone or none has: else it is not known which one is earlier.
    """
    n = len(texts)
    if count_matches(texts, LIKE_A_MOMENT) < n:
        return None
    written, n_zoned = texts.to_pylist(), 0
    at = moment_numbers(written)
    if at is None:
        day_first = begin_with_day(written) if day_first is None else day_first
        numbers = [parse_moment(text, day_first=day_first) for text in written]
        n_zoned = sum(map(has_zone, written))
        if None in numbers or 0 < n_zoned < n:
            return None
        at = np.array(numbers, np.float64)
    timed = bool((at != np.floor(at)).any())
    if timed and count_matches(texts, _ISO_MOMENT) == n:
        return texts, None, False
    return pa.array(moment_texts(at, timed=timed), pa.string()), day_first, n_zoned > 0


def _are_iso(texts: pa.Array) -> bool:
    """Whether all texts are dates of the form YYYY-MM-DD."""
    try:
        pc.strptime(texts, format="%Y-%m-%d", unit="s")
        np.array(texts.to_pylist(), "datetime64[D]")  # checks the lengths of months
    except (pa.ArrowInvalid, ValueError):
        return False
    return count_matches(texts, _ISO_DATE) == len(texts)
