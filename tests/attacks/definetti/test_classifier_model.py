"""The learned model: interactions that Naive Bayes misses, and protection against memorized draws."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from unmask.arrays import Float64, Int32, distinct_rows, starts
from unmask.attacks.definetti import classifier_model, classifiers
from unmask.attacks.definetti.classifier_model import LearnedFit, LearningSchedule, learn
from unmask.attacks.definetti.fixed_point import FixedPointSearch, settle
from unmask.attacks.shared.grouped_people import GroupedPeople, Slots, slots_of
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.sanitizers._buckets import buckets

TREE = classifiers.of(DecisionTreeClassifier(min_samples_leaf=20))
SHORT = LearningSchedule(rounds=6, limit=6)
UNLISTED = np.zeros(2, bool)


def in_groups(codes: Int32, value: Int32, l: int, rng: np.random.Generator) -> tuple[GroupedPeople, Float64, Int32]:
    """Publish people in groups of l different values; also return features, and each person's value in group order."""
    group_of = buckets(value, int(value.max()) + 1, l, "random", rng)
    order = np.argsort(group_of, kind="stable")
    profile, example = distinct_rows(codes)
    levels = (codes.max(axis=0) + 1).astype(np.int32)
    n_values = int(value.max()) + 1
    groups = GroupedPeople(
        profile[order], starts(np.bincount(group_of)), value[order], codes[example].astype(np.int32), levels, n_values
    )
    return groups, codes[example].astype(float), value[order]


def either_or(n: int, seed: int) -> tuple[GroupedPeople, Float64, Int32]:
    """Return people whose value is one of 0, 1, 2 if exactly one of two attributes is set, else one of 3, 4, 5.

    Nine times in ten; otherwise it is any. Neither attribute alone says anything.
    """
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n, 2))
    value = 3 * (codes[:, 0] == codes[:, 1]) + rng.integers(0, 3, n)
    value = np.where(rng.random(n) < 0.9, value, rng.integers(0, 6, n))
    return in_groups(codes.astype(np.int32), value.astype(np.int32), 2, rng)


def of_truth(slots: Slots, data: Float64, truth: Int32) -> Float64:
    """Return the probability of each person's true value, (people,)."""
    dense = np.zeros((slots.n, int(truth.max()) + 1))
    dense[np.repeat(np.arange(slots.n), np.diff(slots.start)), slots.column] = data
    return dense[slots.of_row][np.arange(truth.size), truth]


# --- the story: either, but not both


def test_what_two_attributes_say_only_together_is_found():
    """Exactly one of two attributes decides: the truth gets .77 on average from who knows the rule.

    Trees come within .02 of that; Naive Bayes, which looks at one attribute at a time, stays at one half.
    """
    groups, features, truth = either_or(3000, seed=1)
    naive = settle(slots_of(groups), FixedPointSearch(), np.random.default_rng(1))
    assert of_truth(naive.slots, naive.mean, truth).mean() == pytest.approx(0.5, abs=0.02)

    fit = learn(groups, features, TREE, SHORT, np.random.default_rng(1))
    assert not fit.complaint()
    assert of_truth(fit.slots, fit.mean, truth).mean() == pytest.approx(0.765, abs=0.02)


@pytest.mark.parametrize("name", classifier_model.CLASSIFIERS)
def test_every_classifier_by_name_learns_what_it_can(name):
    """Trees of all kinds find either-or; logistic regression, which adds attributes up as Naive Bayes does, cannot."""
    if name == "lightgbm":
        pytest.importorskip("lightgbm")
    groups, features, truth = either_or(700, seed=2)
    make = classifiers.named(name, features, listed=np.array([True, False]))
    fit = learn(groups, features, make, LearningSchedule(rounds=3, limit=3), np.random.default_rng(1))
    assert (of_truth(fit.slots, fit.mean, truth).mean() > 0.65) == (name != "logistic")


# --- why it is honest


