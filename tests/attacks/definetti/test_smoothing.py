"""Cross-validated bandwidths and weights of attributes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.attacks.definetti.one_table import fit_one
from unmask.arrays import Float64, Ragged
from unmask.attacks.definetti import smoothing
from unmask.attacks.definetti.set_valued_model import AttributeAxis, SmoothedEM
from unmask.attacks.definetti.smoothing import LEAST_GROUPS, CellModel, learn
from unmask.errors import InvalidInputError

LEVELS = 40


def town(
    groups: int, wave: float, rng: np.random.Generator, *, twice: bool = False
) -> tuple[list[AttributeAxis], Float64]:
    """Return groups that show ranges of 1 to 8 of 40 levels, and 20 people of two values in each.

    How often the first value occurs rises along the axis, or goes up and down with a period of `wave` levels. `twice`:
    a second attribute that says the same as the first.
    """
    low = rng.integers(0, LEVELS - 8, groups)
    sets = [range(a, a + w) for a, w in zip(low, rng.integers(1, 9, groups), strict=True)]
    x = np.arange(LEVELS)
    chance = 0.5 + 0.4 * np.sin(2 * np.pi * x / wave)
    ill = rng.binomial(20, [chance[list(one)].mean() for one in sets])
    cells = Ragged.of(np.array([[float(level in one) for level in x] for one in sets]))
    axis = AttributeAxis(cells, np.arange(groups, dtype=np.int32), x.astype(float))
    return [axis] * (1 + twice), np.stack([ill, 20 - ill], axis=1).astype(float)


def fitted(groups: int, wave: float, seed: int = 1, *, twice: bool = False) -> CellModel:
    """Learn from such a town."""
    rng = np.random.default_rng(seed)
    axes, people = town(groups, wave, rng, twice=twice)
    return learn(axes, people, 1.0)


def test_where_neighbors_are_alike_more_is_smoothed():
    """A slow wave against one of four levels, which smoothing would wipe out: 300 groups know."""
    slow, fast = fitted(300, wave=80.0).bandwidth[0], fitted(300, wave=4.0).bandwidth[0]
    assert slow > 1.0 >= fast


@pytest.mark.parametrize(("lost", "chosen"), [(2.0, 1.0), (3.1, 1.0), (3.2, 0.0)])
def test_the_smoothest_within_one_standard_error_is_chosen(monkeypatch, lost, chosen):
    """Differences of 10 groups add up to `lost` standard deviations: at most √10 = 3.16 are one standard error."""
    deviation = 0.1
    log_loss = deviation * (lost / 10 + np.array([1.0, -1.0] * 5))  # mean lost · s / 10, standard deviation s
    right = {0.0: np.full(10, 0.5), 1.0: 0.5 * np.exp(-log_loss)}  # P(the value of a group), by bandwidth

    def settled(em: SmoothedEM, counts: Float64, _start: object) -> tuple[Float64, None, None]:
        chance = right[0.0 if em.kernel is None else 1.0]
        return np.stack([np.stack([chance, 1 - chance], axis=1)] * len(counts)), None, None

    monkeypatch.setattr(SmoothedEM, "settled", settled)
    monkeypatch.setattr(smoothing, "_bandwidths", lambda _axis: [0.0, 1.0])
    axis = AttributeAxis(Ragged.of(np.eye(10)), np.arange(10, dtype=np.int32), np.arange(10.0))
    groups, fold = np.tile([1.0, 0.0], (10, 1)), np.arange(10) % smoothing.FOLDS
    assert smoothing._smoothest(axis, groups, np.ones(2, np.int64), np.log([0.5, 0.5]), fold, 1.0)[0] == chosen


def test_attributes_that_say_the_same_share_one_weight():
    """Twice the same is worth as much as once: exponents of about a half each, and no less than once alone together."""
    once, both = fitted(300, wave=20.0), fitted(300, wave=20.0, twice=True)
    assert both.weight.sum() == pytest.approx(once.weight.sum(), abs=0.1)


def test_an_attribute_that_tells_nothing_weighs_little():
    """Random jobs beside informative ages."""
    rng = np.random.default_rng(3)
    axes, people = town(300, 20.0, rng)
    jobs = AttributeAxis(Ragged.of(np.eye(5)), rng.integers(0, 5, 300).astype(np.int32), None)
    weight = learn([*axes, jobs], people, 1.0).weight
    assert weight[1] < 0.5 < weight[0]


def test_few_groups_choose_nothing():
    """Nine groups: no smoothing, full weight."""
    found = fitted(LEAST_GROUPS - 1, wave=80.0)
    assert found.bandwidth.tolist() == [0.0]
    assert found.weight.tolist() == [1.0]


def test_smoothing_can_be_left_out():
    """Then everything is as the sets say, and ranges that they never part stay flat."""
    rng = np.random.default_rng(1)
    axes, people = town(50, 80.0, rng)
    found = learn(axes, people, 1.0, smooth=False)
    assert found.bandwidth.tolist() == [0.0]
    assert not found.complaint()


def test_two_starts_must_agree():
    """They agree to five digits here; a difference of a hundredth is a complaint."""
    found = fitted(100, wave=20.0)
    assert found.apart < 1e-4
    assert found.complaint() == ""
    apart = CellModel(found.attributes, found.bandwidth, found.weight, 0.02)
    assert apart.complaint() == "two starts differ by 0.020"


def test_no_group_at_all_is_learned_from_without_a_word():
    """What is left is the prior: every level is as likely."""
    axis = AttributeAxis(Ragged.of(np.ones((1, 4))), np.zeros(0, np.int32), np.arange(4.0))
    assert learn([axis], np.zeros((0, 2)), 1.0).attributes[0].theta == pytest.approx(0.25)


def test_attributes_must_tell_of_the_same_groups():
    """Cells of three groups where there are two are a mistake."""
    axis = AttributeAxis(Ragged.of(np.ones((1, 4))), np.zeros(3, np.int32), None)
    with pytest.raises(InvalidInputError, match="must have cells of 2 groups; got 3"):
        learn([axis], np.ones((2, 2)), 1.0)


def test_values_with_the_same_people_are_fitted_once():
    """Fifty values of one person each, and two of many: the model of each value is that of fitting all."""
    axes, people = town(60, 20.0, np.random.default_rng(3))
    alone = np.zeros((60, 50))
    alone[np.arange(50) % 7, np.arange(50)] = 1
    groups = np.concatenate([people, alone], axis=1)
    found = learn(axes, groups, 1.0, smooth=False)
    counts = axes[0].counts(groups)
    whole = fit_one(axes[0], counts, 0.0, 1.0)
    assert np.allclose(found.attributes[0].theta, whole.theta, rtol=0, atol=1e-12)
    assert np.allclose(found.attributes[0].expected, whole.expected, rtol=0, atol=1e-9)


def test_smoothing_does_not_depend_on_how_often_a_value_is_repeated():
    """Two values are split into three that share their people: the same bandwidth as of a joint likelihood of all."""
    axes, people = town(120, 30.0, np.random.default_rng(4))
    thirds = np.concatenate([people, people, people], axis=1) / 3
    once, thrice = learn(axes, people, 1.0), learn(axes, thirds, 1.0 / 3)
    assert once.bandwidth == pytest.approx(thrice.bandwidth)
    assert once.weight == pytest.approx(thrice.weight, abs=1e-4)
