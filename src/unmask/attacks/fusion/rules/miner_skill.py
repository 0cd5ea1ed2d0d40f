"""How good miners are, as an attacker sees it: by what a release shows of groups that they have not seen."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.errors import InvalidInputError


def require_held_out(predictions: Predictions, name: str) -> None:
    """Fail where miners predicted rows that they had learned from: they would only be seen to remember."""
    if not predictions.held_out:
        raise InvalidInputError(f"{name} must hear miners of groups they have not seen. Hold groups out (folds=5)")


def classes_right(predictions: Predictions, cells: PublishedCells) -> Float64:
    """Return how often each miner predicts the shown cell, (miners,): never 0 nor 1, for nobody is seen often enough.

    Rows of a group show the same cell, so a group counts once.
    """
    require_held_out(predictions, "skill")
    pairs = cells.pairs(predictions)
    right = (predictions.answers[:, pairs.line] == pairs.cell) @ pairs.weight
    return np.asarray((right + 0.5) / (pairs.weight.sum() + 1.0))


def squared_errors(predictions: Predictions, cells: PublishedCells) -> tuple[Float64, float]:
    """Return the mean squared distance of each miner from the numbers shown, (miners,), and that of their mean."""
    require_held_out(predictions, "skill")
    if cells.published is None:
        raise InvalidInputError("distances need numbers that are shown; this release shows cells")
    pairs = cells.pairs(predictions)
    number = cells.published[pairs.cell]
    total = max(float(pairs.weight.sum()), 1e-300)
    miss = (predictions.answers[:, pairs.line] - number) ** 2
    mean = float(number @ pairs.weight) / total
    return np.asarray(miss @ pairs.weight / total), float((number - mean) ** 2 @ pairs.weight) / total
