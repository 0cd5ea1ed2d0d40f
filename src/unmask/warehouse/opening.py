"""The engines by name, each imported on use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager

from unmask.errors import InvalidInputError
from unmask.runtime.extras import require_installed
from unmask.warehouse.engine import Engine


def _duckdb(source: str, name: str) -> Engine:
    from unmask.warehouse.duck import DuckDB  # noqa: PLC0415 - each engine loads its own client

    return DuckDB(source, name)


def _postgresql(source: str, name: str) -> Engine:
    require_installed("psycopg", "--engine postgresql")
    from unmask.warehouse.postgresql import PostgreSQL  # noqa: PLC0415

    return PostgreSQL(source, name)


def _spark(source: str, name: str) -> Engine:
    require_installed("pyspark", "--engine spark")
    from unmask.warehouse.spark import Spark  # noqa: PLC0415

    return Spark(source, name)


ENGINES: Mapping[str, Callable[[str, str], Engine]] = {"duckdb": _duckdb, "postgresql": _postgresql, "spark": _spark}
"""A function that opens each engine, for a source with the name that reports give it."""


@contextmanager
def opened_engine(engine: str, source: str, name: str) -> Iterator[Engine]:
    """Open an engine with the table that is measured; close it after the `with` block.

    Fails
        With `InvalidInputError` for an unknown engine, or a source that it cannot read.
    """
    if engine not in ENGINES:
        raise InvalidInputError.unknown_name("engine", engine, ENGINES)
    with closing(ENGINES[engine](source, name)) as found:
        yield found
