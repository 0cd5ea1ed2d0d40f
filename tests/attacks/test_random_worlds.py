"""Random worlds: within a group, every assignment is equally likely, and a group of one value has no secrets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from tests import controls, stories
from tests.strategies import Seen, views
from unmask.attacks.random_worlds import RandomWorlds
from unmask.datasets.adult import adult
from unmask.errors import NotApplicableError
from unmask.release import Publication
from unmask.sanitizers.microaggregation import Microaggregation
from unmask.schema import Missing
from unmask.table import Table
from unmask.view import IN_IT, NOT_IN_IT, PERHAPS, View

RNG = np.random.default_rng(0)  # exact: draws nothing


def ward() -> Table:
    """Return six patients: four around thirty, two around sixty who both have cancer."""
    return Table.of(
        {"age": [28, 29, 31, 33, 58, 61], "ill": ["flu", "flu", "cold", "hiv", "cancer", "cancer"]},
        quasi=["age"],
        sensitive=["ill"],
    )


def believed(view, person=0):
    """Return what is believed of one person."""
    return RandomWorlds().infer(view, RNG).of(person)


# --- the story


def test_two_of_four_with_flu_means_flu_with_one_half():
    """Alice, 29, is one of four: two have flu, one a cold, one HIV."""
    published = stories.boxed(ward(), [0, 0, 0, 0, 1, 1])
    view = stories.view_of(published.release, stories.people_of(age=[29]), "ill")
    assert believed(view) == pytest.approx({"flu": 0.5, "cold": 0.25, "hiv": 0.25})


def test_where_all_members_share_a_value_the_group_discloses_it():
    """Homogeneity: Bob, 60, has cancer, although his record equals another."""
    published = stories.boxed(ward(), [0, 0, 0, 0, 1, 1])
    view = stories.view_of(published.release, stories.people_of(age=[60]), "ill")
    assert believed(view) == {"cancer": 1.0}


def test_of_table_6_each_person_in_a_mixed_group_has_one_half():
    """The baseline that deFinetti's attack beats: tuple 12 at 1/2 instead of 5/32."""
    table, published = stories.smokers()
    view = stories.view_of(published.release, table.visible("disease"), "disease", [published.group_of])
    assert RandomWorlds().infer(view, RNG).probability("Cancer").tolist() == [
        0.5,
        0.5,
        0,
        0,
        0.5,
        0.5,
        0.5,
        0.5,
        0,
        0,
        0.5,
        0.5,
    ]


# --- the edges


def test_a_prior_that_rules_out_flu_leaves_cold_and_hiv():
    """Of published cold 1/6 and HIV 1/6 each case is as telling: one half each."""
    published = stories.boxed(ward(), [0, 0, 0, 0, 1, 1])
    prior = {"cancer": 1, "cold": 1, "flu": 0, "hiv": 1}
    view = stories.view_of(published.release, stories.people_of(age=[29]), "ill", prior=prior)
    assert believed(view) == pytest.approx({"cold": 0.5, "hiv": 0.5})


def test_who_fits_nowhere_stays_at_the_prior_and_is_counted():
    """No record has 99: the posterior is the pooled distribution."""
    view = stories.view_of(stories.boxed(ward(), [0, 0, 0, 0, 1, 1]).release, stories.people_of(age=[99, 29]), "ill")
    beliefs = RandomWorlds().infer(view, RNG)
    assert beliefs.of(0) == pytest.approx({"flu": 1 / 3, "cancer": 1 / 3, "cold": 1 / 6, "hiv": 1 / 6})
    assert beliefs.unplaced[0].sum() == 1
    assert beliefs.outcome.contradictions == 0


def test_contradicted_people_stay_at_the_prior_and_are_counted():
    """All of that age have cancer, but she is known to have none: she cannot be one of them."""
    prior = {"cancer": 0, "cold": 1, "flu": 1, "hiv": 0}
    published = stories.boxed(ward(), [0, 0, 0, 0, 1, 1])
    view = stories.view_of(published.release, stories.people_of(age=[60]), "ill", prior=prior)
    beliefs = RandomWorlds().infer(view, RNG)
    assert beliefs.of(0) == pytest.approx({"cold": 0.5, "flu": 0.5})
    assert beliefs.outcome.contradictions == 1


