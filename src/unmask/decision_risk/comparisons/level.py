"""Level comparison: equal labels at one level of a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unmask.decision_risk.comparison import DistinctValues
from unmask.hierarchies import Hierarchy


@dataclass(frozen=True)
class Level:
    """Match if both values have the same label at a level of the hierarchy.

    A value that is no leaf of the hierarchy matches itself only. Beyond the last level every value matches.
    """

    name: ClassVar[str] = "level"
    hierarchy: Hierarchy
    level: int = 0  # 0: the values themselves

    def key(self, values: DistinctValues) -> list[str]:
        """Return the labels of the values."""
        if self.level == 0:
            return list(values.labels)
        if self.level >= self.hierarchy.n_levels:
            return [""] * values.n
        labels, of = self.hierarchy.labels[self.level - 1], self.hierarchy.label_of[self.level - 1]
        place = {leaf: i for i, leaf in enumerate(self.hierarchy.leaves)}
        return [labels[of[place[one]]] if one in place else one for one in values.labels]
