"""Mixtures of what miners take to be likely: calibrated, weighed, and held against what is shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from tests.attacks.fusion.rules.made import ages, numbers, ranges
from tests.rates import mean_zero
from unmask.arrays import Ragged
from unmask.attacks.fusion.miners.predictions import MinerPrediction, Predictions
from unmask.attacks.fusion.rules import all_rules, sharpening
from unmask.attacks.fusion.rules.calibrated_predictions import CalibratedCells, calibrate
from unmask.attacks.fusion.rules.mixtures import ModelAveraging, Pooling, Stacking, stacked
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.attacks.fusion.rules.sharpening import SmoothAxis
from unmask.attacks.fusion.rules.voting import Vote
from unmask.beliefs import About
from unmask.errors import InvalidInputError

TENS = ranges(*(f"{a}-{a + 9}" for a in range(0, 60, 10)), "0-59")
"""Six decades of sixty years, and all of them."""


def city(n=1200, seed=1, *, firm=1.0):
    """Return people whose decade miners know in part, in groups of one; a sixth is shown as anything.

    The first miner has the true probabilities, raised to the power `firm`; the second knows nothing but says so firmly;
    the third names the likeliest decade only. Also return the true ages.
    """
    rng = np.random.default_rng(seed)
    chance = rng.dirichlet(np.full(6, 0.4), n)
    decade = (rng.random((n, 1)) > chance.cumsum(axis=1)).sum(axis=1)
    age = 10 * decade + rng.integers(0, 10, n)
    hidden = rng.random(n) < 1 / 6
    cell = np.where(hidden, 6, decade).astype(np.int32)
    honest = np.column_stack([chance * 5 / 6, np.full(n, 1 / 6)])
    claimed = honest**firm / (honest**firm).sum(axis=1, keepdims=True)
    noise = rng.dirichlet(np.full(7, 0.2), n)
    miners = (
        MinerPrediction(claimed.argmax(axis=1).astype(np.int32), claimed.astype(np.float32)),
        MinerPrediction(noise.argmax(axis=1).astype(np.int32), noise.astype(np.float32)),
        MinerPrediction(chance.argmax(axis=1).astype(np.int32)),
    )
    names = ("knows", "guesses", "names")
    rows = np.arange(n, dtype=np.int32)
    predictions = Predictions(names, names, rows, miners, n, 7, held_out=True)
    return predictions, PublishedCells.ranges(cell, TENS[0], TENS[1], (0, 59), rows), age, hidden


def belief_in_truth(fused, age):
    """Return the probability of each person's true age, (people,)."""
    return fused.rows.at(fused.row_of.astype(np.int64), age)


# --- the story: who is hidden is found by what others show


