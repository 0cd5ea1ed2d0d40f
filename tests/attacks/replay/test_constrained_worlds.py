"""Clues: worlds that agree with them, listed or drawn."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.algorithm_constraints import Clue
from unmask.arrays import Bool, Int64, Ragged
from unmask.attacks.replay.constrained_worlds import CluesContradictError, Effort, tell


def same_in(cell):
    """Say of worlds whether some cell has one value only."""
    return lambda counts, rng: (counts[:, cell] > 0).sum(axis=1) == 1  # noqa: ARG005


GROUP_OF = np.array([0, 0, 0, 0, 1, 1], np.int32)
COUNTS = Ragged.of(np.array([[2, 2, 0], [1, 0, 1]]))
PAIR = Clue(np.arange(4), np.array([0, 0, 1, 1], np.int32), same_in(0))
"""The first two of four have the same value."""


def test_without_clues_everybody_has_the_shares_of_their_group():
    """And the slots are the groups."""
    told = tell(GROUP_OF, COUNTS, [], Effort(), np.random.default_rng(0))
    assert told.of_row.tolist() == GROUP_OF.tolist()
    assert told.runs[0].dense() == pytest.approx(np.array([[0.5, 0.5, 0], [0.5, 0, 0.5]]))
    assert told.n_listed == told.n_drawn == told.n_open == 0


def test_groups_without_a_clue_are_left_alone():
    """One of two groups: its people of one cell share a slot; the other keeps its own."""
    one = Clue(np.arange(4), np.array([0, 1, 1, 1], np.int32), lambda counts, _: counts[:, 0, 0] == 1)
    told = tell(GROUP_OF, COUNTS, [one], Effort(), np.random.default_rng(0))
    belief = told.runs[0].dense()[told.of_row]
    assert belief[0] == pytest.approx([1, 0, 0])
    assert belief[1:4] == pytest.approx(np.array([[1 / 3, 2 / 3, 0]] * 3))
    assert belief[4] == pytest.approx([0.5, 0, 0.5])
    assert told.n_listed == 1


def test_a_clue_about_two_groups_makes_them_one_riddle():
    """Of a pair in each group one is alike with the other's: what is known of one group says something of the other."""
    linked = Clue(np.arange(6), np.array([0, 1, 1, 1, 0, 1], np.int32), same_in(0))
    told = tell(GROUP_OF, COUNTS, [linked], Effort(), np.random.default_rng(0))
    belief = told.runs[0].dense()[told.of_row]
    assert belief[[0, 4]] == pytest.approx(np.array([[1, 0, 0], [1, 0, 0]]))
    assert belief[5] == pytest.approx([0, 0, 1])


def test_drawn_worlds_agree_with_listed_ones():
    """Within 6 standard errors of 8 runs; whose runs differ, and who are the same, is told."""
    effort = Effort(worlds=1, runs=8)
    linked = Clue(np.arange(6), np.array([0, 1, 1, 1, 0, 1], np.int32), lambda counts, _: counts[:, 0, 0] > 0)
    listed = tell(GROUP_OF, COUNTS, [PAIR, linked], Effort(), np.random.default_rng(0)).runs[0].dense()
    told = tell(GROUP_OF, COUNTS, [PAIR, linked], effort, np.random.default_rng(0))
    assert told.n_drawn == 2
    assert told.effective >= 8 * effort.least
    assert 0 < told.accepted < 1
    each = np.stack([run.dense() for run in told.runs])
    error = each.std(axis=0, ddof=1) / np.sqrt(8)
    assert (np.abs(each.mean(axis=0) - listed) <= 6 * error + 1e-12).all()


def test_where_too_few_worlds_agree_the_slots_are_left_open():
    """One world in many, and few tries: nothing is said of the group's people."""
    n = 12
    rare = Clue(np.arange(n), np.repeat(np.arange(2, dtype=np.int32), n // 2), same_in(0))
    counts = Ragged.of(np.array([[n // 2, n // 2]]))
    told = tell(np.zeros(n, np.int32), counts, [rare], Effort(worlds=1, tries=2_000), np.random.default_rng(0))
    assert told.n_open == 1
    assert sorted(told.open_slots.tolist()) == sorted(set(told.of_row.tolist()))


def test_clues_that_no_world_agrees_with_contradict():
    """Listed worlds are all there are."""
    never = Clue(np.arange(4), np.array([0, 0, 1, 1], np.int32), lambda counts, _: np.zeros(counts.shape[0], bool))
    with pytest.raises(CluesContradictError, match=r"^$"):
        tell(GROUP_OF, COUNTS, [never], Effort(), np.random.default_rng(0))
    both = Clue(np.arange(6), np.array([0, 0, 1, 1, 0, 1], np.int32), never.agrees)
    with pytest.raises(CluesContradictError, match=r"^$"):
        tell(GROUP_OF, COUNTS, [both], Effort(), np.random.default_rng(0))


def test_an_algorithm_that_draws_is_never_settled_by_one_run():
    """A clue that tosses a coin is asked of drawn worlds only, and its beliefs differ from run to run."""

    def tossed(counts: Int64, rng: np.random.Generator) -> Bool:
        return np.asarray(rng.random(counts.shape[0]) < 0.5)

    coin = Clue(np.arange(4), np.array([0, 0, 1, 1], np.int32), tossed, dear=True)
    told = tell(GROUP_OF, COUNTS, [coin], Effort(), np.random.default_rng(0))
    assert told.n_drawn == 1
    assert told.runs[0].dense()[told.of_row][0] == pytest.approx([0.5, 0.5, 0], abs=0.15)
    assert not np.array_equal(told.runs[0].data, told.runs[1].data)
