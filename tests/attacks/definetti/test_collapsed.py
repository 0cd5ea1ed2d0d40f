"""Agreement with a collapsed sampler of the same posterior, which draws no parameters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.attacks.definetti.collapsed import Collapsed
from tests.attacks.definetti.test_fixed_point import anatomized
from tests.attacks.definetti.test_sampler import believed, enumerated
from unmask.arrays import starts
from unmask.attacks.definetti.convergence import standard_error
from unmask.attacks.definetti.gibbs_kernels import iterate, kinds_of, sweep
from unmask.attacks.definetti.sampler import Sampling, learn
from unmask.attacks.shared.group_layout import chain_for
from unmask.attacks.shared.grouped_people import GroupedPeople, slots_of

CHAINS = 16
WIDE = stats.t.isf(stats.norm.sf(4.5), CHAINS - 1)
"""Student's equivalent of 4.5 standard errors."""


def all_different(seed: int) -> GroupedPeople:
    """Draw a small table in which no value occurs twice in a group."""
    rng = np.random.default_rng(seed)
    sizes, levels = (3, 2, 3, 2), np.array([2, 3], np.int32)
    value = np.concatenate([rng.permutation(4)[:n] for n in sizes]).astype(np.int32)
    rows = np.array([[(v + (rng.random() < 0.3)) % n for n in levels] for v in value], np.int32)
    codes, profile_of = np.unique(rows, axis=0, return_inverse=True)
    people = profile_of.ravel().astype(np.int32)
    return GroupedPeople(people, starts(np.array(sizes)), value, codes.astype(np.int32), levels, 4)


def twins_beliefs(groups: GroupedPeople, chain: Collapsed, sweeps: int) -> np.ndarray:
    """Return the mean marginals of all rows, (rows, values)."""
    result = np.zeros((groups.value.size, groups.n_values))
    entry = 0
    for a, b in zip(groups.start[:-1], groups.start[1:], strict=True):
        n = (b - a) ** 2
        result[a:b, groups.value[a:b]] = chain.sums[entry : entry + n].reshape(b - a, b - a) / sweeps
        entry += n
    return result


@pytest.mark.parametrize("alpha", [1.0, 0.4])
def test_both_say_of_a_small_table_what_enumeration_says(alpha):
    """Ten people in four groups, 144 arrangements; 4.5 standard errors of 16 chains, and of the other 16."""
    for seed in range(2):
        groups = all_different(seed)
        exact = enumerated(groups, alpha)
        every = []
        for number in range(CHAINS):
            chain = Collapsed(groups, alpha, number)
            chain.run(100)
            chain.sums[:] = 0.0
            chain.run(1000)
            every.append(twins_beliefs(groups, chain, 1000))
        error = np.std(every, axis=0, ddof=1) / np.sqrt(CHAINS)
        assert (np.abs(np.mean(every, axis=0) - exact) <= WIDE * error + 1e-9).all()
        fit = learn(groups, Sampling(alpha=alpha, chains=CHAINS, limit=320), np.random.default_rng(seed))
        ours = WIDE * float(fit.error.max())  # of the least certain, for people who share a slot share its error
        assert (np.abs(believed(fit, groups) - exact) <= ours + 1e-9).all()


@pytest.mark.slow
def test_both_count_the_same_people_on_adult():
    """Groups of three: means and variances of 238 counts within 4.5 standard errors; in 3 of 1,000 runs one is not."""
    groups, burn, kept = anatomized(3, 1), 300, 1500
    slots = slots_of(groups)
    kinds = kinds_of(slots.layout)
    ours, twins = [], []
    for number in range(4):
        chain, rng = chain_for(slots.layout, slots.shapes), np.random.default_rng(number)
        sweep(slots.layout, slots.shapes, chain, rng.integers(2**63, dtype=np.uint64))
        seeds = rng.integers(2**63, size=(burn + kept, 1), dtype=np.uint64)
        cells = np.empty((burn + kept, chain.counts.size), np.float32)
        figures = np.empty((burn + kept, 3))
        picked = np.arange(chain.counts.size)
        iterate(slots.layout, slots.shapes, chain, 1.0, 1.0, seeds, figures, picked, cells, rng, *kinds)
        ours.append(cells[burn:])
        twins.append(Collapsed(groups, 1.0, number).run(burn + kept)[burn:])
    one, other = np.array(ours, np.float64), np.array(twins, np.float64)
    middle = (one + other).mean(axis=(0, 1)) / 2
    assert one.shape[2] == 238
    for moment in (1, 2):
        a, b = (one - middle) ** moment, (other - middle) ** moment
        error = np.hypot(standard_error(a), standard_error(b))
        assert (np.abs(a.mean(axis=(0, 1)) - b.mean(axis=(0, 1))) <= 4.5 * error + 1e-9).all()
