"""Beginnings of a group, drawn, and its rest, counted from where the most frequent value alone keeps it open."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unmask.arrays import Float64
from unmask.attacks.minimality._beginnings import begun, can_lead
from unmask.attacks.minimality._exact import exact
from unmask.attacks.minimality._insertion import GroupSetting
from unmask.attacks.minimality._sampling import SampledPosterior
from unmask.attacks.minimality._shuffles import weighed
from unmask.attacks.minimality.many_values import SamplingEffort, posteriors, value_given_position
from unmask.sanitizers.greedy_rule.first_bucket import p_b1_exact
from unmask.sanitizers.greedy_rule.rule import GreedyRule


def setting_of(counts: tuple[int, ...], l: int, minimum: int | None = None) -> GroupSetting:
    """Return the setting of a group that closed itself."""
    return GroupSetting(sum(counts), l, l if minimum is None else minimum, 0.0, closed=True, merged=False)


def drawn(counts: tuple[int, ...], setting: GroupSetting, error: float = 0.01, seed: int = 1) -> SampledPosterior:
    """Return the sampled posterior."""
    found = begun(np.array(counts), setting, None, error, 1e9, np.random.default_rng(seed))
    assert found is not None
    return found


def counted(counts: tuple[int, ...], setting: GroupSetting) -> Float64:
    """Return the exact posterior."""
    rule = GreedyRule(setting.l, setting.minimum)
    found = exact(np.array(counts), rule, closed=True, merged=False, most=10**6)
    assert found is not None
    return found


@pytest.mark.parametrize(("l", "m"), [(2, 5), (3, 2), (3, 6), (4, 5), (6, 6)])
def test_one_frequent_value_among_singles_is_counted_without_a_draw(l, m):
    """Only the leader can keep the group open: the paper's first bucket, with no error."""
    counts = (m, *[1] * (m * l - m))
    found = drawn(counts, setting_of(counts, l))
    assert float(p_b1_exact(l, m)) == pytest.approx(found.mean[0, 0], abs=1e-9)
    assert found.error.max() < 1e-9
    assert counts == pytest.approx(found.mean.sum(axis=0), abs=1e-9)


def test_a_group_of_a_thousand_is_counted_without_a_draw():
    """Its states are in a band around the diagonal."""
    counts = (200, *[1] * 1_000)
    found = drawn(counts, setting_of(counts, 6))
    assert float(p_b1_exact(6, 200)) == pytest.approx(found.mean[0, 0], abs=1e-9)


@given(
    st.lists(st.integers(1, 8), min_size=2, max_size=5),
    st.integers(2, 4),
    st.sampled_from([0, 1, 3]),
    st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_beliefs_are_near_the_counted_ones(others, l, more, seed):
    """Any minimum; within 6 standard errors everywhere, and some for rare values."""
    m = max(-(-sum(others) // (l - 1)), *others)
    filler = [1] * (m * (l - 1) - sum(others))
    counts = (m, *sorted([*others, *filler], reverse=True))
    setting = setting_of(counts, l, min(l + more, sum(counts)))
    if not can_lead(np.array(counts), setting):
        return
    truth, found = counted(counts, setting), drawn(counts, setting, seed=seed)
    if not truth.any():
        return
    assert found.settled
    assert (np.abs(found.mean - truth) <= 6 * found.error + 5e-3).all()
    assert np.ones(sum(counts)) == pytest.approx(found.mean.sum(axis=1))


def test_errors_are_as_stated():
    """500 z-scores of one place each, with 23 degrees of freedom: variance 1.095."""
    rng, z = np.random.default_rng(4), []
    groups = [
        (4, 3, 3, 2), (6, 5, 4, 2, 1), (9, 6, 6, 4, 2), (12, 8, 5, 3, 2, 2, 1, 1, 1, 1), (8, 8, 4, 4)
    ]  # fmt: skip
    for counts in groups:
        setting = setting_of(counts, 3)
        truth = counted(counts, setting)
        for seed in range(120):
            found = drawn(counts, setting, 0.02, seed)
            t, v = rng.integers(setting.n), rng.integers(len(counts))
            if found.error[t, v] > 1e-9:
                z.append((found.mean[t, v] - truth[t, v]) / found.error[t, v])
    assert len(z) >= 500
    assert abs(np.mean(z)) < 0.1
    assert 0.8 < np.var(z) < 1.25


def test_beginnings_and_whole_orders_agree_on_a_large_group():
    """Two ways that share nothing but the rule, far from what can be counted; other values lead for long."""
    counts = (70, 45, 35, 25, 15, 10, 5, 5)
    setting = setting_of(counts, 3)
    whole = weighed(np.array(counts), setting, None, 0.006, 1e9, np.random.default_rng(1), segments=False)
    assert whole is not None
    found = drawn(counts, setting)
    assert (np.abs(found.mean - whole.mean) <= 5 * np.hypot(found.error, whole.error) + 1e-9).all()


@pytest.mark.parametrize(
    ("counts", "setting"),
    [
        ((4, 3, 3, 2), GroupSetting(12, 3, 3, 0.0, closed=True, merged=True)),  # the rest need not be open
        ((4, 3, 3, 2), GroupSetting(12, 3, 3, 0.5, closed=True, merged=False)),  # a coin kept it open
        ((2, 2, 2), GroupSetting(6, 3, 6, 0.0, closed=True, merged=False)),  # never checked before its end
        ((50_000_000, 50_000_000), GroupSetting(100_000_000, 2, 2, 0.0, closed=True, merged=False)),
    ],
)
def test_groups_without_a_leader_are_left_to_other_ways(counts, setting):
    """The result is None, and nothing is drawn."""
    assert begun(np.array(counts), setting, None, 0.01, 1e9, np.random.default_rng(1)) is None


@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=1, max_size=6), st.integers(2, 3))
@settings(max_examples=40, deadline=None)
def test_shared_results_equal_those_of_each_group_alone(lists, l):
    """Groups of equal sorted counts are solved once: the beliefs are those of the group itself, column by column."""
    rule, rng = GreedyRule(l, l), np.random.default_rng(1)
    groups = [np.array([*counts, max(counts)]) for counts in lists]
    full = [g for g in groups if g.sum() and counted_by(rule, g)]
    for group, shared in zip(full, posteriors(full, rule, rng), strict=True):
        alone = value_given_position(group, rule, rng)
        assert alone.value_given_position == pytest.approx(shared.value_given_position, abs=1e-12)
        assert np.array_equal(alone.error, shared.error)


def counted_by(rule: GreedyRule, counts: np.ndarray) -> bool:
    """Whether the rule makes such a group, by counting."""
    held = -np.sort(-counts[counts > 0])
    if not rule.publishable(int(held.sum()), int(held[0])):
        return False
    found = exact(held, rule, closed=True, merged=False, most=SamplingEffort().states)
    return found is not None and bool(found.any())
