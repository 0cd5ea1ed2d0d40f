"""Baseline: what could be guessed without looking, which every other number is read beside."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from tests import controls, stories
from tests.strategies import Seen, place_view, views
from unmask.attacks.baseline import Baseline
from unmask.table import Table

RNG = np.random.default_rng(0)  # exact: draws nothing


def test_the_baseline_returns_the_prior_of_each_person():
    """Two of five patients have flu: 2/5 for each person, in any known group."""
    table = Table.of(
        {"age": [20, 21, 22, 40, 41], "ill": ["flu", "flu", "cold", "cold", "cold"]}, quasi=["age"], sensitive=["ill"]
    )
    published = stories.boxed(table, [0, 0, 0, 1, 1])
    view = stories.view_of(published.release, table.visible("ill"), "ill", [published.group_of])
    assert Baseline().infer(view, RNG).probability("flu").tolist() == [0.4] * 5


@settings(max_examples=20)
@given(seen=views(1))
def test_the_baseline_is_its_own_control(seen: Seen):
    """It uses no group, so leaving one out changes nothing: the excess is 0 for each person."""
    beliefs = Baseline().infer(seen.view, RNG)
    assert np.array_equal(beliefs.dense(), seen.view.knowledge.prior.dense())
    assert np.array_equal(controls.left_out(beliefs, seen.own(0)).dense(), beliefs.dense())


def test_it_answers_any_question():
    """Also for places: in proportion to the groups' sizes."""
    table, published = stories.smokers()
    seen = Seen(stories.view_of(published.release, table.visible("disease"), "disease"), table, (published,))
    assert Baseline().infer(place_view(seen), RNG).of(0) == {str(g): 1 / 6 for g in range(6)}
