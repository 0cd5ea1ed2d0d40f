"""How long it takes to measure what a release is still good for: Adult, and a million people.

Run with `pytest -n0 benchmarks/bench_utility.py -s`.
"""

from __future__ import annotations

import resource
from functools import cache

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.beside import beside
from unmask import catalog
from unmask.datasets.adult import adult
from unmask.release import Sanitizer
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.mondrian import Mondrian
from unmask.utility.utility_measure import PublishedTable, Utility

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
EACH = [example for entry in catalog.entries("utility").values() for example in entry.examples]
MAKERS: dict[str, Sanitizer] = {"mondrian": Mondrian(5), "anatomy": Anatomy(l=4)}


@cache
def case(maker: str, rows: int) -> PublishedTable:
    """Return Adult, drawn again to so many rows, as a sanitizer publishes it."""
    table = adult(quasi=QUASI, sensitive=["occupation"])
    rng = np.random.default_rng(1)
    if rows:
        table = table.take(rng.integers(0, table.n_rows, rows))
    made = MAKERS[maker].sanitize(table, rng)
    return PublishedTable.of(made.release, table, made.row_of)


@pytest.mark.parametrize("rows", [0, 1_000_000], ids=["Adult", "a million"])
@pytest.mark.parametrize("maker", list(MAKERS))
@pytest.mark.parametrize("measure", EACH, ids=lambda m: f"{m.name} {getattr(m, 'learner', '')}".strip())
def test_each_measure(benchmark: BenchmarkFixture, measure: Utility, maker: str, rows: int) -> None:
    """One at a time."""
    ready = case(maker, rows)
    found = benchmark.pedantic(lambda: measure.measure(ready, np.random.default_rng(2)), rounds=1 if rows else 3)
    beside(benchmark, f"{measure.name}, {maker}, {ready.original.n_rows if ready.original else 0:,}", "goal", 5.0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"\n{ready.release.n_groups} groups: {found.value.value}; peak {peak:.2f} GiB, the table and release included"
    )


@pytest.mark.parametrize("maker", list(MAKERS))
def test_finding_a_million_people_by_their_values(benchmark: BenchmarkFixture, maker: str) -> None:
    """Where nobody says who was published where."""
    ready = case(maker, 1_000_000)
    benchmark.pedantic(lambda: PublishedTable.of(ready.release, ready.original), rounds=2)
