"""Learned intersection attack: the product of deFinetti posteriors of several releases."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests import controls, stories
from unmask.arrays import Float64
from unmask.attacks.definetti.attack import DeFinetti
from unmask.attacks.intersection.attack import Intersection
from unmask.attacks.intersection.learned_attack import LearnedIntersection
from unmask.beliefs import Beliefs
from unmask.datasets.adult import adult
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.release import Publication
from unmask.sanitizers.anatomy import Anatomy
from unmask.sanitizers.mondrian import Mondrian
from unmask.table import Table
from unmask.view import NOT_IN_IT, View

ATTACK = LearnedIntersection(limit=1000)
ALONE = DeFinetti(limit=1000)
"""What it runs on each release."""
QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "hours-per-week")


def clinics(n: int = 400, seed: int = 1) -> tuple[Table, Publication, Publication]:
    """Return patients with jobs associated with their illness, published twice in groups of three illnesses."""
    rng = np.random.default_rng(seed)
    ill = rng.integers(0, 4, n)
    job = np.where(rng.random(n) < 0.6, ill, rng.integers(0, 4, n))
    table = Table.of(
        {"job": [f"job {j}" for j in job], "ill": [f"ill {v}" for v in ill]}, quasi=["job"], sensitive=["ill"]
    )
    first, second = (Anatomy(l=3).sanitize(table, rng) for _ in range(2))
    return table, first, second


def both(table: Table, *made: Publication) -> View:
    """Return the view of an attacker who knows all rows in each release."""
    releases = [one.release for one in made]
    groups = [one.group_of for one in made]
    return stories.view_of(releases, table.visible("ill"), "ill", groups, rows=[one.row_of for one in made])


def infer(view: View, attack: LearnedIntersection | DeFinetti | Intersection = ATTACK, seed: int = 1) -> Beliefs:
    """Attack with a fresh generator."""
    return attack.infer(view, np.random.default_rng(seed))


def right(beliefs: Beliefs, table: Table, name: str = "ill") -> float:
    """Return how often the likeliest value is true, ties split."""
    found = beliefs.dense()
    top = found >= found.max(axis=1, keepdims=True) - 1e-9
    return float((top[np.arange(top.shape[0]), table[name]] / top.sum(axis=1)).mean())


@cache
def attacked_clinics() -> tuple[Table, Publication, Publication, Beliefs]:
    """Return the patients, both releases, and what the attack believes."""
    table, first, second = clinics()
    return table, first, second, infer(both(table, first, second))


@cache
def few_clinics() -> tuple[Table, Publication, Publication]:
    """Return 120 patients, and both releases."""
    return clinics(120)


@cache
def alone(r: int) -> Beliefs:
    """Return what one of both releases says of 120 patients, with the random stream that the attack gives to it."""
    table, *made = few_clinics()
    return ALONE.infer(both(table, made[r]), np.random.default_rng(1).spawn(2)[r])


# --- the story


def test_two_releases_that_hide_among_different_people_tell_more_than_each_and_than_their_lists():
    """Patients twice in groups of three: more are right than by either alone, or by intersecting lists."""
    table, first, second, beliefs = attacked_clinics()
    view = both(table, first, second)
    together = right(beliefs, table)
    each = [right(infer(view.only(r), ALONE), table) for r in (0, 1)]
    assert together > max(each) + 0.03
    assert together > right(infer(view, Intersection()), table) + 0.03


def test_the_formula_worked_out_from_what_each_release_says():
    """B₁ B₂ / A, with A the geometric mean of both predictions for a person in no group."""
    each = [alone(r) for r in (0, 1)]
    no_group = np.full(120, -1, np.int32)
    newcomer = [controls.left_out(one, no_group).dense() for one in each]
    expected: Float64 = each[0].dense() * each[1].dense() / np.sqrt(newcomer[0] * newcomer[1])
    expected /= expected.sum(axis=1, keepdims=True)
    assert infer(both(*few_clinics())).dense() == pytest.approx(expected, abs=1e-9)


# --- edges


def test_a_release_given_twice_counts_once():
    """It adds no evidence, and a note reports it."""
    table, first, _ = few_clinics()
    copy = replace(first, release=replace(first.release, name="again"))
    found = infer(both(table, first, copy))
    assert found.dense() == pytest.approx(alone(0).dense(), abs=1e-9)
    assert found.outcome.repeated


def test_who_is_in_one_release_only_is_believed_what_that_one_says():
    """And who is in none, what was believed before."""
    table, first, second = few_clinics()
    view = both(table, first, second)
    located = view.knowledge.located
    assert located is not None
    groups = [place.group.copy() for place in located]
    groups[1][:2] = NOT_IN_IT
    groups[0][1] = NOT_IN_IT
    view = stories.view_of(view.releases, table.visible("ill"), "ill", groups, rows=[first.row_of, second.row_of])
    found = infer(view).dense()
    assert found[0] == pytest.approx(alone(0).dense()[0], abs=1e-9)
    assert found[1] == pytest.approx(view.knowledge.prior.dense()[1], abs=1e-9)


def test_releases_that_contradict_each_other_leave_the_prior():
    """Flu or cold in one release and gout or cough in the other contradict each other."""
    people = Table.of({"job": list("aabb"), "ill": ["flu", "cold", "gout", "cough"]}, quasi=["job"], sensitive=["ill"])
    other = Table.of({"job": list("aabb"), "ill": ["gout", "cough", "flu", "cold"]}, quasi=["job"], sensitive=["ill"])
    first, second = stories.exact(people, [0, 0, 1, 1]), stories.exact(other, [0, 0, 1, 1])
    found = infer(both(people, first, second), LearnedIntersection(chains=16, limit=640))
    assert found.dense() == pytest.approx(both(people, first, second).knowledge.prior.dense())
    assert found.outcome.contradictions == 4


def test_one_release_is_not_enough_and_settings_are_those_of_definetti():
    """And a release that deFinetti does not apply to is refused as it would."""
    table, first, _ = few_clinics()
    with pytest.raises(NotApplicableError, match="at least 2 releases"):
        infer(both(table, first))
    with pytest.raises(InvalidInputError, match="chains must be at least 4"):
        LearnedIntersection(chains=2)


# --- the control


def test_without_all_own_groups_attributes_are_all_that_is_left():
    """The root of what both releases predict for a newcomer: near what job and illness have to do with each other."""
    table, first, second, found = attacked_clinics()
    control = controls.left_out(found, first.group_of, second.group_of)
    assert control.dense().sum(axis=1) == pytest.approx(1)
    assert 0.5 < right(control, table) < right(found, table)


# --- Adult


@pytest.mark.slow
def test_anatomy_and_mondrian_together_are_worth_a_point_more_than_the_better_of_both():
    """5,000 people in two extracts of 17,581: .788 right against .693 and .418, and .722 by intersection. In ranges."""
    table = adult(quasi=QUASI, sensitive=("occupation",))
    rng = np.random.default_rng(1)
    order = rng.permutation(table.n_rows)
    size, shared = 17_581, 5_000
    rows = (order[:size], np.concatenate([order[:shared], order[size : 2 * size - shared]]))
    made = [Anatomy(l=3).sanitize(table.take(rows[0]), rng), Mondrian(k=10).sanitize(table.take(rows[1]), rng)]
    people = table.take(rows[0][:shared])
    view = stories.view_of(
        [one.release for one in made],
        people.visible("occupation"),
        "occupation",
        [one.group_of[:shared] for one in made],
        rows=[None if one.row_of is None or one is made[1] else one.row_of[:shared] for one in made],
    )
    together = right(infer(view, LearnedIntersection(temper="off")), people, "occupation")
    parts = [right(infer(view.only(r), DeFinetti(temper="off")), people, "occupation") for r in (0, 1)]
    plain = right(infer(view, Intersection()), people, "occupation")
    assert together > max(*parts, plain) + 0.04
    assert together == pytest.approx(0.788, abs=0.015)
