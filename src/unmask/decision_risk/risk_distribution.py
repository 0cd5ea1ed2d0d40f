"""Distribution of a risk over records, without identities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Int64
from unmask.decision_risk.disclosure_risk import Risk
from unmask.numerics.rounding import TOLERANCE
from unmask.risk_levels import IDENTIFICATION


@dataclass(frozen=True, slots=True, eq=False)
class RiskDistribution:
    """The numbers of records that bear a risk, by level.

    An average does not show whether all records have a small loss or a few have nearly all of it.
    """

    n: int
    found: Mapping[str, int]  # a level of IDENTIFICATION → records identified with at least this probability
    nowhere: int  # records without a matching entry: their loss counts as 0
    never: int  # records whose loss is infinite
    half: int  # the fewest records that bear half of the risk; 0 where there is none

    @classmethod
    def of(cls, risk: Risk) -> RiskDistribution:
        """Count the records of a risk."""
        order = by_loss(risk)
        never = int(np.isinf(risk.loss).sum())
        running = np.cumsum(risk.loss[order])
        total = float(running[-1]) if running.size else 0.0
        half = never or (int(np.searchsorted(running, total / 2 * (1 - TOLERANCE)) + 1) if total else 0)
        found = {name: int((risk.chance >= chance * (1 - TOLERANCE)).sum()) for name, chance in IDENTIFICATION.items()}
        return cls(risk.loss.size, found, int((risk.count == 0).sum()), never, half)


def bearers(risk: Risk) -> Bool:
    """Whether each record is among the fewest that bear half of the risk, ties included, (records,).

    With ties, the order of rows does not matter.
    """
    half = RiskDistribution.of(risk).half
    if not half:
        return np.zeros(risk.loss.size, bool)
    last = risk.loss[by_loss(risk)[half - 1]]
    return np.asarray(risk.loss >= last * (1 - TOLERANCE))


def by_loss(risk: Risk) -> Int64:
    """Return the records by loss, descending; ties by identification probability, descending, then by row."""
    return np.lexsort((np.arange(risk.loss.size), -risk.chance, -risk.loss))
