"""Skill of miners, measured without the truth: by the published cells of held-out groups."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Float64
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.errors import InvalidInputError
from unmask.wording import message


def require_held_out(predictions: Predictions, name: str) -> None:
    """Raise an error if miners predicted their training rows, which measures memory and not skill."""
    if not predictions.held_out:
        raise InvalidInputError(
            message("{name} must have predictions for held-out groups. Hold groups out (folds=5)", name=name)
        )


def classes_right(predictions: Predictions, cells: PublishedCells) -> Float64:
    """Return the accuracy of each miner on classes of published cells, (miners,), smoothed: it is never 0 nor 1.

    Rows of a group have the same cell, so a group counts once.
    """
    require_held_out(predictions, "skill")
    pairs = cells.pairs(predictions)
    right = (predictions.answers[:, pairs.line] == cells.class_of[pairs.cell]) @ pairs.weight
    return np.asarray((right + 0.5) / (pairs.weight.sum() + 1.0))


def squared_errors(predictions: Predictions, cells: PublishedCells) -> tuple[Float64, float]:
    """Return the mean squared error of each miner on published numbers, (miners,), and that of their mean."""
    require_held_out(predictions, "skill")
    if cells.published is None:
        raise InvalidInputError(message("rows must have published numbers to measure distances; these have cells"))
    pairs = cells.pairs(predictions)
    number = cells.published[pairs.cell]
    total = max(float(pairs.weight.sum()), 1e-300)
    miss = (predictions.answers[:, pairs.line] - number) ** 2
    mean = float(number @ pairs.weight) / total
    return np.asarray(miss @ pairs.weight / total), float((number - mean) ** 2 @ pairs.weight) / total
