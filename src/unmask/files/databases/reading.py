"""The entry point of database readers: from a DSN to a table of text."""

from __future__ import annotations

import pyarrow as pa

from unmask.errors import InvalidInputError
from unmask.files.databases.dsn import Dsn
from unmask.runtime import work
from unmask.wording import message


def read_database(dsn: Dsn) -> pa.Table:
    """Read the table or query of a DSN as an Arrow table of text; engines are imported only on use.

    Fails
        With `InvalidInputError` where the table or query cannot be read, with `DatabaseError` where reading breaks off.
    """
    with work.step(message("reading {dsn}", dsn=dsn.name)):
        table = _read(dsn)
    if table.num_rows == 0:
        msg = message("{dsn} must have at least one row; it has none", dsn=repr(dsn.name))
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
