"""Views: the attacker's input, and its validation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests import stories
from unmask.beliefs import About, Question
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.table import Table
from unmask.view import IN_IT, NOT_IN_IT, Knowledge, Located, Requirements, View


def ward() -> Table:
    """Return four patients."""
    return Table.of({"age": [20, 21, 40, 41], "ill": list("abab")}, quasi=["age"], sensitive=["ill"])


def seen(**more) -> View:
    """Return the view of a release in two groups."""
    published = stories.boxed(ward(), [0, 0, 1, 1])
    return stories.view_of(published.release, ward().visible("ill"), "ill", **more)


def test_the_prior_is_the_question():
    """What it is about, which answers are possible, and how likely they are beforehand."""
    view = seen()
    assert view.about == About.attribute("ill")
    assert view.knowledge.prior.values == ("a", "b")
    assert view.knowledge.prior.of(0) == {"a": 0.5, "b": 0.5}


def test_places_are_unknown_unless_they_are_given():
    """In the release, somewhere."""
    assert seen().located(0).tolist() == [IN_IT] * 4
    assert seen(groups=[[0, 1, IN_IT, NOT_IN_IT]]).located(0).tolist() == [0, 1, IN_IT, NOT_IN_IT]


def test_groups_that_are_left_out_take_their_places_with_them():
    """The first group is gone: the second is now the first, and who was in the first is somewhere."""
    rest = seen(groups=[[0, 1, 1, NOT_IN_IT]]).without([np.array([True, False])])
    assert rest.release.n_groups == 1
    assert rest.located(0).tolist() == [IN_IT, 0, 0, NOT_IN_IT]


def test_one_of_several_releases_can_be_looked_at_alone():
    """With the places known in it."""
    release = seen().release
    view = stories.view_of([release, release], ward().visible("ill"), "ill", [[0] * 4, [1] * 4])
    assert view.only(1).located(0).tolist() == [1] * 4
    with pytest.raises(NotApplicableError, match="exactly 1 release; this view has 2"):
        _ = view.release


def test_published_rows_can_be_the_targets_themselves():
    """Their places are known; of exact rows also what they show, but never the value asked about."""
    exact = stories.exact(ward(), [0, 0, 1, 1]).release
    known = Knowledge.of_rows(exact, seen().knowledge.prior)
    assert known.people["age"].tolist() == [20, 21, 40, 41]
    assert known.located is not None
    assert known.located[0].group.tolist() == [0, 0, 1, 1]
    assert known.located[0].row is not None
    assert known.located[0].row.tolist() == [0, 1, 2, 3]
    boxes = Knowledge.of_rows(seen().release, seen().knowledge.prior)
    assert boxes.people.schema.names == ()


@pytest.mark.parametrize(
    ("need", "message"),
    [
        (Requirements(least_releases=2, most_releases=2), "needs exactly 2 releases; this view has 1"),
        (Requirements(least_releases=2, most_releases=None), "needs at least 2 releases; this view has 1"),
        (Requirements(question=Question.PLACE), "a place only"),
        (Requirements(counts="noisy"), "needs counts with noise; these are exact"),
    ],
)
def test_unmet_requirements_name_what_is_missing(need, message):
    """`require` is the first line of each attack; its reason is printed beside "not run"."""
    with pytest.raises(NotApplicableError, match=message):
        seen().require(need)
    seen().require(Requirements())


def test_an_attribute_that_is_not_published_cannot_be_asked_for():
    """It is not counted by group."""
    view = seen()
    bare = replace(view.release, counts={}, columns={}, schema=view.release.schema.only(["age"]))
    with pytest.raises(NotApplicableError, match="'ill' among the sensitive attributes of release 'release'"):
        View((bare,), view.knowledge).require(Requirements())
    View((bare,), view.knowledge).require(Requirements(counts=None))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: View((), seen().knowledge), "at least one release; got none"),
        (lambda: View(seen().releases * 2, replace(seen().knowledge, located=(Located(np.zeros(4, np.int32)),))),
         "each of 2 releases; got 1"),
        (lambda: replace(seen().knowledge, people=ward().visible("ill").take(np.arange(2))), "2 people known; got 4"),
        (lambda: replace(seen().knowledge, people=ward().only(["age", "ill"])), "must not include column 'ill'"),
        (lambda: replace(seen().knowledge, located=(Located(np.zeros(2, np.int32)),)), "for each of 4 people"),
    ],
)  # fmt: skip
def test_what_does_not_belong_together_is_refused(make, message):
    """No release, places of other people, a prior about others, or the answer among what is known."""
    with pytest.raises(InvalidInputError, match=message):
        make()
