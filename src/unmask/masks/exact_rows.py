"""Exact rows: exact quasi-identifiers are published, sensitive values only as a list for each group (Anatomy)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from unmask.arrays import Ragged
from unmask.masks.cells import Cells
from unmask.masks.lines import Lines
from unmask.partition import Partition
from unmask.release import Provenance, Publication, arranged
from unmask.schema import BESIDE, Schema
from unmask.table import Table


def publish_exact_rows(table: Table, partition: Partition, provenance: Provenance) -> Publication:
    """Publish each row's quasi-identifiers and group, and for each group only the counts of its sensitive values."""
    sensitive = table.schema.sensitive
    counts = {a.name: partition.counts(table.columns[a.name], len(a.values)) for a in sensitive}
    return _published(table, partition, provenance, counts)


def publish_permuted_rows(
    table: Table, partition: Partition, provenance: Provenance, rng: np.random.Generator
) -> Publication:
    """Publish each row's quasi-identifiers, its group, and sensitive values permuted within the group.

    Each sensitive column is shuffled independently inside each group, so a row reveals no more about its values than
    the group's list does.
    """
    kept = np.flatnonzero(partition.group_of >= 0)
    by_group = kept[np.argsort(partition.group_of[kept], kind="stable")]
    columns = dict(table.columns)
    for attribute in table.schema.sensitive:
        drawn = np.lexsort((rng.random(by_group.size), partition.group_of[by_group]))
        columns[attribute.name] = table.columns[attribute.name].copy()
        columns[attribute.name][by_group] = table.columns[attribute.name][by_group][drawn]
    return _published(replace(table, columns=columns), partition, provenance, {})


def _published(table: Table, partition: Partition, provenance: Provenance, counts: Mapping[str, Ragged]) -> Publication:
    """Publish exact rows with the columns attached to them: those not counted by group."""
    attributes = table.schema.quasi
    kept = np.flatnonzero(partition.group_of >= 0)
    group = partition.group_of[kept]
    columns, cell = [], np.zeros((kept.size, len(attributes)), np.int32)
    for i, attribute in enumerate(attributes):
        cells, cell[:, i] = Cells.exact(attribute, table.columns[attribute.name][kept])
        columns.append(cells)
    attached, sensitive = table.schema.having(*BESIDE), table.schema.sensitive
    row_attributes = (*attached, *(a for a in sensitive if a.name not in counts))
    return arranged(
        Schema((*attributes, *attached, *sensitive)),
        Lines(tuple(columns), cell, group, partition.n_groups),
        input_row=kept,
        n_input=table.n_rows,
        group_of_row=group,
        line_of_row=np.arange(kept.size),
        columns={a.name: table.columns[a.name][kept] for a in row_attributes},
        counts=counts,
        provenance=provenance,
        person_of=table.person_of,
    )