def test_a_group_of_blanks_does_not_disclose_the_one_value_it_shows():
    """Five people, one known to have flu: 1/5 that she is the one, else as the others, half of whom have it."""
    table = Table.of(
        {"age": [20] * 5 + [40], "ill": ["flu", None, None, None, None, "cold"]},
        quasi=["age"], sensitive=["ill"], missing=Missing.WILDCARD,
    )  # fmt: skip
    published = stories.boxed(table, [0] * 5 + [1])
    view = stories.view_of(published.release, table.visible("ill"), "ill", [published.group_of])
    assert believed(view)["flu"] == pytest.approx(1 / 5 + 4 / 5 * 1 / 2)
    assert believed(view, 5) == {"cold": 1.0}


def test_who_is_not_in_the_release_is_not_looked_for():
    """Known to be elsewhere: the prior. In it, or perhaps in it: looked for by attributes."""
    published = stories.boxed(ward(), [0, 0, 0, 0, 1, 1])
    people = stories.people_of(age=[60, 60, 60])
    view = stories.view_of(published.release, people, "ill", [[NOT_IN_IT, IN_IT, PERHAPS]])
    beliefs = RandomWorlds().infer(view, RNG)
    assert beliefs.probability("cancer").tolist() == pytest.approx([1 / 3, 1, 1])


def test_of_a_wide_box_around_a_narrow_one_both_are_believed_by_weight():
    """Age 25: five with flu in [20, 30), fifty with a cold in [0, 100). Weights .55 to 1, so flu with .55/1.55."""
    table = Table.of({"age": [20] * 5 + [0] * 50, "ill": ["flu"] * 5 + ["cold"] * 50}, quasi=["age"], sensitive=["ill"])
    published = stories.boxed(table, [0] * 5 + [1] * 50, {"age": [(20, 29), (0, 99)]})
    view = stories.view_of(published.release, stories.people_of(age=[25]), "ill")
    assert believed(view)["flu"] == pytest.approx(0.55 / 1.55)


def test_values_align_by_label_not_by_code():
    """The attacker lists possible answers in another order, and one that is not published at all."""
    published = stories.boxed(ward(), [0, 0, 0, 0, 1, 1])
    view = stories.view_of(published.release, stories.people_of(age=[29]), "ill")
    prior = view.knowledge.prior.aligned(("plague", "hiv", "flu", "cold", "cancer"))
    beliefs = RandomWorlds().infer(View(view.releases, replace(view.knowledge, prior=prior)), RNG)
    assert beliefs.values == prior.values
    assert beliefs.of(0) == pytest.approx({"flu": 0.5, "cold": 0.25, "hiv": 0.25})


def test_several_releases_are_another_attack():
    """Intersection's task: random worlds declines."""
    release = stories.boxed(ward(), [0] * 6).release
    with pytest.raises(NotApplicableError, match="exactly 1 release; this view has 2"):
        RandomWorlds().infer(stories.view_of([release, release], stories.people_of(age=[29]), "ill"), RNG)


# --- the control: as if the own group had not been published


def test_without_the_own_group_the_neighbors_are_believed():
    """Two groups: the thirties are judged by the sixties, and the other way round. What is excess is a leak."""
    published = stories.boxed(ward(), [0, 0, 0, 0, 1, 1])
    view = stories.view_of(published.release, ward().visible("ill"), "ill", [published.group_of])
    control = controls.left_out(RandomWorlds().infer(view, RNG), published.group_of)
    assert control.probability("cancer").tolist() == [1, 1, 1, 1, 0, 0]
    assert control.probability("flu").tolist() == [0, 0, 0, 0, 0.5, 0.5]


def test_two_neighbors_equally_near_count_alike():
    """Her group [40, 50] is gone: 45 lies 5 from 40 and 5 from 50; both groups are believed equally."""
    table = Table.of(
        {"age": [30, 40, 44, 46, 50, 60], "ill": ["flu", "flu", "hiv", "hiv", "cold", "cold"]},
        quasi=["age"],
        sensitive=["ill"],
    )
    published = stories.boxed(table, [0, 0, 1, 1, 2, 2])
    view = stories.view_of(published.release, stories.people_of(age=[45]), "ill")
    own = published.group_of[2:3]
    assert controls.left_out(RandomWorlds().infer(view, RNG), own).of(0) == pytest.approx({"flu": 0.5, "cold": 0.5})


