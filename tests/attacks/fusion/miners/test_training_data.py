"""What miners are given: rows, what they show, and who must not be predicted by whom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.attacks.fusion.miners.odd import town
from unmask.attacks.fusion.miners.features import RANGES, read, width
from unmask.attacks.fusion.miners.training_data import Lesson, folds_of
from unmask.errors import InvalidInputError

THREE = Lesson(
    np.array([[2.0, 30.0], [0.0, np.nan], [2.0, 30.0]]),
    np.array([True, False]),
    np.array([0, 1, 0], np.int32),
    2,
    np.array([0, 0, 1], np.int32),
)


def test_rows_that_look_alike_are_one_line():
    """The first and the third row share a line of predictions, unless they are in different folds."""
    row_of, example = THREE.lines(np.zeros(3, np.int32))
    assert row_of.tolist() == [1, 0, 1]
    assert example.size == 2
    assert THREE.lines(np.array([0, 0, 1], np.int32))[1].size == 3


@given(st.integers(2, 7), st.integers(0, 99))
def test_whole_groups_are_held_out(folds, seed):
    """A group lies in one fold, and folds hold as many groups, give or take one."""
    lesson = town(60)
    fold_of = folds_of(lesson, folds, np.random.default_rng(seed))
    of_group = fold_of.reshape(-1, 4)
    assert (of_group == of_group[:, :1]).all()
    sizes = np.bincount(of_group[:, 0], minlength=folds)
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("folds", [1, 16])
def test_more_folds_than_groups_or_one_make_no_sense(folds):
    """Fifteen groups here."""
    with pytest.raises(InvalidInputError, match="between 2 and the number of groups"):
        folds_of(town(60), folds, np.random.default_rng(1))


def test_each_reading_of_three_rows():
    """A cell is a code, a category, or a mark; a number stays one, is scaled, or falls into a range."""
    assert read(THREE, "codes").tolist() == [[2, 30], [0, 30], [2, 30]]  # what is missing is taken for the mean
    assert read(THREE, "categories").tolist() == [[1, 0], [0, 1], [1, 0]]  # what is missing is a category
    assert width(THREE, "categories").tolist() == [2, 2]
    assert read(THREE, "pairs").tolist() == [[1], [0], [1]]
    assert read(THREE, "indicators", dense=True).tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0]]
    assert read(THREE, "marks", dense=True).tolist() == [[0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0]]


def test_numbers_are_cut_where_as_many_rows_lie():
    """A thousand numbers of any spread: eight ranges of 125."""
    numbers = np.exp(np.random.default_rng(1).normal(0, 3, (1000, 1)))
    lesson = Lesson(numbers, np.array([False]), np.zeros(1000, np.int32), 1, np.zeros(1000, np.int32))
    assert np.bincount(read(lesson, "categories")[:, 0]).tolist() == [1000 // RANGES] * RANGES


def test_rows_without_attributes_can_be_read():
    """Rows without features are no error."""
    bare = Lesson(np.zeros((3, 0)), np.zeros(0, bool), np.zeros(3, np.int32), 1, np.zeros(3, np.int32))
    for reading in ("codes", "categories", "pairs", "indicators", "marks"):
        assert read(bare, reading, dense=True).shape == (3, 0)


def test_a_class_that_is_none_of_them_is_refused():
    """Class 4 of 4, which are numbered from 0."""
    with pytest.raises(InvalidInputError, match="between 0 and 3; got 4"):
        Lesson(np.zeros((1, 1)), np.array([True]), np.array([4], np.int32), 4, np.zeros(1, np.int32))


def test_arrays_of_other_rows_are_refused():
    """Two groups for three rows."""
    with pytest.raises(InvalidInputError, match="must have 3 rows"):
        Lesson(np.zeros((3, 1)), np.array([True]), np.zeros(3, np.int32), 1, np.zeros(2, np.int32))