def test_a_memorizing_classifier_learns_nothing_from_its_own_guesses():
    """All people are unique, and the nearest neighbor repeats guesses: other groups carry no information about them."""
    rng = np.random.default_rng(3)
    codes = rng.permutation(1000).astype(np.int32)[:, None]
    groups, features, truth = in_groups(codes, rng.integers(0, 4, 1000).astype(np.int32), 2, rng)
    parrot = classifiers.of(KNeighborsClassifier(1))
    fit = learn(groups, features, parrot, LearningSchedule(rounds=24), np.random.default_rng(1))
    assert of_truth(fit.slots, fit.mean, truth).mean() == pytest.approx(0.5, abs=0.03)


class Spy:
    """A classifier that only looks who it is fitted to, and who it is asked about."""

    seen: list[tuple[set[float], set[float]]] = []  # noqa: RUF012 - of all copies together

    def __init__(self, seed: int) -> None:
        del seed
        self.fitted: set[float] = set()

    def fit(self, features: Float64, label: Int32) -> None:
        """Remember faces."""
        self.fitted = set(features[:, 0].tolist())
        self.n = int(label.max()) + 1

    def predict_proba(self, features: Float64) -> Float64:
        """Record the rows, and return uniform probabilities."""
        self.seen.append((self.fitted, set(features[:, 0].tolist())))
        return np.full((features.shape[0], self.n), 1 / self.n)


def test_no_classifier_predicts_a_group_that_it_was_fitted_to():
    """Nor in the control, which leaves the own group out: of 1,000 unique people, 800 are learned from at a time."""
    rng = np.random.default_rng(4)
    codes = np.arange(1000, dtype=np.int32)[:, None]
    groups, features, _ = in_groups(codes, rng.integers(0, 3, 1000).astype(np.int32), 2, rng)
    group_of = np.repeat(np.arange(groups.start.size - 1, dtype=np.int32), np.diff(groups.start))
    mates = [set(features[groups.profile_of[group_of == g], 0].tolist()) for g in range(groups.start.size - 1)]
    Spy.seen.clear()
    fit = learn(groups, features, Spy, SHORT, np.random.default_rng(1))
    fit.left_out(group_of, groups.profile_of, features)
    assert len(Spy.seen) == (6 + 4) * SHORT.folds
    for fitted, asked in Spy.seen:
        assert 790 <= len(fitted) <= 810
        assert all(mates[g].isdisjoint(fitted) for g in range(len(mates)) if not mates[g].isdisjoint(asked))


@pytest.mark.slow
def test_where_there_is_nothing_to_learn_nothing_is_believed():
    """200 tables of values independent of attributes: log loss is below that of equal chances at 1 % in at most 6.

    One-sided, by group. With the noise at two parts in ten, instead of all, all 20 tables show it.
    """

    def gain(seed: int, kept: float) -> float:
        """Return by how many standard errors beliefs beat equal chances."""
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 4, (600, 2)).astype(np.int32)
        value = np.where(rng.random(600) < kept, codes[:, 0], rng.integers(0, 4, 600)).astype(np.int32)
        groups, features, truth = in_groups(codes, value, 2, rng)
        fit = learn(groups, features, TREE, SHORT, rng)
        better = np.log(np.maximum(of_truth(fit.slots, fit.mean, truth), 1e-12) * 2)
        by_group = np.add.reduceat(better, groups.start[:-1])
        return float(by_group.mean() / (by_group.std(ddof=1) / np.sqrt(by_group.size)))

    assert sum(gain(seed, kept=0.0) > 2.326 for seed in range(200)) <= 6
    assert all(gain(seed, kept=0.8) > 2.326 for seed in range(20))


# --- the formula


class Oracle:
    """A classifier that knows P(value | attributes) and learns nothing."""

    def __init__(self, chances: Float64) -> None:
        self.chances = chances

    def fit(self, features: Float64, label: Int32) -> None:
        """Learn nothing."""
        del features
        assert np.unique(label).size == self.chances.shape[1]

    def predict_proba(self, features: Float64) -> Float64:
        """Return the given probabilities of each row."""
        return np.asarray(self.chances[features[:, 0].astype(int)])


