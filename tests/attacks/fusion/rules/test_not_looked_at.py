"""The control of every rule: the combined predictions without the row's own cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.attacks.fusion.rules.made import ages, numbers
from unmask.attacks.fusion.miners.predictions import MinerPrediction
from unmask.attacks.fusion.rules import all_rules
from unmask.attacks.fusion.rules.averages import Median
from unmask.attacks.fusion.rules.uninformative_rows import DOUBT
from unmask.attacks.fusion.rules.voting import HierarchicalVote, Vote, WeightedVote

FIVE = ["20-29", "20-39", "60-79", "0-49", "40-49"]


def believed(rule, predictions, cells):
    """Return what is believed of each row, (rows, values)."""
    found = rule.fuse(predictions, cells)
    return found.rows.dense()[found.row_of]


def test_a_prediction_outside_the_own_cell_counts():
    """The row would rule it out. Votes for 20, 30, 45 and 60: three, two, two, one; one more each, of 185."""
    predictions, cells = ages(["0-49"], [FIVE], held_out=True)
    assert believed(Vote(), predictions, cells)[0, 60] == 0
    found = believed(Vote(), predictions, replace(cells, looked_at=False))[0]
    votes = np.array([3, 2, 2, 1])
    assert found[[20, 30, 45, 60]] == pytest.approx((votes + 1) / (100 + 10 + 20 + 20 + 50 + 10))


def test_the_range_that_holds_everything_says_nothing_of_anybody():
    """Even of a row that is not looked at: each age stays as likely as another."""
    predictions, cells = ages(["20-29"], [["0-99"]], held_out=True)
    assert believed(Vote(), predictions, replace(cells, looked_at=False)) == pytest.approx(1 / 100)


@given(st.lists(st.lists(st.sampled_from([*FIVE, "0-99"]), min_size=3, max_size=3), min_size=1, max_size=4))
def test_a_vote_about_rows_not_looked_at_is_one_about_rows_that_show_everything(answers):
    """The same for each row, if some prediction goes beyond 0-49: else that cell covers all that is published."""
    assume(any(one in {"60-79", "0-99"} for row in answers for one in row))
    predictions, cells = ages(["0-49"] * len(answers), answers, held_out=True)
    hidden = ages(["0-99"] * len(answers), answers, held_out=True)
    for rule in (Vote(), HierarchicalVote()):
        unseen = believed(rule, predictions, replace(cells, looked_at=False))
        assert unseen == pytest.approx(believed(rule, *hidden))


def test_skill_still_uses_the_cells_of_other_rows():
    """Who is always right is heard, who never is is not, also about a row that is not looked at."""
    answers = [["20-29", "30-39"]] * 9 + [["60-69", "30-39"]]
    predictions, cells = ages(["20-29"] * 9 + ["0-49"], answers, held_out=True)
    found = believed(WeightedVote(), predictions, replace(cells, looked_at=False))[9]
    assert found[65] > found[35] == found[0]


def test_a_number_with_noise_is_not_looked_at():
    """What is left are the votes of the miners, one more for each value."""
    predictions, cells = numbers([[2.5, 3.0, 7.0]], [8.0], values=range(10), scale=1.0)
    found = believed(Median(), predictions, replace(cells, looked_at=False))[0]
    assert found == pytest.approx(np.array([1, 1, 1, 3, 1, 1, 1, 2, 1, 1]) / 13)


@pytest.mark.parametrize("name", all_rules.OF_CELLS)
def test_what_the_row_rules_out_is_all_that_a_mixture_takes_from_it(name):
    """Cut to the own range, the control of a mixture is its belief; a vote does not hear 30-59 of 20-39."""
    answers = [["20-29", "20-39"], ["30-59", "60-79"], ["60-79", "20-29"], ["20-29", "0-99"]]
    predictions, cells = ages(["0-49", "20-39", "60-79", "20-29"], answers, held_out=True)
    rule = all_rules.rule(name, numbers=False)
    inside = believed(rule, predictions, replace(cells, looked_at=False)) * cells.likelihood.dense(cells.cell)
    same = np.allclose(inside / inside.sum(axis=1, keepdims=True), believed(rule, predictions, cells))
    assert same == ("vote" not in name)


MIXTURES = [name for name in all_rules.OF_CELLS if "vote" not in name]


@pytest.mark.parametrize("name", MIXTURES)
@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from([*FIVE, "0-99"])), min_size=2, max_size=12))
def test_rows_of_which_miners_say_the_same_have_the_same_control(name, rows):
    """Whatever they show, and be it nothing: what is not looked at cannot make one of them more doubtful."""
    predictions, cells = ages([text for _, text in rows], [["20-29"]] * len(rows), held_out=True)
    kind = np.array([one for one, _ in rows], np.int32)
    chance = np.random.default_rng(1).dirichlet(np.ones(predictions.n_classes), 2).astype(np.float32)
    miners = (MinerPrediction(chance.argmax(axis=1).astype(np.int32), chance),)
    predictions = replace(predictions, row_of=kind, by_miner=miners, n_lines=2)
    found = believed(all_rules.rule(name, numbers=False), predictions, replace(cells, looked_at=False))
    for one in (0, 1):
        assert found[kind == one] == pytest.approx(np.tile(found[kind == one][:1], ((kind == one).sum(), 1)), rel=1e-9)


@pytest.mark.parametrize("name", MIXTURES)
def test_a_row_that_shows_nothing_has_the_control_of_one_that_shows_something(name):
    """Believed is less of it than its control says: so much as rows that show nothing are doubted."""
    answers = [["20-29"]] * 6
    predictions, cells = ages(["20-29", "20-29", "40-49", "0-99", "0-99", "0-99"], answers, held_out=True)
    rule = all_rules.rule(name, numbers=False)
    control = believed(rule, predictions, replace(cells, looked_at=False))[5]
    odds = control[25] / control[80]
    evened = believed(rule, predictions, cells)[5]
    assert odds > 2
    assert evened[25] / evened[80] == pytest.approx(odds ** (1 - DOUBT / 4))
