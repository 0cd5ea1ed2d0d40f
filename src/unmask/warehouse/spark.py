"""Spark: a session that runs here, a cluster, or a Spark Connect server; tables of its catalog, or files that it reads.

The session is the active one, else what PySpark makes of its own settings: `SPARK_REMOTE=sc://HOST:PORT` is a server.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa
from sqlglot import exp

from unmask.errors import DatabaseError, InvalidInputError, UnmaskError, quoted
from unmask.warehouse.engine import CellType, Source
from unmask.warehouse.expressions import table
from unmask.warehouse.statements import table_named
from unmask.wording import message

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PARQUET = (".parquet", ".pq", "/")
_TEXT = (".csv", ".csv.gz")
_FILES = "unmask_source"
_REALS = {"float", "double"}
_WHOLE = {"tinyint", "smallint", "int", "bigint"}
_NESTED = ("array", "map", "struct", "binary", "variant")
_CLIENTS = {"pyspark", "py4j", "grpc"}
"""The packages whose errors mean that Spark did not answer."""


class Spark:
    """Queries in a Spark session. Steps are cached views of the session, dropped at the end; the session stays."""

    name: ClassVar[str] = "spark"
    dialect: ClassVar[str] = "spark"

    def __init__(self, source: str, name: str) -> None:
        self._views: dict[str, DataFrame] = {}
        self._session = _session()
        try:
            self.source = self.beside(source, name)
        except BaseException:
            self.close()
            raise

    def beside(self, source: str, name: str) -> Source:
        """Open another table of the catalog, or other files."""
        with _answering():
            return self._source(source, name)

    def arrow(self, query: str) -> pa.Table:
        """Run a query and return its rows."""
        with _answering():
            return self._session.sql(query).toArrow()

    def keep(self, name: str, query: str) -> bool:
        """Store the rows of a query as a cached view of the session."""
        with _answering():
            self._view(name, self._session.sql(query).cache())
        return True

    def close(self) -> None:
        """Drop the views; a session that has ended has none."""
        for name, rows in reversed(self._views.items()):
            with suppress(Exception):
                self._session.catalog.dropTempView(name)
                rows.unpersist()
        self._views.clear()

    def _source(self, source: str, name: str) -> Source:
        try:
            return self._read(source, name)
        except Exception as error:
            if not _is_refusal(error):
                raise
            msg = message(
                "{source} must be a table of the catalog, or files that Spark can read; it is neither",
                source=quoted(source),
            )
            raise InvalidInputError(msg) from None

    def _read(self, source: str, name: str) -> Source:
        low, reader = source.lower(), self._session.read
        view = f"{_FILES}{len(self._views) or ''}"
        relation: exp.Expression = table(view)
        if low.endswith(_PARQUET):
            rows = reader.parquet(source)
            self._view(view, rows)
        elif low.endswith(_TEXT):
            rows = reader.option("header", "true").option("escape", '"').option("multiLine", "true").csv(source)
            self._view(view, rows)
        else:
            relation = table_named(source)
            rows = self._session.sql(exp.select("*").from_(relation).sql(dialect=self.dialect))
        columns = {column: _kind(column, kind) for column, kind in rows.dtypes}
        return Source(name, relation, columns)

    def _view(self, name: str, rows: DataFrame) -> None:
        rows.createOrReplaceTempView(name)
        self._views[name] = rows


def _session() -> SparkSession:
    from pyspark.sql import SparkSession  # noqa: PLC0415 - imports a client, local or remote, by its settings

    with _answering():
        return SparkSession.getActiveSession() or SparkSession.builder.appName("unmask").getOrCreate()


def _kind(column: str, kind: str) -> CellType:
    if kind.startswith(_NESTED):
        word = kind.partition("<")[0]
        msg = message(
            "column {column} must hold numbers, text or dates; got {word}. Make a view without it, or with a cast",
            column=repr(column),
            word=word,
        )
        raise InvalidInputError(msg)
    if kind in _REALS:
        return CellType.REAL
    if kind in _WHOLE or kind.startswith("decimal"):
        return CellType.WHOLE
    if kind == "date":
        return CellType.DATE
    return CellType.TEXT if kind.startswith(("string", "char", "varchar")) else CellType.OTHER


@contextmanager
def _answering() -> Iterator[None]:
    """Turn the errors of Spark's clients into errors of ours."""
    try:
        yield
    except Exception as error:
        known = isinstance(error, OSError) or type(error).__module__.partition(".")[0] in _CLIENTS
        if not known or isinstance(error, UnmaskError):
            raise
        raise _failed(error) from None


def _is_refusal(error: Exception) -> bool:
    """Whether Spark refuses what was asked: an unknown table, or one that does not fit the query."""
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - of an extra

    return isinstance(error, AnalysisException)


def _failed(error: Exception) -> UnmaskError:
    """Return the error of a query that did not end: its kind alone, since messages of Spark may quote a cell."""
    kind = type(error).__name__
    if _is_refusal(error):
        return InvalidInputError(message("what is asked of Spark must fit the table; it does not ({kind})", kind=kind))
    return DatabaseError(message("Spark must answer to the end; it broke off ({kind})", kind=kind))
