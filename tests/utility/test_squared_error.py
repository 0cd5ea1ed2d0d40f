"""How far published values lie from the true ones, as a part of their spread."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tests import stories
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.table import Table
from unmask.utility.squared_error import SquaredError
from unmask.utility.utility_measure import PublishedTable, Quality


def measured(case: PublishedTable) -> Quality:
    """Return the error."""
    return SquaredError().measure(case, np.random.default_rng(0))


def test_by_hand_means_modes_and_middles():
    """Ages 20, 22 | 40, 46 lose 2 + 18 of the 4 · 121 … spread; of f, m | m, m one is wrong, where one is not usual."""
    table = Table.of({"age": [20, 22, 40, 46], "sex": list("fmmm")}, quasi=["age", "sex"])
    published = stories.boxed(table, [0, 0, 1, 1])
    boxes = measured(PublishedTable.of(published.release, table, published.row_of))
    spread = 12**2 + 10**2 + 8**2 + 14**2
    assert (1 + 1 + 9 + 9) / spread == pytest.approx(boxes.parts["age"].value)
    assert 1.0 == boxes.parts["sex"].value  # {f, m} is guessed rightly by half, twice
    published = Microaggregation(k=2).sanitize(table, np.random.default_rng(0))
    means = measured(PublishedTable.of(published.release, table, published.row_of))
    assert boxes.parts["age"].value == pytest.approx(means.parts["age"].value)


def test_suppressed_people_count_as_the_mean():
    """Of four people two are left out: their whole distance from the mean is lost."""
    table = Table.of({"age": [20, 20, 30, 30]}, quasi=["age"])
    published = stories.boxed(table, [0, 0, -1, -1])
    assert 0.5 == measured(PublishedTable.of(published.release, table, published.row_of)).value.value


def test_a_column_without_spread_and_missing_values_lose_nothing():
    """There is nothing to be wrong about."""
    table = Table.of({"age": [20, 20, None], "sex": ["f", "f", None]}, quasi=["age", "sex"])
    published = stories.boxed(table, [0, 0, 0])
    assert 0.0 == measured(PublishedTable.of(published.release, table, published.row_of)).value.value


def test_the_literatures_percentage_on_its_table_of_households(data_folder: Path):
    """13 numbers of 1,080 households, k = 3: 5.692 % by the published folder's own means."""
    with (data_folder / "sdcmicro" / "CASCrefmicrodata.csv").open(encoding="utf-8") as lines:
        header, *rows = list(csv.reader(lines))
    columns = {name: [float(row[i]) for row in rows] for i, name in enumerate(header) if name}
    names = list(columns)[-13:]
    table = Table.of({name: columns[name] for name in names}, quasi=names)
    published = Microaggregation(k=3).sanitize(table, np.random.default_rng(0))
    lost = measured(PublishedTable.of(published.release, table, published.row_of)).value.value
    assert 0.056921862788 == pytest.approx(lost, rel=1e-8)
