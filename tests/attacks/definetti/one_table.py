"""The model of one attribute, fitted to one table of counts."""

from __future__ import annotations

from unmask.arrays import Float64
from unmask.attacks.definetti.set_valued_model import AttributeAxis, LevelModel, fit_levels


def fit_one(
    axis: AttributeAxis, counts: Float64, bandwidth: float = 0.0, alpha: float = 1.0, start: Float64 | None = None
) -> LevelModel:
    """Fit the model to counts, (cells, values), from a start, (levels, values)."""
    return fit_levels(axis, counts[None], bandwidth, alpha, None if start is None else start[None])[0]
