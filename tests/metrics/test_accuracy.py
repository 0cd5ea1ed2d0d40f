"""Accuracy: how often the likeliest answer is right, ties split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judged import EVEN, FLU, beliefs_of, judged, truth_of
from unmask.estimate import Tally
from unmask.metrics.accuracy import Accuracy


def accuracy(rows, answers):
    """Return the share, or None where it is undefined."""
    return Accuracy().measure(judged(rows, answers)).value


def test_two_of_three_right_is_two_thirds():
    """Flu is believed of all three, and two have it."""
    assert accuracy([FLU] * 3, ["flu", "flu", "cold"]) == pytest.approx(2 / 3)


def test_a_tie_of_two_earns_one_half():
    """Flu and cold equally likely: as good as a coin, in whatever order they are listed."""
    assert accuracy([EVEN], ["flu"]) == accuracy([EVEN], ["cold"]) == 1 / 2
    assert accuracy([EVEN], ["hiv"]) == 0


def test_a_tie_survives_rounding():
    """A third, a third and a third, computed in three ways: 1/3 each."""
    third = {"flu": 1 / 3, "cold": 1 - 2 / 3, "hiv": 0.1 / 0.3}
    total = sum(third.values())
    assert accuracy([{k: p / total for k, p in third.items()}], ["hiv"]) == pytest.approx(1 / 3)


def test_without_targets_it_is_undefined_with_a_reason():
    """No truth, or no targets: not 0, which would read as safe."""
    unlabeled = Accuracy().measure(judged([FLU], [None]))
    assert unlabeled.value is None
    assert unlabeled.why == "the truth is known for no target"
    unattacked = Accuracy().measure(judged([{}, {}], ["flu", "cold"]))
    assert unattacked.value is None
    assert unattacked.why == "no target was attacked"


def test_a_true_value_outside_the_candidates_is_wrong():
    """The answer is not even among the values believed possible."""
    tally = Tally.of(beliefs_of(FLU), truth_of(["plague"], ("flu", "plague")))
    assert Accuracy().measure(tally).value == 0


def test_it_counts_people_whose_truth_is_known():
    """Three attacked, one of them without a diagnosis: right of 2."""
    estimate = Accuracy().measure(judged([FLU] * 3, ["flu", "cold", None]))
    assert (estimate.value, estimate.low, estimate.high, estimate.n, estimate.source) == (0.5, 0.5, 0.5, 2, "exact")


@given(st.lists(st.tuples(st.sampled_from(["cold", "flu", "hiv"]), st.lists(st.integers(1, 4), min_size=3, max_size=3)),
                min_size=1, max_size=12))  # fmt: skip
def test_it_is_what_guessing_at_random_among_the_likeliest_would_earn(people):
    """Person by person, by definition."""
    rows, earned = [], []
    for answer, weights in people:
        rows.append(dict(zip(["cold", "flu", "hiv"], np.array(weights) / sum(weights), strict=True)))
        best = [name for name, w in zip(["cold", "flu", "hiv"], weights, strict=True) if w == max(weights)]
        earned.append((answer in best) / len(best))
    assert accuracy(rows, [answer for answer, _ in people]) == pytest.approx(np.mean(earned))
