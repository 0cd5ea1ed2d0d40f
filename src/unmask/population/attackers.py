"""Prosecutor, journalist, marketer: three intruders, and how often each would name somebody rightly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64
from unmask.estimate import Estimate, Source
from unmask.numerics.rounding import TOLERANCE
from unmask.risk_levels import SMALLEST_GROUPS


@dataclass(frozen=True, slots=True, eq=False)
class RiskOfPeople:
    """The risk of all people of a sample, summed up."""

    highest: Estimate
    lowest: Estimate
    average: Estimate
    expected: Estimate  # people who would be named rightly if all were tried
    at_highest: Estimate  # people
    above: Mapping[float, Estimate]  # people above each rung of the ladder


def summed(risk: Float64, source: Source = "exact", why: str = "") -> RiskOfPeople:
    """Sum up the risk of each person, (people,), of being named rightly.

    A prosecutor knows that the person is in the file: the risk is 1 / f, for f people who look alike there. A
    journalist wants to name anybody, and knows only the population: 1 / F. A marketer wants to name many: the average.
    Nobody is above a rung because of rounding alone.
    """
    n = float(risk.size)
    if not n:
        none = Estimate.undefined("nobody is in the sample")
        return RiskOfPeople(none, none, none, none, none, dict.fromkeys(SMALLEST_GROUPS.values(), none))

    def estimate(value: float) -> Estimate:
        return Estimate.exact(value, n) if source == "exact" else Estimate(value, n=n, source=source, why=why)

    highest = float(risk.max())
    return RiskOfPeople(
        estimate(highest),
        estimate(float(risk.min())),
        estimate(float(risk.mean())),
        estimate(float(risk.sum())),
        estimate(float(np.count_nonzero(risk >= highest * (1 - TOLERANCE)))),
        {rung: estimate(float(np.count_nonzero(risk > rung * (1 + TOLERANCE)))) for rung in SMALLEST_GROUPS.values()},
    )
