"""ARFF files for Weka, with short codes for all labels, so that no text needs quotes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from unmask.arrays import Int64
from unmask.attacks.fusion.miners._hyper_pipes import as_they_come
from unmask.attacks.fusion.miners.training_data import Lesson

ANSWER = "answer"


def order_of(lesson: Lesson, taught: Int64) -> Int64:
    """Return the classes in the order of their first rows, (classes,), followed by classes without rows.

    Weka lists labels in this order if a file does not. If classes tie, many models predict the first one.
    """
    first = as_they_come(np.asarray(lesson.answer[taught], np.int32))
    return np.concatenate([first, np.setdiff1d(np.arange(lesson.n_classes), first)])


def header(lesson: Lesson, order: Int64) -> str:
    """Return the names and kinds of the columns; the answer is the last one, with its classes in the given order.

    A missing cell is a separate cell (`m`), since many of Weka's miners refuse tables with missing values.
    """
    lines = ["@relation release"]
    for i, listed in enumerate(lesson.listed):
        column = lesson.features[:, i]
        known = np.unique(column[~np.isnan(column)])
        cells = [f"c{int(code)}" for code in known] + (["m"] if np.isnan(column).any() else [])
        lines.append(f"@attribute a{i} " + ("{" + ",".join(cells) + "}" if listed else "numeric"))
    classes = "{" + ",".join(f"k{code}" for code in order.tolist()) + "}"
    lines.append(f"@attribute {ANSWER} " + (classes if lesson.n_classes else "numeric"))
    return "\n".join([*lines, "@data", ""])


def write(lesson: Lesson, rows: Int64, order: Int64, path: Path, *, answers: bool) -> None:
    """Write some rows to a file, with or without their answers."""
    columns = [_written(lesson.features[rows, i], listed=bool(listed)) for i, listed in enumerate(lesson.listed)]
    if not answers:
        columns.append(["?"] * rows.size)
    elif lesson.is_numeric:
        columns.append([repr(float(value)) for value in lesson.answer[rows]])
    else:
        columns.append([f"k{code}" for code in lesson.answer[rows].tolist()])
    with path.open("w", encoding="ascii") as file:
        file.write(header(lesson, order))
        file.writelines(",".join(row) + "\n" for row in zip(*columns, strict=True))


def _written(column: np.ndarray, *, listed: bool) -> list[str]:
    if listed:
        return ["m" if np.isnan(value) else f"c{int(value)}" for value in column]
    return ["?" if np.isnan(value) else repr(float(value)) for value in column]
