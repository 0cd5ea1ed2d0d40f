"""One number of many: the paper's most frequent one, and those that weigh."""

from __future__ import annotations

import numpy as np
import pytest

from tests.attacks.fusion.rules.made import ages, numbers
from unmask.attacks.fusion.rules.averages import Median, MostFrequent, WeightedMean
from unmask.errors import InvalidInputError


def test_the_most_frequent_number_wins():
    """Two of four say 40; a tie of 40 and 30 is their mean; without two that agree it is the mean of all."""
    answers = [[40, 40, 10, 20], [40, 40, 30, 30], [10, 20, 30, 60]]
    fused = MostFrequent().fuse(*numbers(answers, [0, 0, 0]))
    assert fused.point.tolist() == [40, 35, 30]


def test_numbers_that_differ_by_rounding_are_equal():
    """A mean that was summed in another order: 1e-12 apart, one value."""
    fused = MostFrequent().fuse(*numbers([[38.5, 38.5 + 1e-12, 50.0, 10.0]], [0]))
    assert fused.point[0] == pytest.approx(38.5, abs=1e-9)
    assert fused.value[0] == 39


def test_the_median_does_not_mind_one_that_errs_wildly():
    """One says 1000, which the mean would follow."""
    fused = Median().fuse(*numbers([[30, 31, 32, 33, 1000]], [0]))
    assert fused.point[0] == 32
    assert fused.best.column.tolist() == [32]


def test_belief_has_a_vote_for_each_rounded_number():
    """Ten values, three miners, one of them beyond the end: 3 + 10 votes; without what is shown, or by it."""
    who = numbers([[2.5, 3.0, 70.0]], [8.0], values=range(10), scale=1.0)
    plain = MostFrequent().fuse(*who).rows.dense()[0]
    assert plain == pytest.approx(np.array([1, 1, 1, 3, 1, 1, 1, 1, 1, 2]) / 13)
    belief = Median().fuse(*who).rows.dense()[0]
    noise = np.exp(-np.abs(8.0 - np.arange(10)))
    assert belief == pytest.approx(plain * noise / (plain @ noise))


def test_a_number_that_is_not_declared_names_no_value():
    """120 where ages end at 99: the point stays, no value is named."""
    fused = MostFrequent().fuse(*numbers([[120.0]], [0]))
    assert fused.point[0] == 120
    assert fused.n_best[0] == 0


def test_who_comes_nearer_weighs_more():
    """The first miner knows the numbers that noise was added to, the second says their mean, the third is far off."""
    rng = np.random.default_rng(1)
    truth = rng.integers(20, 60, 500)
    answers = np.stack([truth, np.full(500, 40.0), rng.uniform(0, 99, 500)], axis=1)
    fused = WeightedMean().fuse(*numbers(answers, truth + rng.laplace(0, 5, 500), held_out=True))
    assert fused.weight["m0"] > 0.95
    assert fused.weight["m2"] == 0.0
    assert np.abs(fused.point[fused.row_of] - truth).mean() < 1


def test_where_no_miner_finds_anything_all_weigh_alike():
    """Two constants, both off."""
    rng = np.random.default_rng(1)
    fused = WeightedMean().fuse(*numbers(np.tile([10.0, 90.0], (50, 1)), rng.normal(50, 1, 50), held_out=True))
    assert fused.weight == {"m0": 0.5, "m1": 0.5}
    assert fused.point[0] == 50


def test_means_need_numbers_and_skill_needs_groups_held_out():
    """Cells are voted on."""
    with pytest.raises(InvalidInputError, match="Use vote"):
        Median().fuse(*ages(["0-49"], [["20-29"]]))
    with pytest.raises(InvalidInputError, match="Hold groups out"):
        WeightedMean().fuse(*numbers([[1.0]], [1.0]))
