"""How long it takes to learn from Anatomy's groups: a fixed point, one iteration, until the chains agree; and at scale.

Run with `pytest benchmarks/bench_definetti.py`: workclass, relationship, sex and income; occupation in groups of l.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.beside import beside
from unmask.arrays import Int32, Int64, distinct_rows, starts
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.definetti.fixed_point import fixed_point
from unmask.attacks.definetti.gibbs_kernels import iterate, kinds_of
from unmask.attacks.definetti.left_out import left_out
from unmask.attacks.definetti.sampler import Fit, Sampling, learn
from unmask.attacks.shared.group_layout import chain_for
from unmask.attacks.shared.group_types import identical_groups, sorted_in_groups
from unmask.attacks.shared.grouped_people import GroupedPeople, slots_of
from unmask.attacks.shared.pooling import default_prior
from unmask.datasets.adult import adult
from unmask.files.releases import read_release
from unmask.sanitizers._buckets import buckets
from unmask.view import Knowledge, View

QUASI = ("workclass", "relationship", "sex", "income")
MILLION = 1_000_000


@cache
def people(rows: int | None) -> tuple[Int32, Int32, Int32, Int32]:
    """Return profiles, occupations, codes and numbers of levels of Adult, or of so many rows drawn from it."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    codes = np.stack([table[name] for name in QUASI], axis=1)
    levels = codes.max(axis=0) + 1
    profile, example = distinct_rows(codes)
    drawn = np.arange(table.n_rows) if rows is None else np.random.default_rng(1).integers(0, table.n_rows, rows)
    return profile[drawn], table["occupation"][drawn], codes[example].astype(np.int32), levels.astype(np.int32)


def anatomized(rows: int | None, l: int) -> GroupedPeople:
    """Return the people in groups of l."""
    profile, occupation, codes, levels = people(rows)
    group_of = buckets(occupation, 14, l, "random", np.random.default_rng(l))
    order = np.argsort(group_of, kind="stable")
    start = starts(np.bincount(group_of))
    return GroupedPeople(profile[order], start, occupation[order], codes, levels, 14)


def note(benchmark: BenchmarkFixture, fit: Fit) -> None:
    """Write what the chains say of themselves, and the largest memory so far, beside the time."""
    benchmark.extra_info["iterations"] = fit.agreement.iterations
    benchmark.extra_info["R-hat of counts"] = round(fit.agreement.r_hat_counts, 3)
    benchmark.extra_info["share known"] = round(float(fit.agreement.share_known.mean()), 4)
    benchmark.extra_info["GiB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2)


@pytest.mark.parametrize("l", [2, 3, 4])
def test_bucketizing_a_million_rows(benchmark: BenchmarkFixture, l: int):
    """Well under a second."""
    occupation = people(MILLION)[1]
    benchmark.pedantic(
        lambda: buckets(occupation, 14, l, "random", np.random.default_rng(l)), rounds=3, warmup_rounds=1
    )


@pytest.mark.parametrize("l", [2, 3, 4])
def test_learning_from_adult_until_the_chains_agree(benchmark: BenchmarkFixture, l: int):
    """Four chains; the number of iterations depends on the groups that chance made."""
    groups = anatomized(None, l)
    fit = benchmark.pedantic(
        lambda: learn(groups, Sampling(), np.random.default_rng(1)), rounds=1, iterations=1, warmup_rounds=1
    )
    assert fit.converged
    note(benchmark, fit)


@pytest.mark.parametrize(("l", "goal"), [(2, 0.1), (3, 0.2), (4, 0.4)])
def test_a_fixed_point_on_adult(benchmark: BenchmarkFixture, l: int, goal: float):
    """From equal chances until no probability moves by 1e-4."""
    slots = slots_of(anatomized(None, l))
    chain = chain_for(slots.layout, slots.shapes)
    benchmark.pedantic(
        lambda: fixed_point(slots, 1.0, chain, limit=1000, tolerance=1e-4), rounds=9, iterations=1, warmup_rounds=1
    )
    beside(benchmark, f"fixed point, l = {l}", "goal", goal)


def iterations_of_a_chain(benchmark: BenchmarkFixture, groups: GroupedPeople, n: int, rounds: int) -> None:
    """Run one chain, with the averaging of exact marginals and all traces."""
    slots = slots_of(groups)
    chain, rng = chain_for(slots.layout, slots.shapes), np.random.default_rng(1)
    fixed_point(slots, 1.0, chain)
    picked, kinds = np.arange(chain.counts.size), kinds_of(slots.layout)
    seeds = rng.integers(2**63, size=(n, 1), dtype=np.uint64)
    figures, cells = np.empty((n, 3)), np.empty((n, picked.size), np.float32)
    benchmark.pedantic(
        lambda: iterate(slots.layout, slots.shapes, chain, 1.0, 1.0, seeds, figures, picked, cells, rng, *kinds),
        rounds=rounds,
        iterations=1,
        warmup_rounds=1,
    )
    benchmark.extra_info["types"] = slots.layout.times.size


@pytest.mark.parametrize(("l", "goal", "nanoseconds"), [(2, 0.3, 25), (3, 0.6, 40), (4, 1.0, 50)])
def test_three_hundred_iterations_on_adult(benchmark: BenchmarkFixture, l: int, goal: float, nanoseconds: float):
    """One chain; and how many nanoseconds a person and iteration."""
    groups = anatomized(None, l)
    iterations_of_a_chain(benchmark, groups, 300, 7)
    beside(benchmark, f"300 iterations, l = {l}", "goal", goal)
    beside(benchmark, f"at {nanoseconds} ns a person, l = {l}", "goal", nanoseconds * 1e-9 * 300 * groups.value.size)


def test_ten_million_rows_made_types(benchmark: BenchmarkFixture):
    """Five million pairs, some 115,000 different ones."""
    groups = anatomized(10 * MILLION, 2)

    def types() -> int:
        people, values = (sorted_in_groups(groups.start, column) for column in (groups.profile_of, groups.value))
        return identical_groups(groups.start, people, values).n

    benchmark.extra_info["types"] = benchmark.pedantic(types, rounds=3, iterations=1, warmup_rounds=1)
    beside(benchmark, "types of 10,000,000 rows", "goal", 3.0)


def test_iterations_on_ten_million_rows(benchmark: BenchmarkFixture):
    """Twenty iterations of one chain: the types count, not the rows."""
    iterations_of_a_chain(benchmark, anatomized(10 * MILLION, 2), 20, 5)
    beside(benchmark, "20 iterations on 10,000,000 rows", "goal", 20 * 0.025)


def test_ten_million_rows_from_parquet_to_beliefs(benchmark: BenchmarkFixture, tmp_path: Path):
    """Two Parquet files of 10,000,000 rows, in a process of their own; its memory (goal 4 GiB) is noted."""
    write_parquet(10 * MILLION, tmp_path)
    command = [sys.executable, "-m", "benchmarks.bench_definetti", str(tmp_path)]
    root = Path(__file__).parents[1]

    def run() -> dict[str, float]:
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=root)  # noqa: S603 - our own file
        found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return found

    benchmark.extra_info.update(benchmark.pedantic(run, rounds=1, iterations=1))
    beside(benchmark, "10,000,000 rows from Parquet to beliefs", "goal", 60.0)


