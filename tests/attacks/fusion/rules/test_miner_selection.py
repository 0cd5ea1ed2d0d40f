"""Signs select a miner without the truth; the truth measures what each selection costs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.attacks.fusion.rules.made import ages, numbers
from unmask.attacks.fusion.rules.averages import Median
from unmask.attacks.fusion.rules.miner_selection import SIGNS, chosen, signs_of
from unmask.attacks.fusion.rules.mixtures import Pooling
from unmask.attacks.fusion.rules.voting import Vote


def test_a_miner_that_knows_groups_it_has_not_seen_has_skill_and_evidence():
    """The first says what is shown, the second always the same; the third repeats a range that says nothing."""
    texts = ["20-29", "30-39", "40-49"] * 8 + ["0-49"] * 8
    answers = [[text if text != "0-49" else "20-29", "30-39", "0-49"] for text in texts]
    predictions, cells = ages(texts, answers, held_out=True)
    signs = signs_of(predictions, Pooling().fuse(predictions, cells), cells)
    assert set(signs) == set(SIGNS)
    assert [0, 0] == [int(np.argmax(signs[name])) for name in ("skill", "evidence")]
    assert [8, 8, 0] == signs["boldness"].tolist()


def test_rows_that_were_learned_from_have_no_skill():
    """Of them only what is said is seen: who speaks, and with whom."""
    predictions, cells = ages(["0-49"], [["20-29", "20-39", "0-49"]])
    signs = signs_of(predictions, Vote().fuse(predictions, cells), cells)
    assert set(signs) == {"agreement", "boldness", "expected"}
    assert [1, 1, 0] == signs["agreement"].tolist()


def test_numbers_have_the_same_signs():
    """Of three miners two near 30 agree with the median; the one at 90 goes farther from what is shown.

    All three have one prediction for all rows, which counts as the mean: by evidence none is better.
    """
    predictions, texts = numbers([[30.0, 31, 90]] * 5, [36.0, 20, 33, 27, 34], held_out=True)
    signs = signs_of(predictions, Median().fuse(predictions, texts), texts)
    assert set(signs) == set(SIGNS)
    assert [1, 2] == [int(np.argmax(signs["agreement"])), int(np.argmax(signs["boldness"]))]
    assert int(np.argmin(signs["skill"])) == 2
    assert signs["evidence"] == pytest.approx(signs["evidence"][0])


def test_what_is_lost_is_a_part_of_the_best():
    """Two of three miners tie; a sign that points to the third loses a quarter. Of nothing nothing can be lost."""
    utilities = {"a": 8.0, "b": 6.0, "c": 8.0}
    right, wrong = chosen(np.array([0.0, 0, 1]), utilities), chosen(np.array([0.0, 1, 1]), utilities)
    assert ("c", True, 0) == (right.miner, right.best, right.lost)
    assert ("b", False, 0.25) == (wrong.miner, wrong.best, wrong.lost)
    nothing = chosen(np.array([1.0, 0]), {"a": 0.0, "b": 0.0})
    assert nothing.best
    assert nothing.lost == pytest.approx(np.nan, nan_ok=True)
