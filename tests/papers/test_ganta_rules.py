"""Three rules to put two releases together: the paper's set, a product, and Bayes with the local distribution.

Two extracts by Mondrian share 5,000 people, whose groups are known. Expected are the figures of an independent
program; here, means over 3 seeds. Rules are judged by what they guess and by how well they are calibrated:
the set rule is calibrated by construction, since the truth is always possible, and guesses worse than the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.overlapping import mean, published
from unmask.attacks.intersection.attack import Intersection
from unmask.auditing.evidence import Targets
from unmask.auditing.findings import ROW, AttackResult
from unmask.auditing.scenes import Audit
from unmask.sanitizers.mondrian import Mondrian
from unmask.studies._ganta_2008.populations import POPULATIONS, people
from unmask.table import Table

SIZES = (5, 10, 25)
SEEDS = range(3)
WEIGHTS = (5.0, 10.0, 20.0, 40.0, 60.0, 100.0, 200.0)
"""Candidate weights, in people, of the overall distribution; one is chosen."""

RULES: dict[tuple[str, int], tuple[float, ...]] = {
    ("adult", 5): (0.337, 0.663, 0.479, 0.616),
    ("adult", 10): (0.226, 0.774, 0.403, 0.705),
    ("adult", 25): (0.151, 0.849, 0.352, 0.765),
    ("acs", 5): (0.442, 0.558, 0.492, 0.552),
    ("acs", 10): (0.252, 0.748, 0.301, 0.745),
    ("acs", 25): (0.095, 0.905, 0.163, 0.900),
}
"""Guessed rightly and Brier score, by the set rule and by Bayes."""

MISCALIBRATED = {"adult": 0.05, "acs": 0.08}
"""At most, by Bayes."""


def attacked(table: Table, k: int, rules: Sequence[Intersection]) -> list[dict[str, float]]:
    """Return the scores of each rule, means over seeds."""
    found: list[list[AttackResult]] = []
    for seed in SEEDS:
        evidence, both = published(table, [Mondrian(k=k)] * 2, [k, seed])
        targets = Targets.of(both)
        report = Audit(
            evidence, targets, seed=seed, attacks=rules, attackers=[ROW], identity=False, single=False
        ).report()
        found.append(list(report.scenes[0].results))
    names = ("accuracy", "brier", "calibration-error", "log-loss")
    return [{name: mean(one.get(name).value for one in runs) for name in names} for runs in zip(*found, strict=True)]


def loaded(name: str, folder: Path | str) -> Table:
    """Load a population of the study."""
    return people(POPULATIONS[name], str(folder), 1)


@pytest.fixture(scope="module")
def chosen(data_folder: Path) -> float:
    """Return the weight with the least log loss on a third survey, all sizes of groups together."""
    table, rules = loaded("kdd", data_folder), [Intersection(local_weight=weight) for weight in WEIGHTS]
    losses = np.mean([[one["log-loss"] for one in attacked(table, k, rules)] for k in SIZES], axis=0)
    print(f"\nlog loss on kdd by weight {WEIGHTS}: {np.round(losses, 4)}")
    return WEIGHTS[int(losses.argmin())]


def judge(name: str, table: Table, k: int) -> None:
    """Hold the rules against what was measured independently."""
    by_set, product, bayes = attacked(table, k, [Intersection(rule=rule) for rule in ("set", "product", "bayes")])
    print(f"\n{name}, k = {k}: set {by_set}, product {product}, bayes {bayes}")
    expected = RULES[name, k]
    assert abs(by_set["accuracy"] - expected[0]) <= 0.015
    assert abs(by_set["brier"] - expected[1]) <= 0.015
    assert abs(bayes["accuracy"] - expected[2]) <= 0.025
    assert abs(bayes["brier"] - expected[3]) <= 0.025
    assert bayes["accuracy"] > by_set["accuracy"] + (0.1 if name == "adult" else 0.02)
    assert bayes["calibration-error"] < MISCALIBRATED[name] < product["calibration-error"]


@pytest.mark.slow
@pytest.mark.parametrize("k", SIZES)
def test_what_the_rules_get_right_on_adult(k):
    """Dividing by the local prior guesses better than the paper's rule, and is calibrated; the plain product is not."""
    judge("adult", loaded("adult", ""), k)


@pytest.mark.slow
@pytest.mark.parametrize("k", SIZES)
def test_what_the_rules_get_right_among_five_hundred_occupations(k, data_folder):
    """The same; but most groups hold each occupation once, so that frequencies say less: three to seven points."""
    judge("acs", loaded("acs", data_folder), k)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "k"), RULES)
def test_a_weight_that_is_chosen_on_other_people_serves_as_well(name, k, chosen, data_folder):
    """As right and nearly as calibrated as with the weight of 20."""
    (bayes,) = attacked(loaded(name, data_folder), k, [Intersection(local_weight=chosen)])
    print(f"\n{name}, k = {k}, local weight {chosen:g}: {bayes}")
    assert abs(bayes["accuracy"] - RULES[name, k][2]) <= 0.025
    assert bayes["calibration-error"] < MISCALIBRATED[name]
