"""The queries that ran in an engine, as part of documents."""

from __future__ import annotations

from typing_extensions import TypedDict


class QueryJson(TypedDict):
    """A query that ran in an engine."""

    purpose: str
    """Its purpose."""
    text: str
    """The query, in the dialect of the engine."""


class EngineQueriesJson(TypedDict):
    """The engine in which an audit ran. Only what its queries return left it."""

    name: str
    """Name of the engine."""
    queries: list[QueryJson]
    """Queries that ran, in order."""
