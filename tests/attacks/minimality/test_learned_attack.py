"""Learned minimality attack: the closing rule and the learned attributes combined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests import stories
from tests.controls import left_out
from unmask import catalog
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.minimality.attack import Minimality
from unmask.attacks.minimality.learned_attack import LearnedMinimality
from unmask.beliefs import Beliefs
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.release import Publication
from unmask.runtime.streams import stream
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.greedy_grouping import GreedyGrouping
from unmask.table import Table
from unmask.view import Attack, View

ATTACK = LearnedMinimality(limit=1000)

ILLS = ("cold", "flu", "none")


def patients(n: int = 300, seed: int = 1, ills: Sequence[str] = ILLS) -> Table:
    """Return patients by age; half of them have the job associated with their illness."""
    rng = np.random.default_rng(seed)
    ill = rng.integers(0, len(ills), n)
    job = np.where(rng.random(n) < 0.5, ill, rng.integers(0, len(ills), n))
    return Table.of(
        {"age": rng.permutation(n).tolist(), "job": [f"job {j}" for j in job], "ill": [ills[v] for v in ill]},
        quasi=["age", "job"],
        sensitive=["ill"],
    )


def grouped(table: Table, **settings: Any) -> tuple[Publication, View]:
    """Group by age, and return the view of an attacker who knows all rows."""
    made = GreedyGrouping(order=("age",), **settings).sanitize(table, np.random.default_rng(0))
    return made, stories.view_of(made.release, table.visible("ill"), "ill", [made.group_of], rows=[made.row_of])


def infer(view: View, attack: Attack = ATTACK, seed: int = 1) -> Beliefs:
    """Attack with a fresh generator."""
    return attack.infer(view, np.random.default_rng(seed))


def scores(beliefs: Beliefs, table: Table) -> Mapping[str, float]:
    """Return how often the likeliest value is true, and the log loss."""
    found, truth = beliefs.dense(), table["ill"]
    labels = table.schema["ill"].values
    column = np.array([beliefs.values.index(label) for label in labels])[truth]
    chance = found[np.arange(truth.size), column]
    top = found >= found.max(axis=1, keepdims=True) - 1e-9
    right = top[np.arange(truth.size), column] / top.sum(axis=1)
    return {"right": float(right.mean()), "log loss": float(-np.log(np.maximum(chance, 1e-6)).mean())}


@dataclass(frozen=True)
class Small:
    """120 patients in small groups, attacked once for all tests that look at them."""

    table: Table
    made: Publication
    found: Beliefs
    learned: Beliefs  # of deFinetti alone, with the draws that the attack gives to it


@pytest.fixture(scope="module")
def small() -> Small:
    """Attack 120 patients, together and by learning alone, with the random stream of an audit."""
    table = patients(120)
    made, view = grouped(table, l=2)
    alone = DeFinetti(chains=ATTACK.chains, limit=ATTACK.limit)
    own = stream(1, made.release.name, str(view.about), alone.name, str(catalog.settings_of(alone)))
    return Small(table, made, infer(view), alone.infer(view, own))


# --- the story


def test_who_knows_the_rule_and_learns_is_right_more_often_than_by_either():
    """Jobs indicate illnesses, and positions the frequent values of a group: together more than each."""
    table = patients()
    _, view = grouped(table, l=2)
    together, by_rule, by_learning = (
        scores(infer(view, attack), table) for attack in (ATTACK, Minimality(), DeFinetti(limit=1000))
    )
    assert together["right"] > max(by_rule["right"], by_learning["right"])
    assert together["log loss"] < min(by_rule["log loss"], by_learning["log loss"])


def test_where_the_rule_tells_nothing_beliefs_are_those_of_definetti(small: Small):
    """Groups as small as they may be close for all values: the same chains give the same result."""
    smallest = (small.made.release.size == 2)[small.made.group_of]
    assert smallest.sum() > 20
    assert small.found.dense()[smallest] == pytest.approx(small.learned.dense()[smallest])


def test_who_looks_alike_has_what_the_rule_tells():
    """All have one job, and ages are not learned from: only positions are informative."""
    rng = np.random.default_rng(2)
    ills = rng.choice(["Y", "N"], 60, p=[0.25, 0.75])
    table = Table.of({"job": ["smith"] * 60, "ill": ills.tolist()}, quasi=["job"], sensitive=["ill"])
    made = GreedyGrouping(l=3, positive="Y", ties="stable").sanitize(table, rng)
    view = stories.view_of(made.release, table.visible("ill"), "ill", [made.group_of], rows=[made.row_of])
    assert infer(view).dense() == pytest.approx(infer(view, Minimality()).dense(), abs=1e-9)


# --- edges


@pytest.mark.slow
def test_what_was_learned_wrongly_is_trusted_less():
    """A large group teaches what goes together in it, which need not be the illness: the groups' counts show it."""
    rng = np.random.default_rng(1)
    n = 1500
    kind = rng.random(n) < 0.5  # four equal attributes, independent of the illness
    same = {f"same {i}": np.where(rng.random(n) < 0.95, kind, ~kind).astype(int).tolist() for i in range(4)}
    ill = np.where(rng.random(n) < 0.2, "Y", "N")
    table = Table.of({"age": list(range(n)), **same, "ill": ill.tolist()}, quasi=["age", *same], sensitive=["ill"])
    _, view = grouped(table, l=4, positive="Y")
    found, learned = infer(view), infer(view, DeFinetti())
    power = found.notes["power of what was learned"]
    assert isinstance(power, float)
    assert power < 0.5
    assert scores(found, table)["log loss"] < scores(learned, table)["log loss"]
    assert scores(found, table)["log loss"] < scores(infer(view, Minimality()), table)["log loss"] + 0.01


def test_people_known_by_attributes_only_match_every_row_with_these_attributes(small: Small):
    """Of two rows with one age and job in two places, the mean of what is believed of both."""
    unknown = stories.view_of(small.made.release, small.table.visible("ill"), "ill")
    found = infer(unknown)
    assert found.dense().sum(axis=1) == pytest.approx(1)
    assert found.unplaced[0].sum() == 0


def test_the_control_is_what_definetti_learns_from_the_other_groups(small: Small):
    """What is known of the rule is known of the own group only."""
    expected = left_out(small.learned, small.made.group_of).dense()
    assert left_out(small.found, small.made.group_of).dense() == pytest.approx(expected)


def test_the_notes_tell_how_groups_were_read(small: Small):
    """By worlds, or, of many values where people of one age differ, by the product of beliefs."""
    table = small.table
    ages = (np.asarray(table["age"]) // 5).tolist()
    tied = Table.of(
        {"age": ages, **{name: [table.schema[name].values[c] for c in table[name]] for name in ("job", "ill")}},
        quasi=["age", "job"],
        sensitive=["ill"],
    )
    notes = infer(grouped(tied, l=2)[1]).notes
    assert float(notes["groups by the product of beliefs"]) > 0
    assert float(small.found.notes["groups by worlds"]) > 0


def test_what_either_part_needs_is_asked_for():
    """The rule, and settings that can disagree."""
    table = patients(100)
    made = Anatomy(l=2).sanitize(table, np.random.default_rng(0))
    with pytest.raises(NotApplicableError, match="was made by anatomy"):
        infer(stories.view_of(made.release, table.visible("ill"), "ill", [made.group_of], rows=[made.row_of]))
    with pytest.raises(InvalidInputError, match="draws must be at least 2"):
        LearnedMinimality(draws=1)
    with pytest.raises(InvalidInputError, match="chains must be at least 4"):
        LearnedMinimality(chains=2)
