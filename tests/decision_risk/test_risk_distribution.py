"""Who bears a risk: how many are found, how few pay half of it, and who pays without end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.decision_risk.disclosure_risk import Risk
from unmask.decision_risk.risk_distribution import RiskDistribution, bearers, by_loss


def risk(losses: list[float], counts: list[int]) -> Risk:
    """Return a risk of given losses, where so many entries fit."""
    count = np.array(counts, np.int64)
    return Risk("book", np.array(losses, float), count, np.where(count > 0, 1 / np.maximum(count, 1), 0.0))


def test_one_of_four_bears_half():
    """The first has 6 of 12; two are identified for certain, one fits no entry, and eleven reach 1/11."""
    burden = RiskDistribution.of(risk([6, 3, 3, 0], [1, 1, 11, 0]))
    assert (burden.half, burden.nowhere, burden.never) == (1, 1, 0)
    assert burden.found == {"1": 2, "1/2": 2, "1/5": 2, "1/11": 3}


def test_infinite_losses_dominate():
    """Two infinite losses make up the risk; finite ones add nothing."""
    burden = RiskDistribution.of(risk([np.inf, 5, np.inf], [2, 1, 3]))
    assert (burden.never, burden.half) == (2, 2)


@pytest.mark.parametrize("losses", [[], [0.0, 0.0]])
def test_without_loss_no_record_bears_it(losses):
    """Half of nothing needs no record."""
    assert RiskDistribution.of(risk(losses, [1] * len(losses))).half == 0


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_fewer_than_half_would_not_do(losses):
    """The dearest `half` records bear half of the risk, and one fewer does not."""
    burden, dear, total = (
        RiskDistribution.of(risk(losses, [2] * len(losses))),
        sorted(losses, reverse=True),
        sum(losses),
    )
    assert sum(dear[: burden.half]) >= total / 2
    assert total == 0 or sum(dear[: burden.half - 1]) < total / 2


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_bearers_include_ties(losses):
    """At least so many as are counted, and exactly those whose loss is not below the least of these."""
    one = risk(losses, [2] * len(losses))
    least = sorted(losses, reverse=True)[: RiskDistribution.of(one).half][-1:]
    assert bearers(one).tolist() == [bool(least) and loss >= least[0] for loss in losses]


def test_equal_losses_go_by_chance_and_then_by_place():
    """The same order whatever sorts it."""
    assert by_loss(risk([1, 2, 1, 1], [3, 9, 2, 3])).tolist() == [1, 2, 0, 3]
