"""What miners say, side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unmask.attacks.fusion.miners.predictions import MinerPrediction, Predictions
from unmask.errors import InvalidInputError


def predictions(name, row_of, answer, chance=None, **more):
    """Return what one miner says."""
    lines = np.array(answer, np.int32)
    return Predictions((name,), ("misc",), np.array(row_of), (MinerPrediction(lines, chance),), lines.size, 3, **more)


def test_predictions_of_two_runs_can_be_joined():
    """Rows that look alike to both share a line; what failed in either run is still told."""
    chance = np.eye(3, dtype=np.float32)[[2, 0]]
    one = predictions("a", [0, 0, 1, 1], [2, 0], chance, held_out=True)
    two = predictions("b", [0, 1, 1, 1], [1, 0], held_out=True, left_out={"c": "took longer than 1 s"})
    both = one.beside(two)
    assert both.answers[:, both.row_of].tolist() == [[2, 2, 0, 0], [1, 0, 0, 0]]
    assert both.n_lines == 3
    assert both.held_out
    assert both.left_out == {"c": "took longer than 1 s"}
    assert np.array_equal(both.by_miner[0].chance[both.row_of], chance[one.row_of])
    assert not one.beside(replace(two, held_out=False)).held_out


def test_some_can_be_chosen():
    """By name; one that is not there is an error."""
    both = predictions("a", [0], [1]).beside(predictions("b", [0], [2]))
    assert both.only(["b"]).answers.tolist() == [[2]]
    with pytest.raises(InvalidInputError, match="miner must be one of a, b"):
        both.only(["c"])


def test_what_does_not_belong_together_is_refused():
    """Other rows, a name twice, a line that is not there, answers for too few lines."""
    with pytest.raises(InvalidInputError, match="the same 2 rows and 3 classes; got 1 and 3"):
        predictions("a", [0, 0], [1]).beside(predictions("b", [0], [1]))
    with pytest.raises(InvalidInputError, match="got a twice"):
        predictions("a", [0], [1]).beside(predictions("a", [0], [1]))
    with pytest.raises(InvalidInputError, match="one of 1 lines"):
        predictions("a", [1], [1])
    with pytest.raises(InvalidInputError, match="must answer for 2 lines"):
        Predictions(("a",), ("misc",), np.zeros(1, np.int32), (MinerPrediction(np.zeros(1, np.int32)),), 2, 3)
    with pytest.raises(InvalidInputError, match="must have a kind"):
        Predictions(("a",), (), np.zeros(1, np.int32), (MinerPrediction(np.zeros(1, np.int32)),), 1, 3)


def test_no_miners_have_no_answers():
    """No miner, no rows of answers."""
    assert Predictions((), (), np.zeros(0, np.int32), (), 0, 3).answers.shape == (0, 0)
