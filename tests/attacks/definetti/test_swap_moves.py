"""Swaps: a fixed number of steps draws from the right distribution, and the paper's stopping rule does not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from unmask.attacks.definetti.swap_moves import swapped

# Three people, three values: each fits their own value best. Six arrangements.
WEIGHT = np.array([[0.80, 0.15, 0.05], [0.10, 0.75, 0.15], [0.10, 0.20, 0.70]])
ARRANGEMENTS: list[tuple[int, ...]] = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
SWAPS = [(0, 1), (0, 2), (1, 2)]
MASS = np.array([np.prod(WEIGHT[np.arange(3), list(given)]) for given in ARRANGEMENTS])
EXACT = MASS / MASS.sum()


def moves():
    """Return the probability to go from one arrangement to another in one step, (6, 6)."""
    step = np.zeros((6, 6))
    for i, given in enumerate(ARRANGEMENTS):
        for one, other in SWAPS:
            swapped_to = list(given)
            swapped_to[one], swapped_to[other] = given[other], given[one]
            j = ARRANGEMENTS.index(tuple(swapped_to))
            step[i, j] += min(1.0, EXACT[j] / EXACT[i]) / 3
    return step + np.diag(1 - step.sum(axis=1))


def after_successes(wanted, rng):
    """Swap until so many swaps were accepted, as the paper does; return the arrangement."""
    given = np.arange(3)
    while wanted:
        one, other = SWAPS[rng.integers(3)]
        ratio = WEIGHT[one, given[other]] * WEIGHT[other, given[one]]
        ratio /= WEIGHT[one, given[one]] * WEIGHT[other, given[other]]
        if rng.random() < ratio:
            given[[one, other]] = given[[other, one]]
            wanted -= 1
    return ARRANGEMENTS.index(tuple(given.tolist()))


def test_to_stop_after_successes_is_to_stop_on_a_fresh_move():
    """Exactly: who stops there sees the chain of accepted moves, which leaves the favorite as soon as it has come.

    The favorite has probability .91, and is found at less than one half of all stops, however many successes they take.
    """
    stay = np.diag(moves())
    jumps = (moves() - np.diag(stay)) / (1 - stay)[:, None]
    where = np.eye(6)[0]
    for successes in range(1, 201):
        where = where @ jumps
        if successes in {100, 199}:  # three swaps cannot lead back: even and odd arrangements take turns
            both = (where + where @ jumps) / 2
            assert EXACT[0] == pytest.approx(0.910, abs=0.001)
            assert both[0] < 0.5
            assert np.abs(both - EXACT).sum() / 2 > 0.35
            assert both == pytest.approx(EXACT * (1 - stay) / (EXACT @ (1 - stay)), abs=1e-6)


def test_a_hundred_successes_are_biased_and_as_many_steps_are_not():
    """400 draws each: how often the favorite comes rejects the paper's rule at 1e-6, not a fixed number at 1e-3."""
    rng = np.random.default_rng(5)
    paper = sum(after_successes(100, rng) == 0 for _ in range(400))
    start = np.arange(3, dtype=np.int32)
    fixed = sum(swapped(WEIGHT, start, 100, rng)[0].tolist() == [0, 1, 2] for _ in range(400))
    assert binomtest(paper, 400, EXACT[0]).pvalue < 1e-6
    assert binomtest(fixed, 400, EXACT[0]).pvalue > 1e-3
