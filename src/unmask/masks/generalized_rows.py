"""Generalized rows: every cell is a label of some level of its column's hierarchy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.arrays import Int32, distinct_rows
from unmask.masks.levels import LevelLabels
from unmask.masks.lines import Lines
from unmask.partition import Partition
from unmask.release import Provenance, Publication, arranged
from unmask.schema import ATTACHED, Schema
from unmask.table import Table


def publish_generalized_rows(
    table: Table,
    partition: Partition,
    levels: Sequence[LevelLabels],
    leaf: Int32,  # (groups, attributes) of one member
    level: Int32,  # (groups, attributes) of publication
    provenance: Provenance,
) -> Publication:
    """Publish each row with the labels of its group; sensitive and insensitive values stay attached to rows.

    Groups with equal cells, though on different levels, become one: they are indistinguishable.
    """
    attributes = table.schema.quasi
    columns, cell = [], np.zeros((partition.n_groups, len(attributes)), np.int32)
    for i, column in enumerate(levels):
        label = np.stack(column.label_of)[level[:, i], leaf[:, i]]
        pair, example = distinct_rows(np.stack([level[:, i], label], axis=1))
        distinct, number = column.cells(level[example, i], label[example]).ordered()
        cell[:, i] = number[pair]
        columns.append(distinct)
    number, example = distinct_rows(cell)
    kept = np.flatnonzero(partition.group_of >= 0)
    group = number[partition.group_of[kept]]
    attached = table.schema.having(*ATTACHED)
    return arranged(
        Schema((*attributes, *attached)),
        Lines(tuple(columns), cell[example], np.arange(example.size, dtype=np.int32), example.size),
        input_row=kept,
        n_input=table.n_rows,
        group_of_row=group,
        line_of_row=group,
        columns={a.name: table.columns[a.name][kept] for a in attached},
        provenance=provenance,
        person_of=table.person_of,
    )
