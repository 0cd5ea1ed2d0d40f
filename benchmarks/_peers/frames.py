"""A question's table as a pandas frame, made as a user would: read, put in order, stacked, declared a category."""

from __future__ import annotations

from typing import Any

import pandas as pd

from benchmarks._peers.answering import Asked


def frame_of(asked: Asked) -> Any:
    """Return the frame; rows that were put in another order keep the labels they had."""
    frame = pd.read_csv(asked["csv"])
    for column, levels in asked["levels"].items():
        frame[column] = frame[column].astype(pd.CategoricalDtype(levels))
    if asked["order"]:
        frame = frame.iloc[asked["order"]]
    if asked["copies"] > 1:
        frame = pd.concat([frame] * asked["copies"])
    return frame


def classes(frame: Any, shown: list[str], sensitive: str, count: str | None = None) -> list[Any]:
    """Return what a release shows: each distinct combination of cells, and the values of the people behind it."""
    found: dict[tuple[str, ...], dict[str, float]] = {}
    people = frame[count] if count else [1] * len(frame)
    cells = zip(*(frame[column] for column in shown), strict=True)
    for cell, value, n in zip(cells, frame[sensitive], people, strict=True):
        values = found.setdefault(tuple(map(str, cell)), {})
        values[str(value)] = values.get(str(value), 0) + float(n)
    return [[list(cell), values] for cell, values in found.items()]
