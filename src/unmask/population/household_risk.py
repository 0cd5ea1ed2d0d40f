"""Household risk: a person is identified if any member of the household is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unmask.arrays import Float64, Int32, frozen


@dataclass(frozen=True, slots=True, eq=False)
class HouseholdRisk:
    """The risk of each household, under two assumptions on the dependence of its members' risks."""

    members: Float64  # (households,)
    largest: Float64  # (households,) largest risk of a member: full dependence
    any_member: Float64  # (households,) that some member is identified: independence


def household_risk(risk: Float64, household_of: Int32) -> HouseholdRisk:
    """Return the risk of each household from its members' risks, (people,); households are numbered from 0.

    Measures
        The largest of the members' risks, and 1 − Π (1 − r). Under positive dependence the risk lies between them.
    """
    n = int(household_of.max(initial=-1)) + 1
    members = np.bincount(household_of, minlength=n).astype(np.float64)
    largest = np.zeros(n)
    np.maximum.at(largest, household_of, risk)
    with np.errstate(divide="ignore"):  # a risk of 1: log 0 is minus infinity, and the household's risk is 1
        missed = np.bincount(household_of, np.log1p(-np.minimum(risk, 1.0)), n)
    return HouseholdRisk(frozen(members), frozen(largest), frozen(-np.expm1(missed)))


ESTIMATES = (household_risk,)
