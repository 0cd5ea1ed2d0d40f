"""Is it worth integrating the parameters out? Our sampler beside its collapsed twin, in independent draws a second.

Run with `pytest benchmarks/bench_collapsed.py -s`: Adult in groups of l by Anatomy. Both are traced on the same
quantities, the number of people by attribute level and value, and both add up exact marginals. Time is that of the
thread, so that a busy machine changes little.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.bench_definetti import anatomized
from tests.attacks.definetti.collapsed import Collapsed
from unmask.attacks.definetti.convergence import effective_draws
from unmask.attacks.definetti.gibbs_kernels import iterate, kinds_of, sweep
from unmask.attacks.shared.group_layout import chain_for
from unmask.attacks.shared.grouped_people import GroupedPeople, slots_of

CHAINS, BURN, KEPT, PART = 4, 500, 1500, 100


class Found(NamedTuple):
    """What the chains of one sampler found, and how long one iteration took at least."""

    counts: np.ndarray  # (chains, kept, levels × values)
    means: np.ndarray  # (chains, entries) marginals, averaged
    people: np.ndarray  # (entries,) who share them
    seconds: float


def ours(groups: GroupedPeople, seed: int) -> Found:
    """Draw parameters and arrangements in turn."""
    slots = slots_of(groups)
    counts, means, took = [], [], []
    for number in range(CHAINS):
        chain, rng = chain_for(slots.layout, slots.shapes), np.random.default_rng([seed, number])
        sweep(slots.layout, slots.shapes, chain, rng.integers(2**63, dtype=np.uint64))
        every, picked, kinds = [], np.arange(chain.counts.size), kinds_of(slots.layout)
        for part in range((BURN + KEPT) // PART):
            if PART * part == BURN:
                chain.sums[:] = 0
            seeds = rng.integers(2**63, size=(PART, 1), dtype=np.uint64)
            figures, cells = np.empty((PART, 3)), np.empty((PART, picked.size), np.float32)
            begun = time.thread_time()
            iterate(slots.layout, slots.shapes, chain, 1.0, 1.0, seeds, figures, picked, cells, rng, *kinds)
            took.append(time.thread_time() - begun)
            every.append(cells)
        counts.append(np.concatenate(every)[BURN:])
        means.append(np.where(slots.constant, slots.equal, chain.sums / KEPT)[slots.order])
    return Found(np.array(counts), np.array(means), np.repeat(slots.people, np.diff(slots.start)), min(took) / PART)


def collapsed(groups: GroupedPeople, seed: int) -> Found:
    """Draw arrangements only, each group given all others."""
    counts, means, took = [], [], []
    for number in range(CHAINS):
        chain = Collapsed(groups, 1.0, 100 * seed + number)
        every = []
        for part in range((BURN + KEPT) // PART):
            if PART * part == BURN:
                chain.sums[:] = 0
            begun = time.thread_time()
            every.append(chain.run(PART))
            took.append(time.thread_time() - begun)
        counts.append(np.concatenate(every)[BURN:])
        means.append(chain.sums / KEPT)
    return Found(np.array(counts), np.array(means), np.ones(chain.sums.size), min(took) / PART)


def said(found: Found) -> dict[str, float]:
    """Return independent draws, by 1,000 iterations and by second, and how uncertain a second leaves beliefs."""
    moving = found.counts[:, :, np.ptp(found.counts, axis=(0, 1)) > 0]
    worth = effective_draws(moving) / (CHAINS * KEPT)
    variance = np.average(found.means.var(axis=0, ddof=1), weights=found.people)
    return {
        "ms": 1e3 * found.seconds,
        "median": 1e3 * float(np.median(worth)),
        "least": 1e3 * float(worth.min()),
        "median a second": float(np.median(worth)) / found.seconds,
        "least a second": float(worth.min()) / found.seconds,
        "variance of beliefs × seconds": float(variance) * KEPT * found.seconds,
    }


@pytest.mark.parametrize("l", [2, 3, 4])
def test_independent_draws_a_second(benchmark: BenchmarkFixture, l: int):
    """Four chains of 2,000 iterations, 500 of which are left out."""
    groups = anatomized(None, l)
    one = said(ours(groups, l))
    other = said(benchmark.pedantic(lambda: collapsed(groups, l), rounds=1, iterations=1))
    for what, here in one.items():
        print(
            f"\nl = {l}: {what:32} ours {here:10.4g}, collapsed {other[what]:10.4g}: {other[what] / here:5.2f}x", end=""
        )
