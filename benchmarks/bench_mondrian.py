"""How long strict Mondrian takes on Adult, on Adult resampled a hundredfold, and on wide domains.

Run with `pytest benchmarks/bench_mondrian.py`; the Adult rows are read from the folder in UNMASK_DATA.
"""

from __future__ import annotations

import csv
import gzip
import math
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from unmask.arrays import Bool, Float64, Int32, Int64
from unmask.datasets.adult import adult as adult_table
from unmask.hierarchies import Hierarchy
from unmask.sanitizers._median_cuts import Variant, partition
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table


@cache
def adult() -> tuple[Int32, Int32]:
    """Return seven coded attributes, (30162, 7), and occupations, (30162, 1), of Adult's complete rows."""
    folder = os.environ.get("UNMASK_DATA")
    if not folder:
        pytest.skip("set UNMASK_DATA to the folder that holds adult/adult.data.gz")
    with gzip.open(Path(folder) / "adult" / "adult.data.gz", "rt", encoding="utf-8") as lines:
        records = [record for record in csv.reader(lines, skipinitialspace=True) if record and "?" not in record]
    text = {j: np.unique([record[j] for record in records], return_inverse=True)[1] for j in (1, 5, 6, 8, 9, 13)}
    age, education = (np.array([int(record[j]) for record in records]) for j in (0, 4))
    codes = np.stack([age, text[1], education, text[5], text[8], text[9], text[13]], axis=1)
    return codes.astype(np.int32), text[6][:, np.newaxis].astype(np.int32)


def resampled(n_rows: int) -> tuple[Int32, Int32]:
    """Return that many rows drawn from Adult, ages moved by up to three years."""
    codes, occupation = adult()
    rng = np.random.default_rng(1)
    drawn = rng.integers(0, codes.shape[0], n_rows)
    moved = codes[drawn]
    moved[:, 0] += rng.integers(-3, 4, n_rows).astype(np.int32)
    return moved, occupation[drawn]


def wide(n_rows: int) -> Int32:
    """Return days, zip codes and incomes: 27,000, 10,000 and 100,000 values, drawn uniformly."""
    return np.random.default_rng(1).integers(0, [27_000, 10_000, 100_000], (n_rows, 3)).astype(np.int32)


def spans(codes: Int32) -> Float64:
    """Return maximum - minimum of each attribute."""
    width: Float64 = (codes.max(axis=0) - codes.min(axis=0)).astype(np.float64)
    return width


def entropy_3(size: Int64, counts: tuple[Int64, ...]) -> Bool:
    """Demand entropy l-diversity at l = 3."""
    share = counts[0] / size[:, np.newaxis]
    fits: Bool = -np.sum(share * np.log(np.where(share > 0, share, 1.0)), axis=1) >= math.log(3) - 1e-12
    return fits


@pytest.mark.parametrize("k", [5, 10, 50])
def test_adult(benchmark: BenchmarkFixture, k: int):
    """The published table of every paper on Mondrian: 30,162 rows, seven attributes."""
    codes, _ = adult()
    cuts = benchmark(partition, codes, k, width=spans(codes))
    benchmark.extra_info["groups"] = cuts.n_groups


def test_adult_under_a_model(benchmark: BenchmarkFixture):
    """The same at k = 10, every side of every cut judged by a model in Python."""
    codes, occupation = adult()
    cuts = benchmark(partition, codes, 10, width=spans(codes), accept=entropy_3, values=occupation, n_values=(14,))
    benchmark.extra_info["groups"] = cuts.n_groups


@pytest.mark.parametrize("n_rows", [300_000, 3_000_000])
@pytest.mark.parametrize("model", [False, True], ids=["k alone", "entropy 3"])
def test_adult_resampled(benchmark: BenchmarkFixture, n_rows: int, model: bool):  # noqa: FBT001
    """Memory traffic decides here: each level of cuts passes over the whole table."""
    codes, occupation = resampled(n_rows)
    demand = {"accept": entropy_3, "values": occupation, "n_values": (14,)} if model else {}
    run = {"width": spans(codes), **demand}
    cuts = benchmark.pedantic(partition, (codes, 5), run, rounds=3, warmup_rounds=1)
    benchmark.extra_info["groups"] = cuts.n_groups


@pytest.mark.parametrize("n_rows", [30_000, 3_000_000])
def test_wide_domains(benchmark: BenchmarkFixture, n_rows: int):
    """Days, zip codes and incomes: most cells of a histogram would be empty."""
    codes = wide(n_rows)
    cuts = benchmark.pedantic(partition, (codes, 5), {"width": spans(codes)}, rounds=3, warmup_rounds=1)
    benchmark.extra_info["groups"] = cuts.n_groups


@pytest.mark.parametrize("cut", ["literal", "relaxed"])
def test_adult_by_another_rule(benchmark: BenchmarkFixture, cut: str):
    """The rules that are there for comparison: sorted in every node, and all nodes of one depth together."""
    codes, _ = adult()
    cuts = benchmark(partition, codes, 5, width=spans(codes), variant=Variant(cut))  # type: ignore[arg-type]
    benchmark.extra_info["groups"] = cuts.n_groups


def along_trees(n_rows: int) -> Table:
    """Return that many rows drawn from Adult, or all of it; five of seven columns have their well-known trees."""
    quasi = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
    table = adult_table(quasi=quasi, sensitive=("occupation",))
    attributes = []
    for attribute in table.schema:
        name = f"adult_{attribute.name.replace('-', '_')}.txt"
        file = Path(os.environ.get("UNMASK_DATA", "")) / "adult" / "hierarchies-mondrian" / name
        if attribute.name in quasi and file.is_file():
            lines = [line.split(";") for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
            depth = max(map(len, lines))
            tree = Hierarchy.from_rows([line[0]] * (depth - len(line)) + line for line in lines)
            attributes.append(replace(attribute, hierarchy=tree))
        else:
            attributes.append(attribute)
    if all(one.hierarchy is None for one in attributes):
        pytest.skip("set UNMASK_DATA to the folder that holds adult/hierarchies-mondrian")
    table = replace(table, schema=replace(table.schema, attributes=tuple(attributes)))
    return table.take(np.random.default_rng(1).integers(0, table.n_rows, n_rows)) if n_rows != table.n_rows else table


@pytest.mark.parametrize("n_rows", [30_162, 1_000_000])
@pytest.mark.parametrize("hierarchies", [False, True], ids=["in order", "along hierarchies"])
def test_a_release_with_regions(benchmark: BenchmarkFixture, n_rows: int, hierarchies: bool):  # noqa: FBT001
    """From a table to a release, cells and canonical order included, k = 5."""
    table, sanitizer = along_trees(n_rows), Mondrian(hierarchies=hierarchies, regions=True)
    made = benchmark.pedantic(sanitizer.sanitize, (table, np.random.default_rng(0)), rounds=3, warmup_rounds=1)
    benchmark.extra_info["groups"] = made.release.n_groups
