"""Household risk: who finds one member finds them all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.population import samples
from unmask.population.household_risk import household_risk
from unmask.population.individual_risk import individual_risk
from unmask.population.keys import Keys


def test_two_members_who_are_found_one_time_in_two():
    """The largest risk is 1/2; that any member is found, if independent, 3/4."""
    found = household_risk(np.array([0.5, 0.5, 0.1]), np.array([0, 0, 1], np.int32))
    assert found.largest.tolist() == [0.5, 0.1]
    assert found.any_member == pytest.approx([0.75, 0.1])
    assert found.members.tolist() == [2, 1]


def test_certain_member_makes_the_household_certain():
    """1 − (1 − 1)(1 − r) = 1, without a warning for the logarithm of 0."""
    found = household_risk(np.array([1.0, 0.2]), np.zeros(2, np.int32))
    assert found.any_member.tolist() == [1.0]


def test_tiny_risks_are_not_rounded_away():
    """A million members at 1e-17 each: 1 − (1 − r) would be 0 for every one of them."""
    found = household_risk(np.full(1_000_000, 1e-17), np.zeros(1_000_000, np.int32))
    assert found.any_member == pytest.approx([1e-11])


@given(risk=st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_household_risk_lies_between_maximum_and_sum(risk):
    """The bounds of Fréchet, and the formula."""
    found = household_risk(np.array(risk), np.zeros(len(risk), np.int32))
    assert max(risk) - 1e-12 <= found.any_member[0] <= min(1.0, sum(risk)) + 1e-12
    assert found.any_member[0] == pytest.approx(1 - np.prod(1 - np.array(risk)), abs=1e-12)


@pytest.mark.parametrize(
    ("quasi", "total", "first"),
    [
        (samples.HOUSING, 51.8129274359607, [0.000307575310889] * 4 + [0.000867780227060] * 2),
        (samples.FIVE, 7.17702857125, []),
    ],
    ids=["seven", "five"],
)
def test_it_agrees_with_sdcmicro(data_folder, quasi, total, first):
    """5.8.0 on testdata, from its own approximation of individual risk: the sum over people, and the first six."""
    table = samples.households(data_folder, quasi)
    keys = Keys.of(table)
    assert keys.population is not None
    assert table.household_of is not None
    f, p = keys.sample, keys.sample / keys.population
    person = np.where(f < 3, individual_risk(f, keys.population), p / (f - 1 + p))[keys.number]
    own = household_risk(person, table.household_of).any_member[table.household_of]
    assert own.sum() == pytest.approx(total, rel=1e-11)
    assert own[: len(first)] == pytest.approx(first, rel=1e-10)
