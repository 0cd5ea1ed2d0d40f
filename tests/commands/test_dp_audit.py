"""`unmask dp-audit`: a false claim is refuted, a true one is not, and what draws nothing keeps no ε."""

from __future__ import annotations

import json
from math import tanh
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unmask
from tests.commands import sixty
from unmask.arrays import Int64
from unmask.cli import run
from unmask.commands import dp_auditing
from unmask.differential_privacy.membership_game import neighbor
from unmask.differential_privacy.record_scores import RecordScores
from unmask.errors import InvalidInputError
from unmask.estimate import Estimate
from unmask.neighboring_relation import Relation
from unmask.release import Noise
from unmask.sanitizers import _mechanisms
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table

ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"]}
CELLS = "age=0,30,60,100; ill=cold,flu,gout"


@pytest.fixture(name="people")
def _people(tmp_path: Path) -> Path:
    return sixty.written(tmp_path)


def with_noise(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    """Let noisy counts draw discrete Laplace noise of a share of the scale that is claimed, from a fixed seed."""
    rng = np.random.default_rng(1)

    def noisy(numbers: Int64, sensitivity: int, epsilon: float) -> tuple[Int64, Noise]:
        scale = sensitivity / epsilon
        stay = 1 - np.exp(-1 / (share * scale))
        drawn = rng.geometric(stay, numbers.shape) - rng.geometric(stay, numbers.shape)
        return numbers + drawn, Noise("discrete-laplace", scale)

    monkeypatch.setattr(_mechanisms, "require_opendp", lambda _: None)
    monkeypatch.setattr(_mechanisms, "noisy_integers", noisy)


def without_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure no gap of the record, which takes longer than the audit of epsilon."""
    unmeasured = Estimate.undefined("not asked for")
    monkeypatch.setattr(dp_auditing, "_gap", lambda *_: unmeasured)


@pytest.mark.parametrize("neighbors", ["replace", "add-remove"])
@pytest.mark.parametrize(("share", "verdict"), [(1.0, "not refuted"), (0.5, "refuted")])
def test_noise_of_half_the_scale_is_refuted_and_enough_noise_is_not(monkeypatch, people, neighbors, share, verdict):
    """800 runs, ε = 1 or, where two counts share it, 2; on a fixed seed: a true claim is refuted at most at 5 %."""
    with_noise(monkeypatch, share)
    without_gap(monkeypatch)
    epsilon = 1.0 if neighbors == "add-remove" else 2.0
    settings = {"epsilon": epsilon, "cells": CELLS, "neighbors": neighbors}
    found = unmask.dp_audit(people, "noisy-counts", set=settings, runs=800, seed=1, **ROLES)
    assert found.verdict == verdict
    assert found.exit_code == (verdict == "refuted")
    assert found.relation is Relation.of(neighbors, found.relation.unit)
    assert (found.bound.low > epsilon) == (verdict == "refuted")
    assert found.bound.low < epsilon / share, "what the noise keeps in truth"
    assert found.power is not None
    assert found.power > 0.8


@pytest.mark.parametrize(("audits", "most"), [(10, 2), pytest.param(40, 6, marks=pytest.mark.sweep)])
def test_a_true_claim_is_seldom_refuted(monkeypatch, people, audits, most):
    """Of 10 audits with 60 runs at most 2, of 40 at most 6: at 5 % each, more are refuted less than 1 time in 80."""
    with_noise(monkeypatch, 1.0)
    without_gap(monkeypatch)
    settings = {"epsilon": 0.5, "cells": CELLS}
    refuted = [
        unmask.dp_audit(people, "noisy-counts", set=settings, runs=60, seed=seed, **ROLES).verdict == "refuted"
        for seed in range(audits)
    ]
    assert sum(refuted) <= most


def test_what_draws_nothing_tells_the_tables_apart_in_every_run(people):
    """Mondrian of the same table is the same: an event in all runs with the record, and in none without."""
    roles = ROLES | {"quasi": ["age", "sex"]}
    found = unmask.dp_audit(people, "mondrian", set={"k": 3}, runs=100, seed=1, **roles)
    assert (found.bound.often, found.bound.rarely, found.bound.judged) == (50, 0, 50)
    assert found.verdict == "no claim"
    assert found.claimed is None
    assert found.most_gap is None
    assert found.exit_code == 0
    assert found.gap.value is not None


def test_the_record_with_rare_attributes_is_the_default_and_any_other_can_be_named(people, capsys):
    """By its row, from 0; beyond the table it is refused."""
    rare = unmask.dp_audit(people, "mondrian", set={"k": 3}, runs=20, seed=1, **ROLES)
    ages = [int(line.split(",")[0]) for line in people.read_text().splitlines()[1:]]
    assert ages.count(ages[rare.record]) == min(ages.count(age) for age in ages)
    assert unmask.dp_audit(people, "mondrian", set={"k": 3}, record=7, runs=20, seed=1, **ROLES).record == 7
    assert run(["dp-audit", str(people), "mondrian", "-q", "age", "-s", "ill", "--record", "60"]) == 2
    assert "record must be a row of the table, from 0 to 59; got 60" in capsys.readouterr().err


def test_too_few_runs_are_refused(people):
    """Half of them choose the event."""
    with pytest.raises(InvalidInputError, match="runs must be a whole number of at least 20; got 19"):
        unmask.dp_audit(people, "mondrian", runs=19, **ROLES)


def test_the_command_prints_and_writes_the_verdict(monkeypatch, people, tmp_path, capsys):
    """On 80 columns, with the conclusion first; the document has the same numbers."""
    with_noise(monkeypatch, 0.5)
    file = tmp_path / "audit.json"
    arguments = ["--set", "epsilon=1", "--set", f"cells={CELLS}", "--set", "neighbors=add-remove", "--runs", "600"]
    arguments += ["-q", "age", "-s", "ill"]
    assert run(["dp-audit", str(people), "noisy-counts", *arguments, "--seed", "1", "--json", str(file)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("REFUTED: noisy-counts")
    assert max(map(len, lines)) <= 80
    document = json.loads(file.read_text())
    assert document["verdict"] == "refuted"
    assert document["bound"]["low"] > document["claimed"] == 1
    assert document["most_gap"] == pytest.approx(tanh(0.5))


def test_scores_count_the_record():
    """With the record one more person is published, where it fits, and with its value; numbers by hand."""
    columns: dict[str, Any] = {"age": [20, 21, 22, 40, 41, 42], "ill": ["flu", "flu", "cold", "cold", "cold", "gout"]}
    table = Table.of(columns, quasi=["age"], sensitive=["ill"])
    scores = RecordScores.of(table, 1)
    release = Mondrian(k=3).sanitize(table, np.random.default_rng(1)).release
    assert scores(release).tolist() == [6, 2, 3, 2, pytest.approx(2 / 3)]
    without = neighbor(table, 1, "add-remove", np.random.default_rng(1))
    other = Mondrian(k=2).sanitize(without, np.random.default_rng(1)).release
    assert scores(other).tolist() == [5, 2, 2, 1, 0.5]
    assert len(scores.names) == 5
    replaced = RecordScores.of(table, 1, neighbor(table, 1, "replace", np.random.default_rng(3)))
    assert len(replaced.names) == replaced(release).size == 6
