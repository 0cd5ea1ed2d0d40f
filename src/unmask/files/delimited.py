"""Delimited text files: every cell as text, read by DuckDB; types are decided later, column by column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from unmask.csv_writing import BrokenRowsError, read_rows
from unmask.errors import InvalidInputError, ResourceError
from unmask.files.header_rows import NUMBER, named_columns
from unmask.files.line_ends import require_whole_quotes, with_one_line_end
from unmask.files.raw import trimmed
from unmask.files.text_layout import (
    BLANKS,
    are_blanks,
    first_rows,
    have_delimiters,
    have_row_numbers,
    title_lines,
    with_tabs,
    without_lines,
)
from unmask.number_format import numeral
from unmask.runtime.machine import WAY_OUT, duckdb_settings, share
from unmask.runtime.memory_size import size_text
from unmask.wording import joined, marked, message

DELIMITERS = (",", ";", "\t", "|")
_NAMES = {
    ",": marked("comma"), ";": marked("semicolon"), "\t": marked("tab"), "|": marked("vertical bar"),
    BLANKS: marked("blanks"),
}  # fmt: skip
_SAMPLE = 200  # lines that must agree on a delimiter
_SMALL = 1 << 20  # bytes; what a larger file takes is freed with its connection
_ALONE: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "temp_directory": "",  # else records may spill into a folder `.tmp` of the working directory
}


def read_delimited(
    path: Path,
    name: str,
    delimiter: str | None = None,
    *,
    header: bool = False,
    by_header: bool = False,
    skip_lines: int | None = None,
) -> tuple[pa.Table, list[str]]:
    """Read a UTF-8 file of separated values; return an Arrow table of text, and notes on detected settings.

    `header`: the first line is known to name the columns, since unmask wrote the file. `by_header`: it alone decides
    which delimiter is detected, and quotes enclose whole cells: no record decides how others are taken apart.
    `skip_lines`: the number of lines above the header.

    Fails
        With `InvalidInputError` for an empty file, a first line that names no columns, and lines with more or fewer
        cells than it; the message gives the line's number, never its content.
    """
    delimiter = _one_character(delimiter)
    with without_lines(path, skip_lines or 0) as whole:
        _require_header_line(whole, name, skip_lines)
        separator = delimiter or _delimiter(whole, 1 if by_header else _SAMPLE)
        with with_tabs(whole, separator) as (file, sign):
            if by_header:
                require_whole_quotes(file, name, sign)
            names, table = _read(file, name, sign, header=header or skip_lines is not None, numbers=not by_header)
            _require_names_of_columns(names, file, name, sign)
            if len(names) == 1 and delimiter is None and skip_lines is None and not (header or by_header):
                _require_one_column(whole, name)
    notes = []
    if delimiter is None and separator != ",":
        notes.append(message("columns separated by {sign}", sign=message(_NAMES.get(separator, repr(separator)))))
    kept, more = named_columns(names, name)
    return pa.table([table.column(i) for i in kept], names=[names[i] for i in kept]), notes + more


def _require_header_line(path: Path, name: str, skip_lines: int | None) -> None:
    """Fail where there is no first line with text in it."""
    if path.stat().st_size and _first_line(path).strip():
        return
    above = (
        ""
        if skip_lines is None
        else message(" below the {n} lines that --skip-lines leaves out", n=numeral(skip_lines))
    )
    msg = message(
        "{name} must have a header line that names its columns{above}; it is empty{title}",
        name=repr(name),
        above=above,
        title=_title(path),
    )
    raise InvalidInputError(msg)


def _title(path: Path, delimiter: str | None = None) -> str:
    """Return a hint where lines above the header seem to be a title; empty where none do."""
    lines = title_lines(path, DELIMITERS if delimiter is None else (delimiter,))
    return message(". If lines above the header are a title, skip them: --skip-lines {n}", n=lines) if lines else ""


def _require_names_of_columns(names: list[str], path: Path, name: str, delimiter: str) -> None:
    """Fail where most columns have no name: a title that a spreadsheet filled up with delimiters."""
    named = sum(map(bool, names))
    if named * 2 < len(names):
        msg = message(
            "the first line of {name} must name the columns; it names {named} of {n}",
            name=repr(name),
            named=named,
            n=len(names),
        )
        way_out = _title(path, delimiter) or message(". Name the others, or remove them")
        raise InvalidInputError(joined([msg, way_out], ""))


def _require_one_column(path: Path, name: str) -> None:
    """Fail where most lines below the first have several cells: that is then a title."""
    if have_delimiters(path, DELIMITERS) and (hint := _title(path)):
        msg = message(
            "the first line of {name} must name the columns; it has one cell, and most lines have several",
            name=repr(name),
        )
        way_out = message(". If the table has one column, give --delimiter ,")
        raise InvalidInputError(joined([msg, hint, way_out], ""))


def _read(path: Path, name: str, separator: str, *, header: bool, numbers: bool) -> tuple[list[str], pa.Table]:
    """Return the names of columns, and their cells; `numbers`: the first column may be numbers without a name."""
    with with_one_line_end(path, separator) as lines, _engine(path.stat().st_size) as connection:
        names = _header(lines, name, separator)
        numbered = not header and any(NUMBER.fullmatch(column) for column in names)
        if numbered and not _header_differs(connection, lines, separator):
            msg = message(
                "the first line of {name} must name the columns; it seems to hold data. Add a header line",
                name=repr(name),
            )
            raise InvalidInputError(msg)
        if numbers and len(names) > 1 and have_row_numbers(first_rows(lines, separator)):
            names.insert(0, "")
            with without_lines(lines, 1) as below:
                return names, _cells(connection, below, name, len(names), separator, newlines=True, header=False)
        try:
            return names, _cells(connection, lines, name, len(names), separator, newlines=lines != path)
        except InvalidInputError as error:
            raise InvalidInputError(joined([str(error), _title(lines)], "")) from None


@contextmanager
def _engine(size: int) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection: for a small file one of the process, since opening one takes longer than reading the file."""
    with _shared().cursor() if size <= _SMALL else duckdb.connect(config=_ALONE | duckdb_settings()) as connection:
        yield connection


