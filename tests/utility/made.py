"""Releases for the lessons on utility: hand-made ones, and Adult recoded by ARX's hierarchies."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.hierarchies import Hierarchy
from unmask.masks.lines import Lines
from unmask.masks.notation.notation import read_cells
from unmask.release import Publication, arranged
from unmask.schema import Attribute, Categorical, Domain, Role, Schema
from unmask.table import Table
from unmask.utility.utility_measure import PublishedTable

QI8 = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")


def recoded(
    table: Table,
    cells: Mapping[str, Sequence[str]],
    *,
    kept: Sequence[bool] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    domains: Mapping[str, Domain] | None = None,
) -> Publication:
    """Publish rows with cells as they are written; rows that show the same are a group."""
    rows = np.arange(table.n_rows) if kept is None else np.flatnonzero(kept)
    columns, cell = [], np.zeros((rows.size, len(cells)), np.int32)
    for i, (name, texts) in enumerate(cells.items()):
        ours = [texts[row] for row in rows.tolist()]
        distinct = list(dict.fromkeys(ours))
        hierarchy = (hierarchies or {}).get(name)
        attribute = Attribute(name, Role.QUASI_IDENTIFIER, Categorical(()), hierarchy)
        domain = (domains or {}).get(name, Categorical(()) if hierarchy else None)
        read = read_cells(attribute, distinct, domain=domain)
        index = {text: read.cell_of[j] for j, text in enumerate(distinct)}
        cell[:, i] = [index[text] for text in ours]
        columns.append(read.cells)
    looks, group = np.unique(cell, axis=0, return_inverse=True)
    number: Int32 = group.ravel().astype(np.int32)
    masked = Lines(tuple(columns), looks.astype(np.int32), np.arange(len(looks), dtype=np.int32), len(looks))
    attached = table.schema.sensitive
    return arranged(
        Schema((*masked.attributes, *attached)),
        masked,
        input_row=rows,
        n_input=table.n_rows,
        group_of_row=number,
        line_of_row=number,
        columns={a.name: table[a.name][rows] for a in attached},
    )


def case_of(table: Table, publication: Publication) -> PublishedTable:
    """Return a publication beside its table; where people were published is known."""
    assert publication.row_of is not None
    return PublishedTable.of(publication.release, table, publication.row_of)


@cache
def arx_adult(folder: Path) -> tuple[Table, Mapping[str, Sequence[str]], Mapping[str, Hierarchy]]:
    """Return ARX's Adult as a table, as text, and with its hierarchies."""
    text = gzip.decompress((folder / "adult.csv.gz").read_bytes()).decode("utf-8")
    header, *rows = csv.reader(text.splitlines(), delimiter=";")
    raw = {name: [row[i] for row in rows] for i, name in enumerate(header)}
    rules = {n: Hierarchy.from_csv((folder / f"adult_hierarchy_{n}.csv").read_text("utf-8")) for n in QI8}
    table = Table.of({n: raw[n] for n in (*QI8, "occupation")}, quasi=QI8, sensitive=["occupation"])
    return table, raw, rules


@cache
def arx_case(folder: Path, node: tuple[int, ...], k: int) -> PublishedTable:
    """Return Adult with each column at a level of its hierarchy; rows in groups of fewer than k are left out."""
    table, raw, rules = arx_adult(folder)
    coarser = {}
    for name, level in zip(QI8, node, strict=True):
        hierarchy = rules[name]
        labels = (
            hierarchy.leaves if level == 0 else [hierarchy.labels[level - 1][i] for i in hierarchy.label_of[level - 1]]
        )
        coarse = dict(zip(hierarchy.leaves, labels, strict=True))
        coarser[name] = [coarse[value] for value in raw[name]]
    looks = list(zip(*coarser.values(), strict=True))
    number = {look: i for i, look in enumerate(dict.fromkeys(looks))}
    group: Int64 = np.array([number[look] for look in looks])
    kept = np.bincount(group)[group] >= k
    return case_of(table, recoded(table, coarser, kept=kept.tolist(), hierarchies=rules))
