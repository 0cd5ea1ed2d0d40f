"""Of rows that show nothing less is believed, the more of them there are."""

from __future__ import annotations

import numpy as np
import pytest

from tests.attacks.fusion.rules.made import ages
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.attacks.fusion.rules.uninformative_rows import DOUBT, doubted, silent


def rows(*cells):
    """Return what rows show of twenty years."""
    return ages(list(cells), [["0-9"]] * len(cells), domain=(0, 19))[1]


def odds(cells, row):
    """Return how much likelier the first year is than the last, of a row that was believed at nine to one."""
    score = np.full((1, 20), 0.1)
    score[0, 0] = 0.9
    found = doubted(score, cells.cell[[row]], cells)[0]
    return found[0] / found[-1]


def test_half_of_the_rows_show_nothing():
    """Odds of nine become 9 to the power of 1 - 2/3 · 1/4; of rows that show something they stay."""
    cells = rows("0-9", "0-19")
    assert odds(cells, 1) == pytest.approx(9 ** (1 - DOUBT / 4))
    assert odds(cells, 0) == pytest.approx(9)


def test_where_all_show_nothing_little_is_left():
    """The cube root of the odds."""
    assert odds(rows("0-19", "0-19"), 0) == pytest.approx(9 ** (1 / 3))


def test_noisy_numbers_always_say_something():
    """However unlikely they make anything."""
    assert not silent(PublishedCells.numbers(np.zeros(2), rows("0-19", "0-19").likelihood, [0.0] * 20)).any()
