"""Exact rows: everybody's own quasi-identifiers are shown; the sensitive values only as a list for each group."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unmask.arrays import Ragged
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.partition import Partition
from unmask.release import Provenance, Publication, arranged
from unmask.schema import Role, Schema
from unmask.table import Table


def publish_exact_rows(table: Table, partition: Partition, provenance: Provenance) -> Publication:
    """Publish each row's own quasi-identifiers and its group, and for each group only how often each value occurs."""
    attributes = table.schema.quasi
    kept = np.flatnonzero(partition.group_of >= 0)
    group = partition.group_of[kept]
    columns, cell = [], np.zeros((kept.size, len(attributes)), np.int32)
    for i, attribute in enumerate(attributes):
        cells, cell[:, i] = Cells.exact(attribute, table.columns[attribute.name][kept])
        columns.append(cells)
    sensitive, attached = table.schema.sensitive, table.schema.having(Role.INSENSITIVE)
    counts: Mapping[str, Ragged] = {a.name: partition.counts(table.columns[a.name], len(a.values)) for a in sensitive}
    return arranged(
        Schema((*attributes, *attached, *sensitive)),
        Lines(tuple(columns), cell, group, partition.n_groups),
        input_row=kept,
        n_input=table.n_rows,
        group_of_row=group,
        line_of_row=np.arange(kept.size),
        columns={a.name: table.columns[a.name][kept] for a in attached},
        counts=counts,
        provenance=provenance,
        person_of=table.person_of,
    )