def write_parquet(rows: int, folder: Path) -> None:
    """Write what Anatomy publishes of so many people: their attributes with a group, and each group's values."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    drawn = np.random.default_rng(1).integers(0, table.n_rows, rows)
    group_of = buckets(table["occupation"][drawn], 14, 2, "random", np.random.default_rng(2)).astype(np.int32)

    def column(name: str, order: Int64) -> pa.DictionaryArray:
        codes = pa.array(table[name][drawn[order]].astype(np.int32))
        return pa.DictionaryArray.from_arrays(codes, pa.array(list(table.schema[name].values)))

    order = np.argsort(group_of, kind="stable")
    people = {name: column(name, order) for name in QUASI}
    pq.write_table(pa.table(people | {"group": pa.array(group_of[order])}), folder / "people.parquet")
    order = np.lexsort((table["occupation"][drawn], group_of))
    values = {"group": pa.array(group_of[order]), "occupation": column("occupation", order)}
    pq.write_table(pa.table(values), folder / "values.parquet")


def from_parquet(folder: str) -> dict[str, float]:
    """Read the two files, attack every row, and say how long each took and how much memory all did."""
    begun = time.perf_counter()
    paths = f"{folder}/people.parquet,{folder}/values.parquet"
    release = read_release(paths).release
    read = time.perf_counter()
    before = default_prior([release], "occupation", release.n_rows)
    DeFinetti().infer(View((release,), Knowledge.of_rows(release, before)), np.random.default_rng(1))
    gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds to read": read - begun, "seconds to infer": time.perf_counter() - read, "GiB": gib}


@pytest.mark.parametrize("l", [2, 3])
def test_leaving_out_every_own_group_of_adult(benchmark: BenchmarkFixture, l: int):
    """All people, each without the own group."""
    groups = anatomized(None, l)
    fit = learn(groups, Sampling(limit=320), np.random.default_rng(1))
    own = np.repeat(np.arange(groups.start.size - 1, dtype=np.int32), np.diff(groups.start))
    benchmark.pedantic(
        lambda: left_out(fit, own, groups.profile_of, groups.codes, np.full(14, 1 / 14)), rounds=1, warmup_rounds=1
    )


@pytest.mark.parametrize("l", [2, 3])
def test_a_million_rows_learned_from_and_left_out(benchmark: BenchmarkFixture, l: int):
    """250 iterations and the control; the memory stands beside the time."""
    groups = anatomized(MILLION, l)
    own = np.repeat(np.arange(groups.start.size - 1, dtype=np.int32), np.diff(groups.start))

    def run() -> Fit:
        fit = learn(groups, Sampling(limit=250, r_hat=1.0), np.random.default_rng(1))
        left_out(fit, own, groups.profile_of, groups.codes, np.full(14, 1 / 14))
        return fit

    note(benchmark, benchmark.pedantic(run, rounds=1))


if __name__ == "__main__":
    print(json.dumps(from_parquet(sys.argv[1])))