@cache
def _shared() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config=_ALONE)


def _one_character(delimiter: str | None) -> str | None:
    r"""Return a delimiter as one character; `\t` and `tab` may be written for a tab, `space` for runs of blanks."""
    if delimiter == "space":
        return BLANKS
    if delimiter in {"\\t", "tab"}:
        return "\t"
    if delimiter and (len(delimiter) > 1 or delimiter in '"\r\n\0'):
        msg = message(
            "--delimiter must be one character, and no quote; got {delimiter}. Write one like ; or tab",
            delimiter=repr(delimiter),
        )
        raise InvalidInputError(msg)
    return delimiter


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8-sig", newline=None) as file:
        return file.readline(1 << 20)


def _delimiter(path: Path, lines: int) -> str:
    """Return the delimiter under which the first `lines` agree with the header, and the header has most cells.

    DuckDB's own guess may prefer a delimiter that the header lacks: of `a;b` over `1,5;2,5` it takes the comma, and
    skips the header.
    """
    scores = {}
    for delimiter in DELIMITERS:
        with path.open(encoding="utf-8-sig", newline="") as file:
            try:
                rows = [row for row, _ in zip(read_rows(file, delimiter=delimiter), range(lines), strict=False)]
            except BrokenRowsError:
                continue
        widths = [len(row) for row in rows if row]
        agree = sum(width == widths[0] for width in widths)
        if widths[0] > 1:
            scores[delimiter] = (agree == len(widths), widths[0])
    if not scores and lines > 1 and are_blanks(path):
        return BLANKS
    return max(scores, key=lambda d: scores[d]) if scores else ","


def _header_differs(connection: duckdb.DuckDBPyConnection, path: Path, delimiter: str) -> bool:
    """Whether the first line differs from the rest, by DuckDB's sniffer.

    Its guesses of quotes and escapes are not used, since they change data (`'a'` loses its apostrophes): a quote is
    always `"`, doubled inside quotes.
    """
    try:
        query = "select HasHeader from sniff_csv(?, delim = ?)"
        rows = connection.sql(query, params=[str(path), delimiter]).fetchall()
    except duckdb.Error:
        return True
    return bool(rows[0][0])


def _header(path: Path, name: str, delimiter: str) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            names = next(read_rows(file, delimiter=delimiter, skipinitialspace=True), [])
        except BrokenRowsError as error:
            msg = message("the first line of {name} must name the columns; it cannot be taken apart", name=repr(name))
            raise InvalidInputError(msg) from error
    return [trimmed(column) for column in names]


def _cells(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    name: str,
    n: int,
    delimiter: str,
    *,
    newlines: bool,
    header: bool = True,
) -> pa.Table:
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(n))
    options = f"auto_detect = false, header = {header}, delim = ?, quote = '\"', escape = '\"', columns = {{{columns}}}"
    if newlines:  # else DuckDB takes a carriage return inside a quoted name for the end of every line
        options += ", new_line = '\\n'"
    query = "select * from read_csv(?, {})"
    try:
        try:
            return connection.sql(query.format(options), params=[str(path), delimiter]).to_arrow_table()
        except duckdb.InvalidInputException as error:
            if "Maximum line size" not in str(error):
                raise
            options += f", max_line_size = {path.stat().st_size}"  # by default 2 MB; more takes more memory
            return connection.sql(query.format(options), params=[str(path), delimiter]).to_arrow_table()
    except duckdb.OutOfMemoryException:
        most = size_text(share().memory)
        raise ResourceError(
            message(
                "{name} must fit into {most} of memory to be read; it does not. {way_out}",
                name=repr(name),
                most=most,
                way_out=WAY_OUT,
            )
        ) from None
    except duckdb.IOException:  # its message contains the path
        msg = message(
            "{name} must be readable to its end; the system could not read it. See whether its disk is in order",
            name=repr(name),
        )
        raise ResourceError(msg) from None
    except duckdb.Error as error:
        raise InvalidInputError(
            _explanation(str(error), name)
        ) from None  # DuckDB quotes the line, which may hold personal data


def _explanation(reported: str, name: str) -> str:
    line = re.search(r"Line: (\d+)", reported)
    where = message("line {n} of {name}", n=line[1], name=repr(name)) if line else repr(name)
    cells = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", reported)
    if cells:
        return message(
            "{where} must have {needed} cells like the header; got {got}. Quote cells that contain the "
            "delimiter, or give the right --delimiter",
            where=where,
            needed=cells[1],
            got=cells[2],
        )
    if "unterminated quote" in reported:
        return message("{where} must close the quotes that it opens; it does not", where=where)
    return message("{where} must be separated values of one form; it is not", where=where)
