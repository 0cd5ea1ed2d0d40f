"""Types of identical groups: exact, with the same results as each group on its own."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, chisquare

from tests.attacks.definetti.test_sampler import believed, enumerated, random_groups
from unmask.arrays import starts
from unmask.attacks.definetti.sampler import Sampling, learn
from unmask.attacks.shared import group_layout
from unmask.attacks.shared.counter_random import binomial, stream_of
from unmask.attacks.shared.group_types import identical_groups, sorted_in_groups
from unmask.attacks.shared.grouped_people import GroupedPeople, slots_of
from unmask.attacks.shared.permanents import LANES, backward, pick_many, shape_of


def stream(number):
    """Return where a stream of random numbers begins."""
    return np.uint64(stream_of(np.uint64(7), number))


def test_two_couples_with_the_same_two_illnesses_are_one_type():
    """The order of people does not matter; a third couple has other people, a fourth other illnesses."""
    start = np.arange(0, 9, 2)
    people = sorted_in_groups(start, np.array([1, 0, 0, 1, 0, 2, 0, 1], np.int32))
    ills = sorted_in_groups(start, np.array([5, 4, 5, 4, 4, 5, 4, 4], np.int32))
    types = identical_groups(start, people, ills)
    assert types.of_group.tolist() == [0, 0, 1, 2]
    assert types.example.tolist() == [0, 2, 3]
    assert types.times.tolist() == [2, 1, 1]


@given(st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=4), max_size=30))
def test_types_are_the_distinct_pairs_of_multisets(groups):
    """Against sorting each group's people and values, and comparing."""
    start = starts(np.array([len(g) for g in groups], np.int64))
    flat = np.array([pair for g in groups for pair in g], np.int32).reshape(-1, 2)
    people, values = (sorted_in_groups(start, np.ascontiguousarray(column)) for column in flat.T)
    types = identical_groups(start, people, values)
    content = [(tuple(sorted(p for p, _ in g)), tuple(sorted(v for _, v in g))) for g in groups]
    number = {c: i for i, c in enumerate(dict.fromkeys(content))}
    assert types.of_group.tolist() == [number[c] for c in content]
    assert types.times.tolist() == [n for _, n in sorted((number[c], n) for c, n in Counter(content).items())]


def test_many_types_stay_distinct_while_the_table_grows():
    """20,000 different groups, each twice, and groups of forty, which are sorted another way."""
    number = np.tile(np.arange(20_000, dtype=np.int32), 2)
    assert identical_groups(np.arange(40_001), number, number).times.tolist() == [2] * 20_000
    long = np.random.default_rng(1).permutation(40).astype(np.int32)
    assert sorted_in_groups(np.array([0, 40]), long).tolist() == list(range(40))


def test_groups_that_stay_alone_are_a_type_each():
    """As those must that are moved by swaps, and so have a state of their own."""
    nothing = np.zeros(4, np.int32)
    types = identical_groups(np.arange(5), nothing, nothing, np.array([True, False, True, False]))
    assert types.of_group.tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize(
    ("trials", "chance"), [(5, 0.5), (40, 0.1), (40, 0.4), (1000, 0.02), (1000, 0.9), (10**6, 0.3)]
)
def test_binomial_draws_are_as_frequent_as_they_should_be(trials, chance):
    """20,000 draws in up to 20 bins of like probability; false alarm in 1 of 1,000 for each."""
    draws = np.array([binomial(stream(i), trials, chance)[1] for i in range(20_000)])
    law = binom(trials, chance)
    edges = np.unique(law.ppf(np.arange(1, 20) / 20))
    expected = np.diff(np.concatenate([[0], law.cdf(edges), [1]]))
    seen = np.histogram(draws, np.concatenate([[-1], edges, [trials]]) + 0.5)[0]
    assert chisquare(seen, 20_000 * expected).pvalue > 1e-3


