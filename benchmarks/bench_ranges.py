"""How long it takes to learn from generalized cells, and to leave out every person's own group.

Run with `pytest benchmarks/bench_ranges.py`: Adult by Mondrian, seven attributes, no occupation above one half.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from unmask.arrays import Int32
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.shared.pooling import default_prior
from unmask.beliefs import Beliefs
from unmask.datasets.adult import adult
from unmask.models.l_diversity import MaxShareL
from unmask.sanitizers.mondrian import Mondrian
from unmask.view import Knowledge, View

QUASI = ("age", "workclass", "education-num", "marital-status", "race", "sex", "hours-per-week")
ROWS = [None, 1_000_000, 10_000_000]


@cache
def boxed(rows: int | None) -> tuple[View, Int32]:
    """Return Adult, or so many rows drawn from it, in boxes; and the group of each person."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    rng = np.random.default_rng(1)
    if rows is not None:
        table = table.take(rng.integers(0, table.n_rows, rows))
    made = Mondrian(k=4 if rows is None else 10, models=(MaxShareL(2.0),)).sanitize(table, rng)
    assert made.group_of is not None
    prior = default_prior((made.release,), "occupation", table.n_rows)
    return View((made.release,), Knowledge(table.visible("occupation"), prior)), made.group_of


@pytest.mark.parametrize("rows", ROWS)
def test_learning_from_boxes(benchmark: BenchmarkFixture, rows: int | None):
    """From a release in memory to beliefs about everybody."""
    view, _ = boxed(rows)
    found = benchmark.pedantic(lambda: DeFinetti().infer(view, np.random.default_rng(1)), rounds=3, warmup_rounds=1)
    benchmark.extra_info.update(groups=view.release.n_groups, rows_of_beliefs=found.rows.n_rows)


@pytest.mark.parametrize("rows", ROWS)
def test_leaving_out_every_own_group(benchmark: BenchmarkFixture, rows: int | None):
    """The control, for everybody."""
    view, own = boxed(rows)
    found = DeFinetti().infer(view, np.random.default_rng(1))
    assert found.left_out is not None
    control = found.left_out

    def run() -> Beliefs:
        return control([own])

    benchmark.pedantic(run, rounds=3, warmup_rounds=1)
