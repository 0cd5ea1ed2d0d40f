"""What each miner of the fusion attack predicts of a person."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unmask.attacks.fusion.predicted_rows import PredictedRows
from unmask.number_format import numeral
from unmask.schema import labels_of
from unmask.wording import message


def miner_predictions(predicted: PredictedRows, target: int, value: str) -> Mapping[str, str]:
    """Return the prediction of each miner in the first run: its number, or whether its class has the value."""
    question, predictions, row = predicted.question, predicted.runs[0].predictions, int(predicted.row[target])
    if row < 0 or value not in question.values:
        return {}
    line = int(predictions.row_of[row])
    found: dict[str, str] = {}
    for name, one in zip(predictions.names, predictions.by_miner, strict=True):
        if predictions.is_numeric:
            number = np.array([one.answer[line]], np.float64)
            found[name] = message("predicts {value}", value=labels_of(question.domain, number)[0])
            continue
        chosen = int(one.answer[line])
        if _has(predicted, chosen, value):
            prediction = message("predicts a cell with {value}", value=value)
        else:
            prediction = message("predicts a cell without {value}", value=value)
        if one.chance is not None:
            sure = numeral(float(one.chance[line, chosen]), ".3f")
            prediction = message("{prediction}, sure to {probability}", prediction=prediction, probability=sure)
        found[name] = prediction
    return found


def _has(predicted: PredictedRows, class_: int, value: str) -> bool:
    """Whether a class has a value: one of the cells that were merged to it."""
    cells = predicted.question.cells
    if cells.inside is None or cells.declared is None:
        return False
    place = int(cells.declared[predicted.question.values.index(value)])
    return bool(cells.inside[cells.class_of == class_, place].any())