def test_a_thousand_arrangements_drawn_at_once_are_a_thousand_draws():
    """How often the first of three people gets each of two values, one of them twice: variance and mean; 4.5 sigma."""
    copies = np.array([2, 1])
    shape = shape_of(copies)
    weight = np.repeat(np.array([0.2, 0.5, 0.9, 0.3, 0.4, 0.8]), int(LANES))
    flow, total = np.empty(shape.to.size * int(LANES)), np.empty((shape.out.size - 1) * int(LANES))
    backward(*shape, weight, flow, total)
    worlds = sorted(set(permutations([0, 0, 1])))
    mass = np.array([np.prod([weight[(2 * i + v) * int(LANES)] for i, v in enumerate(w)]) for w in worlds])
    first = (mass / mass.sum()) @ np.array([w[0] == 0 for w in worlds])
    n, seen = 1000, []
    for i in range(2000):
        given_values, waiting = np.zeros(6, np.int64), np.empty(total.size, np.int64)
        pick_many(*shape, flow, total, np.uint64(3), stream(i), n, waiting, given_values)
        assert given_values.reshape(3, 2).sum(axis=0).tolist() == [2 * n, n]
        assert given_values.reshape(3, 2).sum(axis=1).tolist() == [n] * 3
        seen.append(given_values[0])
    sd = np.sqrt(n * first * (1 - first))
    assert abs(np.mean(seen) - n * first) < 4.5 * sd / np.sqrt(2000)
    assert np.var(seen) / sd**2 == pytest.approx(1, abs=4.5 * np.sqrt(2 / 2000))


def repeated(seed, times):
    """Return a small table in which every group occurs several times."""
    groups = random_groups(seed, sizes=(3, 2, 2), n_values=3)
    rows = np.tile(np.arange(groups.value.size), times)
    start = starts(np.tile(np.diff(groups.start), times))
    return GroupedPeople(
        groups.profile_of[rows], start, groups.value[rows], groups.codes, groups.levels, groups.n_values
    )


@pytest.mark.parametrize("alpha", [1.0, 2.5])
def test_groups_counted_once_have_the_posterior_of_all_of_them(alpha):
    """Two copies of each group, fourteen people: enumeration of all arrangements; 4.5 standard errors of 16 chains."""
    for seed in range(2):
        groups = repeated(seed, 2)
        fit = learn(groups, Sampling(alpha=alpha, chains=16, limit=320), np.random.default_rng(seed))
        assert fit.slots.layout.times.min() >= 2
        exact = enumerated(groups, alpha)
        for slot, row in zip(*np.unique(fit.slots.of_row, return_index=True), strict=True):
            entries = slice(fit.slots.start[slot], fit.slots.start[slot + 1])
            off = np.abs(fit.mean[entries] - exact[row, fit.slots.column[entries]])
            assert (off <= 4.5 * fit.error[entries] + 1e-9).all()


def test_counting_once_changes_nothing_but_the_time(monkeypatch):
    """Twenty copies of each group, as types and singly: the same counts on average, within 4.5 standard errors."""
    groups = repeated(5, 20)
    sampling = Sampling(chains=16, limit=320, r_hat=9, r_hat_counts=9, spread=1)
    together = learn(groups, sampling, np.random.default_rng(1))
    monkeypatch.setattr(group_layout, "_many_states", lambda start, *_: np.ones(start.size - 1, bool))
    apart = learn(groups, sampling, np.random.default_rng(2))
    assert apart.slots.layout.times.max() == 1
    assert together.slots.layout.times.min() >= 20
    one, other = believed(together, groups), believed(apart, groups)
    error = max(together.error.max(), apart.error.max())
    assert np.abs(one - other).max() <= 4.5 * np.sqrt(2) * error + 1e-9


def test_types_stop_growing():
    """Ten times as many people of the same kinds, and twice as many types at most."""
    sizes = [slots_of(random_groups(6, sizes=(2,) * n)).layout.times.size for n in (2000, 20_000)]
    assert sizes[1] < 2 * sizes[0]
