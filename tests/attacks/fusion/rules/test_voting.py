"""Votes over whole numbers: the paper's rule by hand, and those that weigh."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.attacks.fusion.rules.made import ages, counted, numbers
from unmask.attacks.fusion.miners.predictions import MinerPrediction, Predictions
from unmask.attacks.fusion.miners.training_data import NO_ANSWER
from unmask.attacks.fusion.rules.fused_beliefs import half_up
from unmask.attacks.fusion.rules.published_cells import PublishedCells, proper
from unmask.attacks.fusion.rules.voting import HierarchicalVote, Vote, WeightedVote
from unmask.errors import InvalidInputError

PAPER = Vote(domain=False)

FIVE = ["20-29", "20-39", "60-79", "0-49", "40-49"]


def best(fused, row=0):
    """Return the values that a row's rule names."""
    one = fused.row_of[row]
    return fused.best.column[fused.best.start[one] : fused.best.start[one + 1]].tolist()


# --- the story: Sramka, Safavi-Naini, Denzinger 2010, section IV-D


def test_a_person_of_25_is_found_exactly():
    """Published is 0-49. Three of five miners are more precise; two of them contain 20 to 29: 24.5, rounded up."""
    fused = PAPER.fuse(*ages(["0-49"], [FIVE]))
    assert best(fused) == list(range(20, 30))
    assert fused.point[0] == 24.5
    assert fused.value[0] == 25


def test_a_miner_no_more_precise_than_the_row_has_no_vote():
    """A range outside, and the same range: no value is named, and the result is the middle of the published range."""
    fused = PAPER.fuse(*ages(["0-49"], [["60-79", "0-49"]]))
    assert best(fused) == []
    assert fused.n_best[0] == 0
    assert fused.value[0] == 25
    assert fused.rows.data == pytest.approx(1 / 50)


def test_belief_is_a_vote_for_each_value_and_one_more():
    """20 has two votes, 30 one, 10 none, 60 is ruled out: 3, 2, 1 and 0 parts of 90."""
    fused = PAPER.fuse(*ages(["0-49"], [FIVE]))
    assert fused.rows.at(np.zeros(4, np.int64), np.array([20, 30, 10, 60])) == pytest.approx(
        [3 / 90, 2 / 90, 1 / 90, 0]
    )


# --- edges


@pytest.mark.parametrize(("point", "value"), [(24.5, 25), (25.5, 26), (-0.5, 0), (24.49, 24), (25.0, 25)])
def test_halves_are_rounded_up(point, value):
    """Python would round 24.5 to 24 and 25.5 to 26, and middles of ranges end in a half all the time."""
    assert half_up(np.array([point]))[0] == value


def test_levels_are_not_nested():
    """40-59 lies across 49 and 50: it says nothing about who is shown as 0-49, nor the other way round."""
    fused = PAPER.fuse(*ages(["0-49", "40-59", "0-99"], [["40-59"], ["0-49"], ["40-59"]]))
    assert [best(fused, row) for row in range(3)] == [[], [], list(range(40, 60))]


def test_ties_name_all():
    """Two ranges with one vote each: all of both, and their mean."""
    fused = PAPER.fuse(*ages(["0-49"], [["10-14", "30-34"]]))
    assert best(fused) == [*range(10, 15), *range(30, 35)]
    assert fused.value[0] == 22


def test_the_declared_domain_is_knowledge():
    """No person is under 17: 0-49 is 17 to 49, its middle 33, and 0-19 is as precise as 15-19."""
    who = ages(["0-49", "15-19"], [["0-99"], ["0-19"]], domain=(17, 99))
    assert Vote().fuse(*who).value.tolist() == [33, 18]
    assert Vote(domain=False).fuse(*who).value.tolist() == [25, 17]
    narrower = ages(["0-19"], [["15-19"]], domain=(17, 99))
    assert Vote().fuse(*narrower).n_best[0] == 0
    paper = Vote(domain=False).fuse(*narrower)
    assert best(paper) == [15, 16, 17, 18, 19]
    assert paper.rows.dense()[0, :3] == pytest.approx(1 / 3)  # 17, 18 and 19: beliefs keep to what is declared


def test_an_exclusive_end_is_half_a_step_higher():
    """Education 8-12 is 10 as printed, 11 as published; a single value stays what it is."""
    texts = ["8-12", "13-16", "8-12"]
    answers = [["8-12"], ["13-16"], ["10-10"]]
    assert Vote().fuse(*ages(texts, answers, domain=(1, 16))).value.tolist() == [10, 15, 10]
    exclusive = Vote(midpoint="exclusive").fuse(*ages(texts, answers, domain=(1, 16)))
    assert exclusive.point.tolist() == [10.5, 15.0, 10.0]
    assert exclusive.value.tolist() == [11, 15, 10]
    with pytest.raises(InvalidInputError, match="midpoint must be one of inclusive, exclusive"):
        Vote(midpoint="outer")  # type: ignore[arg-type]


def test_a_row_that_shows_nothing_may_be_anything():
    """A missing cell is a range without ends: every prediction says more."""
    predictions, cells = ages(["0-49"], [["20-29"]])
    low, high = np.array([0, 20]), np.array([49, 29])
    blank = PublishedCells.ranges(np.array([NO_ANSWER], np.int32), low, high, (0, 99))
    assert best(PAPER.fuse(predictions, blank)) == list(range(20, 30))
    assert best(PAPER.fuse(predictions, cells)) == list(range(20, 30))


