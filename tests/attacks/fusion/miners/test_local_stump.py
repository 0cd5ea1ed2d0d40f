"""One condition for each row: near rows decide which."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.attacks.fusion.miners._local_stump import LocalStump


def test_far_rows_count_for_almost_nothing():
    """The class is column 1 where column 0 is 0, and column 2 where it is 1, with three more columns to go with it."""
    rng = np.random.default_rng(1)
    side, one, two = (rng.integers(0, 2, 4000) for _ in range(3))
    cells = np.column_stack([side, one, two, side, side, side]).astype(np.int32)
    answer = np.where(side == 0, one, two)
    assert (LocalStump().fit(cells, answer).predict(cells) == answer).mean() > 0.99


def test_a_row_by_hand():
    """Rows (0):0 (0):0 (1):1: of (0) the two are at distance 0 with 1.0001 each, the third at 1 with 0.0001."""
    model = LocalStump().fit(np.array([[0], [0], [1]], np.int32), np.array([0, 0, 1]))
    assert model.predict_proba(np.array([[0], [1]], np.int32)) == pytest.approx(np.eye(2))


def test_unknown_cells_and_no_columns():
    """All rows are as far, so all count alike; without columns nothing can be asked."""
    model = LocalStump().fit(np.array([[0], [0], [1]], np.int32), np.array([0, 0, 0]))
    assert model.predict(np.array([[7]], np.int32)).tolist() == [0]
    none = np.zeros((3, 0), np.int32)
    assert LocalStump().fit(none, np.array([0, 1, 1])).predict_proba(none)[0] == pytest.approx([1 / 3, 2 / 3])
