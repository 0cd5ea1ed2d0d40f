"""What guesses are worth, beside the truth, the best miner, and guessing at random."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.attacks.fusion.rules.made import ages, numbers
from unmask.attacks.fusion.rules.averages import Median, MostFrequent
from unmask.attacks.fusion.rules.mixtures import Pooling
from unmask.attacks.fusion.rules.voting import Vote
from unmask.attacks.fusion.scenario import EXACT, PARTIAL, Scenario
from unmask.attacks.fusion.scenario_utility import Success, success_of
from unmask.errors import InvalidInputError

PAPER = Vote(domain=False)


def of_cells(texts, answers, truth, scenario, **more) -> Success:
    """Vote as the paper does, and judge it as the paper does."""
    predictions, cells = ages(texts, answers)
    fused = PAPER.fuse(predictions, cells)
    return success_of(predictions, fused, cells, np.array(truth, float), scenario, domain=False, **more)


# --- the story: a person of 25 who is published as 0-49

ANSWERS = ["20-29", "20-39", "60-79", "0-49", "40-49"]


def test_two_of_five_miners_know_better_and_so_does_the_vote():
    """A: {20, ..., 29} has most votes, and holds 25; the miners that say 60-79 or repeat 0-49 say nothing."""
    found = of_cells(["0-49"], [ANSWERS], [25], PARTIAL)
    assert (1, 1) == (found.utility, found.ideal)
    assert [1, 1, 0, 0, 0] == list(found.by_miner.values())
    assert (("m0", "m1"), 1) == (found.best_miners, found.best)
    assert (1, 10, 50) == (found.named, found.size, found.row_size)
    assert (1, 1) == (found.sigma_ideal.value, found.sigma_best.value)


def test_the_middle_of_the_twenties_is_rounded_up_to_the_truth():
    """B: 24.5 becomes 25. No miner may answer a number, so the best has nothing, and any success is infinite."""
    found = of_cells(["0-49"], [ANSWERS], [25], EXACT)
    assert (1, 0) == (found.utility, found.best)
    assert math.inf == found.sigma_best.value
    assert "arithmetic: miners answer cells" in found.sigma_best.why
    assert 1 / 50 == found.guess
    assert 50 == pytest.approx(found.sigma_guess.value)


def test_where_nothing_is_kept_the_middle_of_the_row_is_a_value_and_no_set():
    """A: false, though the middle happens to be right; B: right."""
    partial = of_cells(["0-49"], [["60-79", "0-49"]], [25], PARTIAL)
    assert (0, 0, 0) == (partial.utility, partial.named, partial.size)
    assert of_cells(["0-49"], [["60-79", "0-49"]], [25], EXACT).utility == 1


def test_guessing_inside_a_cell_cannot_be_nearer_than_the_cell():
    """As the paper says: not applicable, which is not zero."""
    found = of_cells(["0-49"], [ANSWERS], [25], PARTIAL)
    assert found.guess is None
    assert found.sigma_guess.value is None
    assert "none is nearer" in found.sigma_guess.why


# --- what an intruder is after


def test_penalties_can_cost_more_than_is_won():
    """Of two people one is hit by the set; who is wrong costs half each. Utilities may be negative."""
    scenario = Scenario(exact=1, nearer=0.2, wrong=-0.5)
    found = of_cells(["0-49", "0-49"], [["20-29"], ["20-29"]], [21, 41], scenario)
    assert found.utility == pytest.approx(0.2 - 0.5)
    assert found.ideal == 2
    assert found.by_miner == {"m0": pytest.approx(-0.3)}
    assert found.guess == pytest.approx(2 * (1 / 50 - 0.5 * 49 / 50))
    assert found.sigma_best.value is None
    assert "gains nothing" in found.sigma_best.why


def test_where_even_the_truth_is_a_loss_that_is_the_reason():
    """The reason is not that no person is of interest; without a reward for the truth there is no ratio either."""
    for exact in (-1, 0):
        found = of_cells(["0-49"], [["20-29"]], [21], Scenario(exact=exact, wrong=-3, silent=-2))
        assert (exact, None) == (found.ideal, found.sigma_ideal.value)
        assert "even the truth gains nothing" in found.sigma_ideal.why


def test_what_is_endless_says_what_has_got_nothing():
    """The only miner repeats the row, the middle of which is right: any success is infinite, sets or not."""
    found = of_cells(["0-49"], [["60-79", "0-49"]], [25], Scenario(exact=1, nearer=0.2))
    assert (1, 0, math.inf) == (found.utility, found.best, found.sigma_best.value)
    assert found.sigma_best.why == "the best single miner gains nothing"


def test_who_is_of_no_interest_counts_for_nothing():
    """Weights multiply everything: utilities and sizes."""
    found = of_cells(["0-49", "0-49"], [["20-29"], ["0-9"]], [21, 41], PARTIAL, weight=np.array([5.0, 0.0]))
    assert (5, 5, 1) == (found.utility, found.ideal, found.named)
    unweighted = of_cells(["0-49"], [["20-29"]], [21], PARTIAL, weight=np.zeros(1))
    assert "no person has a weight above 0" in unweighted.sigma_ideal.why


def test_a_set_must_be_as_much_smaller_as_is_asked_for():
    """Ten of fifty values are 80 % less: enough at 80, not at 81."""
    worth = [of_cells(["0-49"], [["20-29"]], [25], Scenario(nearer=1, closer=c)).utility for c in (80, 81)]
    assert [1, 0] == worth


def test_a_cell_of_one_value_is_an_answer():
    """Then a miner can be exact, and the best is no zero."""
    found = of_cells(["0-49"], [["25-25"]], [25], EXACT)
    assert (1, 1, 1) == (found.utility, found.best, found.sigma_best.value)


# --- numbers


def of_numbers(answers, published, truth, scenario, rule, **more) -> Success:
    """Judge numbers."""
    predictions, cells = numbers(answers, published, **more)
    return success_of(predictions, rule.fuse(predictions, cells), cells, np.array(truth, float), scenario)


def test_a_number_is_nearer_or_not():
    """80 is shown of 30: the most frequent number, 54, is nearer, 81 is not; to be exact 29.5 is rounded up."""
    found = of_numbers([[54, 54, 81, 29.5]], [80], [30], PARTIAL, MostFrequent())
    assert (1, [1, 1, 0, 1]) == (found.utility, list(found.by_miner.values()))
    assert (1, 1) == (found.named, found.size)
    exact = of_numbers([[54, 54, 81, 29.5]], [80], [30], EXACT, MostFrequent())
    assert (0, ("m3",), 1 / 100) == (exact.utility, exact.best_miners, exact.guess)
    assert of_numbers([[29.5]], [80], [30], EXACT, Median()).utility == 1


def test_guessing_among_declared_values_is_often_nearer_than_much_noise():
    """Shown as 200, every age is nearer to 30 than that; shown as 31, only 30 is."""
    assert of_numbers([[50.0]], [200], [30], PARTIAL, Median()).guess == 1
    assert of_numbers([[50.0]], [31], [30], PARTIAL, Median()).guess == 1 / 100


def test_closer_by_half():
    """30, shown as 80: 55 is half the distance away, 56 more; what is shown as it is can only be hit."""
    half = Scenario(nearer=1, closer=50)
    assert [1, 0] == [of_numbers([[q]], [80], [30], half, Median()).utility for q in (55.0, 56.0)]
    assert [1, 0] == [of_numbers([[q]], [30], [30], PARTIAL, Median()).utility for q in (30.0, 30.5)]


# --- edges


def test_one_truth_for_each_row_and_one_that_can_be():
    """Else nothing is judged."""
    with pytest.raises(InvalidInputError, match="one truth and one weight for each of 1 rows"):
        of_cells(["0-49"], [ANSWERS], [25, 26], PARTIAL)
    with pytest.raises(InvalidInputError, match="among the values of the cells"):
        of_cells(["0-49"], [ANSWERS], [100], PARTIAL)


# --- laws

BOUNDS = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: f"{min(pair)}-{max(pair)}")
PEOPLE = st.lists(st.tuples(BOUNDS, st.lists(BOUNDS, min_size=3, max_size=3), st.integers(0, 30)), min_size=1)


@given(PEOPLE, st.sampled_from([PARTIAL, EXACT, Scenario(exact=2, nearer=0.5, wrong=-1, silent=-0.5)]))
def test_no_guess_beats_the_truth(people, scenario):
    """Neither the vote, nor a miner, nor chance."""
    texts, answers, truth = zip(*people, strict=True)
    found = of_cells(texts, answers, truth, scenario)
    assert found.ideal == pytest.approx(scenario.most * len(people))
    assert max(found.utility, found.best, found.guess or -math.inf) <= found.ideal + 1e-9
    assert found.by_miner[found.best_miners[0]] == found.best


@given(PEOPLE)
def test_counted_one_by_one_it_is_the_same(people):
    """Scenario A by sets: which values most of the proper parts hold, and whether the truth is among them."""
    texts, answers, truth = zip(*people, strict=True)
    hits = 0
    for text, row_answers, true in people:
        low, high = map(int, text.split("-"))
        ends = [tuple(map(int, one.split("-"))) for one in row_answers]
        kept = [(a, b) for a, b in ends if low <= a and b <= high and (a, b) != (low, high)]
        votes = {age: sum(a <= age <= b for a, b in kept) for age in range(low, high + 1)}
        most = max(votes.values())
        named = [age for age, n in votes.items() if n == most] if kept else []
        hits += true in named and len(named) < len(votes)
    assert hits == of_cells(texts, answers, truth, PARTIAL).utility


def test_mixtures_name_the_likeliest_value():
    """A set of one is named where no other is as likely."""
    predictions, cells = ages(["20-29", "40-49", "20-49"] * 4, [["20-29"], ["40-49"], ["20-29"]] * 4, held_out=True)
    truth = np.array([21.0, 41, 25] * 4)
    found = success_of(predictions, Pooling().fuse(predictions, cells), cells, truth, PARTIAL)
    assert found.named == 1
    assert found.size < found.row_size
