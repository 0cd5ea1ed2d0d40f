"""Samples that the lessons on population risk come back to, and slow references that share no code with ours."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np

from unmask.arrays import Int64
from unmask.datasets.adult import adult
from unmask.population.keys import Keys
from unmask.table import Table

KV7 = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
QI8 = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "income")
HOUSING = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
FIVE = ("urbrur", "roof", "walls", "water", "sex")
FRANCDAT = ("Key1", "Key2", "Key3", "Key4")


@cache
def adults(*, quasi: tuple[str, ...] = KV7, weight: float | None = None) -> Table:
    """Return complete Adult; with a weight that is the same for all, or 0 for the survey's own (fnlwgt)."""
    table = adult(quasi=quasi)
    if weight is None:
        return table
    own = adult(quasi=["fnlwgt"])["fnlwgt"]
    return replace(table, weight=own if weight == 0 else np.full(table.n_rows, weight))


@cache
def read(path: Path) -> dict[str, list[str]]:
    """Return the columns of a CSV file."""
    text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).decode()
    header, *rows = csv.reader(text.splitlines())
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}


def francdat(folder: Path) -> Table:
    """Return eight people with four keys and weights, the toy of Capobianchi, Polettini and Lucarelli."""
    columns = read(folder / "sdcmicro" / "francdat.csv")
    table = Table.of({name: columns[name] for name in FRANCDAT}, quasi=FRANCDAT)
    return replace(table, weight=np.array(columns["w"], float))


def dwellings(folder: Path) -> Table:
    """Return sdcMicro's testdata2: 93 people, all different in seven keys."""
    columns = read(folder / "sdcmicro" / "testdata2.csv")
    return Table.of({name: columns[name] for name in HOUSING}, quasi=HOUSING)


def households(folder: Path, quasi: Sequence[str] = HOUSING) -> Table:
    """Return sdcMicro's survey of 4,580 people in households, each standing for a hundred."""
    columns = read(folder / "sdcmicro" / "testdata.csv.gz")
    table = Table.of({name: columns[name] for name in quasi}, quasi=quasi)
    _, household = np.unique(columns["ori_hid"], return_inverse=True)
    weight = np.array(columns["sampling_weight"], float)
    return replace(table, household_of=household.astype(np.int32), weight=weight)


def sizes(*, quasi: tuple[str, ...]) -> tuple[Int64, Int64]:
    """Return the sizes of keys in Adult, and how many keys have each."""
    return Keys.of(adults(quasi=quasi)).sizes


def minimal_uniques(rows: Sequence[Sequence[object]]) -> set[tuple[int, tuple[int, ...]]]:
    """Return each row and set of columns by which it is unique, though by no smaller part: every set is tried."""
    found: set[tuple[int, tuple[int, ...]]] = set()
    width = len(rows[0]) if rows else 0
    for size in range(1, width + 1):
        for columns in combinations(range(width), size):
            count = Counter(tuple(row[c] for c in columns) for row in rows)
            for number, row in enumerate(rows):
                if count[tuple(row[c] for c in columns)] > 1:
                    continue
                if not any(n == number and set(part) < set(columns) for n, part in found):
                    found.add((number, columns))
    return found
