"""What each miner of the fusion attack predicts of a person."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unmask.attacks.fusion.predicted_rows import PredictedRows
from unmask.schema import labels_of


def miner_predictions(predicted: PredictedRows, target: int, value: str) -> Mapping[str, str]:
    """Return the prediction of each miner in the first run: its number, or whether its class has the value."""
    question, predictions, row = predicted.question, predicted.runs[0].predictions, int(predicted.row[target])
    if row < 0 or value not in question.values:
        return {}
    line = int(predictions.row_of[row])
    found = {}
    for name, one in zip(predictions.names, predictions.by_miner, strict=True):
        if predictions.is_numeric:
            number = np.array([one.answer[line]], np.float64)
            found[name] = f"predicts {labels_of(question.domain, number)[0]}"
            continue
        chosen = int(one.answer[line])
        has = "with" if _has(predicted, chosen, value) else "without"
        sure = "" if one.chance is None else f", sure to {float(one.chance[line, chosen]):.3f}"
        found[name] = f"predicts a cell {has} {value}{sure}"
    return found


def _has(predicted: PredictedRows, class_: int, value: str) -> bool:
    """Whether a class has a value: one of the cells that were merged to it."""
    cells = predicted.question.cells
    if cells.inside is None or cells.declared is None:
        return False
    place = int(cells.declared[predicted.question.values.index(value)])
    return bool(cells.inside[cells.class_of == class_, place].any())
