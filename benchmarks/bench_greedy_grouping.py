"""How long greedy grouping takes on Adult resampled to a million rows: to sort, to cut, and from table to release.

Run with `pytest benchmarks/bench_greedy_grouping.py`; under load compare processor time.
"""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from unmask.datasets.adult import adult
from unmask.sanitizers import _greedy
from unmask.sanitizers._sorted import in_order
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.sanitizers.greedy_rule.rule import GreedyRule
from unmask.sanitizers.permutation import Permutation
from unmask.table import Table

IN_ORDER = ("age", "workclass", "education-num", "marital-status", "relationship", "race", "sex", "income")


@cache
def resampled(n_rows: int) -> Table:
    """Return that many rows drawn from Adult."""
    table = adult(quasi=IN_ORDER, sensitive=["occupation"])
    return table.take(np.random.default_rng(1).integers(0, table.n_rows, n_rows))


def test_sorted_and_cut(benchmark: BenchmarkFixture):
    """A million rows by eight columns, l = 6, one occupation bounded: at most 1 s."""
    table, rng = resampled(1_000_000), np.random.default_rng(0)
    rule = GreedyRule(6, 6, "Exec-managerial")
    bounded = np.where(table["occupation"] == table.schema["occupation"].values.index("Exec-managerial"), 0, -1)
    spent = []

    def grouped() -> int:
        begun = time.process_time()
        order = in_order(table, np.arange(table.n_rows), IN_ORDER, rng)
        first, _ = _greedy.cut(bounded[order].astype(np.int32), 1, rule, rng)
        spent.append(time.process_time() - begun)
        return first.size - 1

    benchmark.extra_info["groups"] = benchmark.pedantic(grouped, rounds=5, warmup_rounds=1)
    benchmark.extra_info["least processor time"] = min(spent)


@pytest.mark.parametrize("p", [0.0, 0.5])
@pytest.mark.parametrize("l", [2, 4, 6])
def test_cut(benchmark: BenchmarkFixture, l: int, p: float):
    """The cuts alone, every occupation bounded: some milliseconds."""
    table, rng = resampled(1_000_000), np.random.default_rng(0)
    value = table["occupation"][in_order(table, np.arange(table.n_rows), IN_ORDER, rng)]
    first, _ = benchmark(_greedy.cut, value, 14, GreedyRule(l, l, None, p), rng)
    benchmark.extra_info["groups"] = first.size - 1


@pytest.mark.parametrize("sanitizer", [GreedyGrouping(l=4), GreedyGrouping(l=4, publish="boxes"), Permutation(k=5)])
def test_published(benchmark: BenchmarkFixture, sanitizer: GreedyGrouping | Permutation):
    """A million rows from a table to a release in canonical order."""
    table = resampled(1_000_000)
    benchmark.pedantic(
        lambda: sanitizer.sanitize(table, np.random.default_rng(0)), rounds=2, iterations=1, warmup_rounds=0
    )