def test_what_is_believed_is_the_sum_over_all_arrangements():
    """Groups of three, by enumeration: each arrangement as likely as the product of P(v | x) / P(v).

    One more person of the overall distribution is behind each P(v | x): of 800 people that shows in the third digit.
    """
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 6, (999, 1)).astype(np.int32)
    value = rng.permutation(np.repeat(np.arange(5, dtype=np.int32), [250, 230, 200, 190, 129]))
    groups, features, truth = in_groups(codes, value, 3, rng)
    chances = rng.dirichlet(np.ones(5), 6)
    fit = learn(groups, features, lambda _: Oracle(chances[features[:, 0].astype(int)][np.argsort(features[:, 0])]),
                SHORT, rng)  # fmt: skip
    assert fit.data == pytest.approx(np.tile(fit.mean, (4, 1)), abs=2e-3)  # folds differ in size by a few
    found = of_truth(fit.slots, fit.mean, truth)
    lift = chances / (np.bincount(value) / value.size)
    for group in range(0, groups.start.size - 1, 11):
        rows = slice(groups.start[group], groups.start[group + 1])
        x, own = features[groups.profile_of[rows], 0].astype(int), truth[rows]
        worlds = list(permutations(own))
        weight = np.array([np.prod(lift[x, list(world)]) for world in worlds])
        for i in range(own.size):
            exact = weight[[world[i] == own[i] for world in worlds]].sum() / weight.sum()
            assert found[rows][i] == pytest.approx(exact, abs=0.02)


def test_without_the_own_group_the_other_folds_speak():
    """For a person in no group, all are averaged."""
    groups, features, _ = either_or(600, seed=6)
    fit = learn(groups, features, TREE, SHORT, np.random.default_rng(1))
    own = np.array([0, 1, classifier_model.NO_GROUP], np.int32)
    row_of, rows = fit.left_out(own, np.zeros(3, np.int32), features)
    for i in (0, 1):
        mean = np.sum([models[fit.fold_of_group[i]](features[:1])[0] for models in fit.predictors], axis=0)
        assert rows[row_of[i]] == pytest.approx(mean / mean.sum())
    combined = np.sum([model(features[:1])[0] for models in fit.predictors for model in models], axis=0)
    assert rows[row_of[2]] == pytest.approx(combined / combined.sum())


def test_the_same_seed_gives_the_same_whatever_the_number_of_threads():
    """Folds are fitted side by side, each from its own seed."""
    groups, features, _ = either_or(600, seed=7)
    one = learn(groups, features, TREE, SHORT, np.random.default_rng(1)).data
    several = replace(SHORT, threads=3)
    assert np.array_equal(one, learn(groups, features, TREE, several, np.random.default_rng(1)).data)
    assert not np.array_equal(one, learn(groups, features, TREE, SHORT, np.random.default_rng(2)).data)


# --- the edges


def test_halves_of_the_rounds_that_differ_are_a_complaint():
    """Known: no person in the first half, all in the second."""
    groups, features, _ = either_or(3000, seed=8)
    fit = learn(groups, features, TREE, SHORT, np.random.default_rng(1))
    data = np.stack([fit.slots.equal[fit.slots.order]] * 2 + [np.ones(fit.data.shape[1])] * 2)
    moved = LearnedFit(fit.slots, data, fit.fold_of_group, fit.predictors, fit.learning)
    assert fit.complaint() == ""
    assert moved.complaint().startswith("the share of people known moved by 100.0 points")


def test_rounds_go_on_until_they_agree(monkeypatch):
    """Twice as many, and twice as many again, to the limit; where they agree at once, no more than asked for."""
    groups, features, _ = either_or(600, seed=8)
    monkeypatch.setattr(classifier_model, "SPREAD", -1.0)
    endless = learn(groups, features, TREE, LearningSchedule(rounds=3, limit=8), np.random.default_rng(1))
    assert endless.data.shape[0] == 8 - 8 // 3
    monkeypatch.setattr(classifier_model, "SPREAD", 1.0)
    brief = learn(groups, features, TREE, LearningSchedule(rounds=3, limit=8), np.random.default_rng(1))
    assert brief.data.shape[0] == 3 - 3 // 3


