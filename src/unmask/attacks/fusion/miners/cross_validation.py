"""Predict every line by a model that has not seen the line's own fold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.attacks.fusion.miners.predictions import MinerPrediction
from unmask.attacks.fusion.miners.training_data import Lesson
from unmask.errors import NotApplicableError


def by_fold(lesson: Lesson, fold_of: Int32, predict: Callable[[Int64, Int64], MinerPrediction]) -> MinerPrediction:
    """Return what a model says of each line; with one fold, everybody is learned from.

    `predict` gets the rows to learn from and the rows to predict. Where all rows to learn from show one class, that is
    the prediction: most models refuse such rows.

    Fails
        With `NotApplicableError` where no row that may be learned from shows an answer.
    """
    _, example = lesson.lines(fold_of)
    folds = np.unique(fold_of)
    answer = np.zeros(example.size, lesson.answer.dtype)
    chances = np.zeros((example.size, lesson.n_classes), np.float32)
    all_have = not lesson.is_numeric
    for fold in folds:
        asked = np.flatnonzero(fold_of[example] == fold)
        taught = np.flatnonzero(lesson.known & ((fold_of != fold) | (folds.size == 1)))
        classes = lesson.answer[taught]
        if not taught.size:
            raise NotApplicableError("needs rows that show an answer; no row that may be learned from does")
        if not lesson.is_numeric and (classes == classes[0]).all():
            answer[asked] = classes[0]
            chances[asked, classes[0]] = 1.0
            continue
        prediction = predict(taught, example[asked])
        answer[asked] = prediction.answer
        if prediction.chance is None:
            all_have = False
        else:
            chances[asked] = prediction.chance
    return MinerPrediction(answer, chances if all_have else None)
