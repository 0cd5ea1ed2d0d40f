"""The power of a classifier's predictions: least where it only imagines, near 1 where it is right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from tests.attacks.definetti.test_classifier_model import SHORT, TREE, either_or, in_groups, of_truth
from unmask.arrays import starts
from unmask.attacks.definetti import classifiers, exchanges
from unmask.attacks.definetti.classifier_model import learn
from unmask.attacks.definetti.classifier_power import NOTHING, apart_from_naive_bayes, apart_from_rounds


def test_what_a_classifier_only_imagines_is_taken_back():
    """Attributes that tell nothing: rounds confirm each other's guesses; groups set aside from all show the error."""
    rng = np.random.default_rng(4)
    codes, value = rng.integers(0, 8, (1500, 3)).astype(np.int32), rng.integers(0, 6, 1500).astype(np.int32)
    groups, features, _ = in_groups(codes, value, 3, rng)
    tree = classifiers.of(DecisionTreeClassifier(min_samples_leaf=4))
    power = apart_from_rounds(groups, features, tree, SHORT).power
    assert power <= 0.1
    plain, tempered = (
        learn(groups, features, tree, replace(SHORT, power=one), np.random.default_rng(1)) for one in (1.0, power)
    )
    equal = plain.slots.equal[plain.slots.order]
    assert np.abs(tempered.mean - equal).mean() < 0.2 * np.abs(plain.mean - equal).mean()


def test_what_it_rightly_learns_is_kept():
    """Two attributes that matter together: most of the evidence stands, and tells nearly as much."""
    groups, features, truth = either_or(1500, 1)
    power = apart_from_rounds(groups, features, TREE, SHORT).power
    assert power >= 0.5
    found = learn(groups, features, TREE, replace(SHORT, power=power), np.random.default_rng(1))
    assert of_truth(found.slots, found.mean, truth).mean() > 0.6


def test_the_power_is_always_the_same():
    """It depends on the groups, the classifier and its schedule alone."""
    groups, features, _ = either_or(600, 2)
    assert apart_from_rounds(groups, features, TREE, SHORT) == apart_from_rounds(groups, features, TREE, SHORT)


def test_groups_too_large_to_be_summed_over_show_nothing():
    """There is nothing to exchange, so nothing shows that attributes tell values: the least power."""
    groups, features, _ = either_or(1500, 3)
    large = replace(groups, start=starts(np.full(6, 250)))
    assert apart_from_rounds(large, features, TREE, SHORT).power == exchanges.LEAST
    assert apart_from_naive_bayes(large, 1.0, 1.0).score == pytest.approx(NOTHING)


def test_exchanges_show_which_model_knows_more():
    """Two attributes that matter together: trees gain something, Naive Bayes next to nothing; it says so, too."""
    groups, features, _ = either_or(1500, 1)
    trees, naive = apart_from_rounds(groups, features, TREE, SHORT), apart_from_naive_bayes(groups, 1.0, 0.5)
    assert trees.score > NOTHING + 0.05
    assert naive.score == pytest.approx(NOTHING, abs=0.03)
    assert str(naive) == f"{naive.score - NOTHING:.3f}"
