"""The largest posterior: one person is enough to violate a guarantee."""

from __future__ import annotations

import pytest

from tests.judged import COLD, EVEN, FLU, judged
from unmask.estimate import Tally
from unmask.metrics.firmest_belief import FirmestBelief
from unmask.schema import Harm


def firmest(tally: Tally, harm: Harm | None = None) -> float | None:
    """Return the firmest belief in a value that harms."""
    return (FirmestBelief() if harm is None else FirmestBelief(harm)).measure(tally).value


def test_the_most_certain_belief_about_anybody_counts():
    """Two with uniform posteriors, and one with 3/4; right or wrong."""
    three = {"flu": 0.75, "cold": 0.25, "hiv": 0.0}
    assert firmest(judged([EVEN, three, EVEN], ["cold"] * 3)) == 0.75
    assert firmest(judged([EVEN, EVEN], ["cold", "flu"])) == pytest.approx(1 / 2)


def test_a_harmless_value_may_be_believed():
    """A cold is a harmless value."""
    assert firmest(judged([COLD, EVEN], ["cold"] * 2), Harm(frozenset({"cold"}))) == pytest.approx(1 / 2)
    assert firmest(judged([COLD], ["cold"]), Harm(frozenset({"cold", "flu", "hiv"}))) == 0


def test_without_targets_it_is_undefined():
    """Not zero."""
    assert FirmestBelief().measure(judged([FLU], ["flu"])).n == 1
    assert FirmestBelief().measure(judged([], [])).why == "no target was attacked"
