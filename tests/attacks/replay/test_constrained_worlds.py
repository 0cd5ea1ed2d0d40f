"""Worlds that meet algorithm constraints, listed or drawn."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.algorithm_constraints import Constraint
from unmask.arrays import Bool, Int64, Ragged
from unmask.attacks.replay.constrained_worlds import ConstraintConflictError, ReplayEffort, constrained_beliefs


def same_in(cell):
    """Return whether some cell has a single value, by world."""
    return lambda counts, rng: (counts[:, cell] > 0).sum(axis=1) == 1  # noqa: ARG005


GROUP_OF = np.array([0, 0, 0, 0, 1, 1], np.int32)
COUNTS = Ragged.of(np.array([[2, 2, 0], [1, 0, 1]]))
PAIR = Constraint(np.arange(4), np.array([0, 0, 1, 1], np.int32), same_in(0))
"""The first two of four have the same value."""


def test_without_constraints_each_row_has_the_shares_of_its_group():
    """And the slots are the groups."""
    solution = constrained_beliefs(GROUP_OF, COUNTS, [], ReplayEffort(), np.random.default_rng(0))
    assert solution.of_row.tolist() == GROUP_OF.tolist()
    assert solution.runs[0].dense() == pytest.approx(np.array([[0.5, 0.5, 0], [0.5, 0, 0.5]]))
    assert solution.n_listed == solution.n_drawn == solution.n_open == 0


def test_groups_without_a_constraint_are_left_alone():
    """One of two groups: its people of one cell share a slot; the other keeps its own."""
    one = Constraint(np.arange(4), np.array([0, 1, 1, 1], np.int32), lambda counts, _: counts[:, 0, 0] == 1)
    solution = constrained_beliefs(GROUP_OF, COUNTS, [one], ReplayEffort(), np.random.default_rng(0))
    belief = solution.runs[0].dense()[solution.of_row]
    assert belief[0] == pytest.approx([1, 0, 0])
    assert belief[1:4] == pytest.approx(np.array([[1 / 3, 2 / 3, 0]] * 3))
    assert belief[4] == pytest.approx([0.5, 0, 0.5])
    assert solution.n_listed == 1


def test_a_constraint_about_two_groups_makes_them_one_component():
    """A pair in each group shares a cell with the other's: one group is evidence about the other."""
    linked = Constraint(np.arange(6), np.array([0, 1, 1, 1, 0, 1], np.int32), same_in(0))
    solution = constrained_beliefs(GROUP_OF, COUNTS, [linked], ReplayEffort(), np.random.default_rng(0))
    belief = solution.runs[0].dense()[solution.of_row]
    assert belief[[0, 4]] == pytest.approx(np.array([[1, 0, 0], [1, 0, 0]]))
    assert belief[5] == pytest.approx([0, 0, 1])


def test_drawn_worlds_agree_with_listed_ones():
    """Within 6 standard errors of 8 runs; the result has which runs differ, and which are equal."""
    effort = ReplayEffort(worlds=1, runs=8)
    linked = Constraint(np.arange(6), np.array([0, 1, 1, 1, 0, 1], np.int32), lambda counts, _: counts[:, 0, 0] > 0)
    listed = (
        constrained_beliefs(GROUP_OF, COUNTS, [PAIR, linked], ReplayEffort(), np.random.default_rng(0)).runs[0].dense()
    )
    solution = constrained_beliefs(GROUP_OF, COUNTS, [PAIR, linked], effort, np.random.default_rng(0))
    assert solution.n_drawn == 2
    assert solution.effective >= 8 * effort.least
    assert 0 < solution.accepted < 1
    each = np.stack([run.dense() for run in solution.runs])
    error = each.std(axis=0, ddof=1) / np.sqrt(8)
    assert (np.abs(each.mean(axis=0) - listed) <= 6 * error + 1e-12).all()


def test_where_too_few_worlds_agree_the_slots_are_left_open():
    """One world in many, and few tries: the group's people have no posterior."""
    n = 12
    rare = Constraint(np.arange(n), np.repeat(np.arange(2, dtype=np.int32), n // 2), same_in(0))
    counts = Ragged.of(np.array([[n // 2, n // 2]]))
    solution = constrained_beliefs(
        np.zeros(n, np.int32), counts, [rare], ReplayEffort(worlds=1, tries=2_000), np.random.default_rng(0)
    )
    assert solution.n_open == 1
    assert sorted(solution.open_slots.tolist()) == sorted(set(solution.of_row.tolist()))


def test_constraints_that_no_world_meets_contradict():
    """Listed worlds are all there are."""
    never = Constraint(
        np.arange(4), np.array([0, 0, 1, 1], np.int32), lambda counts, _: np.zeros(counts.shape[0], bool)
    )
    with pytest.raises(ConstraintConflictError, match=r"^$"):
        constrained_beliefs(GROUP_OF, COUNTS, [never], ReplayEffort(), np.random.default_rng(0))
    both = Constraint(np.arange(6), np.array([0, 0, 1, 1, 0, 1], np.int32), never.agrees)
    with pytest.raises(ConstraintConflictError, match=r"^$"):
        constrained_beliefs(GROUP_OF, COUNTS, [both], ReplayEffort(), np.random.default_rng(0))


def test_an_algorithm_that_draws_is_never_settled_by_one_run():
    """A randomized constraint is tested on drawn worlds only, and its beliefs differ from run to run."""

    def tossed(counts: Int64, rng: np.random.Generator) -> Bool:
        return np.asarray(rng.random(counts.shape[0]) < 0.5)

    coin = Constraint(np.arange(4), np.array([0, 0, 1, 1], np.int32), tossed, costly=True)
    solution = constrained_beliefs(GROUP_OF, COUNTS, [coin], ReplayEffort(), np.random.default_rng(0))
    assert solution.n_drawn == 1
    assert solution.runs[0].dense()[solution.of_row][0] == pytest.approx([0.5, 0.5, 0], abs=0.15)
    assert not np.array_equal(solution.runs[0].data, solution.runs[1].data)
