"""Exact comparison: equal values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unmask.decision_risk.comparison import DistinctValues


@dataclass(frozen=True)
class Exact:
    """Match if both values are equal, as numbers in numeric columns, else as text."""

    name: ClassVar[str] = "exact"

    def key(self, values: DistinctValues) -> list[str]:
        """Return the values as they are written."""
        return list(values.labels)
