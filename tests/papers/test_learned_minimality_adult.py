"""Learned minimality on Adult: as right as the better of minimality and deFinetti, and believing more in what is true.

Kifer (section 7) suggests to combine both. Groups are made by age and seven more columns, ties as in the file, l = 3;
asked is who is an executive manager. Naive Bayes learns something else there than that, and is worse than random
worlds; what the groups bear out of it is worth something even so.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.stories import view_of
from unmask.arrays import Float64, Int32
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.minimality.attack import Minimality
from unmask.attacks.minimality.learned_attack import LearnedMinimality
from unmask.beliefs import Beliefs
from unmask.datasets.adult import adult
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.schema import Schema
from unmask.table import Table
from unmask.view import Attack

QUASI = ("age", "workclass", "education-num", "marital-status", "relationship", "race", "sex", "income")

Scores = Mapping[str, Float64]


def managers() -> Table:
    """Return the people of Adult, and whether they are executive managers."""
    table = adult(quasi=QUASI, sensitive=["occupation"])
    manager = table["occupation"] == table.schema["occupation"].values.index("Exec-managerial")
    told = Table.of({"manager": np.where(manager, "yes", "no").tolist()}, quasi=[], sensitive=["manager"])
    schema = Schema((*table.schema.quasi, *told.schema.attributes))
    return Table(schema, {**{name: table[name] for name in QUASI}, "manager": told["manager"]}, table.n_rows)


def scores(beliefs: Beliefs, truth: Int32) -> Scores:
    """Return by person whether the likeliest value is true, ties split; the log loss; and ABS."""
    found = beliefs.dense()
    people = np.arange(truth.size)
    top = found >= found.max(axis=1, keepdims=True) - 1e-9
    chance = found[people, truth]
    return {
        "right": top[people, truth] / top.sum(axis=1),
        "log loss": -np.log(np.maximum(chance, 1e-6)),
        "abs": 2000 * (1 - chance),
    }


def difference(one: Float64, other: Float64, group_of: Int32) -> tuple[float, float]:
    """Return the mean difference, and half of its 95 % interval: people of a group are dependent."""
    apart = one - other
    by_group = np.bincount(group_of, apart - apart.mean())
    return float(apart.mean()), float(1.96 * np.sqrt((by_group**2).sum()) / apart.size)


@pytest.mark.slow
def test_it_is_never_worse_than_either_beyond_noise():
    """30,162 people in 8,226 groups: log loss .222, against .224 by minimality and .315 by deFinetti."""
    table = managers()
    by = GreedyGrouping(l=3, positive="yes", order=tuple(QUASI), ties="stable")
    made = by.sanitize(table, np.random.default_rng(0))
    view = view_of(made.release, table.visible("manager"), "manager", [made.group_of], rows=[made.row_of])
    attacks: Mapping[str, Attack] = {
        "both": LearnedMinimality(),
        "rule": Minimality(),
        "learned": DeFinetti(temper="off"),
    }
    beliefs = {name: attack.infer(view, np.random.default_rng(1)) for name, attack in attacks.items()}
    column = [beliefs["both"].values.index(value) for value in table.schema["manager"].values]
    truth = np.array(column, np.int32)[table["manager"]]
    found = {name: scores(one, truth) for name, one in beliefs.items()}
    for part in ("rule", "learned"):
        for measure, sign in (("right", -1), ("log loss", 1), ("abs", 1)):
            apart, noise = difference(found["both"][measure], found[part][measure], made.group_of)
            print(f"{measure}, both less {part}: {apart:+.4f} ± {noise:.4f}")
            assert sign * apart <= noise
    assert found["both"]["log loss"].mean() == pytest.approx(0.222, abs=0.003)
    assert difference(found["both"]["abs"], found["rule"]["abs"], made.group_of)[0] < -5
