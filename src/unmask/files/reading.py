"""Table readers: text, Parquet, Arrow, spreadsheets, statistics packages, standard input, databases, data frames."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, TypedDict

import pyarrow as pa
import pyarrow.ipc

from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import Dsn, is_dsn
from unmask.files.databases.reading import read_database
from unmask.files.embedded import Embedded, of_dictionaries, of_schema
from unmask.files.encodings import as_file, as_utf8, unpacked
from unmask.files.existence import require_file
from unmask.files.foreign.reading import read_foreign
from unmask.files.formats import ARROW, HEAD, PARQUET, FileKind, Format, format_of
from unmask.files.header_rows import with_header, with_times
from unmask.files.raw import MISSING, CellFormat, Raw
from unmask.files.row_index import row_index
from unmask.files.scratch import scratch
from unmask.number_format import numeral
from unmask.runtime.memory_estimate import require_column_memory, require_text_memory
from unmask.wording import message


class FileFormat(TypedDict):
    """The format of a file; None is detected."""

    encoding: str | None
    delimiter: str | None
    decimal: str | None
    skip_lines: int | None
    sheet: str | None


def read(
    source: str | Path | Any,  # noqa: ANN401 - any data frame that narwhals knows
    *,
    missing: Iterable[str] = MISSING,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
    cellwise: bool = False,
) -> Raw:
    """Read a table from a file, standard input (`-`), a database, or a data frame (pandas, Polars, Arrow, ...).

    A column of a text file is numeric if all of its cells are numbers; `01234` is not. Values in `missing` count as
    missing, as do empty cells. A DSN with a table (`sqlite:///people.db#register`) gives the same result as a CSV file
    of the same cells. The header of text and of a sheet is below `skip_lines` lines. Notes report what was detected.

    `cellwise`: no record decides how another is read. Nothing is detected but the delimiter, in the header: without
    options text is UTF-8 and the decimal sign a point, and numbers are read cell by cell.

    Fails
        With `InvalidInputError` where the file, table, header or rows do not exist, or two columns have one name.
    """
    cells = CellFormat(frozenset(missing), decimal, cellwise=cellwise)
    raw = _read_source(source, encoding, delimiter, cells, skip_lines, sheet)
    raw = replace(raw, is_file=isinstance(source, (str, Path)) and not is_dsn(source))
    index = row_index(raw.columns)
    if not index:
        return raw
    note = message(
        "row numbers or names, by R or pandas, in {index}: not published unless it has a role", index=", ".join(index)
    )
    return replace(raw, index=index, notes=(note, *raw.notes))


def _read_source(
    source: str | Path | Any,  # noqa: ANN401 - any data frame that narwhals knows
    encoding: str | None,
    delimiter: str | None,
    cells: CellFormat,
    skip_lines: int | None,
    sheet: str | None,
) -> Raw:
    if not isinstance(source, (str, Path)):
        from unmask.files.frames import frame_table  # noqa: PLC0415 - no command needs the library of data frames

        return Raw.from_arrow(frame_table(source), "data frame", cells)
    if is_dsn(source):
        dsn = Dsn.of(str(source))
        _require_database(dsn)
        return Raw.from_arrow(read_database(dsn), dsn.name, cells)
    path = Path(source)
    name, short = str(source), path.name  # reports must not contain paths
    if name == "-":
        name = short = "standard input"
    else:
        require_file(path)
    with scratch() as room:
        try:
            file = unpacked(as_file(_standard_input() if name == "standard input" else path, name, room), name, room)
            with file.open("rb") as opened:
                head = opened.read(HEAD)
        except OSError as error:
            raise InvalidInputError.unreadable(repr(name), error) from error
        form = format_of(head) or _by_name(path, head)
        if form is None or form.kind is None:
            return _read_text(file, name, encoding, delimiter, cells, short, skip_lines)
        if form.kind is FileKind.PARQUET:
            return _read_parquet(file, name, cells, short)
        if form.kind is FileKind.ARROW:
            return _read_arrow(file, name, cells, short, is_stream=not head.startswith(b"ARROW1"))
        if form.kind is FileKind.WORKBOOK:
            return _read_sheet(file, name, form, cells, short, skip_lines, sheet)
        foreign = read_foreign(file, name, form, encoding=encoding)
        raw = Raw.from_arrow(foreign.table, short, cells)
        return replace(raw, asides=tuple(foreign.about["asides"]), embedded=_embedded(foreign.about))


def _embedded(about: Mapping[str, Any]) -> tuple[Embedded, ...]:
    """Return what another process detected beside a table."""
    return tuple(Embedded(what, count) for what, count in about["embedded"])


def _by_name(path: Path, head: bytes) -> Format | None:
    """Return the format that a name promises, of bytes that are no text: the file is damaged."""
    known = {".parquet": PARQUET, ".pq": PARQUET, ".arrow": ARROW, ".feather": ARROW}
    return known.get(path.suffix.lower()) if b"\0" in head else None


def _standard_input() -> BinaryIO:
    """Return standard input; fail where it is closed."""
    if sys.stdin is None or not hasattr(sys.stdin, "buffer"):
        msg = message("standard input must be open to be read. Name a file, or send the table there")
        raise InvalidInputError(msg)
    return sys.stdin.buffer


def _require_database(dsn: Dsn) -> None:
    """Fail where the file of a database does not exist, and suggest its place."""
    if dsn.path is None:
        return
    anywhere = Path("/", dsn.path)
    if not dsn.path.exists() and anywhere.is_file():
        msg = message(
            "{display} must be where you are; there is none. {scheme}:///{anywhere} is: four slashes in all",
            display=repr(dsn.display),
            scheme=dsn.scheme,
            anywhere=anywhere,
        )
        raise InvalidInputError(msg)
    require_file(dsn.path)


@contextmanager
def _complete(name: str, form: str) -> Iterator[None]:
    """Turn an error of Arrow into one that names the file."""
    try:
        yield
    except (MemoryError, InvalidInputError):  # one of Arrow's exceptions is a subclass of the first
        raise
    except (pa.ArrowException, OSError) as error:
        msg = message("{name} must be a complete {form} file; it seems cut off or damaged", name=repr(name), form=form)
        raise InvalidInputError(msg) from error


def _read_arrow(path: Path, name: str, cells: CellFormat, short: str, *, is_stream: bool) -> Raw:
    with _complete(name, "Arrow"), pa.memory_map(str(path)) as source:
        table = (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(source).read_all()
        table.validate(full=True)  # offsets in damaged files may lie outside of them
    beside = (*of_schema(table.schema), *of_dictionaries(table))
    return replace(Raw.from_arrow(table, short, cells), embedded=beside)


def _read_parquet(path: Path, name: str, cells: CellFormat, short: str) -> Raw:
    """Read a Parquet file one column after another: as text or plain numbers, a large table may not fit in memory."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - only where there is such a file

    with _complete(name, "Parquet"), pq.ParquetFile(path) as file:
        schema = file.schema_arrow
    texts = [field.name for field in schema if field.type == pa.string()]
    with _complete(name, "Parquet"), pq.ParquetFile(path, read_dictionary=texts) as file:  # texts are coded in the file

        def column_at(place: int) -> pa.ChunkedArray:
            column = file.read(columns=[schema.names[place]]).column(schema.names[place])
            column.validate(full=True)
            return column

        require_column_memory(name, file.metadata.num_rows, len(schema.names))
        raw = Raw.from_columns(schema.names, file.metadata.num_rows, column_at, short, cells)
    return replace(raw, embedded=of_schema(schema))


