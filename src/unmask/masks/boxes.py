"""Boxes: all members of a group are published with the same ranges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unmask.arrays import Float64, Int32, Int64, distinct_tuples
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.partition import Partition
from unmask.release import Provenance, Publication, arranged
from unmask.schema import ATTACHED, Schema
from unmask.table import Table


def publish_boxes(
    table: Table,
    partition: Partition,
    low: Sequence[Float64],
    high: Sequence[Float64],
    provenance: Provenance,
    regions: tuple[Sequence[Float64], Sequence[Float64]] | None = None,
) -> Publication:
    """Publish each row with the box of its group; sensitive and insensitive values stay attached to rows.

    `low` and `high` are, for each quasi-identifier, the ends of each group's range, (groups,), in the attribute's own
    codes or numbers; NaN where all members lack a value.
    """
    attributes = table.schema.quasi
    kept = np.flatnonzero(partition.group_of >= 0)
    group = partition.group_of[kept]
    absent = [np.bincount(group, table.missing(a.name)[kept], partition.n_groups) > 0 for a in attributes]

    def cells(ends: tuple[Sequence[Float64], Sequence[Float64]]) -> list[Cells]:
        return [
            Cells.runs(attribute, np.asarray(ends[0][i], float), np.asarray(ends[1][i], float), absent[i])
            for i, attribute in enumerate(attributes)
        ]

    return publish_cells(table, partition, cells((low, high)), provenance, None if regions is None else cells(regions))


def publish_cells(
    table: Table,
    partition: Partition,
    summaries: Sequence[Cells],
    provenance: Provenance,
    regions: Sequence[Cells] | None = None,
) -> Publication:
    """Publish each row with the cells of its group, one for each group and quasi-identifier, not yet made distinct.

    `summaries` are the published cells; `regions`, if disclosed, are the cells that assign people to groups.
    """
    kept = np.flatnonzero(partition.group_of >= 0)
    group, kinds, kind_of_row = partition.group_of[kept], table, None
    rows: Int32 | Int64 = kept
    if table.kinds is not None:
        kinds, kind = table.kinds
        kind_of_row, example = distinct_tuples((group, kind[kept]), kept.size)
        group, rows = group[example], kind[kept[example]]

    def lines(columns: Sequence[Cells]) -> Lines:
        ordered = [every.ordered() for every in columns]
        cell = np.zeros((partition.n_groups, len(ordered)), np.int32)
        for i, (_, number) in enumerate(ordered):
            cell[:, i] = number
        return Lines(
            tuple(distinct for distinct, _ in ordered),
            cell,
            np.arange(partition.n_groups, dtype=np.int32),
            partition.n_groups,
        )

    attached = table.schema.having(*ATTACHED)
    return arranged(
        Schema((*table.schema.quasi, *attached)),
        lines(summaries),
        input_row=kept,
        n_input=table.n_rows,
        group_of_row=group,
        line_of_row=group,
        columns={a.name: kinds.columns[a.name][rows] for a in attached},
        regions=None if regions is None else lines(regions),
        provenance=provenance,
        person_of=table.person_of,
        kind_of_row=kind_of_row,
    )
