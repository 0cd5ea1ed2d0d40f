"""How long minimality takes on a million people in greedy groups, l = 6.

Run with `pytest benchmarks/bench_minimality.py`; under load compare processor time. In the order of age and other
columns, half of all people are in the last group, which took up a tail; in the order of positions nobody ties.
"""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.bench_greedy_grouping import resampled
from unmask.attacks.minimality.attack import Minimality
from unmask.attacks.shared.pooling import default_prior
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.schema import Attribute, Categorical, Role, Schema
from unmask.table import Table
from unmask.view import Knowledge, View

VALUE = "Exec-managerial"


@cache
def people() -> Table:
    """Return a million people of whom only one occupation is told apart."""
    table = resampled(1_000_000)
    code = table.schema["occupation"].values.index(VALUE)
    two = Attribute("occupation", Role.SENSITIVE, Categorical((VALUE, "other")))
    schema = Schema(tuple(two if a.name == "occupation" else a for a in table.schema))
    return Table(schema, {**table.columns, "occupation": (table["occupation"] != code).astype(np.int32)}, table.n_rows)


@pytest.mark.parametrize("p", [0.0, 0.5])
@pytest.mark.parametrize("order", ["by age", "by position"])
def test_a_million_people(benchmark: BenchmarkFixture, order: str, p: float):
    """From the release to beliefs of everybody's row: at most 5 s."""
    ties = "stable" if order == "by position" else "random"
    by = GreedyGrouping(l=6, positive=VALUE, p=p, order="sex" if ties == "stable" else "", ties=ties)  # type: ignore[arg-type]
    release = by.sanitize(people(), np.random.default_rng(0)).release
    view = View((release,), Knowledge.of_rows(release, default_prior((release,), "occupation", release.n_rows)))
    spent = []

    def attacked() -> None:
        begun = time.process_time()
        Minimality().infer(view, np.random.default_rng(0))
        spent.append(time.process_time() - begun)

    benchmark.pedantic(attacked, rounds=2, iterations=1, warmup_rounds=1)
    benchmark.extra_info["least processor time"] = min(spent)
    benchmark.extra_info["largest group"] = int(release.size.max())
    print(f"\n{order}, p = {p}: {min(spent):.2f} s of processor time; largest group {int(release.size.max()):,}")
