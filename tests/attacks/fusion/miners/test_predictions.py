"""Predictions of several miners for the same rows."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.attacks.fusion.miners.predictions import MinerPrediction, Predictions
from unmask.errors import InvalidInputError


def predictions(row_of, *answers):
    """Return the predictions of miners a, b, ..."""
    names = tuple("abc"[: len(answers)])
    miners = tuple(MinerPrediction(np.array(answer, np.int32)) for answer in answers)
    return Predictions(names, names, np.array(row_of), miners, len(answers[0]), 3)


def test_some_can_be_chosen():
    """By name; an unknown name is an error."""
    both = predictions([0], [1], [2])
    assert both.only(["b"]).answers.tolist() == [[2]]
    with pytest.raises(InvalidInputError, match="miner must be one of a, b"):
        both.only(["c"])


def test_inconsistent_predictions_are_refused():
    """An unknown line, answers for too few lines, a missing kind."""
    with pytest.raises(InvalidInputError, match="one of 1 lines"):
        predictions([1], [1])
    with pytest.raises(InvalidInputError, match="must answer for 2 lines"):
        Predictions(("a",), ("misc",), np.zeros(1, np.int32), (MinerPrediction(np.zeros(1, np.int32)),), 2, 3)
    with pytest.raises(InvalidInputError, match="must have a kind"):
        Predictions(("a",), (), np.zeros(1, np.int32), (MinerPrediction(np.zeros(1, np.int32)),), 1, 3)


def test_no_miners_have_no_answers():
    """No miner, no rows of answers."""
    assert Predictions((), (), np.zeros(0, np.int32), (), 0, 3).answers.shape == (0, 0)
