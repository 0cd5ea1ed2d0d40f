"""Exact: the same value, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from unmask.decision_risk.comparison import DistinctValues


@dataclass(frozen=True)
class Exact:
    """Fit where both values are written alike, in columns of numbers where they are one number."""

    name: ClassVar[str] = "exact"

    def key(self, values: DistinctValues) -> list[str]:
        """Return the values as they are written."""
        return list(values.labels)
