"""Cells: what a published value may stand for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.errors import InvalidInputError
from unmask.masks.cells import Cells
from unmask.schema import OUTSIDE, UNKNOWN, Attribute, Categorical, Missing, Numeric, Role

NAN = float("nan")


def age(missing: Missing = Missing.OWN) -> Attribute:
    """Return a column of ages."""
    return Attribute("age", Role.QUASI_IDENTIFIER, Numeric(step=1), missing=missing)


def town() -> Attribute:
    """Return a column of three towns."""
    return Attribute("town", Role.QUASI_IDENTIFIER, Categorical(("Bonn", "Kiel", "Ulm")))


def ranges(*ends: tuple[float, float], missing: tuple[bool, ...] | None = None, of: Attribute | None = None) -> Cells:
    """Return cells of one closed range each."""
    low, high = (np.array(column, float) for column in zip(*ends, strict=True))
    return Cells.runs(of or age(), low, high, np.array(missing or [False] * len(ends)))


def test_a_cell_has_likelihood_one_for_every_value_in_it():
    """[20, 29] and [30, 39], for a person of 25, of 30, of 50: likelihood 1 where it fits."""
    assert ranges((20, 29), (30, 39)).likelihood(np.array([25.0, 30, 50])).dense().tolist() == [[1, 0, 0], [0, 1, 0]]


def test_overlapping_cells_both_have_likelihood_one():
    """[20, 30) and [20, 40) for 25: the likelihood is of the cell given the value, so both are 1."""
    assert ranges((20, 29), (20, 39)).likelihood(np.array([25.0])).dense().tolist() == [[1], [1]]


def test_an_open_end_does_not_belong_to_the_cell():
    """(20, 30]: 30 does, 20 does not."""
    cells = Cells(age(), np.array([0, 1]), np.array([20.0]), np.array([30.0]), np.array([True]), np.array([False]),
                  np.array([False]), np.array([False]))  # fmt: skip
    assert cells.likelihood(np.array([20.0, 20.5, 30, 30.5])).dense().tolist() == [[0, 1, 1, 0]]


def test_a_missing_value_is_a_value_of_its_own_or_fits_anywhere():
    """Own: only cells that admit it. Wildcard: every cell."""
    ends, admits = ((20, 29), (30, 39)), (False, True)
    assert ranges(*ends, missing=admits).likelihood(np.array([NAN])).dense().tolist() == [[0], [1]]
    loose = ranges(*ends, missing=admits, of=age(Missing.WILDCARD))
    assert loose.likelihood(np.array([NAN])).dense().tolist() == [[1], [1]]


def test_a_star_fits_all_people():
    """Also for a value that the domain does not even have."""
    stars = Cells(town(), np.array([0, 0, 1]), np.array([2.0]), np.array([2.0]), np.array([False]), np.array([False]),
                  np.array([True, False]), np.array([True, False]))  # fmt: skip
    assert stars.likelihood(np.array([0, 2, UNKNOWN, OUTSIDE], np.int32)).dense().tolist() == [[1] * 4, [0, 1, 0, 0]]


def test_each_distinct_value_is_one_exact_cell():
    """Sorted by value, the missing one last; under the wildcard policy it is a star."""
    cells, cell = Cells.exact(age(), np.array([30.0, NAN, 20, 30]))
    assert cell.tolist() == [1, 2, 0, 1]
    assert cells.missing.tolist() == [False, False, True]
    assert not cells.anything.any()
    loose, _ = Cells.exact(age(Missing.WILDCARD), np.array([30.0, NAN]))
    assert loose.anything.tolist() == [False, True]


def test_where_a_missing_value_may_hide_the_hull_reaches_for_it_but_the_extent_does_not():
    """[20, 29] or missing; only missing. To look for people without an age, and to measure how far others lie."""
    cells = ranges((20, 29), (NAN, NAN), missing=(True, True))
    assert [ends.tolist() for ends in cells.hull] == [[-np.inf, -np.inf], [29, -np.inf]]
    assert [ends.tolist() for ends in cells.extent] == [[20, -np.inf], [29, -np.inf]]


def test_distinct_cells_are_numbered_by_content():
    """Three lines, two distinct cells, in the order of their ranges whatever came first."""
    distinct, number = ranges((30, 39), (20, 29), (30, 39)).ordered()
    assert distinct.low.tolist() == [20, 30]
    assert number.tolist() == [1, 0, 1]


def test_cells_are_the_same_if_they_may_stand_for_the_same():
    """By content, not by number; by label where two lists of towns differ."""
    assert ranges((20, 29), (30, 39)).take(np.array([1])).same(ranges((30, 39)))
    assert not ranges((20, 29)).same(ranges((20, 30)))
    assert not ranges((20, 29)).same(ranges((20, 29), missing=(True,)))
    more = Attribute("town", Role.QUASI_IDENTIFIER, Categorical(("Aachen", "Bonn", "Kiel", "Ulm")))
    assert ranges((0, 1), of=town()).same(ranges((1, 2), of=more))
    assert not ranges((0, 1), of=town()).same(ranges((0, 1), of=more))
    assert not ranges((0, 1), of=town()).same(ranges((0, 1)))


def test_a_range_that_ends_before_it_begins_is_refused():
    """[30, 20] is no cell; the column is named."""
    with pytest.raises(InvalidInputError, match="a cell of column 'age' must not end before it begins"):
        ranges((30, 20))


@given(st.data())
def test_likelihood_and_fit_agree(data):
    """Cells of several pieces with open and closed ends, values in and between them, missing ones, ones outside."""
    n = data.draw(st.integers(1, 4))
    pieces = [data.draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=2)) for _ in range(n)]
    flat = [(low, low + width) for cell in pieces for low, width in cell]
    opened = [data.draw(st.booleans()) and low < high for low, high in flat]
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    cells = Cells(
        age(data.draw(st.sampled_from([Missing.OWN, Missing.WILDCARD]))),
        np.cumsum([0, *map(len, pieces)]),
        np.array([low for low, _ in flat], float), np.array([high for _, high in flat], float),
        np.array(opened, bool), np.array(opened[::-1], bool) & np.array([low < high for low, high in flat], bool),
        np.array(data.draw(flags)), np.array(data.draw(flags)),
    )  # fmt: skip
    at = np.array([NAN, np.inf, *np.arange(-0.5, 10, 0.5)])
    cell, value = np.repeat(np.arange(n), at.size), np.tile(np.arange(at.size), n)
    fits = cells.fit(cell, cells.coordinates(at)[value]).reshape(n, at.size)
    assert np.array_equal(cells.likelihood(at).dense() > 0, fits)
