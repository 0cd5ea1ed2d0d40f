"""Belief change: how far a release moves what is believed."""

from __future__ import annotations

import pytest

from tests.judged import COLD, EVEN, FLU, judged
from unmask.metrics.belief_change import BeliefChange


def change(rows, prior):
    """Return the mean distance from the prior."""
    return BeliefChange().measure(judged(rows, ["flu"] * len(rows), against={"prior": prior})).value


def test_from_one_half_to_certainty_is_one_half():
    """Total variation: ½ (|1 − ½| + |0 − ½|)."""
    assert change([FLU], [EVEN]) == pytest.approx(0.5)


def test_nothing_learned_is_0_and_the_impossible_made_certain_is_1():
    """The two ends, and their mean."""
    assert change([EVEN], [EVEN]) == 0
    assert change([FLU], [COLD]) == 1
    assert change([EVEN, FLU], [EVEN, COLD]) == pytest.approx(0.5)


def test_without_a_prior_there_is_no_change():
    """Undefined, with the reason."""
    assert BeliefChange().measure(judged([FLU], ["flu"])).why == "there is no prior to compare with"
