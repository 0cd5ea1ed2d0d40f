"""Table readers: CSV, Parquet, Arrow, standard input, databases, data frames."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.ipc

from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import Dsn, is_dsn
from unmask.files.databases.reading import read_database
from unmask.files.encodings import as_file, as_utf8
from unmask.files.existence import require_file
from unmask.files.formats import HEAD
from unmask.files.raw import MISSING, CellFormat, Raw
from unmask.files.scratch import scratch


def read(
    source: str | Path | Any,  # noqa: ANN401 - any data frame that narwhals knows
    *,
    missing: Iterable[str] = MISSING,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    cellwise: bool = False,
) -> Raw:
    """Read a table from a file, standard input (`-`), a database, or a data frame (pandas, Polars, Arrow, ...).

    A column of a text file is numeric if all of its cells are numbers; `01234` is not. Values in `missing` count as
    missing, as do empty cells. A DSN with a table (`sqlite:///people.db#register`) gives the same result as a CSV file
    of the same cells. Notes report what was detected.

    `cellwise`: no record decides how another is read. Nothing is detected but the delimiter, in the header: without
    options text is UTF-8 and the decimal sign a point, and numbers are read cell by cell.

    Fails
        With `InvalidInputError` where the file, table, header or rows do not exist, or two columns have one name.
    """
    cells = CellFormat(frozenset(missing), decimal, cellwise=cellwise)
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
        file = as_file(_standard_input() if name == "standard input" else path, name, room)
        try:
            with file.open("rb") as opened:
                head = opened.read(HEAD)
        except OSError as error:
            raise InvalidInputError.unreadable(repr(name), error) from error
        if head.startswith((b"PAR1", b"ARROW1")) or path.suffix.lower() in {".parquet", ".pq", ".arrow", ".feather"}:
            parquet = head.startswith(b"PAR1") or path.suffix.lower() in {".parquet", ".pq"}
            return (_read_parquet if parquet else _read_arrow)(file, name, cells, short)
        return _read_text(file, name, encoding, delimiter, cells, short)


def _standard_input() -> BinaryIO:
    """Return standard input; fail where it is closed."""
    if sys.stdin is None or not hasattr(sys.stdin, "buffer"):
        msg = "standard input must be open to be read. Name a file, or send the table there"
        raise InvalidInputError(msg)
    return sys.stdin.buffer


def _require_database(dsn: Dsn) -> None:
    """Fail where the file of a database does not exist, and suggest its place."""
    if dsn.path is None:
        return
    anywhere = Path("/", dsn.path)
    if not dsn.path.exists() and anywhere.is_file():
        msg = (
            f"{dsn.display!r} must be where you are; there is none. {dsn.scheme}:///{anywhere} is: four slashes in all"
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
        msg = f"{name!r} must be a complete {form} file; it seems cut off or damaged"
        raise InvalidInputError(msg) from error


def _read_arrow(path: Path, name: str, cells: CellFormat, short: str) -> Raw:
    with _complete(name, "Arrow"), pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
        table.validate(full=True)  # offsets in damaged files may lie outside of them
    return Raw.from_arrow(table, short, cells)


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

        return Raw.from_columns(schema.names, file.metadata.num_rows, column_at, short, cells)


def _read_text(
    source: Path, name: str, encoding: str | None, delimiter: str | None, cells: CellFormat, short: str
) -> Raw:
    if cells.decimal not in {None, ".", ","}:
        msg = f"--decimal must be . or ,; got {cells.decimal!r}"
        raise InvalidInputError(msg)
    from unmask.files.delimited import read_delimited  # noqa: PLC0415 - DuckDB, for text files only

    with as_utf8(source, name, encoding, guess=not cells.cellwise) as text:
        table, notes = read_delimited(text.path, name, delimiter, by_header=cells.cellwise)
    if text.guessed:
        notes.insert(0, "read as Windows-1252, since it is not UTF-8; --encoding changes that")
    elif encoding is None and text.encoding in {"utf-16", "utf-32"}:
        notes.insert(0, f"read as {text.encoding.upper()}")
    raw = Raw.from_arrow(table, short, cells)
    return Raw(raw.name, raw.columns, raw.n_rows, (*notes, *raw.notes), raw.decimal)
