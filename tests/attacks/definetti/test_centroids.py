"""DeFinetti on centroids: how a person differs from the middle of their group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from tests import controls, stories
from tests.strategies import row_numbers
from unmask.attacks.definetti import centroids
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.random_worlds import RandomWorlds
from unmask.beliefs import Beliefs
from unmask.errors import NotApplicableError
from unmask.release import Publication
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.table import Table
from unmask.view import View

JOBS = ("clerk", "driver", "nurse")


NUMBERS = ("age", "hours", "tenure", "distance", "income")


def drawn(n: int, seed: int, *, apart: float = 1.0, known: bool = True) -> tuple[View, Table, Publication]:
    """Return people whose numbers and town depend on their job, in groups of ten; `apart` 0: on nothing."""
    rng = np.random.default_rng(seed)
    job = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    columns: dict[str, Any] = {}
    for i, name in enumerate(NUMBERS):
        columns[name] = (rng.normal(size=n) + apart * (job == 1 + i % 2)).round(2)
    columns["town"] = np.where(rng.random(n) < 0.25 + 0.3 * apart * (job == 2), "north", "south").tolist()
    columns["job"] = [JOBS[one] for one in job]
    table = Table.of(columns, quasi=[*NUMBERS, "town"], sensitive=["job"])
    published = Microaggregation(k=10).sanitize(table, rng)
    places = {"groups": [published.group_of], "rows": [row_numbers(published)]} if known else {}
    view = stories.view_of(published.release, table.visible("job"), "job", **places)  # type: ignore[arg-type]
    return view, table, published


def chances(view: View, table: Table, attack: DeFinetti | RandomWorlds) -> tuple[np.ndarray, np.ndarray]:
    """Return the probability of each person's true job, and of the likeliest one with whether it is true."""
    found = attack.infer(view, np.random.default_rng(0)).aligned(table.schema["job"].values).dense()
    return found, found[np.arange(table.n_rows), table["job"]]


def test_a_discriminant_is_that_of_scikit_learn():
    """People one by one, as groups of one: the same probabilities, but for the shrinkage."""
    rng = np.random.default_rng(1)
    label = rng.choice(3, 900, p=[0.6, 0.3, 0.1])
    place = rng.normal(size=(900, 4)) + np.stack([label, -label, label == 1, np.zeros(900)], axis=1)
    people = np.eye(3)[label]
    found = centroids.Discriminant.of(place, people)
    log_chance = np.log(people.mean(axis=0)) + place @ found.slope + found.height
    chance = np.exp(log_chance - np.logaddexp.reduce(log_chance, axis=1)[:, None])
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(place, label).predict_proba(place)
    assert np.abs(chance - theirs).max() < 0.03


@pytest.mark.parametrize("known", [True, False])
def test_it_knows_more_than_the_groups_say(known):
    """Log loss at least .02 below that of random worlds, whether or not the row is known."""
    view, table, _ = drawn(3000, 2, known=known)
    loss = [-np.log(chances(view, table, attack)[1]).mean() for attack in (DeFinetti(), RandomWorlds())]
    assert loss[0] < loss[1] - 0.02


@pytest.mark.parametrize("seed", range(3))
def test_beliefs_are_right_as_often_as_they_say(seed):
    """Ten bins: of 3,000 people, each with 100 is off by at most .06; four standard errors of 100 would be .2."""
    view, table, _ = drawn(3000, seed)
    belief, _ = chances(view, table, DeFinetti())
    top, right = belief.max(axis=1), belief.argmax(axis=1) == table["job"]
    number = np.minimum((top * 10).astype(int), 9)
    for one in np.flatnonzero(np.bincount(number) >= 100):
        here = number == one
        error = 3.5 * np.sqrt(0.25 / here.sum())
        assert abs(right[here].mean() - top[here].mean()) < error + 0.03


@pytest.mark.parametrize("seed", range(3))
def test_where_nothing_depends_on_the_job_the_groups_say_all(seed):
    """The power is small, and beliefs stay near those of random worlds: on average within .01."""
    view, table, _ = drawn(3000, seed, apart=0.0)
    found = DeFinetti().infer(view, np.random.default_rng(0))
    plain = RandomWorlds().infer(view, np.random.default_rng(0))
    values = table.schema["job"].values
    assert np.abs(found.aligned(values).dense() - plain.aligned(values).dense()).mean() < 0.01


def test_the_control_does_not_know_the_own_group():
    """It is right as often as it says, and less sure of the truth than who knows the group."""
    view, table, published = drawn(3000, 3)
    found = DeFinetti().infer(view, np.random.default_rng(0))
    control = controls.left_out(found, published.group_of).aligned(table.schema["job"].values).dense()
    right, own = control.argmax(axis=1) == table["job"], chances(view, table, DeFinetti())[1]
    assert right.mean() == pytest.approx(control.max(axis=1).mean(), abs=0.04)
    assert own.mean() > control[np.arange(3000), table["job"]].mean() + 0.02


def test_factors_by_attribute_multiply_to_the_belief():
    """Share in the group times the factor of each attribute, up to a constant."""
    view, _, published = drawn(1000, 4)
    attack = DeFinetti()
    found = attack.infer(view, np.random.default_rng(0))
    person, group = 7, int(published.group_of[7])
    factors = attack.lifts(view, person, group)
    assert set(factors) == {*NUMBERS, "town"}
    counts = published.release.counts_of("job").dense()[group]
    expected = counts * np.prod(list(factors.values()), axis=0)
    values = published.release.schema["job"].values
    assert found.aligned(values).dense()[person] == pytest.approx(expected / expected.sum())


def test_no_value_is_excluded_where_the_group_is_not_known():
    """Centroids exclude no one (decision 18)."""
    view, _, _ = drawn(1000, 5, known=False)
    found: Beliefs = DeFinetti().infer(view, np.random.default_rng(0))
    assert (found.dense() > 0).all()


def test_too_few_people_and_other_models_are_refused():
    """With what else there is."""
    view, _, _ = drawn(400, 6)
    with pytest.raises(NotApplicableError, match=r"at least 500 people to learn from; got 400\. Use random-worlds"):
        DeFinetti().infer(view, np.random.default_rng(0))
    with pytest.raises(NotApplicableError, match="exact rows"):
        DeFinetti(model="learned").infer(drawn(600, 6)[0], np.random.default_rng(0))


def test_an_unknown_attribute_says_nothing():
    """Who knows two numbers alone has a belief between that of all attributes and that of the groups."""
    view, table, published = drawn(3000, 7)
    few = Table.of({name: table[name].tolist() for name in NUMBERS[:2]}, quasi=NUMBERS[:2], sensitive=[])
    places = {"groups": [published.group_of], "rows": [row_numbers(published)]}
    blind = stories.view_of(published.release, few, "job", **places)  # type: ignore[arg-type]
    loss = [-np.log(chances(one, table, DeFinetti())[1]).mean() for one in (view, blind)]
    plain = -np.log(chances(view, table, RandomWorlds())[1]).mean()
    assert loss[0] < loss[1] < plain
