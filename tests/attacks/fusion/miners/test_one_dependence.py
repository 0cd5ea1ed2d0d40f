"""Bayes with one more parent: by hand, and by the formula written out."""

from __future__ import annotations

from math import log, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.attacks.fusion.miners._one_dependence import OneDependence
from unmask.attacks.fusion.miners._pair_counts import PairCounts

STYLES = ("average", "special", "weighted", "hidden")

EITHER = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (20, 1)).astype(np.int32)
"""Two columns that together tell the class, and neither alone: one of the two, but not both."""


def tables(most_columns=4):
    """Rows of up to three cells a column, and of up to three classes."""
    row = st.lists(st.integers(0, 2), min_size=most_columns, max_size=most_columns)
    return st.lists(st.tuples(row, st.integers(0, 2)), min_size=3, max_size=30).map(
        lambda rows: (np.array([one for one, _ in rows], np.int32), np.array([code for _, code in rows], np.int32))
    )


def test_one_row_by_hand():
    """Rows (0,0) and (0,1) are of class 0, (1,1) is of class 1: what (0,1) is, column by column."""
    model = OneDependence().fit(np.array([[0, 0], [0, 1], [1, 1]], np.int32), np.array([0, 0, 1]))
    zero = 3 / 7 * 2 / 4 + 2 / 7 * 2 / 3
    one = 1 / 7 * 1 / 2 + 2 / 7 * 1 / 3
    assert model.predict_proba(np.array([[0, 1]], np.int32))[0] == pytest.approx(
        [zero / (zero + one), one / (zero + one)]
    )


@pytest.mark.parametrize("style", STYLES)
def test_what_only_two_columns_tell_together_is_found(style):
    """Naive Bayes finds nothing there; nor does who hears columns by what each tells alone (`weighted`)."""
    answer = EITHER.sum(axis=1) % 2
    right = (OneDependence(style).fit(EITHER, answer).predict(EITHER) == answer).mean()
    assert right == (0.5 if style == "weighted" else 1.0)


@given(tables())
def test_the_average_is_the_formula(table):
    """Each class by `Σ_i P(y, x_i) Π_j P(x_j | y, x_i)`, with one row more of each, written out row by row."""
    cells, answer = table
    model = OneDependence(min_categories=np.full(4, 3)).fit(cells, answer)
    classes = np.unique(answer).tolist()
    for x, predicted in zip(cells[:3], model.predict_proba(cells[:3]), strict=True):
        parts = []
        for y in classes:
            own = [cells[(answer == y) & (cells[:, i] == x[i])] for i in range(4)]
            parts.append(
                sum(
                    (len(own[i]) + 1)
                    / (len(cells) + 3 * len(classes))
                    * prod(((own[i][:, j] == x[j]).sum() + 1) / (len(own[i]) + 3) for j in range(4) if j != i)
                    for i in range(4)
                )
            )
        assert predicted == pytest.approx(np.array(parts) / sum(parts))


def test_a_cell_that_was_not_known_is_no_other_pair_of_cells():
    """Column 1 had the cells 0 and 1; (0,2) is not (1,0), nor (0,3) (1,1)."""
    model = OneDependence().fit(EITHER, EITHER[:, 0])
    assert model.counted_.pair(0, 1, np.array([[1, 0]], np.int32)).tolist() == [[0, 20]]
    assert not model.counted_.pair(0, 1, np.array([[0, 2], [0, 3], [2, 2]], np.int32)).any()


@given(tables())
def test_what_columns_tell_is_never_negative_and_the_same_both_ways(table):
    """Of one another where the class is known, and of the class."""
    cells, answer = table
    _, code = np.unique(answer, return_inverse=True)
    counted = PairCounts.of(cells, code, np.full(4, 3), int(code.max()) + 1)
    assert counted.conditional_information(0, 2) == counted.conditional_information(2, 0) >= 0
    assert 0 <= counted.information_on_class(1) <= log(3) + 1e-9


def test_what_follows_from_another_cell_is_dropped_and_counts_once():
    """A column written twice: `special` hears it once, so it says the same as of the column alone."""
    rng = np.random.default_rng(1)
    column = rng.integers(0, 2, (400, 1)).astype(np.int32)
    answer = (rng.random(400) < 0.3 + 0.4 * column[:, 0]).astype(np.int32)
    once = OneDependence("special").fit(column, answer).predict_proba(column)
    twice = OneDependence("special").fit(np.tile(column, 2), answer).predict_proba(np.tile(column, 2))
    assert twice == pytest.approx(once)


@pytest.mark.parametrize("style", STYLES)
def test_unknown_cells_and_no_columns_at_all(style):
    """Every class stays possible; of no column the most frequent class is predicted."""
    model = OneDependence(style, min_categories=np.array([9, 9])).fit(EITHER, EITHER[:, 0] * EITHER[:, 1])
    predicted = model.predict_proba(np.array([[8, 8]], np.int32))[0]
    assert predicted.sum() == pytest.approx(1)
    assert predicted.min() > 0.1
    none = np.zeros((80, 0), np.int32)
    assert OneDependence(style).fit(none, EITHER[:, 0] * EITHER[:, 1]).predict(none).tolist() == [0] * 80
    assert model.predict(np.zeros((0, 2), np.int32)).size == 0
