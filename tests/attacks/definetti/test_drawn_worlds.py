"""Worlds drawn from beliefs: draws as likely as they should be, and a power below 1 where a model is too sure."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from tests.attacks.definetti.test_classifier_model import TREE, either_or, in_groups
from unmask.arrays import Float64, Int32, starts
from unmask.attacks.definetti import classifiers
from unmask.attacks.definetti.classifier_model import LearningSchedule, _dense, learn
from unmask.attacks.definetti.classifier_power import apart_from_rounds
from unmask.attacks.definetti.drawn_worlds import Score, arrangement, power_of, world_of
from unmask.attacks.shared.grouped_people import GroupedPeople


def threes(n: int, seed: int) -> tuple[GroupedPeople, Float64]:
    """Return groups of one person of each of three profiles, with values 0, 1, 2, and log weights by row."""
    profile = np.tile(np.arange(3, dtype=np.int32), n)
    groups = GroupedPeople(profile, starts(np.full(n, 3)), np.tile(np.arange(3, dtype=np.int32), n),
                           np.arange(3, dtype=np.int32)[:, None], np.array([3], np.int32), 3)  # fmt: skip
    weight = np.log(np.random.default_rng(seed).dirichlet(np.ones(3), 3))
    return groups, weight[profile]


@pytest.mark.parametrize("seed", range(2))
def test_arrangements_are_drawn_as_often_as_the_product_of_weights(seed):
    """All six of three people, by enumeration, in 4,000 groups: within 4.5 standard errors each."""
    n = 4000
    groups, weight = threes(n, seed)
    drawn = arrangement(groups, weight, np.random.default_rng(seed)).reshape(n, 3)
    assert (np.sort(drawn, axis=1) == [0, 1, 2]).all()
    worlds = list(permutations(range(3)))
    chance = np.array([np.exp(sum(weight[i, v] for i, v in enumerate(world))) for world in worlds])
    chance /= chance.sum()
    share = np.array([(drawn == world).all(axis=1).mean() for world in worlds])
    assert (np.abs(share - chance) <= 4.5 * np.sqrt(chance * (1 - chance) / n)).all()


def test_a_world_has_the_same_lists_of_values_and_people_with_their_values():
    """Each group's list is as published; a profile has a value as often as drawn; but people are in other groups."""
    groups, _, truth = either_or(3000, 1)
    rng = np.random.default_rng(1)
    world = world_of(groups, rng.normal(size=(3000, 6)), rng)
    lists, drawn = (np.sort(one.value.reshape(-1, 2), axis=1) for one in (replace(groups, value=truth), world))
    assert (lists == drawn).all()
    assert np.bincount(groups.profile_of).tolist() == np.bincount(world.profile_of).tolist()
    assert (world.profile_of != groups.profile_of).mean() > 0.5


def test_the_power_is_the_most_probable_one_and_worlds_are_drawn_until_it_stays():
    """A score that is highest at .5: a second world is drawn there, and no third; above the given power, none."""
    groups, weight = threes(40, 1)
    rng = np.random.default_rng(1)
    drawn: list[GroupedPeople] = []

    def learn_half(world: GroupedPeople) -> Score:
        drawn.append(world)
        return lambda power: -((power - 0.5) ** 2)

    assert power_of(groups, weight, 1.0, 5, learn_half, rng) == pytest.approx(0.5, abs=0.02)
    assert len(drawn) == 2
    assert power_of(groups, weight, 0.3, 5, learn_half, rng) == pytest.approx(0.3, abs=0.02)
    assert len(drawn) == 3


def of_thirds(n: int, seed: int) -> tuple[GroupedPeople, Float64, Int32]:
    """Return people in groups of three, each with value 0, which six attributes hardly tell, and two others.

    The groups say next to nothing of who has value 0, and much of the other values.
    """
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 8, (n, 6)).astype(np.int32)

    def drawn(size: float) -> Float64:
        return np.asarray(sum(rng.normal(0, size, 8)[column] for column in codes.T) + rng.gumbel(size=n))

    score = drawn(0.2)
    value = 1 + np.argmax([drawn(0.6) for _ in range(5)], axis=0)
    value[np.argsort(-score)[: n // 3]] = 0
    return in_groups(codes, value.astype(np.int32), 3, rng)


def test_worlds_show_how_unsure_a_value_is_that_every_group_contains():
    """Three tables: by exchanges alone beliefs are wrong by more than .1 on average, by worlds by less; so log loss."""
    gaps, losses = np.zeros((3, 2)), np.zeros((3, 2))
    for seed in range(3):
        groups, features, truth = of_thirds(1800, seed)
        make = classifiers.named("logistic", features, np.ones(6, bool))
        schedule = LearningSchedule(rounds=6, limit=6)
        power = apart_from_rounds(groups, features, make, schedule).power
        for worlds in (0, 1):
            learning = replace(schedule, power=power, worlds=2 * worlds)
            fit = learn(groups, features, make, learning, np.random.default_rng(1))
            belief = _dense(fit.slots, fit.mean, 6)[fit.slots.of_row]
            gaps[seed, worlds] = abs((belief.max(axis=1) - (belief.argmax(axis=1) == truth)).mean())
            losses[seed, worlds] = -np.log(belief[np.arange(truth.size), truth]).mean()
    assert gaps.mean(axis=0)[0] > 0.1 > gaps.mean(axis=0)[1]
    assert losses.mean(axis=0)[0] > losses.mean(axis=0)[1] + 0.03


def test_of_groups_of_like_people_no_world_is_drawn():
    """Exchanges between groups would leave other groups than the published ones."""
    groups, weight = threes(400, 1)
    order = np.sort(groups.profile_of)
    rng = np.random.default_rng(1)

    def learn_nothing(world: GroupedPeople) -> Score:
        pytest.fail(f"a world of {world.value.size} people was drawn")

    assert power_of(replace(groups, profile_of=order), weight, 0.8, 2, learn_nothing, rng) == pytest.approx(0.8)
    assert power_of(groups, weight, 0.01, 2, learn_nothing, rng) == pytest.approx(0.01)


def test_what_is_rightly_learned_keeps_most_of_its_power():
    """Two attributes that decide together, whose trees are right: the drawn world is as clear as the published one."""
    groups, features, _ = either_or(1500, 1)
    fit = learn(groups, features, TREE, LearningSchedule(rounds=3, limit=3, worlds=2), np.random.default_rng(1))
    assert fit.learning.power >= 0.7
