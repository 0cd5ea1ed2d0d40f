"""Rounding: numbers that are equal on paper count as equal, in every comparison and every metric."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judged import beliefs_of, truth_of
from unmask import catalog
from unmask.beliefs import Beliefs
from unmask.estimate import Metric, Tally
from unmask.numerics.rounding import above, at_least, at_most, below, levels, tied

VALUES = ("cold", "flu", "hiv", "none")
METRICS: list[Metric] = [one for entry in catalog.entries("metrics").values() for one in entry.examples]


def test_small_numbers_differ_by_rounding_as_much_as_those_up_to_one():
    """A billionth, absolutely: relatively a thousandth would be missed by what sums of ones are rounded by."""
    assert at_least(1e-3 - 5e-10, 1e-3)
    assert tied(1e-3, 1e-3 + 5e-10)
    assert not tied(1e-3, 1e-3 + 2e-9)
    assert at_least(1e6 - 5e-4, 1e6)


def test_a_third_is_a_third_however_it_was_summed_up():
    """So a limit of 1/3 is reached, and not exceeded, by each of them."""
    thirds = np.array([1 / 3, 1 - 2 / 3, 0.1 / 0.3])
    assert len(set(thirds.tolist())) > 1
    assert at_least(thirds, 1 / 3).all()
    assert at_most(thirds, 1 / 3).all()
    assert not above(thirds, 1 / 3).any()
    assert not below(thirds, 1 / 3).any()


def test_what_differs_on_paper_is_kept_apart():
    """Groups of 10,000 and 10,001 have risks that differ by 1e-8."""
    assert not tied(1 / 10_000, 1 / 10_001)
    assert above(1 / 10_000, 1 / 10_001)


def test_infinity_equals_itself_alone_and_an_undefined_number_nothing():
    """The largest finite number is below infinity."""
    assert tied(np.inf, np.inf)
    assert below(np.finfo(float).max, np.inf)
    assert not tied(np.nan, np.nan)
    assert not above(np.inf, np.inf)


@given(st.lists(st.fractions(0, 5, max_denominator=30), max_size=12), st.randoms(use_true_random=False))
def test_levels_are_those_of_exact_numbers(numbers: Sequence[Fraction], random):
    """Whatever the last digits are, and in whatever order numbers come."""
    noisy = np.array([float(one) * (1 + random.uniform(-1, 1) * 1e-14) for one in numbers])
    distinct = sorted(set(numbers))
    assert levels(noisy).tolist() == [distinct.index(one) for one in numbers]


shares = st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any)


def perturbed(rows: Sequence[Sequence[int]], random) -> Beliefs:
    """Return shares as beliefs, in other last digits each time."""
    noisy = [
        {v: n / sum(row) * (1 + random.uniform(-1, 1) * 1e-13) for v, n in zip(VALUES, row, strict=True)}
        for row in rows
    ]
    return beliefs_of(*noisy, values=VALUES)


@given(
    rows=st.lists(shares, min_size=1, max_size=8),
    other=st.lists(shares, min_size=8, max_size=8),
    answers=st.lists(st.sampled_from(VALUES), min_size=8, max_size=8),
    random=st.randoms(use_true_random=False),
)
def test_no_metric_depends_on_last_digits(rows, other, answers, random):
    """People counted at a limit, right guesses among ties, bins of equal beliefs: all stay where they were."""
    tallies = []
    for _ in range(2):
        names = ("prior", "control", "single a", "single b", "without")
        against = {name: perturbed(other[: len(rows)], random) for name in names}
        tallies.append(Tally.of(perturbed(rows, random), truth_of(answers[: len(rows)], VALUES), against))
    for metric in METRICS:
        one, two = (metric.measure(tally).value for tally in tallies)
        assert one == (None if two is None else pytest.approx(two, rel=1e-9, abs=1e-9)), metric.name
