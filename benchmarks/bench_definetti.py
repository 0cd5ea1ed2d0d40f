"""How long it takes to learn from Anatomy's groups until the chains agree, on Adult and on a million rows.

Run with `pytest benchmarks/bench_definetti.py`: workclass, relationship, sex and income; occupation in groups of l.
"""

from __future__ import annotations

import resource
from functools import cache

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from unmask.arrays import Int32, distinct_rows, starts
from unmask.datasets.adult import adult
from unmask.inference.exchangeable import Fit, Sampling, learn
from unmask.inference.grouped import Groups
from unmask.inference.left_out import left_out
from unmask.sanitizers._buckets import buckets

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


def anatomized(rows: int | None, l: int) -> Groups:
    """Return the people in groups of l."""
    profile, occupation, codes, levels = people(rows)
    group_of = buckets(occupation, 14, l, "random", np.random.default_rng(l))
    order = np.argsort(group_of, kind="stable")
    start = starts(np.bincount(group_of))
    return Groups(profile[order], start, occupation[order], codes, levels, 14)


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


@pytest.mark.parametrize("l", [2, 3, 4])
def test_three_hundred_iterations_on_adult(benchmark: BenchmarkFixture, l: int):
    """Whatever the chains say: the time of one iteration."""
    groups = anatomized(None, l)
    endless = Sampling(limit=300, r_hat=1.0)
    fit = benchmark.pedantic(
        lambda: learn(groups, endless, np.random.default_rng(1)), rounds=3, iterations=1, warmup_rounds=1
    )
    note(benchmark, fit)


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
