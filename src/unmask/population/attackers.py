"""Prosecutor, journalist and marketer risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unmask.arrays import Bool, Float64
from unmask.estimate import Estimate, Source
from unmask.numerics.rounding import TOLERANCE
from unmask.risk_levels import SMALLEST_GROUPS
from unmask.wording import message


@dataclass(frozen=True, slots=True, eq=False)
class RiskOfPeople:
    """A summary of the re-identification risk of a sample's people."""

    highest: Estimate
    lowest: Estimate
    average: Estimate
    expected: Estimate  # expected people re-identified if all are attempted
    at_highest: Estimate  # people
    above: Mapping[float, Estimate]  # people above each rung of the ladder


def summed(risk: Float64, source: Source = "exact", why: str = "", *, people: Float64 | None = None) -> RiskOfPeople:
    """Summarize the re-identification risk of each person, (people,), or of keys, (keys,), with so many `people` each.

    A prosecutor knows that the target is in the file: the risk is 1 / f, for f people with an equal key in the file. A
    journalist knows only the population: 1 / F. A marketer wants to identify many people: the average. Levels are
    compared with a tolerance for rounding.
    """
    people = np.ones(risk.size) if people is None else people
    n = float(people.sum())
    if not n:
        none = Estimate.undefined(message("the sample has no people"))
        return RiskOfPeople(none, none, none, none, none, dict.fromkeys(SMALLEST_GROUPS.values(), none))

    def estimate(value: float) -> Estimate:
        return Estimate.exact(value, n) if source == "exact" else Estimate(value, n=n, source=source, why=why)

    def count(which: Bool) -> Estimate:
        return estimate(float(people[which].sum()))

    highest, expected = float(risk.max()), float((risk * people).sum())
    return RiskOfPeople(
        estimate(highest),
        estimate(float(risk.min())),
        estimate(expected / n),
        estimate(expected),
        count(risk >= highest * (1 - TOLERANCE)),
        {rung: count(risk > rung * (1 + TOLERANCE)) for rung in SMALLEST_GROUPS.values()},
    )