def test_without_any_other_group_only_the_prior_is_left():
    """One group of all people: without it, nothing is known."""
    published = stories.boxed(ward(), [0] * 6)
    view = stories.view_of(published.release, ward().visible("ill"), "ill", [published.group_of])
    control = controls.left_out(RandomWorlds().infer(view, RNG), published.group_of)
    assert control.dense() == pytest.approx(view.knowledge.prior.dense())


@settings(max_examples=40)
@given(seen=views(1))
def test_the_control_is_what_a_slow_recomputation_gives(seen: Seen):
    """For each person alone: what fits of the other groups, by weight, else the nearest ones; then the prior."""
    view = seen.view
    prior = view.knowledge.prior
    share, count = controls.shares_and_counts(view, 0)
    pooled = count.sum(axis=0) / count.sum()
    lift = np.divide(1, pooled, out=np.zeros(pooled.size), where=pooled > 0)
    control = controls.left_out(RandomWorlds().infer(view, RNG), seen.own(0))
    for person in range(seen.table.n_rows):
        before = prior.dense()[person]
        chances = controls.chances_elsewhere(view, 0, person, int(seen.own(0)[person]))
        expected = before * lift * (chances @ share) if chances.any() else before
        expected = expected / expected.sum() if expected.sum() > 1e-12 else before
        assert control.dense()[person] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=25)
@given(seen=views(1, forms=("exact",), located=False, any_prior=False, missing=False))
def test_on_exact_rows_the_control_is_the_attack_on_the_rest(seen: Seen):
    """Attack the release without the own group, really cut out: where look-alikes remain, the same is believed."""
    view = seen.view
    control = controls.left_out(RandomWorlds().infer(view, RNG), seen.own(0)).dense()
    for person, own in enumerate(seen.own(0)):
        mark = np.arange(view.releases[0].n_groups) == own
        if mark.all():
            continue
        rest = view.without([mark])
        again = stories.view_of(rest.releases, view.knowledge.people, "ill")  # the prior of the rest
        found = RandomWorlds().infer(again, RNG)
        if controls.fits_somewhere(rest, person):
            assert control[person] == pytest.approx(found.dense()[person], abs=1e-9)


# --- centroids exclude no one


def microaggregated(seed: int) -> tuple[Table, Publication]:
    """Return people of Adult and their release in groups of five, as a microaggregation publishes it."""
    table = adult(quasi=("age", "workclass", "education", "marital-status", "race", "sex"), sensitive=("occupation",))
    table = table.take(np.random.default_rng(seed).choice(table.n_rows, 3000, replace=False))
    return table, Microaggregation(k=5).sanitize(table, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(2))
def test_no_value_of_a_person_is_excluded_by_centroids(seed):
    """Whoever is far from the own centroid is searched for elsewhere: one more person of all counts everywhere."""
    table, made = microaggregated(seed)
    view = stories.view_of([made.release], table.visible("occupation"), "occupation")
    beliefs = RandomWorlds().infer(view, RNG)
    own = np.arange(table.n_rows), table["occupation"]
    values = table.schema["occupation"].values
    least = made.release.people_by_value("occupation").min() / table.n_rows / (table.n_rows + 1)
    assert beliefs.aligned(values).dense()[own].min() >= least * (1 - 1e-9)
    assert beliefs.left_out is not None
    control = beliefs.left_out([made.group_of])
    assert control.aligned(values).dense()[own].min() >= least * (1 - 1e-9)
    assert beliefs.aligned(values).dense().sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(2))
def test_beliefs_from_centroids_are_right_as_often_as_they_say(seed):
    """Right minus believed: -.008 in the mean of 30 samples, with a deviation of .0065; +.02 where distances blur."""
    table, made = microaggregated(seed)
    view = stories.view_of([made.release], table.visible("occupation"), "occupation")
    chance = RandomWorlds().infer(view, RNG).aligned(table.schema["occupation"].values).dense()
    right = chance.argmax(axis=1) == table["occupation"]
    assert -0.03 < right.mean() - chance.max(axis=1).mean() < 0.015  # by chance, once in 2,000 samples
