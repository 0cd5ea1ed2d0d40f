"""Ganta, Kasiviswanathan and Smith 2008 on Adult: two overlapping extracts by Mondrian, 5,000 people in both.

The paper does not state the size of the extracts; here, as in all figures below, each holds (30,162 + 5,000) / 2 =
17,581 people. The expected figures are means over 3 seeds of an independent program.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from unmask.attacks.intersection import Intersection
from unmask.auditing import Evidence, Targets, audit, evidence_of
from unmask.datasets.adult import adult
from unmask.findings import ROW, AttackResult
from unmask.sanitizers.mondrian import Mondrian

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
SHARED = 5_000

SEVERITY = {5: (5.5, 26.1, 5.43, 4.14), 10: (0.5, 5.2, 6.62, 5.26)}
"""k → percent of people known for sure, with at least 1/2, values possible before (one release) and after."""


def together(k: int, seed: int) -> dict[str, AttackResult]:
    """Publish two extracts, and attack the people in both with all three rules."""
    rng = np.random.default_rng([k, seed])
    table = adult(quasi=QUASI, sensitive=("occupation",))
    size = (table.n_rows + SHARED) // 2
    order = rng.permutation(table.n_rows)
    both = order[:SHARED]
    evidence = []
    for i, rows in enumerate((order[SHARED:size], order[size : 2 * size - SHARED])):
        made = evidence_of(Mondrian(k=k).sanitize(table.take(np.concatenate([both, rows])), rng), f"h{i + 1}")
        assert made.group is not None
        evidence.append(Evidence(made.release, made.group[:SHARED]))
    rules = [Intersection(rule=rule) for rule in ("set", "product", "bayes")]
    report = audit(
        evidence, Targets.of(table.take(both)), seed=seed, attacks=rules, attackers=[ROW], identity=False, single=False
    )
    return {str(result.settings["rule"]): result for result in report.scenes[0].results}


def mean(values: Iterable[float | None]) -> float:
    """Return the mean over runs."""
    return float(np.mean([value for value in values if value is not None]))


def share(result: AttackResult, metric: str, threshold: float) -> float:
    """Return people as a percentage of those in both extracts."""
    return 100 * (result.get(metric, threshold).value or 0.0) / SHARED


@pytest.mark.slow
@pytest.mark.parametrize("k", [5, 10])
def test_the_severity_of_composition_on_adult(k):
    """People known for sure and with one half, and what is left possible, by the paper's rule."""
    runs = [together(k, seed) for seed in range(3)]
    sets = [run["set"] for run in runs]
    sure = np.mean([share(one, "exposed", 1.0) for one in sets])
    half = np.mean([share(one, "exposed", 0.5) for one in sets])
    already = np.mean([share(one, "exposed-already", 1.0) for one in sets])
    after = mean(one.get("effective-anonymity").value for one in sets)
    print(f"\nk = {k}: sure {sure:.2f} % ({already:.2f} already), half {half:.1f} %, possible after {after:.2f}")

    expected = SEVERITY[k]
    assert abs(sure - expected[0]) <= 0.7
    assert abs(half - expected[1]) <= 1.5
    assert abs(after - expected[3]) <= 0.15
    if k == 5:
        assert 1.6 <= already <= 2.3  # at least one of two; the rest is new by composition


@pytest.mark.slow
def test_what_the_rules_get_right():
    """Dividing by the local prior guesses better than the paper's rule, and is calibrated; the plain product is not."""
    runs = [together(5, seed) for seed in range(3)]
    right = {rule: mean(run[rule].get("accuracy").value for run in runs) for rule in runs[0]}
    brier = {rule: mean(run[rule].get("brier").value for run in runs) for rule in runs[0]}
    gap = {rule: mean(run[rule].get("calibration-error").value for run in runs) for rule in runs[0]}
    print(f"\naccuracy {right}\nBrier {brier}\ncalibration error {gap}")

    assert abs(right["set"] - 0.337) <= 0.015
    assert abs(right["bayes"] - 0.479) <= 0.02
    assert abs(brier["set"] - 0.663) <= 0.015
    assert abs(brier["bayes"] - 0.616) <= 0.02
    assert right["bayes"] > right["set"] + 0.1
    assert gap["bayes"] < 0.05 < gap["product"]
