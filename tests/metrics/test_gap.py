"""Gap: how much more often the best guess is right than in a world without the person's record."""

from __future__ import annotations

import pytest

from tests.judged import COLD, EVEN, FLU, judged
from unmask.metrics.gap import WITHOUT, Gap


def test_the_record_helped_with_two_of_four():
    """All four are guessed right; without their records one would be, and two others half: two of four more."""
    tally = judged([FLU] * 4, ["flu"] * 4, against={WITHOUT: [FLU, EVEN, EVEN, COLD]})
    assert 2 / 4 == Gap().measure(tally).value


def test_a_record_can_mislead():
    """Where the release is wrong of a person, they were better off in it."""
    assert -1 == Gap().measure(judged([COLD], ["flu"], against={WITHOUT: [FLU]})).value


def test_there_is_no_gap_without_the_other_game():
    """Undefined, which is not zero; likewise where the truth is not known."""
    assert Gap().measure(judged([FLU], ["flu"])).value is None
    assert Gap().measure(judged([FLU], [None], against={WITHOUT: [EVEN]})).value is None


def test_runs_are_what_the_interval_is_about():
    """Two people in each of four runs: a run counts once, for its people were attacked in one release."""
    rows, cluster = [FLU, FLU] * 4, [0, 0, 1, 1, 2, 2, 3, 3]
    without = [FLU, FLU, COLD, COLD, FLU, FLU, COLD, COLD]
    found = Gap().measure(judged(rows, ["flu"] * 8, against={WITHOUT: without}, cluster=cluster))
    assert found.low is not None
    assert found.high is not None
    assert (0.5, "sanitizer") == (found.value, found.source)
    # the standard error of the mean of 0, 1, 0, 1
    assert 1.959964 * (1 / 3 / 4) ** 0.5 == pytest.approx((found.high - found.low) / 2, abs=1e-6)
