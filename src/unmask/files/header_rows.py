"""The header of a sheet: the row that names the columns, below empty rows and titles."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unmask.arrays import Int64
from unmask.errors import InvalidInputError
from unmask.files.raw import require_names, trimmed
from unmask.wording import counted, message

NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_DAY = r"^\d{4}-\d\d-\d\d$"
_MOMENT = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$"
_SAMPLE = 50  # rows that decide how wide the table is


def with_header(
    sheet: pa.Table, name: str, skip_lines: int | None = None, *, cellwise: bool = False
) -> tuple[pa.Table, int, list[str]]:
    """Return the rows below the header that have a cell, the header's row from 1, and notes.

    The header is the first row with cells, after `skip_lines` rows. Without a number of these, rows with at most half
    of the cells of the widest rows below are titles; if `cellwise`, none is, since records must not decide it.

    Fails
        With `InvalidInputError` for a sheet without cells, and a row that names no columns.
    """
    blank = [
        pc.fill_null(pc.equal(pc.utf8_trim_whitespace(column), ""), fill_value=True).to_numpy()
        for column in sheet.columns
    ]
    filled = np.logical_not(blank) if blank else np.zeros((0, 0), bool)  # (columns, rows)
    counts = filled.sum(axis=0)
    first = _first(counts, skip_lines or 0)
    if first is None:
        msg = message("{name} must have a header row that names its columns; it is empty", name=repr(name))
        raise InvalidInputError(msg)
    at = first
    if skip_lines is None and not cellwise:
        at += int(np.argmax(counts[first : first + _SAMPLE] * 2 > counts[first : first + _SAMPLE].max()))
    notes = (
        [message("{rows} above the header left out, as a title; --skip-lines changes that", rows=_rows(first, at))]
        if at > first
        else []
    )
    names = [trimmed(column[at].as_py() or "") for column in sheet.columns]
    kept = np.flatnonzero(counts[at + 1 :]) + at + 1
    used = [i for i in range(len(names)) if names[i] or filled[i, kept].any()]
    if skip_lines is None:
        _require_names_of_columns(sheet, name, [names[i] for i in used], kept, used)
    places, more = named_columns([names[i] for i in used], name)
    used = [used[i] for i in places]
    below = sheet.select(used).take(pa.array(kept))
    return below.rename_columns([names[i] for i in used]), at + 1, notes + more


def named_columns(names: list[str], name: str) -> tuple[list[int], list[str]]:
    """Return the places of the columns that have a name, and a note on those without.

    Fails
        With `InvalidInputError` where two columns have the same name.
    """
    places = [i for i, column in enumerate(names) if column]
    require_names(name, [names[i] for i in places])
    nameless = len(names) - len(places)
    if not nameless:
        return places, []
    return places, [
        counted(
            "{n} column without a name in the header (row names, from R): not used",
            "{n} columns without a name in the header (row names, from R): not used",
            nameless,
            n=nameless,
        )
    ]


def with_times(table: pa.Table) -> pa.Table:
    """Return a table of text; columns of days and moments have the time of day in all cells, as other formats have."""
    columns = [_with_time(column) for column in table.columns]
    return pa.table(columns, names=table.column_names)


def _with_time(column: pa.ChunkedArray) -> pa.ChunkedArray:
    days, moments = pc.match_substring_regex(column, _DAY), pc.match_substring_regex(column, _MOMENT)
    if not pc.any(moments).as_py() or not pc.all(pc.or_(days, moments)).as_py():
        return column
    return pc.if_else(days, pc.binary_join_element_wise(column, "T00:00:00", ""), column)


def _first(counts: Int64, skipped: int) -> int | None:
    """Return the first row with cells, after some rows; None where there is none."""
    filled = np.flatnonzero(counts[skipped:])
    return int(filled[0]) + skipped if filled.size else None


def _rows(first: int, end: int) -> str:
    return (
        message("row {end}", end=end)
        if end == first + 1
        else message("rows {first} to {end}", first=first + 1, end=end)
    )


def _require_names_of_columns(sheet: pa.Table, name: str, names: list[str], rows: Int64, used: list[int]) -> None:
    """Fail where most columns have no name, or the names look like the cells below them."""
    if sum(map(bool, names)) * 2 < len(names):
        msg = message(
            "the first row of {name} must name the columns; it names {sum} of {n}. If it is a title, skip "
            "it: --skip-lines 1",
            name=repr(name),
            sum=sum(map(bool, names)),
            n=len(names),
        )
        raise InvalidInputError(msg)
    if not any(NUMBER.fullmatch(text) for text in names):
        return
    for i, text in zip(used, names, strict=True):
        cells = sheet.column(i).take(pa.array(rows[:_SAMPLE])).to_pylist()
        known = [cell for cell in cells if cell]
        if text and not NUMBER.fullmatch(text) and known and all(NUMBER.fullmatch(cell) for cell in known):
            return
    msg = message(
        "the first row of {name} must name the columns; it seems to hold data. Add a header row, or give "
        "--skip-lines 0 if it is one",
        name=repr(name),
    )
    raise InvalidInputError(msg)
