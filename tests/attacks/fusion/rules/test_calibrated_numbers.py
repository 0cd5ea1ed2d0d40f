"""How far numbers are to be believed: as far as what is shown of others bears them out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.attacks.fusion.rules.made import numbers
from unmask.attacks.fusion.rules.calibrated_numbers import CalibratedNumbers, _shrunk
from unmask.attacks.fusion.rules.mixtures import Stacking
from unmask.attacks.fusion.rules.published_cells import Pairs


def calibrated(answers, published, scale=4.0):
    """Return miners of noisy numbers, and how many pairs there are."""
    predictions, cells = numbers(answers, published, scale=scale, held_out=True)
    return CalibratedNumbers.of(predictions, cells, cells.pairs(predictions))


def people(n=2000, scale=4.0, seed=1):
    """Return ages around 40, one miner that knows them within 3 years, one that only guesses, and noisy ages."""
    rng = np.random.default_rng(seed)
    age = np.clip(np.rint(rng.normal(40, 12, n)), 0, 99)
    answers = np.column_stack([age + rng.normal(0, 3, n), rng.normal(40, 30, n)])
    return age, answers, age + rng.laplace(0, scale, n)


def test_who_knows_is_believed_within_few_years_and_who_guesses_not_at_all():
    """The first is heard as it is, but for a shrinkage of 9 in 153; the second is taken for the mean."""
    age, answers, published = people()
    found = calibrated(answers, published)
    apart = answers[:, 0] - answers[:, 0].mean()
    assert found.shift[0][found.pairs.line] == pytest.approx(apart * 144 / 153, abs=2.5)
    assert np.abs(found.shift[1]).max() < 5
    errors, centers = found.weight.sum(axis=1) @ found.scale, found.weight.sum(axis=2) @ found.center
    assert errors[0] == pytest.approx(3, abs=1)
    assert errors[1] == pytest.approx(12, abs=2)
    assert centers == pytest.approx([age.mean()] * 2, abs=0.8)


def test_a_slope_is_shrunk_by_the_share_of_its_square_that_is_chance():
    """Four rows: shown is 1 + (said − 1), off by 1, 1, 2 and 2. The slope has variance (10 / 4) / 4, and square 1."""
    each = np.arange(4, dtype=np.int32)
    pairs = Pairs(each, each, each, np.ones(4), np.ones(4))
    found = _shrunk(np.array([0.0, 0, 2, 2]), pairs, np.array([-1.0, 1, 0, 4]))
    assert found == pytest.approx(np.array([-1, -1, 1, 1]) * (1 - 0.625))


def test_behind_enough_noise_everything_is_exactly_as_likely_as_everything_else():
    """Of 500 people behind noise of scale 100,000 not even the mean is known; no value is named more than another."""
    _, answers, published = people(500, 1e5)
    found = calibrated(answers, published, 1e5)
    assert found.alike == 100
    belief = found.blurred(found.mixed(np.array([0.5, 0.5]), slice(0, 5)))
    assert belief == pytest.approx(np.full(belief.shape, 0.01), rel=1e-9)


def test_behind_much_noise_all_within_the_interval_of_the_mean_are_likeliest():
    """Of 4,000 people behind noise of scale 100 the mean is known to 2 years: 9 ages around it are told alike."""
    age, answers, published = people(4000, 100.0)
    found = calibrated(answers[:, [1, 1]], published, 100.0)
    belief = found.blurred(found.mixed(np.array([0.5, 0.5]), slice(0, 20)))
    assert found.alike == 9
    assert ((belief > belief.max(axis=1, keepdims=True) - 1e-9).sum(axis=1) == 9).all()
    assert np.abs(belief.argmax(axis=1) + 4 - age.mean()).max() < 10
    assert found.scale.max() <= 100 / np.sqrt(12)


def test_evening_out_takes_nothing_from_the_rest():
    """The likeliest run of three values of five shares what it had."""
    _, answers, published = people(50)
    found = replace(calibrated(answers, published), alike=3)
    assert found.blurred(np.array([[0.1, 0.2, 0.5, 0.2, 0.0]])) == pytest.approx(np.array([[0.1, 0.3, 0.3, 0.3, 0.0]]))
    assert found.blurred(np.array([[0.6, 0.1, 0.2, 0.1, 0.0]])) == pytest.approx(np.array([[0.3, 0.3, 0.3, 0.1, 0.0]]))


def test_the_number_named_is_the_mean_of_what_is_believed():
    """Not the median: of people who are mostly young the mean is more often the nearer one."""
    _, answers, published = people(200, 20.0)
    fused = Stacking().fuse(*numbers(answers, published, scale=20.0, held_out=True))
    assert fused.point == pytest.approx(fused.rows.dense() @ np.arange(100))


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=6))
def test_beliefs_are_probabilities_for_any_answers(density):
    """Also where all say the same, and where nothing lies inside of what is declared."""
    found = calibrated([[a, a] for a, _ in density], [b for _, b in density])
    assert np.isfinite(found.scores()).all()
    assert found.mixed(np.array([0.5, 0.5]), slice(0, found.pairs.n)).sum(axis=1) == pytest.approx(1)


# --- the statistics


def gain(seed, dependent, n=1000):
    """Return the p-value of a miner telling more of ages behind noise than their mean does, one-sided."""
    rng = np.random.default_rng(seed)
    age = np.clip(np.rint(rng.normal(40, 12, n)), 0, 99).astype(int)
    learned = np.where(rng.random(n) < dependent, age + rng.normal(0, 4, n), rng.normal(40, 12, n))
    published = age + rng.laplace(0, 10.0, n)

    def density(answers):
        fused = Stacking().fuse(*numbers(answers[:, None], published, scale=10.0, held_out=True))
        return np.log(fused.rows.at(fused.row_of.astype(np.int64), age))

    more = density(learned) - density(np.full(n, 40.0))
    return stats.ttest_1samp(more, 0, alternative="greater").pvalue if np.ptp(more) > 0 else 1.0


@pytest.mark.slow
def test_nothing_is_found_where_nothing_was_learned():
    """Of 200 miners that only guess at most 6 tell more at 1 %: by chance that fails at .4 %."""
    assert sum(gain(seed, 0.0) < 0.01 for seed in range(200)) <= 6


@pytest.mark.slow
def test_what_was_learned_is_found():
    """Of 40 miners that know four of five ages within four years at least 38 tell more at 1 %."""
    assert sum(gain(seed, 0.8) < 0.01 for seed in range(40)) >= 38


def test_one_miner_of_each_kind():
    """The quick form of both: a false alarm at 1 in 1,000."""
    assert gain(1000, 0.8) < 0.001 < gain(1001, 0.0)


def calibration(seed, noise, n=2000):
    """Return how sure the rule is of its likeliest values, and how often they are right, of one made-up world.

    Ages are normal around some center with some width, both drawn as the rule takes them to be likely beforehand.
    """
    rng = np.random.default_rng(seed)
    scale = 0.5 * np.sqrt(2.0) ** np.arange(12)
    prior = scale * np.minimum(scale, 10)
    width = rng.choice(scale, p=prior / prior.sum())
    odds = np.exp(-(((np.arange(100) - rng.uniform(-0.5, 99.5)) / width) ** 2) / 2)
    age = rng.choice(100, n, p=odds / odds.sum())
    published = age + rng.laplace(0, noise, n)
    fused = Stacking().fuse(*numbers(rng.normal(50, 20, (n, 1)), published, scale=noise, held_out=True))
    belief = fused.rows.dense()[fused.row_of]
    likeliest = belief > belief.max(axis=1, keepdims=True) - 1e-9
    return belief.max(axis=1).mean(), (likeliest[np.arange(n), age] / likeliest.sum(axis=1)).mean()


@pytest.mark.slow
@pytest.mark.parametrize("noise", [20.0, 200.0, 2000.0])
def test_beliefs_are_as_often_right_as_they_are_sure_where_nothing_but_the_domain_is_known(noise):
    """Of 100 worlds drawn from what is believed beforehand: |z| < 3.3, a false alarm at 1 in 1,000 for each noise."""
    sure, right = np.transpose([calibration(seed, noise) for seed in range(100)])
    more = sure - right
    assert abs(more.mean()) < 3.3 * more.std(ddof=1) / 10 + 1e-9
