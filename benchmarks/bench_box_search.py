"""How long it takes to find the boxes around people and the nearest other ones, among 49,000 Mondrian boxes.

Run with `pytest benchmarks/bench_box_search.py`. The table is drawn: seven attributes with as many values as Adult's,
low codes far more common than high ones.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from pytest_benchmark.fixture import BenchmarkFixture

from unmask.arrays import Float64, Int32
from unmask.masks.search.box_search import BoxTree, build, containing, nearest
from unmask.sanitizers._median_cuts import partition

VALUES = np.array([74, 7, 16, 7, 5, 2, 41])


@cache
def boxes() -> tuple[Float64, Float64, Float64, Int32]:
    """Return low and high ends of 49,210 boxes, a million people, and their groups."""
    rng = np.random.default_rng(1)
    codes = (rng.random((1_000_000, 7)) ** 3 * VALUES).astype(np.int32)
    cuts = partition(codes, 13, width=VALUES - 1.0)
    return cuts.low.astype(np.float64), cuts.high.astype(np.float64), codes.astype(np.float64), cuts.group_of


@cache
def tree() -> BoxTree:
    """Return the tree over the boxes."""
    low, high, _, _ = boxes()
    return build(low, high)


def test_building(benchmark: BenchmarkFixture):
    """Once a release."""
    low, high, _, _ = boxes()
    benchmark.extra_info["boxes"] = low.shape[0]
    benchmark.pedantic(build, (low, high), rounds=3, warmup_rounds=1)


def test_the_boxes_around_a_million_people(benchmark: BenchmarkFixture):
    """Boxes are disjoint: one for each."""
    _, _, people, group = boxes()
    _, box = benchmark.pedantic(containing, (tree(), people), rounds=3, warmup_rounds=1)
    assert np.array_equal(box, group)


def test_the_boxes_around_people_of_unknown_age(benchmark: BenchmarkFixture):
    """The widest attribute is missing: some 18 boxes for each of 100,000."""
    unknown = boxes()[2][:100_000].copy()
    unknown[:, 0] = np.nan
    start, _ = benchmark.pedantic(containing, (tree(), unknown), rounds=3, warmup_rounds=1)
    benchmark.extra_info["boxes a person"] = start[-1] / unknown.shape[0]


def test_the_nearest_boxes_but_the_own(benchmark: BenchmarkFixture):
    """The left-out control, for 100,000 people."""
    _, _, people, group = boxes()
    nominal = np.array([False, True, False, True, True, True, True])
    asked = (tree(), people[:100_000], 1.0 / (VALUES - 1), nominal, group[:100_000])
    benchmark.pedantic(nearest, asked, rounds=3, warmup_rounds=1)
