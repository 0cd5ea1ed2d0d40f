"""Sorting of tables before they are split: the sort columns are published, other ties are random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from unmask.arrays import Int64, sorted_rows
from unmask.errors import InvalidInputError
from unmask.hierarchies import number_text
from unmask.parameters import list_text
from unmask.schema import Attribute, Ordered, Role, Schema
from unmask.table import Table
from unmask.wording import message

Ties = Literal["random", "stable"]

POSITION = "position"
"""The column that publishes the input order, where that decides ties."""


def order_columns(table: Table, order: Sequence[str]) -> tuple[str, ...]:
    """Return the columns to sort by: the named ones, by default the quasi-identifiers.

    Fails
        With `InvalidInputError` for a column that is not published with each person's own value.
    """
    published = [a.name for a in table.schema.having(Role.QUASI_IDENTIFIER, Role.INSENSITIVE)]
    if not order:
        return tuple(a.name for a in table.schema.quasi)
    for name in order:
        if name not in published:
            raise InvalidInputError.unknown_name(message("column of order"), name, published)
    if len(set(order)) < len(order):
        msg = message("columns of order must be distinct; got {order}. Name each once", order=repr(list_text(order)))
        raise InvalidInputError(msg)
    return tuple(order)


def with_positions(table: Table) -> Table:
    """Return the table with one more insensitive column, the position of each row."""
    if POSITION in table.schema:
        msg = message(
            "ties=stable publishes a column {position}; the table must not have one already. Name yours last "
            "in order instead, or rename it",
            position=repr(POSITION),
        )
        raise InvalidInputError(msg)
    labels = tuple(number_text(float(row)) for row in range(table.n_rows))
    attribute = Attribute(POSITION, Role.INSENSITIVE, Ordered(labels, declared=False))
    columns = {**table.columns, POSITION: np.arange(table.n_rows, dtype=np.int32)}
    return replace(table, schema=Schema((*table.schema, attribute)), columns=columns)


def in_order(table: Table, rows: Int64, names: Sequence[str], rng: np.random.Generator) -> Int64:
    """Return the rows in the order of their values in some columns, one after another; ties are random.

    Numbers go by size, listed values by their declared order or else alphabetically, a missing value before all others.
    """
    drawn = rng.permutation(rows)
    ranks = np.stack([table.ranks(name)[0] for name in names], axis=1)
    return np.asarray(drawn[sorted_rows(ranks[drawn])])


__all__ = ["POSITION", "Ties", "in_order", "order_columns", "with_positions"]
