"""A release given twice counts once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests import stories
from unmask.attacks.shared.duplicate_releases import each_once, originals
from unmask.attacks.shared.pooling import default_prior
from unmask.view import IN_IT, NOT_IN_IT


def test_a_copy_points_to_the_first_that_shows_the_same():
    """Whatever it is called; two different hospitals are not copies."""
    one, two = stories.hospitals()
    again = replace(one, name="the same once more")
    assert originals([one, two, again, two]) == [0, 1, 0, 1]


def test_what_is_known_of_a_place_in_a_copy_is_known_in_the_original():
    """A known group precedes an unknown one, and membership precedes no information."""
    one, two = stories.hospitals()
    again = replace(one, name="again")
    places = [[0, IN_IT, NOT_IN_IT], [1, 1, 1], [IN_IT, 2, NOT_IN_IT]]
    view = stories.view_of([one, two, again], stories.people_of(age=[28, 35, 45]), "condition", places)

    once, kept, notes = each_once(view)

    assert kept == (0, 1)
    assert [once.located(r).tolist() for r in (0, 1)] == [[0, 2, NOT_IN_IT], [1, 1, 1]]
    assert notes == {"again": "release"}


def test_nothing_happens_where_there_is_no_copy():
    """The very same view, without a note."""
    view = stories.view_of(stories.hospitals(), stories.people_of(age=[28]), "condition")
    assert each_once(view) == (view, (0, 1), {})


def test_a_copy_does_not_move_the_default_prior():
    """Published counts are added up over different releases only."""
    one, two = stories.hospitals()
    twice = default_prior([one, two, one], "condition", 1)
    assert np.array_equal(twice.dense(), default_prior([one, two], "condition", 1).dense())
