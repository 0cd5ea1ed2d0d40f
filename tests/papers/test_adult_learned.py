"""Adult by its twelve attributes, attacked with a classifier in the place of Naive Bayes: beyond Kifer 2009."""

from __future__ import annotations

import numpy as np
import pytest

from unmask.attacks.definetti.attack import DeFinetti
from unmask.auditing.evidence import Targets, evidence_of
from unmask.auditing.findings import ROW, AttackResult
from unmask.auditing.scenes import Audit
from unmask.datasets.adult import adult
from unmask.sanitizers.anatomy import Anatomy

QUASI = (
    "age", "workclass", "education", "marital-status", "relationship", "race", "sex", "hours-per-week",
    "native-country", "income", "capital-gain", "capital-loss",
)  # fmt: skip

LEAST = {2: (0.84, 0.01), 3: (0.70, 0.03), 4: (0.58, 0.04)}
"""Accuracy that must be reached, and by how much Naive Bayes on the same attributes must be surpassed."""

METRICS = ("accuracy", "log-loss", "calibration-error", "abs", "ssq")


def figures(result: AttackResult) -> list[float]:
    """Return the figures of a result."""
    assert result.ran, result.reason
    found = [result.get(name).value for name in METRICS]
    return [float("nan") if value is None else value for value in found]


@pytest.mark.slow
@pytest.mark.parametrize("l", [2, 3, 4])
def test_trees_find_what_naive_bayes_does_not(l):
    """Five bucketisations, row known, all people: mean accuracy, with an sd of at most .01; calibrated.

    Half a minute to two for each; log loss lies below that of Naive Bayes, ECE at or below .05.
    """
    table = adult(quasi=QUASI, sensitive=("occupation",))
    attacks = [DeFinetti(temper="off", tier="fast"), DeFinetti(model="learned", temper="off")]
    found = []
    for seed in range(5):
        made = Anatomy(l=l).sanitize(table, np.random.default_rng([l, seed]))
        report = Audit([evidence_of(made, "anatomy")], Targets.of(table), seed=seed, attacks=attacks, attackers=[ROW],
                       identity=False).report()  # fmt: skip
        found.append([figures(result) for result in report.scenes[0].results])
        print(f"\nl = {l}, seed {seed}: {METRICS} {np.round(found[-1], 4).tolist()}")
    naive, trees = np.mean(found, axis=0)
    accuracy, ahead = LEAST[l]
    assert trees[0] >= max(accuracy, naive[0] + ahead)
    assert np.std([trees[0] for _, trees in found], ddof=1) <= 0.01
    assert trees[1] < naive[1]
    assert trees[2] <= 0.05