def test_sets_without_an_order_are_voted_on_likewise():
    """A nurse or a doctor, published as all jobs of a hospital: one miner predicts nurse, one both, one teacher."""
    inside = np.array([[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]], bool)
    cells = PublishedCells.sets(np.array([0], np.int32), inside)
    answers = tuple(MinerPrediction(np.array([cell], np.int32)) for cell in (2, 1, 3))
    predictions = Predictions(("a", "b", "c"), ("x", "x", "x"), np.zeros(1, np.int32), answers, 1, 4)
    fused = Vote().fuse(predictions, cells)
    assert best(fused) == [0]
    assert fused.rows.dense()[0] == pytest.approx([3 / 6, 2 / 6, 1 / 6, 0])


def test_one_number_is_no_cell():
    """Votes need ranges, and as many rows as are shown."""
    with pytest.raises(InvalidInputError, match="this release has numbers"):
        Vote().fuse(*numbers([[1.0]], [1.0]))
    predictions, _ = ages(["0-49"], [["20-29"]])
    with pytest.raises(InvalidInputError, match="must predict 2 rows; got 1"):
        Vote().fuse(predictions, ages(["0-49", "0-49"], [["20-29"]] * 2)[1])


# --- laws

BOUNDS = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: f"{min(pair)}-{max(pair)}")


@given(st.lists(st.tuples(BOUNDS, st.lists(BOUNDS, min_size=3, max_size=3)), min_size=1, max_size=5))
def test_the_vote_is_what_counting_one_by_one_gives(people):
    """Any ranges, nested or not: the same values, and a distribution over what is shown."""
    texts, answers = zip(*people, strict=True)
    fused = PAPER.fuse(*ages(texts, answers))
    axis = ages(texts, answers)[1].axis
    for row, (text, row_answers) in enumerate(people):
        assert [axis[place] for place in best(fused, row)] == counted(text, row_answers)
        low, high = map(int, text.split("-"))
        belief = fused.rows.dense()[fused.row_of[row]]
        assert belief.sum() == pytest.approx(1)
        assert (belief[low : high + 1] > 0).all()
        assert belief[:low].sum() + belief[high + 1 :].sum() == 0


@given(st.lists(BOUNDS, min_size=1, max_size=8))
def test_a_proper_part_is_smaller_and_inside(texts):
    """By endpoints; nothing is a proper part of itself."""
    predictions, cells = ages(texts, [[text] for text in texts])
    better = proper(cells.held(domain=False))
    ends = [tuple(map(int, text.split("-"))) for text in sorted(set(texts))]
    for i, (a, b) in enumerate(ends):
        for j, (c, d) in enumerate(ends):
            assert better[i, j] == (a <= c and d <= b and (a, b) != (c, d))
    assert predictions.n_classes == len(ends)


# --- weighing


def test_a_miner_that_is_right_outvotes_two_that_are_not():
    """Nine groups show what the first miner says of them; of the tenth, shown as 0-49, it is heard over the others."""
    texts = ["20-29", "30-39", "40-49"] * 3 + ["0-49"]
    wrong = {"20-29": "30-39", "30-39": "40-49", "40-49": "20-29"}
    answers = [[text, wrong[text], wrong[text]] for text in texts[:-1]] + [["20-29", "30-39", "30-39"]]
    predictions, cells = ages(texts, answers, held_out=True)
    assert best(Vote().fuse(predictions, cells), 9) == list(range(30, 40))
    weighted = WeightedVote().fuse(predictions, cells)
    assert best(weighted, 9) == list(range(20, 30))
    assert weighted.weight["m0"] > weighted.weight["m1"] == 0.0


def test_a_miner_that_is_right_less_than_half_the_time_still_knows_something_of_many_classes():
    """Right in 4 and in 8 of 9 groups, half a group added to either side: log odds, and log 2 for three classes."""
    texts = ["20-29", "30-39", "40-49"] * 3
    wrong = {"20-29": "30-39", "30-39": "40-49", "40-49": "20-29"}
    answers = [[text if i < 4 else wrong[text], text if i < 8 else wrong[text]] for i, text in enumerate(texts)]
    predictions, cells = ages(texts, answers, held_out=True)
    assert predictions.n_classes == 3
    weight = WeightedVote().fuse(predictions, cells).weight
    expected = [np.log(right / (10 - right)) + np.log(2) for right in (4.5, 8.5)]
    assert [weight["m0"], weight["m1"]] == pytest.approx(np.array(expected) / np.mean(expected))


def test_skill_needs_held_out_rows():
    """They are remembered."""
    with pytest.raises(InvalidInputError, match="Hold groups out"):
        WeightedVote().fuse(*ages(["0-49"], [["20-29"]]))


def test_without_skill_all_weigh_alike():
    """No prediction is right."""
    predictions, cells = ages(["0-49"] * 4, [["20-29", "20-39"]] * 4, held_out=True)
    assert best(WeightedVote().fuse(predictions, cells)) == best(Vote().fuse(predictions, cells))


def test_three_trees_are_one_opinion():
    """Three trees say 20-29, a neighbor and a rule say 30-39: three against two miners, one against two kinds."""
    predictions, cells = ages(["0-49"], [["20-29", "20-29", "20-29", "30-39", "30-39"]])
    kinds = Predictions(
        predictions.names, ("trees", "trees", "trees", "lazy", "rules"), predictions.row_of, predictions.by_miner, 1,
        predictions.n_classes,
    )  # fmt: skip
    assert best(Vote().fuse(kinds, cells)) == list(range(20, 30))
    assert best(HierarchicalVote().fuse(kinds, cells)) == list(range(30, 40))
