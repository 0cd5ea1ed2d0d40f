"""Rows with suppressed cells: exact quasi-identifiers, except for cells suppressed as `*`."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Bool, Int64, distinct_rows, starts
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.release import Provenance, Publication, arranged
from unmask.schema import ATTACHED, UNKNOWN, Missing, Schema
from unmask.table import Table


def publish_starred_rows(table: Table, kept: Int64, starred: Bool, provenance: Provenance) -> Publication:
    """Publish some rows, `kept`, with `*` where `starred`, (kept, attributes); rows with equal cells form a group.

    Sensitive and insensitive values stay attached to rows.
    """
    attributes = table.schema.quasi
    people = table.take(kept)
    ranks_of_row = np.stack([people.ranks(a.name)[0] for a in attributes], axis=1)
    ranks_of_row[starred] = UNKNOWN - 1  # a star differs from a missing value
    group, example = distinct_rows(ranks_of_row)
    columns, cell = [], np.zeros((example.size, len(attributes)), np.int32)
    for i, attribute in enumerate(attributes):
        hidden, absent = starred[example, i], people.missing(attribute.name)[example] & ~starred[example, i]
        known = ~hidden & ~absent
        value = people.columns[attribute.name][example][known].astype(np.float64)
        closed = np.zeros(value.size, bool)
        anything = hidden | (absent & (attribute.missing is Missing.WILDCARD))
        every = Cells(attribute, starts(known.astype(np.int64)), value, value, closed, closed, absent, anything)
        distinct, cell[:, i] = every.ordered()
        columns.append(distinct)
    attached = table.schema.having(*ATTACHED)
    return arranged(
        Schema((*attributes, *attached)),
        Lines(tuple(columns), cell, np.arange(example.size, dtype=np.int32), example.size),
        input_row=kept,
        n_input=table.n_rows,
        group_of_row=group,
        line_of_row=group,
        columns={a.name: table.columns[a.name][kept] for a in attached},
        provenance=provenance,
        person_of=table.person_of,
    )
