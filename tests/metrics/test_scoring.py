"""Scores: ABS and SSQ of Kifer's tables, Brier and log loss."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judged import COLD, EVEN, FLU, judged
from unmask.metrics.scoring import AbsoluteErrorSum, Brier, LogLoss, SquaredErrorSum

VALUES = ["cold", "flu", "hiv"]


def test_certain_and_right_costs_nothing_certain_and_wrong_most():
    """Flu is certain of two people; one has it. ABS (0 + 2000) / 2, SSQ the same, Brier 1, log loss −ln(1e-6) / 2."""
    tally = judged([FLU, FLU], ["flu", "cold"])
    assert AbsoluteErrorSum().measure(tally).value == pytest.approx(1000)
    assert SquaredErrorSum().measure(tally).value == pytest.approx(1000)
    assert Brier().measure(tally).value == pytest.approx(1)
    assert LogLoss().measure(tally).value == pytest.approx(-np.log(1e-6) / 2)


def test_half_and_half():
    """ABS 2000 · ½, SSQ 1000 · (¼ + ¼), Brier ½, log loss ln 2; and once the truth is a third value."""
    right = judged([EVEN], ["flu"])
    assert [
        m.measure(right).value for m in (AbsoluteErrorSum(), SquaredErrorSum(), Brier(), LogLoss())
    ] == pytest.approx([1000, 500, 0.5, np.log(2)])
    wrong = judged([EVEN], ["hiv"])
    assert [m.measure(wrong).value for m in (AbsoluteErrorSum(), SquaredErrorSum(), Brier())] == pytest.approx(
        [2000, 1500, 1.5]
    )


def test_on_table_6_random_worlds_scores_what_half_and_half_scores():
    """Twelve people in pairs of different diseases: all posteriors are one half."""
    tally = judged([EVEN] * 12, ["flu", "cold"] * 6)
    assert AbsoluteErrorSum().measure(tally).value == pytest.approx(1000)
    assert SquaredErrorSum().measure(tally).value == pytest.approx(500)


@pytest.mark.parametrize("metric", [AbsoluteErrorSum(), SquaredErrorSum(), Brier(), LogLoss()])
def test_without_a_truth_a_score_is_undefined(metric):
    """Not 0, which would be perfect."""
    assert metric.measure(judged([COLD], [None])).value is None


@given(st.lists(st.tuples(st.sampled_from(VALUES), st.lists(st.floats(0.01, 1), min_size=3, max_size=3)),
                min_size=1, max_size=8))  # fmt: skip
def test_the_scores_are_their_definitions(people):
    """Sums of errors over all people and all values, as Kifer defines them; ABS is 2000 (1 − mean P(true))."""
    rows = [dict(zip(VALUES, np.array(w) / sum(w), strict=True)) for _, w in people]
    answers = [answer for answer, _ in people]
    errors = np.array([[row[v] - (v == a) for v in VALUES] for row, a in zip(rows, answers, strict=True)])
    tally = judged(rows, answers)
    assert AbsoluteErrorSum().measure(tally).value == pytest.approx(1000 * np.abs(errors).sum() / len(people))
    assert SquaredErrorSum().measure(tally).value == pytest.approx(1000 * (errors**2).sum() / len(people))
    assert Brier().measure(tally).value == pytest.approx((errors**2).sum() / len(people))
    true = np.array([row[a] for row, a in zip(rows, answers, strict=True)])
    assert LogLoss().measure(tally).value == pytest.approx(-np.log(true).mean())


def test_brier_and_log_loss_are_proper():
    """Of 100 people 70 have flu: believing .7 scores better than any other belief tried."""
    answers = ["flu"] * 70 + ["cold"] * 30
    for metric in (Brier(), LogLoss()):
        scores = {p: metric.measure(judged([{"flu": p, "cold": 1 - p}] * 100, answers)).value
                  for p in (0.5, 0.65, 0.7, 0.75, 0.99)}  # fmt: skip
        assert min(scores, key=lambda p: scores[p] or 0.0) == 0.7