@pytest.mark.parametrize("rule", [Pooling(), ModelAveraging(), Stacking()])
def test_the_published_cell_rules_out_other_values(rule):
    """A published decade is certain; a suppressed row has the miners' predictions."""
    predictions, cells, age, hidden = city()
    fused = rule.fuse(predictions, cells)
    belief = fused.rows.dense()[fused.row_of]
    within = np.array([row[10 * (a // 10) : 10 * (a // 10) + 10].sum() for row, a in zip(belief, age, strict=True)])
    assert within[~hidden] == pytest.approx(1)
    assert np.log(within[hidden]).mean() > np.log(1 / 6) + 0.2


@pytest.mark.parametrize("rule", [ModelAveraging(), Stacking()])
def test_who_knows_gets_the_weight(rule):
    """Its weight is returned; a miner that guesses at random adds nothing."""
    weight = rule.fuse(*city()[:2]).weight
    assert weight["knows"] > 0.85
    assert weight["guesses"] < 0.02


def test_stacking_beats_an_even_mixture_of_bad_and_good():
    """By the logarithm of what is believed of the true age of those who are hidden, in the mean; alarm 1e-6."""
    predictions, cells, age, hidden = city(4000, seed=3)
    even, better = (belief_in_truth(rule.fuse(predictions, cells), age)[hidden] for rule in (Pooling(), Stacking()))
    gain = np.log(better) - np.log(even)
    assert gain.mean() > 0
    with pytest.raises(AssertionError, match="the mean must be 0"):
        mean_zero(gain, 1e-6)


def test_a_mixture_is_calibrated():
    """Decades of those who are hidden are as frequent as claimed, within 5 points; decades are drawn without order."""
    predictions, cells, age, hidden = city(6000, seed=5, firm=3.0)
    fused = Stacking().fuse(predictions, replace(cells, ordered=False))
    decades = fused.rows.dense()[fused.row_of][hidden].reshape(-1, 6, 10).sum(axis=2)
    truth = np.eye(6)[age[hidden] // 10]
    for low, high in ((0.05, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.97)):
        here = (decades >= low) & (decades < high)
        assert np.abs((truth - decades)[here].mean()) < 0.05


def test_temperature_finds_how_firmly_a_miner_claims():
    """Probabilities raised to the power 3: a temperature of 3 takes it back."""
    for firm in (0.5, 1.0, 3.0):
        predictions, cells, *_ = city(6000, seed=2, firm=firm)
        calibrated = calibrate(predictions, cells, cells.pairs(predictions), "stacking")
        assert isinstance(calibrated, CalibratedCells)
        assert calibrated.temperature[0] == pytest.approx(firm, rel=0.15)
        assert calibrated.doubt[1] > 0.8  # a random guess is replaced by the overall distribution
        assert np.isnan(calibrated.temperature[2])


def test_who_only_names_a_cell_is_trusted_as_far_as_groups_show_it():
    """Predicted and published in three of four rows: 3/4, plus the overall distribution; the own group is left out."""
    answers = [["20-29"]] * 4
    predictions, cells = ages(["20-29", "20-29", "20-29", "30-39"], answers, group_of=np.arange(4), held_out=True)
    pairs = cells.pairs(predictions)
    calibrated = CalibratedCells.of(predictions, cells, pairs)
    overall = np.array([3.5, 1.5]) / 5
    others = np.array([[2, 1]] * 3 + [[3, 0]])
    assert calibrated.classes(0, np.arange(4)) == pytest.approx((others + overall) / 4)
    assert np.exp(calibrated.scores()[0]) == pytest.approx([2.7 / 4, 2.7 / 4, 2.7 / 4, 0.3 / 4])


def test_a_group_on_two_lines_is_left_out_of_its_own_calibration():
    """Two people of one group have different features and the same prediction: both are left out."""
    predictions, cells = ages(["20-29", "20-29", "30-39"], [["20-29"]] * 3, group_of=np.array([0, 0, 1]), held_out=True)
    calibrated = CalibratedCells.of(predictions, cells, cells.pairs(predictions))
    others = np.array([[0, 1], [0, 1], [1, 0]])
    assert calibrated.classes(0, np.arange(3)) == pytest.approx((others + np.array([1.5, 1.5]) / 3) / 2)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(0, 2), min_size=1, max_size=3)), min_size=1, max_size=6),
    st.booleans(),
)
def test_miners_without_probabilities_are_calibrated_by_other_groups(groups, alike):
    """Whatever is named of whom: the table of each row counted once more without the own group, row by row."""
    texts = ["0-9", "10-19", "20-29"]
    of, named = zip(*((g, name) for g, (_, names) in enumerate(groups) for name in names), strict=True)
    cell = [groups[g][0] for g in of]
    answers = [[texts[name], "0-9", "10-19", "20-29"] for name in named]
    predictions, cells = ages([texts[c] for c in cell], answers, group_of=np.array(of, np.int32), held_out=True)
    if alike:  # rows of which the same is said stand on one line
        line, example = np.array(named, np.int32), [named.index(c) if c in named else 0 for c in range(3)]
        miners = tuple(MinerPrediction(one.answer[example]) for one in predictions.by_miner)
        predictions = replace(predictions, row_of=line, by_miner=miners, n_lines=3)
    pairs = cells.pairs(predictions)
    calibrated = CalibratedCells.of(predictions, cells, pairs)
    posterior = calibrated.classes(0, np.arange(pairs.n))[pairs.of_row]
    for row, own in enumerate(of):
        others = [i for i, g in enumerate(of) if g != own and named[i] == named[row]]
        count = calibrated.overall + np.bincount([cell[i] for i in others], [cells.share[i] for i in others], 3)
        if not alike:
            assert posterior[row] == pytest.approx(count / count.sum())
            assert np.exp(calibrated.scores()[0, pairs.of_row[row]]) == pytest.approx(count[cell[row]] / count.sum())
        assert posterior[row].min() > 0


# --- weights


def test_weights_are_the_best_there_are():
    """Compared with a general optimizer, on five miners and two hundred findings."""
    rng = np.random.default_rng(4)
    scores = np.log(rng.dirichlet(np.ones(3), (5, 200))[:, :, 0])
    people = rng.integers(1, 4, 200).astype(float)

    def loss(free):
        weight = np.exp(free - free.max())
        return -float(np.log(weight / weight.sum() @ np.exp(scores)) @ people)

    best = min(optimize.minimize(loss, rng.normal(size=5)).fun for _ in range(3))
    found = stacked(scores, people, 5000)
    assert -float(np.log(found @ np.exp(scores)) @ people) <= best + 1e-3
    assert found.sum() == pytest.approx(1)


def test_evidence_counts_groups_not_rows():
    """Ten rows of one group that show the same are ten people, and one finding."""
    low, high = ranges("0-9", "10-19")
    chance = [np.array([[p, 1 - p]], np.float32) for p in (0.5, 0.5)]
    miners = tuple(MinerPrediction(np.zeros(1, np.int32), one) for one in chance)
    rows = np.zeros(10, np.int32)
    predictions = Predictions(("a", "b"), ("a", "b"), rows, miners, 1, 2, held_out=True)
    cells = PublishedCells.ranges(rows, low, high, (0, 19), rows)
    assert cells.pairs(predictions).weight.tolist() == [pytest.approx(1)]
    assert cells.pairs(predictions).people.tolist() == [10]


# --- noise


def test_noise_is_taken_out_by_who_knows():
    """Ages with noise of 10: a miner that is 3 off at most, and the noisy age, together miss by less than either."""
    rng = np.random.default_rng(6)
    truth = rng.integers(20, 80, 1500)
    near = truth + rng.uniform(-6, 6, 1500)
    published = truth + rng.laplace(0, 4, 1500)
    answers = np.column_stack([near, rng.uniform(0, 99, 1500)])
    fused = Stacking().fuse(*numbers(answers, published, scale=4.0, held_out=True))
    miss = np.abs(fused.point[fused.row_of] - truth).mean()
    assert fused.weight["m0"] > 0.9
    assert miss < np.abs(near - truth).mean()
    assert miss < np.abs(published - truth).mean()


@pytest.mark.parametrize("name", ["pooling", "model-averaging", "stacking"])
def test_means_of_groups_count_once_a_group(name):
    """Five people who show the mean of their group say no more than one of them does."""
    rng = np.random.default_rng(8)
    published = rng.normal(40, 5, 40)
    answers = np.column_stack([published + rng.normal(0, 4, 40), rng.normal(40, 3, 40)])
    rule = all_rules.rule(name, numbers=True)
    once = rule.fuse(*numbers(answers, published, scale=3.0, held_out=True))
    predictions, cells = numbers(answers, published, scale=3.0, held_out=True)
    of = np.repeat(np.arange(40, dtype=np.int32), 5)
    five = rule.fuse(replace(predictions, row_of=of), replace(cells, cell=of, group_of=of))
    assert five.rows.dense() == pytest.approx(once.rows.dense())
    assert five.weight == pytest.approx(once.weight)


def test_behind_groups_nothing_is_evened_out():
    """What is told apart by cells is not touched: the beliefs are the same, to the last bit."""
    predictions, cells = ages(["20-29", "30-39"], [["20-29"], ["30-39"]], held_out=True)
    score = np.random.default_rng(3).random((2, 100))
    assert calibrate(predictions, cells, cells.pairs(predictions), "pooling").blurred(score) is score


# --- cells as values


def test_the_overall_distribution_is_recovered_from_ranges():
    """Ranges of 10 and of 20 years, of people around 40: the mean is found and one peak, wider by smoothing."""
    rng = np.random.default_rng(7)
    truth = np.clip(np.round(rng.normal(40, 12, 5000)), 0, 99).astype(int)
    low = np.where(rng.random(5000) < 0.5, truth // 10 * 10, truth // 20 * 20)
    wide = np.where(low == truth // 20 * 20, 20, 10)
    texts = [f"{a}-{a + w - 1}" for a, w in zip(low, wide, strict=True)]
    predictions, cells = ages(texts, [[text] for text in texts])
    axis = SmoothAxis.of(cells)
    people = np.bincount(cells.cell, minlength=cells.likelihood.n_rows).astype(float)
    found = axis.overall(people)
    age = np.arange(100)
    assert found @ age == pytest.approx(truth.mean(), abs=2)
    assert truth.std() < np.sqrt(found @ (age - found @ age) ** 2) < truth.std() + 0.5 * 0.1 * 99
    assert (np.diff(np.sign(np.diff(found))) != 0).sum() == 1  # one peak
    assert predictions.n_lines == 5000


def test_a_list_has_no_neighbors():
    """Cells of listed values are spread by how often values are shown, and not smoothed."""
    inside = np.array([[1, 0, 0], [1, 1, 1]], bool)
    cells = PublishedCells.sets(np.array([0, 0, 1], np.int32), inside)
    assert SmoothAxis.of(cells).smoothed(np.array([0.2, 0.7, 0.1])).tolist() == [0.2, 0.7, 0.1]


def test_neighbors_at_places_are_those_of_each_value(monkeypatch):
    """Of 300 numbers, counted at 100 places: within a hundredth of what is believed of the likeliest."""
    number = np.sort(np.random.default_rng(2).uniform(0, 1000, 300))
    cells = PublishedCells(np.zeros(1, np.int32), Ragged.of(np.ones((1, 300))), number, np.ones((1, 300), bool), number)
    belief = np.random.default_rng(3).dirichlet(np.full(300, 0.05), 4)
    each = SmoothAxis.of(cells).smoothed(belief)
    monkeypatch.setattr(sharpening, "PLACES", 100)
    places = SmoothAxis.of(cells).smoothed(belief)
    assert places.sum(axis=1) == pytest.approx(1)
    assert each.sum(axis=1) == pytest.approx(1)
    assert not np.array_equal(places, each)
    assert np.abs(places - each).max() < 0.01 * each.max()
    assert SmoothAxis.of(cells).smoothed(belief[0]) == pytest.approx(places[0])


# --- reading it off


def test_the_likeliest_values_of_a_size():
    """Three of the shown ten; never all of them, which would say nothing; none where none is asked for."""
    predictions, cells = ages(["20-29"] * 3, [["22-24"]] * 3)
    fused = all_rules.rule("vote", numbers=False).fuse(predictions, cells)
    row_of, sets = fused.highest(np.array([3, 50, 0]), cells)
    found = [sets.column[sets.start[row] : sets.start[row + 1]].tolist() for row in row_of]
    assert found == [[22, 23, 24], [20, 21, 22, 23, 24, 25, 26, 27, 28], []]
    with pytest.raises(InvalidInputError, match="given for 3 rows; got 1"):
        fused.highest(np.array([1]), cells)


def test_beliefs_are_about_published_rows():
    """Values have the labels that are declared."""
    predictions, cells = ages(["20-29", "0-99"], [["22-24"], ["20-29"]])
    beliefs = (
        all_rules.rule("vote", numbers=False)
        .fuse(predictions, cells)
        .beliefs(About.attribute("age"), [str(age) for age in range(100)])
    )
    assert beliefs.n_targets == 2
    assert beliefs.of(0)["23"] == pytest.approx(2 / 13)


def test_evidence_against_all_values_leaves_the_published_cell():
    """A cell that holds nothing that is declared: every value is as likely."""
    predictions, cells = ages(["0-9"], [["2-3"]], domain=(17, 19))
    fused = all_rules.rule("vote", numbers=False).fuse(predictions, cells)
    assert fused.rows.dense()[0] == pytest.approx(1 / 3)


# --- all rules


@pytest.mark.parametrize("name", [*all_rules.OF_CELLS])
def test_each_rule_for_cells_gives_distributions(name):
    """Over the declared values, none of them outside of what is shown, and the same again."""
    predictions, cells, *_ = city(300)
    rule = all_rules.rule(name, numbers=False)
    one, two = rule.fuse(predictions, cells), rule.fuse(predictions, cells)
    assert one.rows.sums() == pytest.approx(1)
    assert np.array_equal(one.rows.data, two.rows.data)
    belief = one.rows.dense()[one.row_of]
    assert (belief[cells.likelihood.dense()[cells.cell] == 0] == 0).all()
    assert one.value.min() >= 0
    assert one.value.max() <= 59


@pytest.mark.parametrize("name", [*all_rules.OF_NUMBERS])
def test_each_rule_for_numbers_gives_distributions(name):
    """Over the declared values, for any order of rows."""
    rng = np.random.default_rng(1)
    answers, published = rng.uniform(0, 99, (50, 4)), rng.uniform(0, 99, 50)
    rule = all_rules.rule(name, numbers=True)
    one = rule.fuse(*numbers(answers, published, held_out=True))
    assert one.rows.sums() == pytest.approx(1)
    order = rng.permutation(50)
    two = rule.fuse(*numbers(answers[order], published[order], held_out=True))
    assert one.point[one.row_of][order] == pytest.approx(two.point[two.row_of])


def test_rules_have_names():
    """A rule for cells cannot fuse numbers, and an unknown name is an error."""
    assert set(all_rules.OF_CELLS) == {
        "vote", "weighted-vote", "hierarchical-vote", "pooling", "model-averaging", "stacking",
    }  # fmt: skip
    with pytest.raises(InvalidInputError, match="rule must be one of most-frequent"):
        all_rules.rule("vote", numbers=True)
    assert all_rules.rule("vote", numbers=False, midpoint="exclusive") == Vote(midpoint="exclusive")


def test_what_does_not_belong_together_is_refused():
    """Cells that are not there, likelihoods of other values, groups of other rows, ranges that end too early."""
    predictions, cells, *_ = city(12)
    with pytest.raises(InvalidInputError, match="one of 7 cells"):
        replace(cells, cell=np.full(12, 7))
    with pytest.raises(InvalidInputError, match="must cover 60 values; got 1"):
        replace(cells, likelihood=Ragged.of(np.ones((7, 1))))
    with pytest.raises(InvalidInputError, match="must be given for 12 rows; got 1"):
        replace(cells, group_of=np.zeros(1, np.int32))
    with pytest.raises(InvalidInputError, match="must not end before they begin"):
        PublishedCells.ranges(cells.cell, TENS[1], TENS[0], (0, 59))
    with pytest.raises(InvalidInputError, match="at most 20000; got 30001"):
        PublishedCells.ranges(cells.cell, TENS[0], TENS[1], (0, 30000))
    with pytest.raises(InvalidInputError, match="cells for rows with cells"):
        PublishedCells.numbers(np.zeros(12), Ragged.of(np.ones((12, 2))), [0, 1]).pairs(predictions)
    with pytest.raises(InvalidInputError, match="stacking must have predictions for held-out groups"):
        Stacking().fuse(replace(predictions, held_out=False), cells)
