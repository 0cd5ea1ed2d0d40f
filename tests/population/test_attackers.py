"""Prosecutor, journalist, marketer: all people's risks, summarized for each attacker."""

from __future__ import annotations

import numpy as np
import pytest

from tests.population import samples
from unmask.population.attackers import summed
from unmask.population.keys import Keys
from unmask.risk_levels import SMALLEST_GROUPS


def test_one_alone_and_four_together():
    """Risks 1 and 1/4: the highest is one person's, two of five would be identified correctly."""
    found = summed(np.array([1.0, 0.25, 0.25, 0.25, 0.25]))
    assert (found.highest.value, found.lowest.value, found.average.value, found.expected.value) == (1, 0.25, 0.4, 2)
    assert found.at_highest.value == 1
    assert {round(1 / rung): e.value for rung, e in found.above.items()} == {3: 1, 5: 5, 10: 5, 11: 5, 20: 5}


def test_group_of_exactly_the_size_is_not_above_its_rung():
    """1 / 11 computed in two ways differs in the last digit."""
    for rung in SMALLEST_GROUPS.values():
        people = round(1 / rung)
        found = summed(np.full(people, 1 - (people - 1) * (1 / people)))
        assert found.above[rung].value == 0
        assert found.at_highest.value == people


def test_it_agrees_with_arx_on_adult():
    """ARX 3.9.2, eight quasi-identifiers: highest, average and lowest risk, and the share of people above .2."""
    keys = Keys.of(samples.adults(quasi=samples.QI8))
    found = summed((1 / keys.sample)[keys.number])
    assert found.highest.value == 1
    assert found.average.value == pytest.approx(0.4130362708043233, rel=1e-12)
    assert found.lowest.value == pytest.approx(1 / 137)
    assert found.at_highest.value == 8841
    assert found.above[1 / 5].value == pytest.approx(0.5090179696306611 * 30_162)


def test_people_of_a_key_count_together():
    """Keys with their numbers of people, or each person alone: the same summary."""
    risk, people = np.array([1.0, 0.25, 0.5]), np.array([1, 4, 2])
    together, each = summed(risk, people=people.astype(np.float64)), summed(np.repeat(risk, people))
    assert str(together) == str(each)


def test_empty_sample_has_undefined_risk():
    """Undefined, with the reason."""
    found = summed(np.zeros(0))
    assert found.highest.value is None
    assert found.above[1 / 3].why == "the sample has no people"
