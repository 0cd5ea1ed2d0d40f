"""The door to databases: a DSN in, a table of text out."""

from __future__ import annotations

import pyarrow as pa

from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import Dsn
from unmask.runtime import work


def read_database(dsn: Dsn) -> pa.Table:
    """Read what a DSN names as an Arrow table of text; the engine is imported only here.

    Fails
        With `InvalidInputError` where there is nothing to be read, with `DatabaseError` where reading breaks off.
    """
    with work.step(f"reading {dsn.name}"):
        table = _read(dsn)
    if table.num_rows == 0:
        msg = f"{dsn.name!r} must have at least one row; it has none"
        raise InvalidInputError(msg)
    return table


def _read(dsn: Dsn) -> pa.Table:
    if dsn.path is None:
        from unmask.files.databases.postgresql import read_postgresql  # noqa: PLC0415 - each loads its own engine

        return read_postgresql(dsn)
    if dsn.scheme == "sqlite":
        from unmask.files.databases.sqlite import read_sqlite  # noqa: PLC0415

        return read_sqlite(dsn, dsn.path)
    from unmask.files.databases.duck import read_duckdb  # noqa: PLC0415

    return read_duckdb(dsn, dsn.path)
