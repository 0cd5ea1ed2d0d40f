"""DuckDB: files of Parquet or CSV, by path, glob or address, and DuckDB's own databases, opened read-only."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import duckdb
import pyarrow as pa

from unmask.errors import InvalidInputError
from unmask.files.databases.cells import Sort
from unmask.files.databases.dsn import Dsn, display_text, is_dsn
from unmask.files.databases.duck import MACHINE, opened, selected, sort_of
from unmask.files.databases.failures import failed
from unmask.files.databases.names import quoted
from unmask.files.existence import is_release_folder
from unmask.runtime.machine import duckdb_settings
from unmask.warehouse.engine import CellType, Source
from unmask.warehouse.expressions import table
from unmask.warehouse.statements import relation, require_distinct
from unmask.wording import message

_PARQUET = (".parquet", ".pq")
_TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".csv.zst")
_FILES = "unmask_source"
_WHOLE = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")} | {
    "INTEGER",
    "UINTEGER",
}


class DuckDB:
    """Queries in this process, streamed from files or a database; larger results are put on disk until the end."""

    name: ClassVar[str] = "duckdb"
    dialect: ClassVar[str] = "duckdb"

    def __init__(self, source: str, name: str) -> None:
        self._open, self._n_files = ExitStack(), 0
        try:
            self._dsn = Dsn.of(source) if is_dsn(source) else Dsn("duckdb", source, Path(source), source, None)
            self._connection = self._database() if is_dsn(source) else self._in_memory()
            self.source = self.beside(source, name)
        except BaseException:
            self.close()
            raise

    def beside(self, source: str, name: str) -> Source:
        """Open another table of the database, or other files beside files."""
        if not is_dsn(source) and not is_dsn(self._dsn.url):
            return self._files(source, name)
        dsn = Dsn.of(source) if is_dsn(source) else None
        if dsn is None or not is_dsn(self._dsn.url) or dsn.path != self._dsn.path:
            msg = message(
                "tables of one engine must all be files, or of one database; {source} is elsewhere",
                source=repr(display_text(source)),
            )
            raise InvalidInputError(msg)
        statement, kinds = selected(self._connection, dsn)
        require_distinct([column for column, _ in kinds], dsn)
        columns = {column: _kind(column, kind) for column, kind in kinds}
        return Source(name, relation(statement, self.dialect, dsn), columns)

    def arrow(self, query: str) -> pa.Table:
        """Run a query and return its rows."""
        try:
            return self._connection.sql(query).to_arrow_table()
        except duckdb.Error as error:
            raise self._failed(error) from None

    def keep(self, name: str, query: str) -> bool:
        """Store the rows of a query as a temporary table."""
        try:
            self._connection.execute(f"create or replace temp table {quoted(name)} as {query}")
        except duckdb.Error as error:
            raise self._failed(error) from None
        return True

    def close(self) -> None:
        """End the connection, and remove what it put on disk."""
        self._open.close()

    def _database(self) -> duckdb.DuckDBPyConnection:
        dsn = self._dsn
        if dsn.scheme != "duckdb" or dsn.path is None:
            msg = message(
                "--engine duckdb must come with files or duckdb:///FILE#TABLE; got {scheme}://. Choose its engine",
                scheme=dsn.scheme,
            )
            raise InvalidInputError(msg)
        return self._open.enter_context(opened(dsn, dsn.path))

    def _in_memory(self) -> duckdb.DuckDBPyConnection:
        folder = self._open.enter_context(tempfile.TemporaryDirectory(prefix="unmask-duckdb-"))
        connection = self._open.enter_context(duckdb.connect(config={"temp_directory": folder} | duckdb_settings()))
        connection.execute("set TimeZone = 'UTC'; set enable_progress_bar = false")
        return connection

    def _files(self, source: str, name: str) -> Source:
        connection, view = self._connection, f"{_FILES}{self._n_files or ''}"
        low = source.lower()
        path = source if set(source) & set("*?[") or "://" in source else str(Path(source))
        try:
            if low.endswith(_PARQUET):
                rows = connection.read_parquet(path)
            elif low.endswith(_TEXT):
                comma, quote = (",", '"') if is_release_folder(Path(path).parent) else (None, None)
                rows = connection.read_csv(path, header=True, all_varchar=True, delimiter=comma, quotechar=quote)
            else:
                msg = message(
                    "--engine duckdb must come with files of Parquet or CSV, or duckdb:///FILE#TABLE; got {source}. "
                    "Write a glob such as 'data/*.parquet'",
                    source=repr(source),
                )
                raise InvalidInputError(msg)
            rows.create_view(view)
        except duckdb.IOException:
            msg = message("{source} must be files that exist and can be read; they are not", source=repr(source))
            raise InvalidInputError(msg) from None
        except duckdb.Error as error:
            raise self._failed(error) from None
        self._n_files += 1
        columns = {column: _kind(column, str(kind)) for column, kind in zip(rows.columns, rows.types, strict=True)}
        return Source(name, table(view), columns)

    def _failed(self, error: duckdb.Error) -> Exception:
        return failed(self._dsn, type(error).__name__, machine=isinstance(error, MACHINE))


def _kind(column: str, kind: str) -> CellType:
    sort = sort_of(column, kind)
    if sort is Sort.NUMBER:
        return CellType.REAL
    if kind == "VARCHAR":
        return CellType.TEXT
    if kind == "DATE":
        return CellType.DATE
    if kind.startswith("ENUM"):
        return CellType.UNKNOWN
    return CellType.WHOLE if kind in _WHOLE or kind.startswith("DECIMAL") else CellType.OTHER
