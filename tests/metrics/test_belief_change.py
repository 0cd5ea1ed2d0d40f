"""Belief change: how far a release moves what is believed."""

from __future__ import annotations

import numpy as np
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


def test_it_is_half_the_sum_of_absolute_differences():
    """A law: 100 people whose beliefs and priors lack some values, against the definition."""
    rng = np.random.default_rng(4)
    values = ("cold", "flu", "hiv")
    now, prior = (rng.dirichlet([1.0] * 3, 100) * (rng.random((100, 3)) < 0.7) + [1e-3, 0, 0] for _ in range(2))
    now, prior = (table / table.sum(axis=1, keepdims=True) for table in (now, prior))
    rows, before = ([dict(zip(values, row.tolist(), strict=True)) for row in table] for table in (now, prior))
    assert change(rows, before) == pytest.approx(0.5 * np.abs(now - prior).sum(axis=1).mean())
