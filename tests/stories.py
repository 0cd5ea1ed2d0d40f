"""Small tables shared by tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from unmask.arrays import distinct_tuples
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import Beliefs
from unmask.datasets.papers import KIFER_PEOPLE
from unmask.links import Linking
from unmask.masks.boxes import publish_boxes
from unmask.masks.exact_rows import publish_exact_rows
from unmask.masks.lines import Lines
from unmask.masks.noisy_rows import NoisyRows
from unmask.partition import Partition
from unmask.release import Noise, Provenance, Publication, Release
from unmask.repeated_columns import RepeatedColumns
from unmask.schema import Numeric, Schema
from unmask.table import Table
from unmask.view import Knowledge, Located, View

LINKING = Linking()
"""The default way of matching people."""

CONDITIONS = ("AIDS", "Cancer", "Flu", "Heart", "TB", "Viral")
"""Diagnoses of the patients of two hospitals."""


def people_of(**columns: Sequence[object]) -> Table:
    """Return people with these known quasi-identifiers."""
    return Table.of(columns, quasi=list(columns))


def repeating(table: Table) -> Table:
    """Return the table with its columns kept once for each kind of row."""
    number, example = distinct_tuples((table.ranks(name)[0] for name in table.schema.names), table.n_rows)
    columns = {name: column[example] for name, column in table.columns.items()}
    return replace(table, columns=RepeatedColumns(columns, example.size, number))


def boxed(
    table: Table, group_of: Sequence[int], ranges: Mapping[str, Sequence[tuple[float, float]]] | None = None
) -> Publication:
    """Publish hand-made groups as boxes: given ranges, or the least and greatest value of the members."""
    partition = Partition(np.array(group_of, np.int32), max(group_of) + 1)
    low, high = [], []
    for attribute in table.schema.quasi:
        if ranges and attribute.name in ranges:
            ends = np.array(ranges[attribute.name], float)
            low.append(ends[:, 0])
            high.append(ends[:, 1])
            continue
        column = np.where(table.missing(attribute.name), np.nan, table[attribute.name].astype(float))
        members = [column[partition.group_of == g] for g in range(partition.n_groups)]
        known = [m[~np.isnan(m)] for m in members]
        low.append(np.array([m.min() if m.size else np.nan for m in known]))
        high.append(np.array([m.max() if m.size else np.nan for m in known]))
    return publish_boxes(table, partition, low, high, Provenance())


def exact(table: Table, group_of: Sequence[int]) -> Publication:
    """Publish hand-made groups with exact quasi-identifiers."""
    return publish_exact_rows(table, Partition(np.array(group_of, np.int32), max(group_of) + 1), Provenance())


def noised(
    table: Table, noise: Mapping[str, tuple[Noise, Numeric]], published: Mapping[str, Sequence[float]]
) -> Publication:
    """Publish rows with some noisy numbers: those given, in the order of the table."""
    schema = Schema(tuple(replace(a, domain=noise[a.name][1]) if a.name in noise else a for a in table.schema))
    rows = Table(schema, {n: np.array(published.get(n, c), c.dtype) for n, c in table.columns.items()}, table.n_rows)
    _, group_of = np.unique(np.stack([rows.ranks(a.name)[0] for a in schema.quasi]), axis=1, return_inverse=True)
    made = boxed(rows, group_of.ravel().tolist())
    assert isinstance(made.release.masked, Lines)
    masked = NoisyRows(made.release.masked, {name: one for name, (one, _) in noise.items()})
    return replace(made, release=replace(made.release, masked=masked))


def view_of(
    releases: Release | Sequence[Release],
    people: Table,
    about: str,
    groups: Sequence[ArrayLike] | None = None,
    *,
    rows: Sequence[ArrayLike | None] | None = None,
    prior: Mapping[str, float] | None = None,
) -> View:
    """Return the view of an attacker who knows these people, and their group (and row) in each release if given."""
    seen = (releases,) if isinstance(releases, Release) else tuple(releases)
    before = default_prior(seen, about, people.n_rows)
    if prior is not None:
        believed = np.array([prior[value] for value in before.values], float)
        before = Beliefs.shared(before.about, before.values, believed / believed.sum(), people.n_rows)
    located = None
    if groups is not None:
        known = rows if rows is not None else [None] * len(seen)
        located = tuple(
            Located(np.array(group, np.int32), None if row is None else np.array(row, np.int64))
            for group, row in zip(groups, known, strict=True)
        )
    return View(seen, Knowledge(people, before, located))


def smokers() -> tuple[Table, Publication]:
    """Return Table 6 of Kifer 2009: twelve people, whether they smoke, and their diseases by pairs."""
    table = Table.of(
        {
            "smoker": list("yynnynyynnyn"),
            "disease": ["Cancer", "Flu", "Flu", "None", "Cancer", "None", "Cancer", "None", "Flu", "None", "Cancer",
                        "None"],
        },
        quasi=["smoker"],
        sensitive=["disease"],
    )  # fmt: skip
    return table, exact(table, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5])


def hospitals() -> tuple[Release, Release]:
    """Return the two hospitals of Ganta et al. 2008, figure 1; all zip codes begin with 130."""
    first = Table.of(
        {
            "age": [21, 24, 28, 29, 42, 45, 47, 50, 32, 34, 36, 39],
            "condition": ["AIDS", "Heart", "Viral", "Viral", "Cancer", "Heart", "Viral", "Viral", *["Cancer"] * 4],
        },
        quasi=["age"],
        sensitive=["condition"],
    )
    second = Table.of(
        {
            "age": [22, 25, 28, 30, 31, 32, 36, 39, 42, 45, 47, 51],
            "condition": ["AIDS", "TB", "Flu", "TB", "Cancer", "Cancer", *["Cancer"] * 3, "TB", "Viral", "Viral"],
        },
        quasi=["age"],
        sensitive=["condition"],
    )
    one = boxed(first, [0] * 4 + [1] * 4 + [2] * 4, {"age": [(0, 29), (40, 99), (30, 39)]})
    two = boxed(second, [0] * 6 + [1] * 6, {"age": [(0, 34), (35, 99)]})
    return one.release, two.release


def write_kifer_table_6(folder: Path) -> None:
    """Write the twelve people of the paper in pairs, as two tables that share a group: qit.csv and st.csv."""
    pairs = [n // 2 + 1 for n in range(12)]
    qit, st = ["smoker,group"], ["group,disease"]
    for smoker, disease, group in zip(KIFER_PEOPLE["smoker"], KIFER_PEOPLE["disease"], pairs, strict=True):
        qit.append(f"{smoker},{group}")
        st.append(f"{group},{disease}")
    (folder / "qit.csv").write_text("\n".join(qit) + "\n")
    (folder / "st.csv").write_text("\n".join(st) + "\n")
