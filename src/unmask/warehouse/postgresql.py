"""PostgreSQL: queries in one read-only transaction, so that nothing is ever written."""

from __future__ import annotations

from contextlib import ExitStack
from typing import ClassVar

import psycopg
import pyarrow as pa

from unmask.errors import InvalidInputError
from unmask.files.databases.cells import Sort
from unmask.files.databases.dsn import Dsn, display_text, is_dsn
from unmask.files.databases.postgresql import broken_off, categories, connected, selected
from unmask.warehouse.engine import CellType, Source
from unmask.warehouse.statements import relation, require_distinct
from unmask.wording import message

_DATE = 1082  # type OID


class PostgreSQL:
    """Queries on a server. The transaction is read-only, so no step is stored: each query computes its own."""

    name: ClassVar[str] = "postgresql"
    dialect: ClassVar[str] = "postgres"

    def __init__(self, source: str, name: str) -> None:
        if not is_dsn(source) or (dsn := Dsn.of(source)).path is not None:
            msg = message("--engine postgresql must come with postgresql://HOST/DATABASE#TABLE; got something else")
            raise InvalidInputError(msg)
        self._dsn, self._open = dsn, ExitStack()
        try:
            self._connection = self._open.enter_context(connected(dsn))
            self.source = self.beside(source, name)
        except psycopg.Error as error:
            self.close()
            raise broken_off(dsn, error) from None
        except BaseException:
            self.close()
            raise

    def beside(self, source: str, name: str) -> Source:
        """Open another table of the same database."""
        dsn = Dsn.of(source) if is_dsn(source) else None
        if dsn is None or dsn.url != self._dsn.url:
            msg = message(
                "tables of one engine must be of one database; {source} is elsewhere", source=repr(display_text(source))
            )
            raise InvalidInputError(msg)
        try:
            statement, names, kinds = selected(self._connection, dsn)
            require_distinct(names, dsn)
            sorts = categories(self._connection, names, kinds)
        except psycopg.Error as error:
            raise broken_off(dsn, error) from None
        typed = zip(names, kinds, sorts, strict=True)
        columns = {column: _kind(kind, category, sort) for column, kind, (category, sort) in typed}
        return Source(name, relation(statement, self.dialect, dsn), columns)

    def arrow(self, query: str) -> pa.Table:
        """Run a query and return its rows."""
        try:
            found = self._connection.execute(query.encode())
            names = [one.name for one in found.description or ()]
            rows = found.fetchall()
        except psycopg.Error as error:
            raise broken_off(self._dsn, error) from None
        cells = zip(*rows, strict=True) if rows else [()] * len(names)
        return pa.table([pa.array(column) for column in cells], names=names)

    def keep(self, name: str, query: str) -> bool:
        """Return False: a read-only transaction stores nothing."""
        del name, query
        return False

    def close(self) -> None:
        """End the transaction and the connection."""
        self._open.close()


def _kind(kind: int, category: str, sort: Sort) -> CellType:
    if sort is Sort.NUMBER:
        return CellType.REAL
    if kind == _DATE:
        return CellType.DATE
    known = {"S": CellType.TEXT, "E": CellType.UNKNOWN, "N": CellType.WHOLE}
    return known.get(category, CellType.OTHER)
