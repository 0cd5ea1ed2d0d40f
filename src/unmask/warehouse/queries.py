"""The queries of one measurement: named steps, which an engine stores or repeats, and a record of what ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlglot import exp

from unmask.arrays import Float64
from unmask.runtime import work
from unmask.warehouse.engine import Engine
from unmask.warehouse.expressions import name
from unmask.wording import joined, message


@dataclass(frozen=True, slots=True)
class Ran:
    """One query that ran: its purpose, and its text in the engine's dialect."""

    purpose: str
    text: str


@dataclass(slots=True)
class Queries:
    """Named steps and the queries that use them.

    A step that is used several times is stored as a temporary table. One that is used once, or that the engine may not
    store, becomes a common table expression of each query that needs it.
    """

    engine: Engine
    ran: list[Ran] = field(default_factory=list)
    _steps: dict[str, exp.Query] = field(default_factory=dict)  # that are not stored

    def define(self, step: str, query: exp.Query) -> str:
        """Define a step that is used once, as a part of the query that uses it; return the name of its relation."""
        relation = f"unmask_{step}"
        self._steps[relation] = query
        return relation

    def keep(self, step: str, query: exp.Query) -> str:
        """Define a step that is used several times; return the name of its relation, which no table of a user has."""
        text, relation = self._text(query), f"unmask_{step}"
        with work.step(joined([self.engine.name, step], ": ")):
            if self.engine.keep(relation, text):
                self.ran.append(Ran(message("temporary table {relation}", relation=relation), text))
            else:
                self._steps[relation] = query
        return relation

    def rows(self, purpose: str, query: exp.Query) -> list[dict[str, Any]]:
        """Run a query and return its rows, by column."""
        text = self._text(query)
        with work.step(joined([self.engine.name, purpose], ": ")):
            found: list[dict[str, Any]] = self.engine.arrow(text).to_pylist()
        self.ran.append(Ran(purpose, text))
        return found

    def columns(self, purpose: str, query: exp.Query) -> Mapping[str, Float64]:
        """Run a query and return its columns of numbers, (rows,) each."""
        text = self._text(query)
        with work.step(joined([self.engine.name, purpose], ": ")):
            found = self.engine.arrow(text)
        self.ran.append(Ran(purpose, text))
        return {name: found[name].to_numpy().astype(np.float64) for name in query.named_selects}

    def row(self, purpose: str, query: exp.Query) -> Mapping[str, Any]:
        """Run a query of one row."""
        (found,) = self.rows(purpose, query)
        return found

    def _text(self, query: exp.Query) -> str:
        return complete(query, self._steps).sql(dialect=self.engine.dialect, pretty=True, copy=False)


def complete(query: exp.Query, steps: Mapping[str, exp.Query]) -> exp.Query:
    """Return a copy of a query with the steps that it needs, also through others, as common table expressions."""
    needed: set[str] = set()
    waiting: list[exp.Query] = [query]
    while waiting:
        for one in waiting.pop().find_all(exp.Table):
            if not one.db and one.name in steps and one.name not in needed:
                needed.add(one.name)
                waiting.append(steps[one.name])
    result = query.copy()
    for step, text in steps.items():
        if step in needed:
            result = result.with_(name(step), as_=text.copy(), copy=False)
    return result
