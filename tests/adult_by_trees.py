"""Adult's complete rows, train and test, and a hierarchy for each of eight columns: where fusion was tried.

The folder that `UNMASK_DATA` names holds the rows and ARX's hierarchies; those of ages and of schooling are made here.
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.trees import with_trees
from unmask.datasets.adult import COLUMNS
from unmask.hierarchies import Hierarchy
from unmask.masks.lines import Lines
from unmask.masks.notation.notation import write_cells
from unmask.release import Release
from unmask.schema import Numeric
from unmask.table import Table

QUASI = ("age", "workclass", "education-num", "marital-status", "occupation", "race", "sex", "native-country")

AGES = Hierarchy.intervals(range(17, 100), (5, 10, 20, 50, 100))
"""Intervals of which some end where others are cut in two: they are shown, and people are grouped by number."""

SCHOOLING = Hierarchy.from_rows(
    [str(year), next(label for last, label in ((3, "1-3"), (7, "4-7"), (12, "8-12"), (16, "13-16")) if year <= last),
     "1-16"] for year in range(1, 17)
)  # fmt: skip


def drawn(folder: Path, n_rows: int, seed: int) -> Table:
    """Return that many of the 45,222 people, drawn without replacement."""
    records: list[list[str]] = []
    for name in ("adult.data.gz", "adult.test.gz"):
        with gzip.open(folder / "adult" / name, "rt", encoding="utf-8") as lines:
            every = csv.reader(lines, skipinitialspace=True)
            records += [one for one in every if len(one) == len(COLUMNS) and "?" not in one]
    rows = np.random.default_rng(seed).permutation(len(records))[:n_rows].tolist()
    columns: dict[str, list[object]] = {
        name: [records[row][COLUMNS.index(name)].rstrip(".") for row in rows] for name in (*QUASI, "income")
    }
    trees = {}
    for name in QUASI:
        if name in {"age", "education-num"}:
            columns[name] = [float(str(value)) for value in columns[name]]
        else:
            path = folder / "arx" / "adult" / f"adult_hierarchy_{name}.csv"
            trees[name] = Hierarchy.from_csv(path.read_text(encoding="utf-8"))
    table = with_trees(
        Table.of(columns, quasi=QUASI, sensitive=["income"]), {**trees, "age": AGES, "education-num": SCHOOLING}
    )
    declared = {"age": Numeric(17.0, 99.0, 1.0), "education-num": Numeric(1.0, 16.0, 1.0)}
    attributes = tuple(replace(a, domain=declared.get(a.name, a.domain)) for a in table.schema)
    return replace(table, schema=replace(table.schema, attributes=attributes))


def width(release: Release, name: str) -> float:
    """Return how many whole numbers people are shown with, on average."""
    low, high = _lines(release).cells[_lines(release).column(name)].extent
    shown = (high - low + 1)[_lines(release).cell_of(name)]
    return float(shown @ release.size / release.size.sum())


def share_of(release: Release, name: str, cell: str) -> float:
    """Return the share of people who are shown with a cell."""
    texts = write_cells(_lines(release).cells[_lines(release).column(name)])
    shown = np.array([text == cell for text in texts])[_lines(release).cell_of(name)]
    return float(shown @ release.size / release.size.sum())


def _lines(release: Release) -> Lines:
    assert isinstance(release.masked, Lines)
    return release.masked
