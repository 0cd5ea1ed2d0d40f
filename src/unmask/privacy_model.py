"""Protocol PrivacyModel: how safe a group with some sensitive values is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

import numpy as np

from unmask.arrays import Bool, Float64

TOLERANCE = 1e-9
"""How far a real-valued score may miss its limit by rounding alone."""


class PrivacyModel(Protocol):
    """A condition on groups: scored in batches, measured and enforced by the same method."""

    name: ClassVar[str]
    higher_is_safer: ClassVar[bool]
    needs_values: ClassVar[bool]  # False: the sizes of groups decide

    @property
    def limit(self) -> float:
        """The score that a group must reach, or must not pass."""
        ...

    def score(self, size: Float64, counts: Float64, overall: Float64) -> Float64:
        """Return the score of each group, (groups,).

        `size` (groups,) counts people; `counts` (groups, values) the values of one sensitive attribute in each group;
        `overall` (values,) the same in the whole table.
        """
        ...


def holds(model: PrivacyModel, score: Float64) -> Bool:
    """Say for each group whether its score is within the model's limit; an undefined score (NaN) never is."""
    slack = TOLERANCE * max(1.0, abs(model.limit))
    if model.higher_is_safer:
        return np.asarray(score >= model.limit - slack)
    return np.asarray(score <= model.limit + slack)


def all_hold(
    models: Sequence[PrivacyModel], size: Float64, counts: Sequence[Float64], overall: Sequence[Float64]
) -> Bool:
    """Say for each group whether it meets all models, for every sensitive attribute, (groups,)."""
    safe = np.ones(size.shape, bool)
    for model in models:
        if not model.needs_values:
            safe &= holds(model, model.score(size, np.zeros((size.size, 0)), np.zeros(0)))
            continue
        for ours, everywhere in zip(counts, overall, strict=True):
            safe &= holds(model, model.score(size, ours, everywhere))
    return safe
