"""Starred rows: everybody's own quasi-identifiers are shown, but for cells that are suppressed, written `*`."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Bool, Int64, distinct_rows, starts
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.release import Provenance, Publication, arranged
from unmask.schema import Missing, Role, Schema
from unmask.table import Table


def publish_starred_rows(table: Table, kept: Int64, starred: Bool, provenance: Provenance) -> Publication:
    """Publish some rows, `kept`, with `*` where `starred`, (kept, attributes); people who then look alike are a group.

    Sensitive and insensitive values stay attached to rows.
    """
    attributes = table.schema.quasi
    shown = np.zeros(starred.shape, np.float64)
    for i, attribute in enumerate(attributes):
        column = table.columns[attribute.name][kept].astype(np.float64)
        shown[:, i] = np.where(table.missing(attribute.name)[kept], np.nan, column)
    shown[starred] = 0.0
    group, example = distinct_rows(np.column_stack([starred, shown]))
    columns, cell = [], np.zeros((example.size, len(attributes)), np.int32)
    for i, attribute in enumerate(attributes):
        hidden, value = starred[example, i], shown[example, i]
        absent = np.isnan(value)
        told = ~hidden & ~absent
        closed = np.zeros(int(told.sum()), bool)
        anything = hidden | (absent & (attribute.missing is Missing.WILDCARD))
        pieces = starts(told.astype(np.int64))
        every = Cells(attribute, pieces, value[told], value[told], closed, closed, absent, anything)
        distinct, cell[:, i] = every.ordered()
        columns.append(distinct)
    attached = table.schema.having(Role.SENSITIVE, Role.INSENSITIVE)
    return arranged(
        Schema((*attributes, *attached)),
        Lines(tuple(columns), cell, np.arange(example.size, dtype=np.int32), example.size),
        input_row=kept,
        n_input=table.n_rows,
        group_of_row=group,
        line_of_row=group,
        columns={a.name: table.columns[a.name][kept] for a in attached},
        provenance=provenance,
    )
