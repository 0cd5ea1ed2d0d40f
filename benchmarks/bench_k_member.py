"""How long k-member takes on Adult's complete rows, along six trees and by two numbers, and on up to a million rows.

Run with `pytest benchmarks/bench_k_member.py`; the Adult rows are read from the folder in UNMASK_DATA. Processor time
is measured, so that other work on the machine counts little.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests import adult_by_trees
from unmask.sanitizers import _k_member
from unmask.sanitizers._k_member import ColumnAxis
from unmask.sanitizers._shown_labels import LabeledColumn
from unmask.sanitizers.k_member import KMember
from unmask.table import Table

pytestmark = pytest.mark.benchmark(timer=time.process_time)


@cache
def adult(n_rows: int) -> Table:
    """Return that many of Adult's complete rows, train and test, eight quasi-identifiers."""
    folder = os.environ.get("UNMASK_DATA")
    if not folder:
        pytest.skip("set UNMASK_DATA to the folder that holds adult/ and arx/")
    return adult_by_trees.drawn(Path(folder), n_rows, seed=0)


def axes(table: Table) -> list[ColumnAxis]:
    """Return the columns as the kernel reads them, years of schooling along their tree."""
    return [LabeledColumn.of(table, a.name, tree=a.name != "age", finest=None).axis for a in table.schema.quasi]


def warm() -> None:
    """Have the kernels compiled."""
    _k_member.partition(axes(adult(20_000).take(np.arange(100))), 3)


@pytest.mark.parametrize("k", [2, 10, 50, 100])
@pytest.mark.parametrize("n_rows", [5_000, 20_000, 45_222])
def test_groups_of_adult(benchmark: BenchmarkFixture, n_rows: int, k: int):
    """20,000 rows, eight columns: at most 4 s at every k."""
    warm()
    columns = axes(adult(n_rows))
    _, benchmark.extra_info["groups"] = benchmark.pedantic(_k_member.partition, (columns, k), rounds=3)


@pytest.mark.parametrize("k", [2, 10, 50, 100])
def test_adult_published(benchmark: BenchmarkFixture, k: int):
    """20,000 rows from a table to a release."""
    warm()
    table, sanitizer = adult(20_000), KMember(k=k, taxonomies=("education-num",), finest={"age": 1, "education-num": 1})
    made = benchmark.pedantic(lambda: sanitizer.sanitize(table, np.random.default_rng(0)), rounds=3, warmup_rounds=1)
    benchmark.extra_info["groups"] = made.release.n_groups


@pytest.mark.parametrize("k", [2, 10, 100])
def test_nobody_alike(benchmark: BenchmarkFixture, k: int):
    """100,000 rows, each column drawn by itself: nearly all differ, so that none is counted together with another."""
    warm()
    rng = np.random.default_rng(0)
    columns = [replace(axis, place=rng.choice(axis.place, 100_000)) for axis in axes(adult(45_222))]
    benchmark.pedantic(_k_member.partition, (columns, k), rounds=1)


@pytest.mark.parametrize("k", [5, 50])
def test_a_million_rows_in_blocks(benchmark: BenchmarkFixture, k: int):
    """Adult drawn again and again, ages moved by up to three years; blocks of Mondrian, from a table to a release."""
    warm()
    table, rng = adult(45_222), np.random.default_rng(0)
    many = table.take(rng.integers(0, table.n_rows, 1_000_000))
    ages = np.clip(many["age"] + rng.integers(-3, 4, many.n_rows), 17, 99)
    many = replace(many, columns={**many.columns, "age": ages})
    benchmark.pedantic(lambda: KMember(k=k).sanitize(many, np.random.default_rng(0)), rounds=1)
