"""How long MDAV takes on Adult, on Adult resampled up to a million rows, on normal numbers, and to look people up.

Run with `pytest benchmarks/bench_microaggregation.py`.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from unmask.arrays import Float64, Int32
from unmask.attacks.shared.location import linked
from unmask.datasets.adult import adult
from unmask.links import Linking
from unmask.sanitizers import _mdav
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.schema import Numeric, Schema
from unmask.table import Table

KV7 = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")


@cache
def standardized() -> Float64:
    """Return seven attributes as codes in standard deviations, (30162, 7)."""
    table = adult(quasi=KV7)
    number = np.stack([table[name].astype(np.float64) for name in KV7], axis=1)
    spread: Float64 = (number - number.mean(axis=0)) / number.std(axis=0)
    return spread[np.random.default_rng(0).permutation(spread.shape[0])]


def resampled(n_rows: int) -> Table:
    """Return that many rows drawn from Adult, ages moved by up to three years; every column is a number."""
    table = adult(quasi=KV7)
    rng = np.random.default_rng(1)
    rows = rng.integers(0, table.n_rows, n_rows)
    columns = {name: table[name][rows].astype(np.float64) for name in KV7}
    columns["age"] += rng.integers(-3, 4, n_rows)
    attributes = tuple(type(a)(a.name, a.role, Numeric(step=1.0)) for a in table.schema)
    return Table(Schema(attributes), columns, n_rows)


def unlisted(number: Float64) -> Int32:
    """Return that points have no listed values."""
    return np.zeros((number.shape[0], 0), np.int32)


@pytest.mark.parametrize("k", [5, 10, 50])
def test_adult_as_codes(benchmark: BenchmarkFixture, k: int):
    """30,162 rows, seven numbers: at most 0.4 s at k = 5, 0.2 s at k = 10."""
    number = standardized()
    _, benchmark.extra_info["groups"] = benchmark(_mdav.partition, number, unlisted(number), k)


@pytest.mark.parametrize("k", [5, 10])
def test_adult_published(benchmark: BenchmarkFixture, k: int):
    """The same from a table to a release: five columns count as alike or not."""
    table = adult(quasi=KV7, sensitive=["occupation"])
    made = benchmark(lambda: Microaggregation(k=k).sanitize(table, np.random.default_rng(0)))
    benchmark.extra_info["groups"] = made.release.n_groups


@pytest.mark.parametrize("block", [2_000, 10_000, None])
@pytest.mark.parametrize("n_rows", [300_001, 1_000_000])
def test_adult_resampled(benchmark: BenchmarkFixture, n_rows: int, block: int | None):
    """Inside blocks of Mondrian, and as a whole, from a table to a release at k = 5."""
    table = resampled(n_rows)
    sanitizer = Microaggregation(k=5, whole=n_rows) if block is None else Microaggregation(k=5, block=block)
    benchmark.pedantic(lambda: sanitizer.sanitize(table, np.random.default_rng(0)), rounds=1, warmup_rounds=0)


@pytest.mark.parametrize("n_rows", [30_000, 100_000])
def test_normal_numbers(benchmark: BenchmarkFixture, n_rows: int):
    """Seven independent normal numbers: boxes exclude little, so that the tree helps least."""
    number = np.random.default_rng(1).normal(size=(n_rows, 7))
    benchmark.pedantic(_mdav.partition, (number, unlisted(number), 5), rounds=1, warmup_rounds=0)


def test_people_are_looked_up(benchmark: BenchmarkFixture):
    """All distinct people of Adult at their ten nearest centroids."""
    table = adult(quasi=KV7, sensitive=["occupation"])
    release = Microaggregation(k=5).sanitize(table, np.random.default_rng(0)).release
    _, profiles = table.visible(None).profiles()
    benchmark(linked, release, profiles, Linking())
