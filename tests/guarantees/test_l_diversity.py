"""What l-diversity promises, random worlds keeps, and learning breaks."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from tests import oracle, stories
from tests.strategies import Seen, views
from unmask.attacks.random_worlds import RandomWorlds
from unmask.beliefs import About
from unmask.guarantees.l_diversity import LDiversityPromise
from unmask.view import Worlds

DISEASE = About.attribute("disease")


def test_table_6_guarantees_one_half_and_learning_exceeds_it():
    """Pairs of different diseases: 1/2 by random worlds; yet tuple 11 has cancer with 27/32."""
    table, published = stories.smokers()
    promise = LDiversityPromise().promises([published.release], DISEASE)
    assert promise is not None
    assert (promise.metric, promise.limit, promise.vacuous) == ("max-belief", 1 / 2, False)
    assert "l = 2" in promise.assumes
    view = stories.view_of(published.release, table.visible("disease"), "disease", [published.group_of])
    assert RandomWorlds().infer(view, np.random.default_rng(0)).rows.maxima().max() == promise.limit
    assert oracle.posterior(view, Worlds("dirichlet")).max() == 27 / 32


def test_a_homogeneous_group_promises_nothing():
    """All of [30, 39] have cancer: vacuous."""
    promise = LDiversityPromise().promises([stories.hospitals()[0]], About.attribute("condition"))
    assert promise is not None
    assert promise.vacuous


def test_of_places_and_of_several_releases_nothing_is_promised():
    """Nor of an attribute that is not published."""
    one, two = stories.hospitals()
    assert LDiversityPromise().promises([one, two], About.attribute("condition")) is None
    assert LDiversityPromise().promises([one], About.place("release")) is None
    assert LDiversityPromise().promises([one], DISEASE) is None


@settings(max_examples=40)
@given(seen=views(1, any_prior=False))
def test_under_the_published_prior_random_worlds_keeps_the_promise(seen: Seen):
    """With groups or only attributes known, no posterior exceeds the largest share."""
    promise = LDiversityPromise().promises(seen.view.releases, About.attribute("ill"))
    assert promise is not None
    beliefs = RandomWorlds().infer(seen.view, np.random.default_rng(0))
    assert beliefs.rows.maxima().max() <= promise.limit + 1e-12
