"""Calibration: whether beliefs of 80 % are right in 80 % of cases."""

from __future__ import annotations

import numpy as np
import pytest

from tests.judged import FLU, beliefs_of, judged, truth_of
from unmask.estimate import Tally
from unmask.metrics.calibration import CalibrationError, bins


def sure(p):
    """Return a belief in flu."""
    return {"flu": p, "cold": 1 - p}


def error(tally):
    """Return the calibration error."""
    return CalibrationError().measure(tally).value


def test_believing_80_percent_and_being_right_in_80_percent_is_calibrated():
    """100 people at .8, 80 of them with flu: no error, one bin at (.8, .8)."""
    tally = judged([sure(0.8)] * 100, ["flu"] * 80 + ["cold"] * 20)
    assert error(tally) == 0
    assert bins(tally) == [pytest.approx((0.8, 0.8, 100, 0.04))]


def test_being_sure_and_wrong_in_four_of_ten_is_an_error_of_four_tenths():
    """Less what chance would make of it: √(2/π) standard errors of √(.6 · .4 / 1000)."""
    tally = judged([FLU] * 1000, ["flu"] * 600 + ["cold"] * 400)
    assert error(tally) == pytest.approx(0.4 - np.sqrt(2 / np.pi) * np.sqrt(0.24 / 1000))


def test_people_in_one_group_are_less_evidence_than_their_number():
    """1,000 people in 10 groups that are right or wrong as a whole: a gap of .1 is within chance, so no error."""
    right = np.repeat([1, 1, 1, 1, 1, 1, 1, 0, 0, 0], 100)
    answers = ["flu" if hit else "cold" for hit in right]
    apart = judged([sure(0.8)] * 1000, answers)
    grouped = judged([sure(0.8)] * 1000, answers, cluster=np.repeat(np.arange(10), 100).tolist())
    assert error(apart) == pytest.approx(0.1 - np.sqrt(2 / np.pi) * np.sqrt(0.21 / 1000))
    assert error(grouped) == 0


def test_equal_beliefs_share_a_bin_however_people_are_ordered():
    """Three levels of certainty for 30 people: three bins, the same after any shuffle."""
    levels = np.repeat([0.55, 0.75, 0.95], 10)
    hit = np.tile([1, 1, 1, 1, 1, 1, 1, 0, 0, 0], 3)
    answers = ["flu" if h else "cold" for h in hit]
    ordered = bins(judged([sure(p) for p in levels], answers))
    mix = np.random.default_rng(0).permutation(30)
    shuffled = bins(judged([sure(p) for p in levels[mix]], [answers[i] for i in mix]))
    assert [b[:3] for b in ordered] == [pytest.approx((p, 0.7, 10)) for p in (0.55, 0.75, 0.95)]
    assert np.array(shuffled) == pytest.approx(np.array(ordered))


def test_many_levels_fall_into_15_bins_of_equally_many_people():
    """1,500 levels of certainty: 15 bins of 100."""
    levels = np.linspace(0.5, 1, 1500)
    tally = judged([sure(p) for p in levels], ["flu"] * 1500)
    assert [people for _, _, people, _ in bins(tally)] == [100] * 15


def test_a_belief_that_many_share_is_not_mixed_with_the_few_before_it():
    """60 people, 4 to a bin: a belief that 8 share reaches over two bins, and the one person before it stays alone."""
    tally = judged([sure(0.55)] + [sure(0.65)] * 8 + [sure(0.95)] * 51, ["flu"] * 60)
    assert [people for _, _, people, _ in bins(tally)] == [1, 8, 51]


def test_the_standard_error_of_a_bin_adds_up_within_groups_first():
    """Two pairs at .6, one right and one wrong: the sums are 2 · .4 and 2 · −.6, over four people."""
    tally = judged([sure(0.6)] * 4, ["flu", "flu", "cold", "cold"], cluster=[0, 0, 1, 1])
    assert bins(tally) == [pytest.approx((0.6, 0.5, 4, np.sqrt(0.8**2 + 1.2**2) / 4))]


def test_of_unknown_truths_there_is_no_calibration():
    """Undefined, not perfect."""
    assert CalibrationError().measure(judged([FLU], [None])).value is None
    assert CalibrationError().measure(Tally.of(beliefs_of({}), truth_of(["flu"]))).value is None


def test_calibrated_beliefs_are_found_to_be_so():
    """200 samples of 300 people who are right as often as believed: the error is 0 in most, and small in all."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        levels = rng.choice([0.55, 0.65, 0.75, 0.85, 0.95], 300)
        answers = ["flu" if u < p else "cold" for u, p in zip(rng.random(300), levels, strict=True)]
        found.append(error(judged([sure(p) for p in levels], answers)))
    assert np.mean(found) < 0.012  # without the correction for chance it would be .04
    assert np.max(found) < 0.08
