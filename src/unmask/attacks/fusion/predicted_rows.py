"""Predictions of fusion's miners for published rows, and the protocol of an attack that combines them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from unmask.arrays import Int32, Ragged
from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.released_training_data import TrainingQuestion
from unmask.attacks.fusion.rules.fused_beliefs import Fused
from unmask.beliefs import Beliefs
from unmask.view import View


@runtime_checkable
class CombinesPredictions(Protocol):
    """An attack that combines predictions about published rows, which a scenario scores one by one."""

    @property
    def domain(self) -> bool:
        """Whether votes count the declared values of a range only."""
        ...

    def predict(self, view: View, rng: np.random.Generator) -> PredictedRows:
        """Return the predictions for all published rows."""
        ...

    def combine(self, view: View, predicted: PredictedRows) -> Beliefs:
        """Return the beliefs about the targets that follow from the predictions."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class FusionRun:
    """Predictions of one run, and their combination by one rule."""

    predictions: Predictions
    fused: Fused
    without: Ragged | None  # (distinct, values) posterior that ignores the row's own cell


@dataclass(frozen=True, slots=True, eq=False)
class PredictedRows:
    """The question, the published row of each target, and the predictions of all runs for every row."""

    question: TrainingQuestion
    row: Int32  # (targets,) negative where unknown
    runs: tuple[FusionRun, ...]
