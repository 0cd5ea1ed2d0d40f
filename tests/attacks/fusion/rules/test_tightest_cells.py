"""The narrowest cell that holds a group tells where in it people are."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rates import mean_zero
from unmask.attacks.fusion.rules import tightest_cells as narrowest_module
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.attacks.fusion.rules.tightest_cells import narrowest

LEVELS = [*((a, a + 4) for a in range(0, 80, 5)), *((a, a + 19) for a in range(0, 80, 20)), (0, 39), (40, 79), (0, 79)]
"""Five years, twenty, forty, and all: nested."""


def cells_of(age, group_of, levels=LEVELS):
    """Return what groups show: of each the first level that holds all its members."""
    cell = np.empty(age.size, np.int32)
    for g in np.unique(group_of):
        mine = group_of == g
        cell[mine] = next(i for i, (lo, hi) in enumerate(levels) if lo <= age[mine].min() and age[mine].max() <= hi)
    low, high = (np.array(ends) for ends in zip(*levels, strict=True))
    return PublishedCells.ranges(cell, low, high, (0, int(high.max())), group_of)


def pairs(n=4000, seed=1):
    """Return people in groups of two who are about three years apart, and what they show."""
    rng = np.random.default_rng(seed)
    middle = np.repeat(rng.uniform(5, 74, n // 2), 2)
    age = np.clip(np.rint(middle + rng.normal(0, 3, n)), 0, 79).astype(int)
    return age, cells_of(age, np.repeat(np.arange(n // 2), 2).astype(np.int32))


def test_a_row_with_the_widest_cell_is_near_forty():
    """0-39 or 40-79 would have held a pair elsewhere; so a pair that shows 0-79 sits astride of forty."""
    age, cells = pairs()
    found = narrowest(cells)
    assert found is not None
    of_all = found[len(LEVELS) - 1]
    assert abs(int(of_all.argmax()) - 39.5) < 2
    assert of_all[[10, 70]].max() < 0.05
    assert age[cells.cell == len(LEVELS) - 1].mean() == pytest.approx(39.5, abs=1)


def test_it_is_the_likelihood_of_the_published_cell():
    """By the logarithm of what is believed of true ages, pairs alike: better than evenly inside; alarm 1e-6."""
    age, cells = pairs(seed=2)
    found = narrowest(cells)
    assert found is not None
    belief = found / found.sum(axis=1, keepdims=True)
    gain = np.log(belief[cells.cell, age]) + np.log(cells.likelihood.sums()[cells.cell])
    by_pair = gain.reshape(-1, 2).sum(axis=1)
    assert by_pair.mean() > 0
    with pytest.raises(AssertionError, match="the mean must be 0"):
        mean_zero(by_pair, 1e-6)


def test_what_a_cell_does_not_hold_it_never_shows():
    """No person is outside of the own cell."""
    _, cells = pairs(400)
    found = narrowest(cells)
    assert found is not None
    assert found[cells.likelihood.dense() == 0].max() == 0


def test_cells_of_one_level_tell_nothing_more():
    """Where all groups show five years, each age inside is shown as likely as another."""
    age = np.repeat(np.arange(80), 4)
    found = narrowest(cells_of(age, np.arange(age.size, dtype=np.int32) // 4))
    assert found is not None
    cells = found[:16]
    assert cells[cells > 0] == pytest.approx(1)


@pytest.mark.parametrize(
    "changed",
    [{"group_of": None}, {"ordered": False}, {"inside": None}],
)
def test_without_groups_there_is_no_likelihood(changed):
    """No groups, no order, no cells."""
    _, cells = pairs(100)
    assert narrowest(replace(cells, **changed)) is None


def test_four_intervals_are_too_few():
    """How wide groups are is not to be seen by them."""
    age, _ = pairs(400)
    levels = [(0, 19), (20, 39), (40, 59), (60, 79), (0, 79)]
    assert narrowest(cells_of(age, np.repeat(np.arange(200), 2).astype(np.int32), levels)) is None


def test_ranges_of_any_two_ends_are_no_levels():
    """From the least to the greatest age of each group: most of what a group might have shown is not in the list."""
    age, _ = pairs(400)
    levels = sorted({(age[g : g + 2].min(), age[g : g + 2].max()) for g in range(0, 400, 2)}, key=lambda e: e[1] - e[0])
    low, high = (np.array(ends) for ends in zip(*levels, strict=True))
    cell = np.repeat([levels.index((age[g : g + 2].min(), age[g : g + 2].max())) for g in range(0, 400, 2)], 2)
    cells = PublishedCells.ranges(
        cell.astype(np.int32), low, high, (0, 79), np.repeat(np.arange(200), 2).astype(np.int32)
    )
    assert narrowest(cells) is None


def test_centers_on_a_grid_tell_what_centers_everywhere_do(monkeypatch):
    """Of 200 values each second is a center: likelihoods move by less than two hundredths."""
    rng = np.random.default_rng(3)
    middle = np.repeat(rng.uniform(12, 187, 500), 2)
    age = np.clip(np.rint(middle + rng.normal(0, 8, 1000)), 0, 199).astype(int)
    levels = [(a, a + width - 1) for width in (10, 50, 100, 200) for a in range(0, 200, width)]
    cells = cells_of(age, np.repeat(np.arange(500), 2).astype(np.int32), levels)
    grid = narrowest(cells)
    monkeypatch.setattr(narrowest_module, "CENTERS", 200)
    everywhere = narrowest(cells)
    assert grid is not None
    assert everywhere is not None
    assert not np.array_equal(grid, everywhere)
    assert np.abs(grid - everywhere).max() < 0.02


def test_as_many_values_as_an_axis_may_have_take_little_memory():
    """Twenty thousand of them, in eight ranges, two halves, and all together: below 300 MB."""
    ends = [*((a, a + 2499) for a in range(0, 20_000, 2500)), *((a, a + 9999) for a in (0, 10_000)), (0, 19_999)]
    low, high = (np.array(side) for side in zip(*ends, strict=True))
    cell = np.repeat(np.arange(len(ends)), 4).astype(np.int32)
    cells = PublishedCells.ranges(cell, low, high, (0, 19_999), np.arange(cell.size, dtype=np.int32) // 2)
    tracemalloc.start()
    try:
        found = narrowest(cells)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found is not None
    assert found.shape == (len(ends), 20_000)
    assert most < 300 << 20


@given(st.lists(st.integers(0, 79), min_size=2, max_size=12), st.integers(1, 4))
def test_it_is_finite_for_any_cells(ages, size):
    """Between 0 and 1, and 1 somewhere in each cell that is shown."""
    age = np.array([*ages, *range(0, 80, 5)])
    found = narrowest(cells_of(age, np.arange(age.size, dtype=np.int32) // size))
    if found is not None:
        assert np.isfinite(found).all()
        assert found.min() >= 0
        assert found.max(axis=1) == pytest.approx(1)
