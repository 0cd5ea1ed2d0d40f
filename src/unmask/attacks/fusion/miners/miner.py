"""A miner: a model that is trained on the published cells of an attribute, and predicts the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unmask.arrays import Int32, Int64
from unmask.attacks.fusion.miners.cross_validation import by_fold
from unmask.attacks.fusion.miners.features import Reading, read, width
from unmask.attacks.fusion.miners.predictions import MinerPrediction
from unmask.attacks.fusion.miners.training_data import Lesson
from unmask.attacks.shared.model_copies import seeded
from unmask.errors import NotApplicableError
from unmask.runtime.extras import why_missing
from unmask.wording import message

Kind: TypeAlias = Literal["bayes", "functions", "lazy", "rules", "trees", "misc"]
"""Weka's folders of classifiers."""


@dataclass(frozen=True, slots=True)
class Miner:
    """A scikit-learn estimator with its feature encoding.

    Fails
        With `NotApplicableError` if a library is missing, or rows have no answer or no feature; with any error of the
        model.
    """

    name: str
    kind: Kind
    summary: str
    counterpart: str  # its equivalent in the paper: one of Weka's; empty if there is none
    model: Any  # not fitted
    reading: Reading = "codes"
    dense: bool = False  # cannot read sparse matrices
    needs: str = ""  # an optional module
    alone: bool = False  # starts a separate process

    def learn(self, lesson: Lesson, fold_of: Int32, seed: int) -> MinerPrediction:
        """Return predictions of every line, by models trained without the line's fold if there are several."""
        self.require()
        matrix = read(lesson, self.reading, dense=self.dense)

        def predict(taught: Int64, asked: Int64) -> MinerPrediction:
            model = seeded(self.model, seed)
            takes = model.get_params()
            if "min_categories" in takes:
                model.set_params(min_categories=width(lesson, self.reading))
            if "n_neighbors" in takes:
                model.set_params(n_neighbors=min(takes["n_neighbors"], taught.size))
            model.fit(matrix[taught], lesson.answer[taught])
            predicted = np.asarray(model.predict(matrix[asked])).reshape(asked.size)
            if lesson.is_numeric:
                return MinerPrediction(predicted.astype(np.float64))
            return MinerPrediction(predicted.astype(np.int32), _chances(model, matrix[asked], lesson.n_classes))

        try:
            return by_fold(lesson, fold_of, predict)
        except ValueError as error:
            if matrix.shape[1]:
                raise
            msg = message("needs other columns as features; these rows have none that it reads")
            raise NotApplicableError(msg) from error

    def require(self) -> None:
        """Raise an error if a library is missing."""
        if self.needs and (why := why_missing(self.needs)):
            raise NotApplicableError(message("{value} needs {why}", value=self.name, why=why))


def _chances(model: Any, matrix: Any, n_classes: int) -> NDArray[np.float32] | None:  # noqa: ANN401 - scikit-learn's
    """Return the probability of every class, (lines, classes); None if the model has none."""
    if not hasattr(model, "predict_proba"):
        return None
    found = model.predict_proba(matrix)
    if not np.isfinite(found).all():
        return None
    chance = np.zeros((found.shape[0], n_classes), np.float32)
    chance[:, model.classes_] = found
    return chance
