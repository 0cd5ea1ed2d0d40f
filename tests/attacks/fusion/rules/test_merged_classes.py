"""Similar cells are merged to one class, which miners predict; rules read it as the cells it stands for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.attacks.fusion.rules.made import ages
from unmask.attacks.fusion.miners.training_data import NO_ANSWER
from unmask.attacks.fusion.rules.calibrated_predictions import CalibratedCells
from unmask.attacks.fusion.rules.merged_classes import merged_classes
from unmask.attacks.fusion.rules.miner_skill import classes_right
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.attacks.fusion.rules.voting import Vote
from unmask.errors import InvalidInputError

LOW, HIGH = np.array([20, 21, 60, 61]), np.array([24, 25, 64, 65])


def test_ranges_with_near_values_become_one_class():
    """20-24 and 21-25, 60-64 and 61-65; suppressed rows have a class of their own."""
    cells = PublishedCells.ranges(np.array([0, 1, 2, 3, NO_ANSWER], np.int32), LOW, HIGH, (0, 99))
    young, also_young, old, also_old, suppressed = merged_classes(cells, 4, 2).tolist()
    assert young == also_young
    assert old == also_old
    assert {young, old} == {0, 1}
    assert suppressed == 2


def test_sets_with_shared_values_become_one_class():
    """{a, b, c} and {a, b} share values; {e} and {e, f} do."""
    inside = np.array([[1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 1]], bool)
    class_of = merged_classes(PublishedCells.sets(np.arange(4, dtype=np.int32), inside), 4, 2)
    assert class_of[0] == class_of[1] != class_of[2] == class_of[3]


def test_cells_of_equal_values_are_one_class_even_if_more_are_allowed():
    """The ranges differ outside of the domain only."""
    cells = PublishedCells.ranges(np.arange(4, dtype=np.int32), np.array([0, 5, 20, 30]), np.full(4, 40), (20, 40))
    assert merged_classes(cells, 4, 3).tolist() in ([0, 0, 0, 1], [1, 1, 1, 0])


def test_a_vote_for_a_class_is_a_vote_for_its_most_frequent_cell():
    """Two rows are published as 21-25, one as 20-24; both are one class, which the miner predicts for 0-49."""
    rows = ["0-49", "20-24", "21-25", "21-25"]
    predictions, cells = ages(rows, [["20-24"]] * 4)  # cells in the order of their texts: 0-49, 20-24, 21-25
    merged = replace(cells, class_of=np.array([0, 1, 1], np.int32))
    fused = Vote().fuse(predictions, merged)
    assert fused.best.column[: fused.n_best[0]].tolist() == [21, 22, 23, 24, 25]


def test_a_predicted_class_is_right_for_all_of_its_cells():
    """Three of four rows have a cell of the predicted class."""
    predictions, cells = ages(["20-24", "21-25", "60-64", "21-25"], [["20-24"]] * 4, held_out=True)
    merged = replace(cells, class_of=np.array([0, 0, 1], np.int32))
    assert classes_right(predictions, cells) == pytest.approx(1.5 / 5)
    assert classes_right(predictions, merged) == pytest.approx(3.5 / 5)


def test_a_value_in_more_of_the_cells_of_a_class_is_likelier():
    """Of the class of 20-24 and 23-27, as frequent as each other, 23 and 24 are in both."""
    predictions, cells = ages(["20-24", "23-27", "60-64", "60-64"], [["20-24"]] * 4, held_out=True)
    merged = replace(cells, class_of=np.array([0, 0, 1], np.int32))
    two = replace(predictions, n_classes=2)
    held = CalibratedCells.of(two, merged, merged.pairs(two)).axis.held
    assert held.shape == (2, 100)
    assert (held[0, 20:28] > 0).all()
    assert held[0, 23] == pytest.approx(held[0, 20] + held[0, 25])
    assert held[1, 60:65] == pytest.approx(1)


def test_each_cell_has_a_class():
    """Two classes for four cells."""
    cells = PublishedCells.ranges(np.arange(4, dtype=np.int32), LOW, HIGH, (0, 99))
    with pytest.raises(InvalidInputError, match="classes must be given for 4 cells; got 2"):
        replace(cells, class_of=np.zeros(2, np.int32))
