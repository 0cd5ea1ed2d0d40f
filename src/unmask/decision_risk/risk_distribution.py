"""Burden: how a risk is spread over records, without saying whose they are."""

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
    """How many records bear how much of a risk.

    An average hides whether everybody pays a little or a few pay nearly all; who decides needs to know which.
    """

    n: int
    found: Mapping[str, int]  # a level of IDENTIFICATION → records that are found at least as likely
    nowhere: int  # records that fit no entry: their loss counts as 0
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
    """Say which records bear half of the risk, (records,), and who loses as much as the last of them.

    So nobody is left out for standing further down the table.
    """
    half = RiskDistribution.of(risk).half
    if not half:
        return np.zeros(risk.loss.size, bool)
    last = risk.loss[by_loss(risk)[half - 1]]
    return np.asarray(risk.loss >= last * (1 - TOLERANCE))


def by_loss(risk: Risk) -> Int64:
    """Return the records in order of their loss, worst first; among equals who is found most likely, then the first."""
    return np.lexsort((np.arange(risk.loss.size), -risk.chance, -risk.loss))