def _read_sheet(
    source: Path, name: str, form: Format, cells: CellFormat, short: str, skip_lines: int | None, sheet: str | None
) -> Raw:
    found = read_foreign(source, name, form, sheet=sheet)
    table, header, notes = with_header(found.table, name, skip_lines, cellwise=cells.cellwise)
    merged = sum(last == 0 or last > header for last in found.about["merged"])
    formulas, unstored = found.about["formulas"], found.about["unstored"]
    if merged:
        notes.append(
            message(
                "{merged} merged cells: only the first cell of each has a value, the others are empty",
                merged=numeral(merged),
            )
        )
    if unstored:
        notes.append(
            message(
                "{unstored} of {formulas} formulas have no stored value, and are empty: save it in its program",
                unstored=numeral(unstored),
                formulas=numeral(formulas),
            )
        )
    elif formulas:
        notes.append(message("{formulas} formulas: their stored values are read", formulas=numeral(formulas)))
    table = table if cells.cellwise else with_times(table)
    raw = replace(Raw.from_arrow(table, short, cells), embedded=_embedded(found.about))
    return _noted(raw, [*found.about["notes"], *notes])


def _noted(raw: Raw, notes: Iterable[str]) -> Raw:
    """Return a raw table with notes on its file before those on its cells."""
    return replace(raw, notes=(*notes, *raw.notes))


def _read_text(
    source: Path,
    name: str,
    encoding: str | None,
    delimiter: str | None,
    cells: CellFormat,
    short: str,
    skip_lines: int | None,
) -> Raw:
    if cells.decimal not in {None, ".", ","}:
        msg = message("--decimal must be . or ,; got {decimal}", decimal=repr(cells.decimal))
        raise InvalidInputError(msg)
    from unmask.files.delimited import read_delimited  # noqa: PLC0415 - DuckDB, for text files only

    require_text_memory(name, source.stat().st_size)
    with as_utf8(source, name, encoding, guess=not cells.cellwise) as text:
        table, notes = read_delimited(text.path, name, delimiter, by_header=cells.cellwise, skip_lines=skip_lines)
    if text.guessed:
        notes.insert(0, message("read as Windows-1252, since it is not UTF-8; --encoding changes that"))
    elif encoding is None and text.encoding in {"utf-16", "utf-32"}:
        notes.insert(0, message("read as {encoding}", encoding=text.encoding.upper()))
    return _noted(Raw.from_arrow(table, short, cells), notes)