def test_people_who_all_have_one_value_leave_nothing_to_learn():
    """No classifier can be fitted to one class, and none is needed."""
    groups = GroupedPeople(
        np.arange(600, dtype=np.int32) % 2, np.arange(0, 601, 2), np.zeros(600, np.int32),
        np.arange(2, dtype=np.int32)[:, None], np.array([2], np.int32), 1,
    )  # fmt: skip
    fit = learn(groups, np.arange(2.0)[:, None], TREE, SHORT, np.random.default_rng(1))
    assert fit.mean.tolist() == [1.0] * fit.mean.size


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("trees", True), ("trees", False), ("forest", True), ("logistic", True),
        pytest.param("forest", False, marks=pytest.mark.sweep),
        pytest.param("logistic", False, marks=pytest.mark.sweep),
    ],
)  # fmt: skip
def test_values_that_are_missing_and_many_categories_are_no_obstacle(name, listed):
    """A column without known values, and 600 categories, more than trees can distinguish."""
    rng = np.random.default_rng(10)
    codes = rng.permutation(600).astype(np.int32)[:, None]
    groups, features, truth = in_groups(codes, rng.integers(0, 3, 600).astype(np.int32), 2, rng)
    features = np.column_stack([np.where(features[:, 0] % 7 > 0, features[:, 0], np.nan), np.full(600, np.nan)])
    make = classifiers.named(name, features, np.full(2, listed))
    fit = learn(groups, features, make, LearningSchedule(rounds=3, limit=3), rng)
    assert of_truth(fit.slots, fit.mean, truth).mean() == pytest.approx(0.5, abs=0.1)


def test_groups_too_large_to_be_summed_over_move_by_blocks():
    """Forty people of six values: .19 and more for the true one, .17 without; and as many of each as were published."""
    small, features, truth = either_or(4000, seed=12)
    order = np.random.default_rng(1).permutation(4000)
    profile, truth = small.profile_of[order], truth[order]
    groups = replace(small, profile_of=profile, start=np.arange(0, 4001, 40), value=truth)
    fit = learn(groups, features, TREE, SHORT, np.random.default_rng(1))
    assert fit.slots.layout.large.size == 100
    assert of_truth(fit.slots, fit.mean, truth).mean() > 0.19
    believed, group = np.zeros((100, 6)), np.repeat(np.arange(100), 40)
    entries = np.zeros((fit.slots.n, 6))
    entries[np.repeat(np.arange(fit.slots.n), np.diff(fit.slots.start)), fit.slots.column] = fit.mean
    np.add.at(believed, group, entries[fit.slots.of_row])
    assert believed == pytest.approx(np.array([np.bincount(truth[group == g], minlength=6) for g in range(100)]))


def test_too_few_people_are_refused():
    """With the way out; so are settings that mean nothing, and features of other people."""
    groups, features, _ = either_or(400, seed=9)
    with pytest.raises(NotApplicableError, match=r"at least 500 people .*; got 400. Use model=naive-bayes"):
        learn(groups, features, TREE, SHORT, np.random.default_rng(1))
    with pytest.raises(InvalidInputError, match=r"each of 4 profiles; got 3"):
        learn(groups, features[:3], TREE, SHORT, np.random.default_rng(1))
    with pytest.raises(InvalidInputError, match="folds must be at least 2"):
        LearningSchedule(folds=1)
    with pytest.raises(InvalidInputError, match="threads must be at least 1"):
        LearningSchedule(threads=0)
    with pytest.raises(InvalidInputError, match="rounds must be at least 3"):
        LearningSchedule(rounds=2)


def test_a_classifier_without_a_name_or_that_is_not_installed_is_refused(monkeypatch):
    """The second with what to install."""
    with pytest.raises(InvalidInputError, match=r"one of trees, lightgbm, forest, logistic; got 'tres'.*trees"):
        classifiers.named("tres", np.zeros((2, 2)), UNLISTED)
    monkeypatch.setattr("unmask.runtime.extras.find_spec", lambda _: None)
    with pytest.raises(NotApplicableError, match=r"pip install 'unmask\[boost\]', or use trees"):
        classifiers.named("lightgbm", np.zeros((2, 2)), UNLISTED)


def test_each_copy_of_a_classifier_of_ones_own_has_its_own_seed():
    """Also inside of a pipeline."""
    make = classifiers.of(DecisionTreeClassifier())
    assert [make(seed).random_state for seed in (1, 2)] == [1, 2]
    inside = classifiers.named("logistic", np.zeros((2, 2)), UNLISTED)(3)
    assert inside.get_params()["logisticregression__random_state"] == 3
