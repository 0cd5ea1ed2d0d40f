"""Calibration of the sampler on tables drawn from its own model."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tests.attacks.definetti.test_sampler import believed, enumerated, random_groups
from tests.rates import mean_zero, uniform_ranks
from unmask.arrays import starts
from unmask.attacks.definetti.convergence import effective_draws
from unmask.attacks.definetti.sampler import Fit, Sampling, learn
from unmask.attacks.shared.grouped_people import GroupedPeople

TABLES, DRAWS, BINS, LEVEL = 400, 19, 20, 1e-3
SIZES = (2, 3, 2, 4, 2, 3) * 4
LEVELS = (2, 3)
VALUES = 4
WIDE = stats.t.isf(stats.norm.sf(4.5), 15)
"""Student's equivalent of 4.5 standard errors for 16 chains."""


@cache
def drawn(number: int) -> tuple[GroupedPeople, np.ndarray, Fit]:
    """Draw parameters from the prior and people from the parameters, hide who is who, and learn; 64 people."""
    rng = np.random.default_rng([11, number])
    theta = [rng.dirichlet(np.ones(n), VALUES) for n in LEVELS]
    value = rng.integers(VALUES, size=sum(SIZES)).astype(np.int32)
    rows = np.array([[rng.choice(n, p=theta[i][v]) for i, n in enumerate(LEVELS)] for v in value], np.int32)
    codes, profile_of = np.unique(rows, axis=0, return_inverse=True)
    start = starts(np.array(SIZES))
    groups = GroupedPeople(
        profile_of.ravel().astype(np.int32), start, value, codes.astype(np.int32), np.array(LEVELS, np.int32), VALUES
    )
    fit = learn(groups, Sampling(limit=160, r_hat=0.0), np.random.default_rng([12, number]))  # all rounds, always
    return groups, np.array([theta[0][0, 0], theta[1][1, 2], theta[1][3, 0]]), fit


def parameters(fit: Fit) -> np.ndarray:
    """Return three parameters of each snapshot, (snapshots, 3)."""
    return np.array([[s.log_theta[0, 0], s.log_theta[4, 1], s.log_theta[2, 3]] for s in fit.snapshots])


@pytest.mark.slow
def test_true_parameters_rank_anywhere_among_drawn_ones():
    """Simulation-based calibration: 400 tables, 19 of each posterior's draws, 20 bins, level 1e-3 for all three.

    Snapshots of small tables are 32 sweeps apart and 19 are taken evenly out of hundreds: worth more than 19
    independent ones, as the effective sample size says.
    """
    ranks = []
    for number in range(TABLES):
        _, truth, fit = drawn(number)
        every = parameters(fit)
        some = every[np.linspace(0, len(every) - 1, DRAWS).round().astype(int)]
        ranks.append((some < np.log(truth)).sum(axis=0))
        if number < 5:
            effective = effective_draws(every[: len(every) // 4 * 4].reshape(4, -1, 3))
            assert effective.min() > 3 * DRAWS
    for one in np.array(ranks).T:
        uniform_ranks(one, DRAWS, BINS, LEVEL / 3)


@pytest.mark.slow
def test_beliefs_come_true_as_often_as_they_say():
    """On 400 tables from the model: of what is believed with .1 to .2, a tenth to a fifth is true, and so on.

    Tables are independent and people are not, so each table gives one number for each tenth; level 1e-3 for all ten.
    """
    off = np.zeros((TABLES, 10))
    for number in range(TABLES):
        groups, _, fit = drawn(number)
        chance = believed(fit, groups)
        hit = np.eye(VALUES)[groups.value]
        tenth = np.minimum((10 * chance).astype(int), 9)
        open_ = (chance > 0) & (chance < 1)
        off[number] = np.bincount(tenth[open_], weights=(hit - chance)[open_], minlength=10)
    for column in off.T:
        mean_zero(column, LEVEL / 10)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4).filter(lambda s: sum(s) <= 8),
    values=st.integers(1, 4),
    alpha=st.sampled_from([0.2, 0.5, 1.0, 3.0]),
    seed=st.integers(0, 1000),
)
def test_any_table_of_up_to_eight_people_equals_enumeration(sizes, values, alpha, seed):
    """Groups of different sizes, values that repeat, any Dirichlet parameter: within 4.5 standard errors of 16 chains.

    That error is itself estimated, and says nothing where all chains are equally blind: a thousandth is forgiven.
    """
    groups = random_groups(seed, sizes=tuple(sizes), n_values=values)
    fit = learn(groups, Sampling(alpha=alpha, chains=16, limit=320), np.random.default_rng(seed))
    exact = enumerated(groups, alpha)
    for slot, row in zip(*np.unique(fit.slots.of_row, return_index=True), strict=True):
        entries = slice(fit.slots.start[slot], fit.slots.start[slot + 1])
        off = np.abs(fit.mean[entries] - exact[row, fit.slots.column[entries]])
        assert (off <= WIDE * fit.error[entries] + 1e-3).all()
