"""Fusion on Adult: the paper's table at k = 10, and beliefs that are as often right as they are sure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests import adult_by_trees
from tests.strategies import row_numbers
from unmask.attacks.fusion.attack import Fusion
from unmask.attacks.fusion.miners.all_miners import miners
from unmask.attacks.fusion.miners.training import Mining, mine
from unmask.attacks.fusion.released_training_data import TrainingQuestion, training_question
from unmask.attacks.fusion.rules.voting import Vote
from unmask.attacks.fusion.scenario import EXACT, PARTIAL
from unmask.attacks.fusion.scenario_utility import success_of
from unmask.beliefs import Beliefs
from unmask.estimate import Tally, Truth
from unmask.masks import published_values
from unmask.metrics.calibration import CalibrationError
from unmask.metrics.scoring import LogLoss
from unmask.release import Publication, Sanitizer
from unmask.sanitizers.k_member import KMember
from unmask.sanitizers.laplace import Laplace
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.table import Table
from unmask.view import Knowledge, View

K_MEMBER = KMember(10, finest={"age": 1, "education-num": 1}, taxonomies=("education-num",))


def ages(table: Table, made: Publication) -> np.ndarray:
    """Return the true age behind each published row."""
    result = np.empty(made.release.n_rows)
    result[row_numbers(made)] = table["age"]
    return result


def question(made: Publication) -> TrainingQuestion:
    """Return the training question about the age for an attacker who knows no domain."""
    return training_question(made.release, "age", published_values.values_behind(made.release, "age"), domain=False)


@pytest.mark.slow
def test_the_vote_of_the_counterparts_comes_near_the_table(data_folder: Path):
    """Paper: 4,046 of 20,000 partly (20 %), 1,456 exactly. With and without HyperPipes ours are on either side of that.

    HyperPipes answers most ties by the order of a list that the paper does not print: on three databases the vote gets
    25 to 28 % with it, and 18 to 19 % without. Exact successes do not depend on it, and are within 20 %. The best miner
    alone is not better, by more than 2 %; exact it can never be.
    """
    table = adult_by_trees.drawn(data_folder, 20_000, seed=1)
    made = K_MEMBER.sanitize(table, np.random.default_rng(1))
    about, truth = question(made), ages(table, made)
    all_names = [one for one in miners(numbers=False) if one.counterpart]
    partly = []
    for names in (all_names, [one for one in all_names if one.name != "pipes"]):
        predictions = mine(about.lesson, names, Mining(), np.random.default_rng(1))
        fused = Vote(domain=False).fuse(predictions, about.cells)
        partial, exact = (
            success_of(predictions, fused, about.cells, truth, scenario, domain=False) for scenario in (PARTIAL, EXACT)
        )
        partly.append(partial.utility)
        assert (partial.sigma_best.value or 0) >= 0.98
        assert exact.utility == pytest.approx(1_456, rel=0.2)
        assert exact.sigma_best.value == np.inf
        assert partial.size > 5  # who names ten ages is right more easily
    with_pipes, without = partly
    assert 0.17 * 20_000 < without < 4_046 < with_pipes < 0.28 * 20_000


@pytest.mark.slow
@pytest.mark.parametrize("sanitizer", [K_MEMBER, Laplace(0.5, {"age": (), "education-num": ()}), Microaggregation(5)])
def test_beliefs_are_as_often_right_as_they_are_sure(data_folder: Path, sanitizer: Sanitizer):
    """ECE at most .05; and what rows show of themselves tells more than what miners say of them.

    Behind noise of twice the range miners learn next to nothing: they are no better than how usual ages are.
    """
    table = adult_by_trees.drawn(data_folder, 4_000, seed=2)
    made = sanitizer.sanitize(table, np.random.default_rng(2))
    release = made.release
    prior = published_values.default_prior(release, "age", release.n_rows)
    found = Fusion().infer(View((release,), Knowledge.of_rows(release, prior)), np.random.default_rng(2))
    assert found.left_out is not None
    control = found.left_out([release.group_of_row])
    answer = np.array([found.values.index(f"{age:g}") for age in ages(table, made)], np.int32)

    def judged(beliefs: Beliefs) -> Tally:
        return Tally.of(beliefs, Truth(found.about, found.values, answer))

    error = CalibrationError().measure(judged(found)).value
    assert error is not None
    assert error <= 0.05
    losses = [LogLoss().measure(judged(one)).value or 0.0 for one in (found, control, prior)]
    assert losses[0] < losses[1]
    assert losses[0] < losses[2] + (0.1 if isinstance(sanitizer, Laplace) else 0)
