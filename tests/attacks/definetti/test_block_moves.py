"""Blocks of people: whole groups reach the right distribution, and blocks have the right marginals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from unmask.attacks.definetti.block_moves import sweep_blocks
from unmask.attacks.shared import group_layout
from unmask.attacks.shared.group_layout import chain_for
from unmask.attacks.shared.grouped_people import GroupedPeople, slots_of
from unmask.attacks.shared.permanents import marginals


def one_group(weight, value, monkeypatch, tabulated):
    """Return the layout, shapes and chain of one group: a profile for each person, (people, values)."""
    monkeypatch.setattr(group_layout, "EXACT_STATES", 1)
    monkeypatch.setattr(group_layout, "BLOCK", 3)
    people = len(value)
    codes = np.arange(people, dtype=np.int32)[:, None]
    groups = GroupedPeople(
        np.arange(people, dtype=np.int32), np.array([0, people]), np.array(value, np.int32), codes,
        np.array([people], np.int32), weight.shape[1],
    )  # fmt: skip
    slots = slots_of(groups)
    chain = chain_for(slots.layout, slots.shapes)
    chain.log_theta[:] = np.log(weight)
    if tabulated:
        chain.table[:] = weight
    else:
        chain = chain._replace(table=np.empty((0, weight.shape[1])))
    return slots.layout, slots.shapes, chain


@pytest.mark.parametrize("tabulated", [True, False])
def test_blocks_reach_the_distribution_of_the_group(monkeypatch, tabulated):
    """Twelve rounds from a fixed start: chi-square over the 60 arrangements of five, false alarm in 1 of 1,000."""
    weight = 0.3 + np.random.default_rng(8).random((5, 4))
    value = [0, 0, 1, 2, 3]
    layout, shapes, chain = one_group(weight, value, monkeypatch, tabulated)
    arrangements = sorted(set(itertools.permutations(value)))
    mass = np.array([np.prod(weight[np.arange(5), list(one)]) for one in arrangements])
    start = chain.held.copy()
    times = dict.fromkeys(arrangements, 0)
    for seed in range(4000):
        chain.held[:] = start
        sweep_blocks(layout, shapes, chain, np.uint64(seed), 12)
        times[tuple(layout.support[chain.held].tolist())] += 1
    assert chisquare(list(times.values()), 4000 * mass / mass.sum()).pvalue > 1e-3


@pytest.mark.parametrize("tabulated", [True, False])
def test_marginals_of_blocks_average_to_those_of_the_group(monkeypatch, tabulated):
    """Eight people, 20,000 rounds: within .01 everywhere, and exactly as many of each value as there are."""
    weight, copies = 0.2 + np.random.default_rng(9).random((8, 6)), np.array([3, 1, 1, 1, 1, 1])
    layout, shapes, chain = one_group(weight, [0, 0, 0, 1, 2, 3, 4, 5], monkeypatch, tabulated)
    sweep_blocks(layout, shapes, chain, np.uint64(1), 20_000)
    average = chain.sums.reshape(8, 6)
    assert average.sum(axis=0) == pytest.approx(copies)
    assert np.abs(average - marginals(weight[:, layout.support], copies)).max() < 0.01


def test_weights_below_the_smallest_number_are_summed_by_logarithms(monkeypatch):
    """Every arrangement of a block underflows, but they differ: two people are told apart by e^3."""
    log_weight = np.array([[-900.0, 0.0], [-903.0, 0.0], [-900.0, 0.0]])
    layout, shapes, chain = one_group(np.ones((3, 2)), [0, 1, 1], monkeypatch, tabulated=True)
    chain.log_theta[:] = log_weight
    chain.table[:] = np.exp(log_weight)
    sweep_blocks(layout, shapes, chain, np.uint64(1), 1)
    first = chain.sums.reshape(3, 2)[:, list(layout.support).index(0)]
    assert first == pytest.approx(np.array([1, np.exp(-3), 1]) / (2 + np.exp(-3)))
