"""The queries of a measurement for a warehouse that cannot be reached from here: written, never run."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from sqlglot import exp
from sqlglot.dialects import Dialect

from unmask.arrays import Float64
from unmask.errors import InvalidInputError
from unmask.models.privacy_model import AnyModel
from unmask.warehouse.assessment import measure_in
from unmask.warehouse.cells import EngineCells
from unmask.warehouse.engine import Source
from unmask.warehouse.engine_audit import EngineAudit
from unmask.warehouse.groups import base_of
from unmask.warehouse.meanings import TEXT
from unmask.warehouse.published import all_columns
from unmask.warehouse.queries import Queries, Ran
from unmask.warehouse.statements import table_named
from unmask.wording import text

_NOT_THERE = re.compile(r"w\d+|starred.*|shown\d+|unplaced")
"""Results of which 0 is assumed: no published cell is missing or suppressed, and each person fits a group."""

_TWO = {"groups", "values"}
"""Results of which 2 is assumed: groups, so that there is a control, and values of a sensitive attribute."""


@dataclass(frozen=True, slots=True)
class Nowhere:
    """A dialect without a connection."""

    source: Source
    dialect: str
    name: ClassVar[str] = "nowhere"

    def beside(self, source: str, name: str) -> Source:
        """Return a table by its name, with columns of unknown types."""
        return Source(name, table_named(source), self.source.columns)

    def arrow(self, query: str) -> pa.Table:
        """Fail: nothing runs here."""
        raise NotImplementedError(query)

    def keep(self, name: str, query: str) -> bool:
        """Return False: nothing is stored."""
        del name, query
        return False

    def close(self) -> None:
        """Do nothing."""


@dataclass(slots=True)
class PlannedQueries(Queries):
    """Queries that are written down in place of being run."""

    written: list[Ran] = field(default_factory=list)

    def rows(self, purpose: str, query: exp.Query) -> list[dict[str, Any]]:
        """Write a query down; return what its result is assumed to be."""
        self.written.append(Ran(purpose, self._text(query)))
        return [{one: None if one == TEXT else _assumed(one) for one in query.named_selects}]

    def columns(self, purpose: str, query: exp.Query) -> Mapping[str, Float64]:
        """Write a query down; return one row of what its result is assumed to be."""
        self.written.append(Ran(purpose, self._text(query)))
        return {one: np.array([_assumed(one)]) for one in query.named_selects}


def _assumed(name: str) -> float:
    return 0.0 if _NOT_THERE.fullmatch(name) else 2.0 if name in _TWO else 1.0


def planned_audit(audit: EngineAudit, queries: PlannedQueries, dialect: str) -> Iterator[str]:
    """Yield the queries of an audit in a dialect, each after a comment with its purpose.

    They hold where no cell is missing or suppressed, each person fits exactly one group, and an attribute has two
    values.
    """
    deque(audit.scenes(), maxlen=0)
    yield _head(dialect)
    yield "-- " + text(
        "Each person fits exactly one group, and a sensitive attribute has two values: of a third, s2 and m2 follow."
    )
    yield from _numbered(queries)


def _head(dialect: str) -> str:
    head = text(
        "Written by unmask for {dialect}, and never run there: unmask reached no such warehouse.", dialect=dialect
    )
    where = text("They hold where no quasi-identifier is missing or suppressed, which the second query shows.")
    return f"-- {head}\n-- {where}"


def _numbered(queries: PlannedQueries) -> Iterator[str]:
    for i, one in enumerate(queries.written, 1):
        yield f"-- {i}. {text(one.purpose)}\n{one.text};"


def require_dialect(dialect: str) -> str:
    """Return the name of a dialect that SQLGlot writes.

    Fails
        With `InvalidInputError` for another name.
    """
    known = sorted(one for one in Dialect.classes if one)
    if dialect not in known:
        raise InvalidInputError.unknown_name("dialect", dialect, known)
    return dialect


def planned(cells: EngineCells, models: Sequence[AnyModel], dialect: str) -> Iterator[str]:
    """Yield the queries that measure models in a dialect, each after a comment with its purpose.

    They hold where no quasi-identifier is missing or suppressed: then no cell matches others.
    """
    queries = PlannedQueries(Nowhere(cells.source, require_dialect(dialect)))
    wanted = [model for model in models if cells.sensitive or not model.needs_values]
    measure_in(queries, base_of(queries, cells), wanted)
    all_columns(queries, cells, ())
    yield _head(dialect)
    yield from _numbered(queries)
