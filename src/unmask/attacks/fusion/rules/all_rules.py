"""Registry of all rules by name."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, TypeAlias

from unmask.attacks.fusion.miners.predictions import Predictions
from unmask.attacks.fusion.rules.averages import Median, MostFrequent, WeightedMean
from unmask.attacks.fusion.rules.fused_beliefs import Fused
from unmask.attacks.fusion.rules.mixtures import ModelAveraging, Pooling, Stacking
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.attacks.fusion.rules.voting import HierarchicalVote, Vote, WeightedVote
from unmask.errors import InvalidInputError
from unmask.wording import message


class FusionRule(Protocol):
    """A deterministic combination of many predictions into one."""

    name: ClassVar[str]
    needs_held_out: ClassVar[bool]
    """Whether miners must have predicted held-out groups."""

    def fuse(self, predictions: Predictions, cells: PublishedCells) -> Fused:
        """Return one answer for each combination of the miners' predictions and a row's cell."""


Kinds: TypeAlias = dict[str, type[Any]]

OF_CELLS: Kinds = {
    rule.name: rule for rule in (Vote, WeightedVote, HierarchicalVote, Pooling, ModelAveraging, Stacking)
}
"""Rules for miners that predict cells, the paper's first."""

OF_NUMBERS: Kinds = {
    rule.name: rule for rule in (MostFrequent, Median, WeightedMean, Pooling, ModelAveraging, Stacking)
}
"""Rules for miners that predict numbers, the paper's first."""


def rule(name: str, *, numbers: bool, **settings: Any) -> FusionRule:  # noqa: ANN401 - each rule's own
    """Return a rule by its name.

    Fails
        With `InvalidInputError` for an unknown name.
    """
    known = OF_NUMBERS if numbers else OF_CELLS
    if name not in known:
        raise InvalidInputError.unknown_name(message("rule"), name, known)
    made: FusionRule = known[name](**settings)
    return made
