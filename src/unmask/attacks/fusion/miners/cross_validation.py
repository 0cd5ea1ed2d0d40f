"""Cross-validation: predictions of every line by a model trained without the line's fold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.attacks.fusion.miners.predictions import MinerPrediction
from unmask.attacks.fusion.miners.training_data import Lesson
from unmask.errors import NotApplicableError
from unmask.wording import message


def by_fold(lesson: Lesson, fold_of: Int32, predict: Callable[[Int64, Int64], MinerPrediction]) -> MinerPrediction:
    """Return a model's prediction of each line; with one fold, all rows are training rows.

    `predict` gets the training rows and the rows to predict. If all training rows have one class, this class is
    predicted, since most models refuse such rows.

    Fails
        With `NotApplicableError` if no training row has an answer.
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
            raise NotApplicableError(message("needs training rows with an answer; no row of the other groups has one"))
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
