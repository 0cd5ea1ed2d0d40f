"""Kifer 2009, section 5.2, on Adult: an attacker with the target's attributes learns from other people's ranges."""

from __future__ import annotations

from functools import partial

import pytest

from unmask.reproduction import Reproduction
from unmask.studies._kifer_2009 import boxes

ACCURACY = {2: (0.402, 0.423), 3: (0.310, 0.355), 4: (0.241, 0.309)}
"""Random worlds and learning, by l: Mondrian, k = 4, seven attributes. The first is exact."""


@pytest.mark.parametrize("l", [pytest.param(2, marks=pytest.mark.slow), 3, pytest.param(4, marks=pytest.mark.slow)])
def test_boxes_tell_more_than_their_shares(l):
    """Better in ABS, SSQ, log loss and accuracy, each beyond its 95 % interval by group."""
    one = boxes.boxed(boxes.LEAST, l, seed=1)
    plain, learned = ACCURACY[l]
    assert one.plain.figures()[2] == pytest.approx(plain, abs=0.001)
    assert one.learned.figures()[2] == pytest.approx(learned, abs=0.003)
    assert set(one.gains()) == {"ABS", "SSQ", "ACC", "log loss"}
    assert all(low > 0 for _, (low, _) in one.gains().values())


@pytest.mark.slow
def test_boxes_that_lose_less_information_cost_more_privacy():
    """From boxes of 4 to boxes of 256: the more is lost, the less is guessed, without an exception."""
    (found,) = boxes.price(partial(boxes.boxed, seed=1))
    assert found.verdict is Reproduction.REPRODUCED
    assert found.ours == pytest.approx(-1, abs=0.1)
