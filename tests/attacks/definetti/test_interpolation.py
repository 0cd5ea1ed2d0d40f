"""Interpolation inside a range that no set divides: smoothest, with the range's total kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.attacks.definetti.one_table import fit_one
from tests.attacks.definetti.test_set_valued_model import BANDS, HEARTS, axis_of, shares
from unmask.attacks.definetti.interpolation import interpolate, parts, smoothest
from unmask.attacks.definetti.set_valued_model import AttributeAxis


def test_at_45_the_next_band_is_near():
    """The bands of Kifer 2009, section 5.2, nothing smoothed between bands: above a third at 45, below at 16."""
    one = interpolate(fit_one(axis_of(BANDS, 56), HEARTS))
    assert shares(one, 3, 16, HEARTS)[0] < 1 / 3 < shares(one, 3, 45, HEARTS)[0]


def test_what_the_sets_tell_stays_as_it_was():
    """Of each value as many people are in each band as before."""
    one = fit_one(axis_of(BANDS, 56), HEARTS)
    assert interpolate(one).of_cells() == pytest.approx(one.of_cells())
    assert interpolate(one).expected.sum(axis=0) == pytest.approx(HEARTS.sum(axis=0))


def test_two_ranges_of_two_levels_worked_by_hand():
    """Totals 2 and 4: of all a, 2 - a, b, 4 - b squared steps are least at 5/6, 7/6, 11/6, 13/6."""
    found = smoothest(np.array([[1.0], [1.0], [2.0], [2.0]]), np.array([0, 0, 1, 1]), np.ones(4, bool))
    assert found.ravel() == pytest.approx([5 / 6, 7 / 6, 11 / 6, 13 / 6])


def test_nothing_is_moved_where_every_level_is_parted_or_has_no_place():
    """Single ages in single sets; jobs, which have no order."""
    single = axis_of([range(1), range(1, 2), range(2, 3)], 3)
    assert parts(single) is None
    one = fit_one(single, np.ones((3, 2)))
    assert interpolate(one) is one
    assert parts(axis_of([range(2)], 2, ordered=False)) is None


def test_a_missing_value_is_no_neighbor():
    """It keeps what it had."""
    axis = axis_of([range(2), range(2, 3)], 3)
    axis = AttributeAxis(axis.cells, axis.cell_of, np.array([0.0, 1, np.nan]))
    one = fit_one(axis, np.array([[4.0, 1], [1, 4]]))
    assert parts(axis) is not None
    assert interpolate(one).theta[2] == pytest.approx(one.theta[2])


def test_a_gap_that_no_set_shows_is_bridged():
    """1 and 4 with two uncovered levels between: these keep their numbers, and have no influence."""
    covered = np.array([True, True, False, False, True, True])
    found = smoothest(np.array([[1.0], [1], [9], [9], [4], [4]]), np.array([0, 0, 1, 1, 2, 2]), covered)
    assert found[2:4].ravel().tolist() == [9, 9]
    assert 0 < found[0] < 1 < found[1] < found[4] < 4 < found[5]


def test_no_level_becomes_empty():
    """Next to a steep cliff the straight line would fall below nothing: a tenth of the mean stays."""
    found = smoothest(np.array([[10.0]] + [[0.1]] * 5), np.array([0, 1, 1, 1, 1, 1]), np.ones(6, bool))
    assert found.min() == pytest.approx(0.01)
    assert found[1:].sum() == pytest.approx(0.5)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.integers(0, 99))
def test_totals_stay_and_no_other_distribution_is_smoother(widths, seed):
    """Whatever is moved inside a range makes the steps larger, unless nothing was allowed to be less than a tenth."""
    rng = np.random.default_rng(seed)
    part = np.repeat(np.arange(len(widths)), widths)
    mean = rng.uniform(1, 2, len(widths))[part][:, None]
    found = smoothest(mean, part, np.ones(part.size, bool))
    assert np.bincount(part, found[:, 0]) == pytest.approx(np.bincount(part, mean[:, 0]))
    if (found > 0.11 * mean).all():
        moved = rng.normal(size=part.size)
        moved -= (np.bincount(part, moved) / np.bincount(part))[part]
        steps = (np.diff(found[:, 0]) ** 2).sum()
        assert steps <= (np.diff(found[:, 0] + 1e-3 * moved) ** 2).sum() + 1e-12
