"""Seeded copies of an unfitted model."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone


def seeded(model: Any, seed: int) -> Any:  # noqa: ANN401 - whatever has scikit-learn's methods
    """Return a copy of a model, nested models included, with this random seed."""
    copy = clone(model)
    seeds = [name for name in copy.get_params() if name == "random_state" or name.endswith("__random_state")]
    return copy.set_params(**dict.fromkeys(seeds, seed))
